"""Joint friction: viscous (Tsai 9.70, 9.92) and Coulomb.

    tau_i = b_i qd_i + c_i sign(qd_i),   sign(0) = 0

The effort that the actuator spends on friction: it has the sign of the velocity, and what friction
does to the joint is its opposite. At rest Coulomb friction can hold any effort between -c_i and
c_i; this formula has 0 there, which is what a feedforward should add to a joint that is to stand
still. Cost: 2 multiplications and 1 addition per joint.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain

from .vectors import Scalar, sign


def friction(chain: Chain, qd: Sequence[Scalar]) -> list[Scalar]:
    """Efforts, (n), that overcome friction at joint velocities qd."""
    return [
        joint.damping * rate + joint.friction * sign(rate)
        for joint, rate in zip(chain.joints, qd)
    ]
