"""What acts at the joints beside the motors: friction and stops that an integrator can follow.

    effort = clip(tau, -max_effort, max_effort) + stops, less friction (algorithms/friction.py)

Coulomb friction jumps at rest and a stop is hard: taken literally, either makes every explicit
integrator chatter. Here Coulomb friction rises as tanh(qd / v), and a stop is a spring that begins
softly. A stop passed by the depth x pushes back with

    k x^3 / (x^2 + w^2)

which is smooth to second order where it begins, so that integrators keep their order, and no
stiffer than 9/8 k however hard the impact. It has a potential: a bounce neither takes nor gives
energy, unless `stop_damping` c is set; the force is then multiplied by 1 + c xd, kept within 0
and 2, and energy is only ever taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..algorithms.friction import net_efforts
from ..model.chain import Chain

Array = np.ndarray


@dataclass(frozen=True)
class JointPhysics:
    """Friction, effort limits and stops of n joints; every array is (n,), SI units."""

    arm: Chain  # whose friction acts
    friction_velocity: Array  # v > 0
    max_effort: Array
    lower: Array
    upper: Array
    stop_stiffness: Array  # k
    stop_softness: Array  # w > 0, rad or m
    stop_damping: Array  # c, s/rad or s/m
    added_inertia: Array  # of light joints under heavy damping, kg m^2 or kg
    adds_inertia: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "adds_inertia", bool(self.added_inertia.any()))

    @property
    def has_friction(self) -> bool:
        return self.arm.has_friction

    def efforts(self, tau: Array, q: Array, qd: Array) -> Array:
        """All that moves the rigid arm: motors within their limits, stops and friction."""
        efforts = self.motor_efforts(tau)
        below, above = self.lower - q, q - self.upper
        if below.max() > 0.0 or above.max() > 0.0:
            efforts = efforts + self._stop(below, -qd) - self._stop(above, qd)
        if self.has_friction:
            efforts = np.array(net_efforts(self.arm, list(qd), list(efforts),
                                           list(self.friction_velocity)))
        return efforts

    def motor_efforts(self, tau: Array) -> Array:
        """What the motors give when tau is asked of them."""
        return np.minimum(np.maximum(tau, -self.max_effort), self.max_effort)

    def stop_energy(self, q: Array) -> Array:
        """Energy stored in the stops, J; (...,) for q (..., n)."""
        ww = self.stop_softness**2
        x = np.maximum(np.maximum(self.lower - q, q - self.upper), 0.0)
        return (self.stop_stiffness / 2 * (x * x - ww * np.log1p(x * x / ww))).sum(-1)

    def _stop(self, depth: Array, rate: Array) -> Array:
        x = np.maximum(depth, 0.0)
        damping = 1.0 + np.clip(self.stop_damping * rate, -1.0, 1.0)
        return self.stop_stiffness * x**3 / (x * x + self.stop_softness**2) * damping
