"""Tables of the figures, for the terminal and for docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence

from .calls import BATCH_STATES, Figure
from .entry import BATCH, CALL, KINDS, QUANTITIES
from .libraries import ours

HEADINGS = {
    CALL: "one call from Python",
    BATCH: f"{BATCH_STATES:,} states in one batch, time for each state",
}
NOTES = (
    "Median ns; in brackets how many times faster than Pinocchio's call (in a batch: than a Python "
    "loop over it), the median of the ratios within each round.",
    "In a batch every library writes into an array that is there; the first line is ours with a "
    "new array, whose pages the system has to clear first.",
    "Pinocchio's crba fills the upper triangle of the mass matrix only; the others fill all of it.",
    "The answers of all libraries agreed to 1e-8 relative before anything was timed.",
)

Table = list[list[str]]


def call_table(figures: Sequence[Figure], arm: str, kind: str) -> Table:
    """A row for each way to compute, a column for each quantity."""
    table = [[f"{arm}: {HEADINGS[kind]}", *QUANTITIES]]
    chosen = {(f.title, f.quantity): f for f in figures if (f.arm, f.kind) == (arm, kind)}
    for title in titles(list(chosen.values())):
        table.append([title, *(_cell(chosen.get((title, quantity))) for quantity in QUANTITIES)])
    return table


def titles(figures: Sequence[Figure]) -> list[str]:
    """The ways to compute, library by library."""
    libraries = list(dict.fromkeys(f.library for f in figures))
    ordered = sorted(figures, key=lambda f: libraries.index(f.library))
    return list(dict.fromkeys(f.title for f in ordered))


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    if figure.times_yardstick is None:
        return f"{_ns(figure.ns)}"
    return f"{_ns(figure.ns)} ({significant(figure.times_yardstick)}x)"


def advantage_table(figures: Sequence[Figure]) -> Table:
    """How many times faster ours is than each other way, lowest and highest over the arms."""
    table = [["manip_dynamics is faster than ... by", *QUANTITIES]]
    for kind in KINDS:
        others = [f for f in figures if f.kind == kind and f.library != ours.TITLE]
        for title in titles(others):
            ratios = [[f.ours_times for f in others if (f.title, f.quantity) == (title, quantity)]
                      for quantity in QUANTITIES]  # fmt: skip
            table.append([f"{kind}: {title}", *map(_range, ratios)])
    return table


def _range(ratios: Sequence[float]) -> str:
    if not ratios:
        return "-"
    low, high = significant(min(ratios)), significant(max(ratios))
    return f"{low}x" if low == high else f"{low}x to {high}x"


def significant(value: float) -> str:
    """Two digits, or all before the point."""
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def _ns(value: float) -> str:
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def as_text(table: Table) -> str:
    """Columns aligned for a terminal; the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = []
    for row in table:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths))
        lines.append("  ".join([row[0].ljust(len(first)), *others]).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def as_markdown(table: Table) -> str:
    """The same for docs/benchmarks.md."""
    head, *rows = ["| " + " | ".join(row) + " |" for row in table]
    rule = "|---|" + "---:|" * (len(table[0]) - 1)
    return "\n".join([head, rule, *rows])
