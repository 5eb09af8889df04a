"""The interface of an integrator of y' = f(t, y), with y = (q, qd)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

Array = np.ndarray
Derivative = Callable[[float, Array], Array]  # t in s, y (2n,) to dy/dt (2n,)


class StepFailed(ArithmeticError):
    """An adaptive method found no step short enough."""


class Integrator(ABC):
    """One integration method, with its memory of earlier steps.

    order: the order of convergence.
    decay_limit, oscillation_limit: the longest stable step times the rate of a decay (1/s), and
        times the frequency of an undamped oscillation (rad/s).
    """

    order: ClassVar[int]
    decay_limit: ClassVar[float] = math.inf
    oscillation_limit: ClassVar[float] = math.inf

    @abstractmethod
    def step(self, f: Derivative, t: float, y: Array, dt: float) -> Array:
        """Return y (2n,) at t + dt, given y at t; t and dt in s. May raise StepFailed."""

    def restart(self, reach: float = math.inf) -> None:
        """Forget earlier steps, because y or f has jumped; f is smooth for the next `reach` s."""
        return
