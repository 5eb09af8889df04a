"""scipy's solvers with step size control, for reference solutions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .base import Array, Derivative, Integrator, StepFailed

# A solver that finds an arm at rest takes steps so long that it may not see it start to move.
LONGEST_STEP = 100.0  # dt
FAR = 1e9  # s; scipy's LSODA cannot do with infinity


class Adaptive(Integrator):
    """The solver chooses its steps; its interpolant gives y where it is asked for.

    A step of LSODA or DOP853 may span many dt, so that the cost depends on the motion alone.
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
            from scipy import integrate  # here: importing it takes longer than all the rest

            self._solver = getattr(integrate, self.solver)(
                f, t, y, t + min(self._reach, FAR), first_step=dt / 2, max_step=LONGEST_STEP * dt,
                **self._tolerances)
            self._interpolant = None
        # Within rounding, the end of what the solver has covered counts as covered.
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
    """Runge-Kutta of order eight (Hairer, Norsett & Wanner, DOP853)."""

    solver = "DOP853"
    order = 8


class LivermoreSolver(Adaptive):
    """LSODA: changes between Adams and implicit (BDF) formulas; for stiff joints."""

    solver = "LSODA"
    order = 12  # at most
