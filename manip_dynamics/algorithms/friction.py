"""Joint friction: viscous (Tsai 9.70, 9.92), Coulomb, load-dependent, and a constant offset.

    tau_f = b qd + (c + l |tau_r|) s(qd) + o,    s = sign(qd),  or tanh(qd / w) for a width w > 0

tau_r is the effort that moves the rigid arm; the motor supplies tau = tau_r + tau_f. Friction has
the sign of the velocity. At rest Coulomb friction can balance any effort between -c and c; here
sign(0) = 0, the right feedforward for a joint at rest. Cost of viscous and Coulomb friction: 2
multiplications and 1 addition per joint.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Friction

from .vectors import Scalar, sign, tanh


def friction(
    chain: Chain, qd: Sequence[Scalar], load: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """tau_f, (n), at joint velocities qd; `load` is tau_r, zero if it is not given."""
    efforts = []
    for i, (joint, rate) in enumerate(zip(chain.joints, qd)):
        f, s = joint.friction, direction(joint.friction, rate)
        effort = f.viscous * rate + f.coulomb * s + f.offset
        if f.load and load is not None:
            effort = effort + f.load * (load[i] * sign(load[i])) * s
        efforts.append(effort)
    return efforts


def net_efforts(chain: Chain, qd: Sequence[Scalar], tau: Sequence[Scalar],
                widths: Sequence[Scalar] | None = None) -> list[Scalar]:
    """tau_r, (n): the motor efforts tau less friction.

    widths: of the change of sign, (n), rad/s or m/s; the joints' own by default. The simulator has
        others (simulation/step_plan.py).
    """
    efforts = []
    for i, (joint, rate) in enumerate(zip(chain.joints, qd)):
        f = joint.friction
        s = direction(f, rate, None if widths is None else widths[i])
        effort = tau[i] - (f.viscous * rate + f.coulomb * s + f.offset)
        if f.load:  # tau_r + l |tau_r| s = effort, and tau_r has its sign, because |l s| < 1
            effort = effort / (1.0 + f.load * s * sign(effort))
        efforts.append(effort)
    return efforts


def direction(f: Friction, rate: Scalar, width: Scalar | None = None) -> Scalar:
    """s(qd) of one joint."""
    if not (f.coulomb or f.load):
        return 0.0
    width = f.width if width is None else width
    return sign(rate) if isinstance(width, float) and width == 0.0 else tanh(rate / width)
