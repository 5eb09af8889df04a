"""What every integrator of y' = f(t, y) offers, with y = (q, qd)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

Array = np.ndarray
Derivative = Callable[[float, Array], Array]  # (2n,) to (2n,)


class StepFailed(ArithmeticError):
    """The method finds no step that is short enough."""


class Integrator(ABC):
    """One method, with whatever it remembers of the steps before."""

    order: ClassVar[int]
    # Longest stable step times the rate of a decay, and times the frequency of an oscillation.
    decay_limit: ClassVar[float] = math.inf
    oscillation_limit: ClassVar[float] = math.inf

    @abstractmethod
    def step(self, f: Derivative, t: float, y: Array, dt: float) -> Array:
        """y at t + dt; raises StepFailed where the motion cannot be followed."""

    def restart(self, reach: float = math.inf) -> None:
        """Forget earlier steps: y or f has jumped; f is smooth for `reach` seconds from here."""
        return
