"""The libraries that are compared, one module each.

A module has TITLE, HOW_TO_GET and two functions:

    version() -> str                          raises ImportError where the library is missing
    entries(arm, states) -> list[Entry]       all the ways to measure it, best ones first

An entry computes with the first of the states (a call) or with all of them (a batch).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

NAMES = ("ours", "pinocchio", "casadi", "mujoco", "drake", "roboticstoolbox")


@dataclass(frozen=True)
class Missing:
    """A library that is not there, and what to do about it."""

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
