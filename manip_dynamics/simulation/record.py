"""Record: the states of a run while it is in progress."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


class Record:
    """Keeps the initial state (2n,), the states after every `every` of `steps` steps, and the last.

    `done` counts the steps so far.
    """

    def __init__(self, state: Array, steps: int, every: int) -> None:
        self.steps, self.every = steps, every
        self.done = 0
        self._states = np.empty((steps // every + 2, len(state)))
        self._efforts = np.empty((len(self._states), len(state) // 2))
        self._states[0] = state

    @property
    def phase(self) -> int:
        """Steps since the last recorded state."""
        return self.done % self.every

    @property
    def to_fill(self) -> Array:
        """The rows (N, 2n) that the next states are written to."""
        return self._states[self.done // self.every + 1 :]

    def keep_efforts(self, tau: Array) -> None:
        """Record the efforts (n,) applied from the last recorded state on."""
        self._efforts[self.done // self.every] = tau

    def finished(self, state: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Step numbers (N,), states (N, 2n) and efforts (N, n), ending with the present ones."""
        steps = np.append(np.arange(0, self.done, self.every), self.done)
        rows = len(steps)
        self._states[rows - 1], self._efforts[rows - 1] = state, tau
        return steps, self._states[:rows], self._efforts[:rows]
