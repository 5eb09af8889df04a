"""Times that can be compared although others use the machine, too.

Processor time is measured, which leaves out what others get of the core. What is compared runs in
turn, many times over: a disturbance, such as a cache that others have filled, then hits all of it
alike or only one round, and the median of the ratios within a round hardly sees it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .entry import Code


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds of slices, at least so many and at least so long."""

    rounds: int
    slice_seconds: float  # of one entry in one round
    patience: float  # s: no new round after this time, once there are three


THOROUGH = Effort(rounds=101, slice_seconds=2e-3, patience=20.0)
QUICK = Effort(rounds=11, slice_seconds=1e-3, patience=2.0)
# A batch comes to its arrays when others have filled the caches; a slice is long enough to forget.
BATCH_SLICES = 20  # times as long


def interleaved(
    codes: Sequence[Code], effort: Effort, progress: Callable[[int], None] = lambda done: None
) -> np.ndarray:
    """ns for one evaluation, (rounds, entries); row by row they were measured beside each other."""
    timers = [code.timer() for code in codes]
    repeats = [_repeats(timer, effort.slice_seconds) for timer in timers]
    rows: list[list[float]] = []
    start = perf_counter()
    gc.collect()
    while len(rows) < effort.rounds:
        if len(rows) >= 3 and perf_counter() - start > effort.patience:
            break
        rows.append(
            [
                timer.timeit(repeat) / (repeat * code.states * code.evaluations) * 1e9
                for timer, repeat, code in zip(timers, repeats, codes)
            ]
        )
        progress(len(rows))
    return np.array(rows)


def _repeats(timer: object, slice_seconds: float) -> int:
    """How often to run the statements to fill a slice."""
    repeat = 1
    while (taken := timer.timeit(repeat)) < slice_seconds / 4:  # type: ignore[attr-defined]
        repeat *= 4
    return max(1, round(repeat * slice_seconds / taken))
