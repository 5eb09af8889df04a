"""How messages name settings: as Python, the command line or ROS writes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_FORMS = {
    "python": lambda name, value: f'{name}="{value}"' if isinstance(value, str)
    else f"{name}={value}",
    "command line": lambda name, value: f"--{name.replace('_', '-')} {value}",
    "ros": lambda name, value: f"{name}:={value}",
}
_reader = "python"


def option(name: str, value: object) -> str:
    """A setting and its value as the reader would write it."""
    return _FORMS[_reader](name, value)


@contextmanager
def messages_for(reader: str) -> Iterator[None]:
    """Messages are for a reader of this process: "python", "command line" or "ros"."""
    global _reader
    before, _reader = _reader, reader
    try:
        yield
    finally:
        _reader = before


def listed(names: list[str], most: int = 12) -> str:
    """Names in quotes, the first ones if they are many."""
    quoted = [f"'{name}'" for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(quoted) + more
