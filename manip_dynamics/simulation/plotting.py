"""Plots of motions over time, one curve per joint. Needs matplotlib."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .history import History

Array = np.ndarray

FORMATS = (".png", ".svg", ".pdf")
UNITS = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "effort": ("N m", "N"),
         "deviation": ("rad", "m")}  # of revolute and prismatic joints
# Dark enough on white; with the line styles, curves are distinct without colour too.
COLOURS = ("#000000", "#c1272d", "#0000a7", "#008176", "#b3590a", "#7b3294", "#5d5d5d")
STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 4)))
MARKS: dict[str, Any] = {"markersize": 3.5, "markerfacecolor": "none"}
PANEL_SIZE = (7.0, 2.3)  # inches
LEGEND_WIDTH = 16  # characters
LONGEST_COLUMN = 5  # panels
SMALLEST_FRACTION = 0.05  # of the largest effort in a panel; smaller ones get their own panel
ROUNDING = 1e-9  # of the largest effort


@dataclass(frozen=True)
class Panel:
    """One quantity (of UNITS) of n joints at t (N,), s: `values` and `marks` (circles), (N, n)."""

    quantity: str
    t: Array
    values: Array
    marks: Array | None = None
    marks_label: str = ""


def require_matplotlib() -> None:
    """Raise ImportError with instructions if matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ImportError("figures need matplotlib: python3 -m pip install matplotlib") from None


def check_figure(path: Path | None) -> None:
    """Raise ValueError or ImportError if a figure could not be written to a path."""
    if path is not None:
        if path.suffix not in FORMATS:
            raise ValueError(f"figures are written as {', '.join(FORMATS)}, not '{path.name}'")
        require_matplotlib()


def plot_history(history: History, title: str = "") -> Any:
    """A figure of positions, velocities, efforts and, with a reference, the deviations from it."""
    panels = [Panel("position", history.t, history.q, history.reference, "reference")]
    if history.reference is not None:
        panels.append(Panel("deviation", history.t, history.error))
    panels.append(Panel("velocity", history.t, history.qd))
    if history.tau.any():
        panels.append(Panel("effort", history.t, history.tau))
    return plot_panels(panels, history.joint_names, history.joint_kinds, title)


def plot_panels(panels: Sequence[Panel], names: Sequence[str], kinds: Sequence[str],
                title: str = "") -> Any:
    """A figure of the panels; joints without a common unit or scale get separate axes.

    names, kinds: of the n joints, as in `History`.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    cells = [(panel, unit, joints) for panel in panels for unit, joints in _groups(panel, kinds)]
    columns = 1 if len(cells) <= LONGEST_COLUMN else 2
    rows = -(-len(cells) // columns)
    width, height = PANEL_SIZE
    figure = Figure(figsize=(width * columns, height * rows + 0.5), layout="constrained",
                    facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False).T.ravel()  # down, then to the right
    for ax, (panel, unit, joints) in zip(axes, cells):
        for same in _coinciding(panel.values, joints):
            _draw(ax, panel, same[0], fill(", ".join(names[j] for j in same), LEGEND_WIDTH,
                                             break_long_words=False))
        if panel.marks is not None:
            ax.plot([], [], "ko", label=panel.marks_label, **MARKS)
        ax.set_ylabel(f"{panel.quantity} [{unit}]")
        ax.ticklabel_format(axis="y", scilimits=(-3, 4))
        ax.set_xlim(panel.t[0], max(panel.t[-1], panel.t[0] + 1e-9))
        ax.grid(True, color="#d9d9d9", linewidth=0.6)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    for i, ax in enumerate(axes):
        last = i == len(cells) - 1 or i % rows == rows - 1
        ax.set_visible(i < len(cells))
        ax.tick_params(labelbottom=last)
        ax.set_xlabel("time [s]" if last else "")
    figure.align_ylabels(axes[: len(cells)].tolist())
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


def _draw(ax: Any, panel: Panel, j: int, label: str) -> None:
    colour = COLOURS[j % len(COLOURS)]
    ax.plot(panel.t, panel.values[:, j], linestyle=STYLES[j % len(STYLES)], color=colour,
            linewidth=1.3, label=label)
    if panel.marks is not None:
        some = np.unique(np.linspace(0, len(panel.t) - 1, 21).astype(int))
        ax.plot(panel.t[some], panel.marks[some, j], "o", color=colour, **MARKS)


def _groups(panel: Panel, kinds: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Units, and joints plotted together: of one kind and, for efforts, of similar magnitude."""
    peaks = np.nanmax(abs(panel.values), axis=0)
    for unit, kind in zip(UNITS[panel.quantity], ("revolute", "prismatic")):
        left = [j for j, other in enumerate(kinds) if other == kind]
        while left:
            largest = max(peaks[j] for j in left)
            visible = [j for j in left if peaks[j] >= SMALLEST_FRACTION * largest]
            rest = [j for j in left if j not in visible]
            if panel.quantity != "effort" or not any(peaks[j] > ROUNDING * largest for j in rest):
                visible, rest = left, []
            yield unit, visible
            left = rest


def _coinciding(values: Array, joints: Sequence[int]) -> list[list[int]]:
    """The joints, grouped by identical curves."""
    groups: list[list[int]] = []
    tolerance = 1e-6 * max(np.nanmax(abs(values[:, joints])), 1e-300)
    for j in joints:
        for group in groups:
            if np.allclose(values[:, j], values[:, group[0]], 0.0, tolerance, equal_nan=True):
                group.append(j)
                break
        else:
            groups.append([j])
    return groups


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as .png, .svg or .pdf."""
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:  # matplotlib names the formats it supports
        raise ValueError(f"'{path}': {error}") from None
