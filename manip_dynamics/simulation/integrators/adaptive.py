"""Adaptive solvers from scipy, for reference solutions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .base import Array, Derivative, Integrator, StepFailed

# From rest, a solver would take steps so long that it might miss the onset of motion.
LONGEST_STEP = 100.0  # dt
FAR = 1e9  # s; scipy's LSODA does not accept infinity


class Adaptive(Integrator):
    """The solver chooses its own steps, and its interpolant gives y at multiples of dt.

    A step may span many dt, so the cost depends on the motion and hardly on dt.
    rtol, atol: relative and absolute tolerances (rad, m and per s).
    """

    solver: ClassVar[str]  # its name in scipy.integrate

    def __init__(self, rtol: float = 1e-10, atol: float = 1e-12) -> None:
        self._tolerances = {"rtol": rtol, "atol": atol}
        self.restart()

    def restart(self, reach: float = math.inf) -> None:
        self._reach = reach
        self._solver: Any = None

    def step(self, f: Derivative, t: float, y: Array, dt: float) -> Array:
        if self._solver is None:
            from scipy import integrate  # here, because importing it is slow

            self._solver = getattr(integrate, self.solver)(
                f, t, y, t + min(self._reach, FAR), first_step=dt / 2, max_step=LONGEST_STEP * dt,
                **self._tolerances)
            self._interpolant = None
        # Up to rounding, `until` may be the end of the last step.
        until = t + dt
        while self._solver.t < until - 1e-9 * dt:
            message = self._solver.step()
            self._interpolant = None
            if self._solver.status == "failed":
                raise StepFailed(message)
        if self._interpolant is None:
            self._interpolant = self._solver.dense_output()
        return self._interpolant(until)


class DormandPrince853(Adaptive):
    """DOP853, Runge-Kutta of order eight (Hairer, Norsett & Wanner)."""

    solver = "DOP853"
    order = 8


class LivermoreSolver(Adaptive):
    """LSODA, which switches between Adams and implicit BDF formulas; for stiff joints."""

    solver = "LSODA"
    order = 12  # at most
