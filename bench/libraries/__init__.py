"""The libraries to compare, one module each.

A module has TITLE, HOW_TO_GET and two functions:

    version() -> str                          raises ImportError if the library is missing
    entries(arm, states) -> list[Entry]       all forms to measure, the fastest first

An entry uses the first of the states (a call) or all of them (a batch).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

NAMES = ("ours", "pinocchio", "casadi", "mujoco", "drake", "roboticstoolbox")


@dataclass(frozen=True)
class Missing:
    """A missing library and how to get it."""

    title: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.title}: not installed; {self.remedy}"


def available() -> tuple[list[ModuleType], list[Missing]]:
    """The libraries that can be imported, and those that cannot."""
    found, missing = [], []
    for name in NAMES:
        library = import_module(f"{__name__}.{name}")
        try:
            library.version()
            found.append(library)
        except ImportError:
            missing.append(Missing(library.TITLE, library.HOW_TO_GET))
    return found, missing
