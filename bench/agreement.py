"""Check that all libraries compute the same before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .entry import Entry

# Of the result for a state, relative to its largest entry. Libraries differ by rounding, which is
# amplified by the elimination in forward dynamics, and by angles that are written with ten digits.
TOLERANCE = 1e-8


class Disagreement(Exception):
    """Two libraries computed different results."""


def check(entries: Sequence[Entry]) -> float:
    """Compare every entry with the first one; return the largest relative difference."""
    reference, *others = entries
    expected = reference.code.run()
    worst = 0.0
    for entry in others:
        error = difference(entry.code.run(), expected, entry.code.states)
        if not error <= TOLERANCE:  # also if NaN
            raise Disagreement(
                f"{entry.title} differs from {reference.title} by {error:.1e} relative in "
                f"{entry.quantity} ({entry.kind})"
            )
        worst = max(worst, error)
    return worst


def difference(actual: np.ndarray, expected: np.ndarray, states: int) -> float:
    """The largest difference over all states, relative to the largest entry of each state.

    Slow libraries compute only the first states of a batch; then only these are compared.
    """
    actual = actual.reshape(states, -1)
    expected = expected.reshape(-1, actual.shape[1])[:states]
    return float((np.abs(actual - expected) / np.abs(expected).max(axis=1, keepdims=True)).max())
