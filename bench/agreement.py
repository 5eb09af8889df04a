"""Nothing is timed that does not compute the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .entry import Entry

# Of a state's answer, relative to its largest entry. Libraries differ by rounding, which the
# elimination in forward dynamics enlarges; 90 degrees written with ten digits costs some, too.
TOLERANCE = 1e-8


class Disagreement(Exception):
    """Two libraries gave different answers."""


def check(entries: Sequence[Entry]) -> float:
    """Compare every entry with the first one; return the largest relative difference."""
    reference, *others = entries
    expected = reference.code.run()
    worst = 0.0
    for entry in others:
        error = difference(entry.code.run(), expected, entry.code.states)
        if not error <= TOLERANCE:  # NaN, too
            raise Disagreement(
                f"{entry.title} differs from {reference.title} by {error:.1e} relative in "
                f"{entry.quantity} ({entry.kind})"
            )
        worst = max(worst, error)
    return worst


def difference(actual: np.ndarray, expected: np.ndarray, states: int) -> float:
    """The largest difference of any state, relative to the largest entry of that state.

    Slow libraries compute the first states of a batch only; then these are compared.
    """
    actual = actual.reshape(states, -1)
    expected = expected.reshape(-1, actual.shape[1])[:states]
    return float((np.abs(actual - expected) / np.abs(expected).max(axis=1, keepdims=True)).max())
