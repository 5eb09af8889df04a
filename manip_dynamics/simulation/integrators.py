"""Fixed-step integrators of the second-order system qdd = f(q, qd).

An integrator is a function `(acceleration, q, qd, dt) -> (q, qd)` of the state one step later;
`acceleration(q, qd)` holds everything that acts during the step (zero-order-hold efforts).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
Acceleration = Callable[[Array, Array], Array]
Integrator = Callable[[Acceleration, Array, Array, float], tuple[Array, Array]]


def rk4(acceleration: Acceleration, q: Array, qd: Array, dt: float) -> tuple[Array, Array]:
    """Classical fourth-order Runge-Kutta."""
    v1, a1 = qd, acceleration(q, qd)
    v2 = qd + dt / 2 * a1
    a2 = acceleration(q + dt / 2 * v1, v2)
    v3 = qd + dt / 2 * a2
    a3 = acceleration(q + dt / 2 * v2, v3)
    v4 = qd + dt * a3
    a4 = acceleration(q + dt * v3, v4)
    return q + dt / 6 * (v1 + 2 * v2 + 2 * v3 + v4), qd + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def semi_implicit_euler(
    acceleration: Acceleration, q: Array, qd: Array, dt: float
) -> tuple[Array, Array]:
    """First order, one evaluation; the new velocity moves the position."""
    qd = qd + dt * acceleration(q, qd)
    return q + dt * qd, qd


INTEGRATORS: dict[str, Integrator] = {"rk4": rk4, "semi_implicit_euler": semi_implicit_euler}
