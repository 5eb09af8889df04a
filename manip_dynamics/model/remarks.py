"""Remarks on what was not taken literally in a description: each kind once, with all names."""

from __future__ import annotations

from .wording import listed


class Remarks:
    """Remarks in the order of first occurrence."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}
        self.reported: set[str] = set()  # joints already reported as held at 0

    def add(self, text: str, name: str = "") -> None:
        """`text` applies to the element called `name`; repeated texts are merged."""
        names = self._names.setdefault(text, [])
        if name and name not in names:
            names.append(name)

    def texts(self) -> tuple[str, ...]:
        """One sentence for each kind."""
        return tuple(f"{text}: {listed(names)}" if names else text
                     for text, names in self._names.items())
