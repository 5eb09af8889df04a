"""Inverse dynamics by Kane's equations: Angeles, Ma & Rojas 1989, stages 1 to 3.

    tau = sum_j  A_j^T hdot_j + B_j^T m_j (cddot_j - g)                              (37)

with the partial angular velocities A_j and partial velocities B_j of link j. Quantities of link i
are in frame i. Cost for n revolute joints: 105 n - 116 multiplications, 87 n - 104 additions
(printed: 105 n - 109, 90 n - 105); test/papers/test_counts.py counts it.

The paper measures b_i from O_i, so d_i = -b_i here, and the force of a prismatic joint is the one
conjugate to d_i.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain

from .vectors import (
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    angular_acceleration_matrix,
    angular_motion,
    cross,
    cross_z,
    frames_at,
    matvec,
    rotate,
    rotate_transposed,
    scale,
    sub,
    translation,
)


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Joint efforts (N m or N) of the rigid links for positions, velocities, accelerations."""
    joints, links, n = chain.joints, chain.rigid_links, chain.n

    # Stage 1: the frames.
    frames = frames_at(chain, q)

    # Stage 2: from the base to the tip, angular motion and p = cddot - g.
    omega, omegad = ZERO, ZERO
    W: Matrix = (ZERO, ZERO, ZERO)
    p: Vector = scale(-1.0, chain.gravity)  # p_0 = -g (after eq. 51)
    c_previous: Vector = ZERO
    u: list[Vector] = []  # m_i p_i
    h: list[Vector] = []  # hdot_i, rate of the angular momentum about the mass centre
    for i in range(n):
        frame, link = frames[i], links[i]
        c, inertia = link.com, link.inertia
        p = add(p, matvec(W, sub(translation(frame), c_previous)))  # + not -: misprint in stage 2
        omega, omegad = angular_motion(  # (12), (13), (23)
            frame, joints[i].revolute, omega, omegad, qd[i], qdd[i])
        W = angular_acceleration_matrix(omega, omegad)
        p = add(rotate_transposed(frame, p), matvec(W, c))  # (18)
        if not joints[i].revolute:
            # (20) with ddot_i = -bdot_i
            p = add(p, add(cross_z(omega, 2.0 * qd[i]), (0.0, 0.0, qdd[i])))
        h.append(add(matvec(inertia, omegad), cross(omega, matvec(inertia, omega))))  # (2)
        u.append(scale(link.mass, p))
        c_previous = c

    # Stage 3: from the tip to the base, sums of forces v and of moments w.
    tau: list[Scalar] = [0.0] * n
    v: Vector = ZERO
    w: Vector = ZERO
    for i in reversed(range(n)):
        k = add(h[i], cross(links[i].com, u[i]))  # (47)
        if i + 1 < n:
            v = rotate(frames[i + 1], v)
            k = add(k, cross(translation(frames[i + 1]), v))
            w = add(rotate(frames[i + 1], w), k)  # (46)
        else:
            w = k
        v = add(v, u[i])  # (49)
        tau[i] = w[2] if joints[i].revolute else v[2]  # (44), (45)
    return tau
