"""Classical Runge-Kutta method of order four."""

from __future__ import annotations

from .base import Array, Derivative, Integrator


def rk4_step(f: Derivative, t: float, y: Array, dt: float, k1: Array) -> Array:
    """Return y at t + dt, given k1 = f(t, y)."""
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * (k2 + k3) + k4)


class RungeKutta4(Integrator):
    """Order four, four evaluations per step, no memory."""

    order = 4
    decay_limit = 2.785
    oscillation_limit = 2.828

    def step(self, f: Derivative, t: float, y: Array, dt: float) -> Array:
        return rk4_step(f, t, y, dt, f(t, y))
