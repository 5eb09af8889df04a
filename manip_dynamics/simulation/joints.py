"""Effort limits, joint stops and friction, smooth enough for explicit integrators.

    effort = clip(tau, -max_effort, max_effort) + stops, less friction (algorithms/friction.py)

Coulomb friction is discontinuous at rest and a rigid stop in position; either one makes explicit
integrators chatter. Here Coulomb friction rises as tanh(qd / v), and a stop that is penetrated by
the depth x is a spring with a soft onset:

    force = k x^3 / (x^2 + w^2)

It is twice continuously differentiable at x = 0, so integrators keep their order, and its stiffness
never exceeds 9/8 k. It is conservative unless `stop_damping` c is set: then it is multiplied by
1 + c xd, clipped to [0, 2], which only dissipates energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algorithms.friction import net_efforts
from ..model.chain import Chain

Array = np.ndarray


@dataclass(frozen=True)
class JointPhysics:
    """Friction, effort limits and stops of n joints; every array is (n,).

    arm: the chain whose friction applies.
    friction_velocity: v > 0 at which Coulomb friction saturates, rad/s or m/s.
    max_effort: effort limits, N m or N; inf for none.
    lower, upper: positions of the stops, rad or m; -inf and inf for none.
    stop_stiffness: k, N m/rad or N/m.
    stop_softness: w > 0, the depth at which a stop becomes stiff, rad or m.
    stop_damping: c, s/rad or s/m; 0 for elastic stops.
    added_inertia: added to light joints with heavy damping, kg m^2 or kg.
    """

    arm: Chain
    friction_velocity: Array
    max_effort: Array
    lower: Array
    upper: Array
    stop_stiffness: Array
    stop_softness: Array
    stop_damping: Array
    added_inertia: Array

    @cached_property
    def adds_inertia(self) -> bool:
        """Whether `added_inertia` is not zero."""
        return bool(self.added_inertia.any())

    @property
    def has_friction(self) -> bool:
        """Whether any joint has friction."""
        return self.arm.has_friction

    def efforts(self, tau: Array, q: Array, qd: Array) -> Array:
        """The efforts (n,) on the rigid arm for commands tau (n,), at q and qd (n,)."""
        efforts = self.motor_efforts(tau)
        below, above = self.lower - q, q - self.upper
        if below.max() > 0.0 or above.max() > 0.0:
            efforts = efforts + self._stop(below, -qd) - self._stop(above, qd)
        if self.has_friction:
            efforts = np.array(net_efforts(self.arm, list(qd), list(efforts),
                                           list(self.friction_velocity)))
        return efforts

    def motor_efforts(self, tau: Array) -> Array:
        """The commands tau (..., n) clipped to the effort limits."""
        return np.minimum(np.maximum(tau, -self.max_effort), self.max_effort)

    def stop_energy(self, q: Array) -> Array:
        """Elastic energy of the stops, J; (...,) for q (..., n)."""
        ww = self.stop_softness**2
        x = np.maximum(np.maximum(self.lower - q, q - self.upper), 0.0)
        return (self.stop_stiffness / 2 * (x * x - ww * np.log1p(x * x / ww))).sum(-1)

    def _stop(self, depth: Array, rate: Array) -> Array:
        x = np.maximum(depth, 0.0)
        damping = 1.0 + np.clip(self.stop_damping * rate, -1.0, 1.0)
        return self.stop_stiffness * x**3 / (x * x + self.stop_softness**2) * damping
