"""Simulator: forward dynamics integrated in steps of fixed length."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import Dynamics
from .integrators import INTEGRATORS


class SimulationError(ArithmeticError):
    """The motion left the finite numbers; the message says when and at which joint."""


class Simulator:
    """The state of one arm, moved by `step(tau)`.

    `q` and `qd` (n,) are in the order of `dyn.robot.joint_names`, `time` in s.
    """

    def __init__(self, dyn: Dynamics, dt: float = 1e-3, integrator: str = "rk4") -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise ValueError(f"dt must be a positive number of seconds, not {dt}")
        if integrator not in INTEGRATORS:
            raise ValueError(
                f"integrator must be one of {', '.join(INTEGRATORS)}, not {integrator!r}"
            )
        self.dyn = dyn
        self.dt = float(dt)
        self._integrate = INTEGRATORS[integrator]
        self.reset()

    def reset(self, q: Any = None, qd: Any = None) -> None:
        """Start again at time zero, from q and qd (n,); zero where not given."""
        self.set_state(q, qd)
        self.time = 0.0

    def set_state(self, q: Any = None, qd: Any = None) -> None:
        """Put the arm to q and qd (n,), zero where not given; time goes on."""
        self.q, self.qd = self._vector("q", q), self._vector("qd", qd)

    def step(self, tau: Any = None) -> None:
        """Move on by dt under the efforts tau (n,), which stay constant during the step."""
        tau = self._vector("tau", tau)
        # Overflow on the way to a blow-up is reported below, in words.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                q, qd = self._integrate(
                    lambda q, qd: self.dyn.forward_dynamics(q, qd, tau), self.q, self.qd, self.dt
                )
            except (ValueError, np.linalg.LinAlgError) as error:
                raise SimulationError(self._blow_up(self.qd)) from error
        if not np.isfinite(q + qd).all():
            raise SimulationError(self._blow_up(q + qd))
        self.q, self.qd, self.time = q, qd, self.time + self.dt

    def _blow_up(self, values: np.ndarray) -> str:
        worst = int(np.argmax(np.where(np.isfinite(values), abs(values), np.inf)))
        return (
            f"the motion is no longer finite at t = {self.time:.6g} s, "
            f"joint '{self.dyn.robot.joint_names[worst]}'; a smaller dt than {self.dt:g} s may help"
        )

    def _vector(self, name: str, values: Any) -> np.ndarray:
        n = self.dyn.robot.n
        vector = np.zeros(n) if values is None else np.array(values, float)
        if vector.shape != (n,):
            raise ValueError(f"{name} must have shape ({n},), not {vector.shape}")
        if not np.isfinite(vector).all():
            raise ValueError(f"{name} contains NaN or infinity")
        return vector
