"""Contribution of spinning rotors and gears to the dynamics: Tsai 9.9.

    K = (N^2 I qd_i^2) / 2 + N I (omega_{i-1} . e_i) qd_i                                   (9.158)

is the kinetic energy due to the spin of rotor i, which has the inertia I about its axis e_i and
turns N times as fast as joint i. Its mass and its inertia without spin belong to link i-1, which
carries it. The second term couples joint i with all joints before it; only where it vanishes,
because the carrier does not turn about e_i, is it right to add just N^2 I to the diagonal of M.
Every function returns a contribution, to be added to that of the rigid links. Inverse dynamics of n
revolute joints costs 38 n - 87 multiplications, 25 n - 62 additions (n > 3); counted in
test/algorithms/test_rotor.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Joint

from .vectors import ZERO, Scalar, Vector, add, angular_motion, cross, dot, frames_at, rotate, scale


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Joint efforts, (n), that accelerate the rotors."""
    joints, n = chain.joints, chain.n
    frames = frames_at(chain, q)
    tau: list[Scalar] = [0.0] * n

    # Forward: omega of the carriers, and the moment that each carrier exerts on its rotor.
    omega: Vector = ZERO
    omegad: Vector = ZERO
    moments: list[Vector] = []  # rate of the angular momentum of the spin, in frame i-1
    for i, (joint, frame) in enumerate(zip(joints, frames)):
        momentum = _momentum(joint)
        tau[i] = _reflected_inertia(joint) * qdd[i] + dot(omegad, momentum)
        moments.append(add(scale(qdd[i], momentum), scale(qd[i], cross(omega, momentum))))
        omega, omegad = angular_motion(frame, joint.revolute, omega, omegad, qd[i], qdd[i])

    # Backward: every joint before a rotor carries that moment.
    moment: Vector = ZERO
    for i in reversed(range(n)):
        if joints[i].revolute:
            tau[i] = tau[i] + moment[2]
        moment = add(rotate(frames[i], moment), moments[i])
    return tau


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """(n, n): N^2 I on the diagonal, N I (z_k . e_i) beside it for revolute joints k < i."""
    joints, n = chain.joints, chain.n
    frames = frames_at(chain, q)
    M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i, joint in enumerate(joints):
        M[i][i] = _reflected_inertia(joint)
        momentum = _momentum(joint)
        for k in reversed(range(i)):
            if joints[k].revolute:
                M[k][i] = M[i][k] = momentum[2]
            momentum = rotate(frames[k], momentum)
    return M


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """(n): gyroscopic efforts of the rotors."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def _reflected_inertia(joint: Joint) -> float:
    """N^2 I."""
    return joint.gear_ratio**2 * joint.rotor_inertia


def _momentum(joint: Joint) -> Vector:
    """N I e_i in frame i-1: the angular momentum of the spin at qd_i = 1."""
    own_axis = (0.0, -joint.sin_alpha, joint.cos_alpha)
    return scale(joint.gear_ratio * joint.rotor_inertia, joint.rotor_axis or own_axis)
