"""The options of every verb that draws a figure."""

from __future__ import annotations

from pathlib import Path

from manip_dynamics.simulation.plotting import require_matplotlib

FORMATS = (".png", ".svg", ".pdf")


def check_figures(*paths: Path | None) -> None:
    """Say now, not after a long computation, that a figure cannot be written."""
    for path in paths:
        if path is None:
            continue
        if path.suffix not in FORMATS:
            raise ValueError(f"a figure is {', '.join(FORMATS)}, not '{path.name}'")
        try:
            require_matplotlib()
        except ImportError as error:
            raise ValueError(str(error)) from None
