"""Semi-implicit (symplectic) Euler method."""

from __future__ import annotations

import numpy as np

from .base import Array, Derivative, Integrator


class SemiImplicitEuler(Integrator):
    """Order one, one evaluation per step; positions advance with the new velocities."""

    order = 1
    decay_limit = 2.0
    oscillation_limit = 2.0

    def step(self, f: Derivative, t: float, y: Array, dt: float) -> Array:
        n = len(y) // 2
        qd = y[n:] + dt * f(t, y)[n:]
        return np.concatenate([y[:n] + dt * qd, qd])
