"""Comparable times on a machine that is shared with other processes.

Processor time is measured, which excludes other processes. All candidates run in turn, many times:
a disturbance, such as a cold cache, then affects all of them alike or only one round, and hardly
changes the median of the ratios within a round.
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
    """How long to measure: the number of rounds and the length of their slices."""

    rounds: int
    slice_seconds: float  # per entry and round
    patience: float  # s, after which no new round is started once there are three


THOROUGH = Effort(rounds=101, slice_seconds=2e-3, patience=20.0)
QUICK = Effort(rounds=11, slice_seconds=1e-3, patience=2.0)
# Other entries have evicted the arrays of a batch from the caches, so its slices are longer.
BATCH_SLICES = 20  # times as long


def interleaved(
    codes: Sequence[Code], effort: Effort, progress: Callable[[int], None] = lambda done: None
) -> np.ndarray:
    """ns per evaluation, (rounds, entries); those of a row were measured in direct succession."""
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
    """The number of runs that fill a slice."""
    repeat = 1
    while (taken := timer.timeit(repeat)) < slice_seconds / 4:  # type: ignore[attr-defined]
        repeat *= 4
    return max(1, round(repeat * slice_seconds / taken))
