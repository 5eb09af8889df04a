"""Tables of the results, for the terminal and for docs/benchmarks.md, and the status line."""

from __future__ import annotations

from collections.abc import Sequence

from tqdm import tqdm

from manip_dynamics.model.text_table import text_table

from .calls import BATCH_STATES, Figure
from .entry import BATCH, CALL, KINDS, QUANTITIES
from .libraries import ours

HEADINGS = {
    CALL: "one call from Python",
    BATCH: f"{BATCH_STATES:,} states in one batch, time per state",
}
NOTES = (
    "Median ns; in brackets the speedup over Pinocchio's call (in a batch: over a Python loop of "
    "calls), as the median of the ratios within each round.",
    "In a batch every library writes into an existing array, except in the first line: ours with a "
    "new array, whose pages the system has to clear first.",
    "Pinocchio's crba fills only the upper triangle of the mass matrix; the others fill all of it.",
    "All results were checked to agree within 1e-8 relative before anything was timed.",
)

Table = list[list[str]]


def status_line() -> tqdm:
    """What is being measured, in one line on stderr, shown only on a terminal."""
    tqdm.monitor_interval = 0  # no thread beside what is timed
    return tqdm(bar_format="[{elapsed}] {desc}", leave=False, disable=None)


def call_table(figures: Sequence[Figure], arm: str, kind: str) -> Table:
    """A row per library and form, a column per quantity."""
    table = [[f"{arm}: {HEADINGS[kind]}", *QUANTITIES]]
    chosen = {(f.title, f.quantity): f for f in figures if (f.arm, f.kind) == (arm, kind)}
    for title in titles(list(chosen.values())):
        table.append([title, *(_cell(chosen.get((title, quantity))) for quantity in QUANTITIES)])
    return table


def titles(figures: Sequence[Figure]) -> list[str]:
    """The titles of all forms, library by library."""
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
    """The speedup of ours over each other form, smallest and largest over the arms."""
    table = [["speedup of manip_dynamics over", *QUANTITIES]]
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
    """Two significant digits, or all digits before the decimal point."""
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def _ns(value: float) -> str:
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def as_text(table: Table) -> str:
    """For a terminal, with a rule below the headings."""
    lines = text_table(table).splitlines()
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def as_markdown(table: Table) -> str:
    """For docs/benchmarks.md."""
    head, *rows = ["| " + " | ".join(row) + " |" for row in table]
    rule = "|---|" + "---:|" * (len(table[0]) - 1)
    return "\n".join([head, rule, *rows])
