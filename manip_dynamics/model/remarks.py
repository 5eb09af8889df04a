"""What was not taken literally while a model was read: each kind of remark once, with a list."""

from __future__ import annotations

from .wording import listed


class Remarks:
    """Remarks in the order in which their kinds occurred first."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}
        self.told: set[str] = set()  # joints that need not be told again to be held at 0

    def add(self, text: str, name: str = "") -> None:
        """`text` holds for what is called `name`, and may hold for more of the same."""
        names = self._names.setdefault(text, [])
        if name and name not in names:
            names.append(name)

    def texts(self) -> tuple[str, ...]:
        """One sentence for each kind."""
        return tuple(f"{text}: {listed(names)}" if names else text
                     for text, names in self._names.items())
