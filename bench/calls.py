"""Calls and batches from Python, compared between libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from . import agreement
from .arms import ARMS, random_states
from .entry import BATCH, CALL, KINDS, QUANTITIES, Entry
from .libraries import ours, pinocchio
from .timing import BATCH_SLICES, Effort, interleaved

BATCH_STATES = 100_000
# The baseline of the comparison, by kind.
YARDSTICK = {CALL: (pinocchio.TITLE, ""), BATCH: (pinocchio.TITLE, pinocchio.LOOP)}
# As for all other libraries, the result array of a batch exists already.
OURS = {CALL: (ours.TITLE, ""), BATCH: (ours.TITLE, ours.OUT)}


@dataclass(frozen=True)
class Figure:
    """One number of a table."""

    arm: str
    library: str
    form: str
    kind: str
    quantity: str
    ns: float  # per state, median
    quartiles: tuple[float, float]  # of the same
    times_yardstick: float | None  # speedup over Pinocchio; None if it is missing
    ours_times: float  # speedup of ours over this

    @property
    def title(self) -> str:
        return f"{self.library}, {self.form}" if self.form else self.library


def measure(
    libraries: Sequence[ModuleType],
    arm_names: Sequence[str],
    effort: Effort,
    states: int = BATCH_STATES,
    say: Callable[[str], None] = lambda text: None,
) -> list[Figure]:
    """All figures of the named arms; raises Disagreement before timing wrong results."""
    figures = []
    for name in arm_names:
        arm = ARMS[name]()
        say(f"{arm.title}: building {', '.join(library.TITLE for library in libraries)}")
        given = random_states(arm.robot.n, states)
        entries = [entry for library in libraries for entry in library.entries(arm, given)]
        columns = [[e for e in entries if (e.kind, e.quantity) == (kind, quantity)]
                   for kind in KINDS for quantity in QUANTITIES]  # fmt: skip
        for column in columns:
            what = f"{arm.title}: {column[0].quantity}, {column[0].kind}"
            say(f"{what}: checking agreement")
            agreement.check(column)
        for column in columns:
            figures += _measure_column(arm.title, column, effort, say)
    return figures


def _measure_column(
    arm: str, column: Sequence[Entry], effort: Effort, say: Callable[[str], None]
) -> list[Figure]:
    what = f"{arm}: {column[0].quantity}, {column[0].kind}"
    if column[0].kind == BATCH:
        effort = replace(effort, slice_seconds=effort.slice_seconds * BATCH_SLICES)
    times = interleaved(
        [entry.code for entry in column], effort,
        lambda done: say(f"{what}: round {done} of at most {effort.rounds}"),
    )  # fmt: skip
    position = {(entry.library, entry.form): i for i, entry in enumerate(column)}
    yardstick = position.get(YARDSTICK[column[0].kind])
    figures = []
    for i, entry in enumerate(column):
        low, middle, high = np.percentile(times[:, i], [25, 50, 75])
        figures.append(
            Figure(
                arm, entry.library, entry.form, entry.kind, entry.quantity,
                float(middle), (float(low), float(high)),
                None if yardstick is None else median_ratio(times[:, yardstick], times[:, i]),
                median_ratio(times[:, i], times[:, position[OURS[entry.kind]]]),
            )  # fmt: skip
        )
    return figures


def median_ratio(slow: np.ndarray, fast: np.ndarray) -> float:
    """The median of the ratios within each round."""
    return float(np.median(slow / fast))
