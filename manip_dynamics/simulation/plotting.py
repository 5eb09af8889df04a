"""Figures of motions: time in s, joints by name, black on white. Needs matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .history import History

Array = np.ndarray

UNITS = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "effort": ("N m", "N"),
         "deviation": ("rad", "m")}  # of revolute and prismatic joints
# Dark enough on white, and with the line styles also distinct without colour.
COLOURS = ("#000000", "#c1272d", "#0000a7", "#008176", "#b3590a", "#7b3294", "#5d5d5d")
STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 4)))
PANEL_SIZE = (7.0, 2.3)  # inches


@dataclass(frozen=True)
class Panel:
    """A quantity of all joints over time: values (N, n); `marks` are drawn as circles."""

    quantity: str  # of UNITS
    t: Array
    values: Array
    label: str = ""  # what is drawn, if there is more than one thing
    marks: Array | None = None
    marks_label: str = ""


def require_matplotlib() -> None:
    """Raise ImportError, with advice, where matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ImportError("figures need matplotlib: python3 -m pip install matplotlib") from None


def plot_history(history: History, title: str = "") -> Any:
    """Positions, velocities, efforts and, if a reference was followed, deviations from it."""
    panels = [Panel("position", history.t, history.q, "motion", history.reference, "reference"),
              Panel("velocity", history.t, history.qd), Panel("effort", history.t, history.tau)]
    if history.reference is not None:
        panels.append(Panel("deviation", history.t, history.error))
    return plot_panels(panels, history.joint_names, history.joint_kinds, title)


def plot_panels(panels: Sequence[Panel], names: Sequence[str], kinds: Sequence[str],
                title: str = "") -> Any:
    """A figure with the panels one below the other; revolute and prismatic joints apart."""
    require_matplotlib()
    from matplotlib.figure import Figure

    rows = [(panel, unit, joints) for panel in panels
            for unit, joints in zip(UNITS[panel.quantity], _by_kind(kinds)) if joints]
    width, height = PANEL_SIZE
    figure = Figure(figsize=(width, height * len(rows) + 0.5), layout="constrained",
                    facecolor="white")
    axes = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (panel, unit, joints) in zip(axes, rows):
        for j in joints:
            style = {"color": COLOURS[j % len(COLOURS)], "linewidth": 1.3}
            ax.plot(panel.t, panel.values[:, j], linestyle=STYLES[j % len(STYLES)],
                    label=names[j], **style)
            if panel.marks is not None:
                some = np.unique(np.linspace(0, len(panel.t) - 1, 21).astype(int))
                ax.plot(panel.t[some], panel.marks[some, j], "o", markersize=3.5,
                        markerfacecolor="none", color=style["color"])
        if panel.marks is not None:
            ax.plot([], [], "ko", markersize=3.5, markerfacecolor="none", label=panel.marks_label)
        ax.set_ylabel(f"{panel.quantity} [{unit}]")
        ax.grid(True, color="#d9d9d9", linewidth=0.6)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    axes[-1].set_xlabel("time [s]")
    axes[-1].set_xlim(panels[0].t[0], max(panels[0].t[-1], panels[0].t[0] + 1e-9))
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write .png, .svg or .pdf."""
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:  # matplotlib's own words name the formats it knows
        raise ValueError(f"'{path}': {error}") from None


def _by_kind(kinds: Sequence[str]) -> tuple[list[int], list[int]]:
    """Indices of the revolute and of the prismatic joints."""
    return ([j for j, kind in enumerate(kinds) if kind == "revolute"],
            [j for j, kind in enumerate(kinds) if kind == "prismatic"])
