"""Bar charts of the results: a panel per quantity and kind, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter

from .calls import Figure
from .entry import KINDS, QUANTITIES
from .libraries import ours
from .report import HEADINGS, significant, titles

# Ours and theirs, from dark to pale for the arms.
OUR_COLOURS = ("#b3450b", "#e2761b", "#f2b27a")
THEIR_COLOURS = ("#35506b", "#6d8cab", "#b3c4d6")
BAR_HEIGHT = 0.27


def draw(figures: Sequence[Figure], file: Path, machine: str) -> None:
    """Write the plot to a file."""
    shown = [f for f in figures if f.form != ours.FALLBACK]
    arms = list(dict.fromkeys(f.arm for f in shown))
    rows = {kind: titles([f for f in shown if f.kind == kind]) for kind in KINDS}
    fig, axes = plt.subplots(
        len(KINDS), len(QUANTITIES), squeeze=False, sharex="row", sharey="row",
        layout="constrained", figsize=(15, 1.6 + 0.42 * sum(map(len, rows.values()))),
        height_ratios=[max(1, len(row)) for row in rows.values()],
    )  # fmt: skip
    for kind, panels in zip(KINDS, axes):
        for quantity, panel in zip(QUANTITIES, panels):
            chosen = [f for f in shown if (f.kind, f.quantity) == (kind, quantity)]
            _panel(panel, chosen, arms, rows[kind])
            panel.set_title(quantity)
            panel.set_xlabel("ns per state")
        times = [f.ns for f in shown if f.kind == kind]
        panels[0].set_xlim(min(times) / 2, max(times) * 3)
        panels[0].set_ylabel(HEADINGS[kind].removesuffix(", time per state"))
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in THEIR_COLOURS[: len(arms)]]
    fig.legend(handles, arms, loc="outside lower left", ncols=len(arms), frameon=False)
    reading = "Shorter is faster; numbers are multiples of the time of manip_dynamics"
    fig.suptitle(f"{reading}\n{machine}", fontsize=11)
    fig.savefig(file, dpi=110)
    plt.close(fig)


def _panel(panel: plt.Axes, figures: Sequence[Figure], arms: list[str], rows: list[str]) -> None:
    for f in figures:
        arm = arms.index(f.arm)
        y = rows.index(f.title) + (arm - (len(arms) - 1) / 2) * BAR_HEIGHT
        colours = OUR_COLOURS if f.library == ours.TITLE else THEIR_COLOURS
        panel.barh(y, f.ns, BAR_HEIGHT, color=colours[arm % len(colours)])
        label = f"{f.ns:.0f} ns" if f.library == ours.TITLE else f"{significant(f.ours_times)}x"
        panel.annotate(label, (f.ns, y), (3, 0), textcoords="offset points", va="center",
                       fontsize=7)  # fmt: skip
    panel.set_yticks(range(len(rows)), [title.replace(", ", "\n", 1) for title in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)  # the first on top
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)
    panel.tick_params(axis="y", length=0)
