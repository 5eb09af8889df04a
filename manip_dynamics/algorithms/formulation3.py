"""Inertia matrix by Formulation 3 of Lin & Fang 1999: Table III, eq. (21); Renaud's method.

    D_ji = u_j . t_ii + (u_j x s) . f_ii        j <= i

t_ii and f_ii, the wrench of composite body i at O_i (eqs. 7, 8), stay in frame i; axis j comes to
them as the angular velocity u_j and the velocity sh_j = u_j x s of O_i that a unit speed of joint j
makes. Renaud 1984 for revolute joints, extended by Lin 1991 (Appendix).

Cost for n revolute joints, composite bodies given: 12.5 n^2 - 31.5 n + 24 multiplications,
8 n^2 - 19 n + 12 additions (printed: 12.5 n^2 - 28.5 n + 16, 8 n^2 - 18 n + 10);
test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Joint

from .composite_body import CompositeBody, composite_bodies
from .formulation1 import unit_wrench
from .vectors import UNIT_Z, ZERO, Frame, Scalar, Vector, add, dot, frames_at, rotate_transposed

AxisMotion = tuple[Vector, Vector]  # angular velocity, and velocity of the frame's origin


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links."""
    frames = frames_at(chain, q)
    return entries(chain.joints, frames, composite_bodies(chain, frames))


def entries(
    joints: Sequence[Joint], frames: Sequence[Frame], bodies: Sequence[CompositeBody]
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies (Table III)."""
    n = len(joints)
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    motions: list[AxisMotion] = []  # of the axes 1 to i-1, at O_i in frame i
    for i in range(n):
        f, t = unit_wrench(joints[i], bodies[i])
        D[i][i] = t[2] if joints[i].revolute else f[2]
        motions = [motion_in_child(frames[i], motion) for motion in motions]
        for j, motion in enumerate(motions):
            D[j][i] = D[i][j] = power(motion, f, t)
        motions.append(unit_motion(joints[i]))
    return D


def unit_motion(joint: Joint) -> AxisMotion:
    """The motion at O_j, in frame j, for unit speed of joint j."""
    return (UNIT_Z, ZERO) if joint.revolute else (ZERO, UNIT_Z)


def motion_in_child(frame: Frame, motion: AxisMotion) -> AxisMotion:
    """u_j and sh_j at O_k, in frame k, from those at O_{k-1}: 20M 12A.

    The recursion is one of sh (printed: s), and sh_{j+1} = R^T [d_{j+1} sin alpha, a, 0]
    (printed: d_{i+1}).
    """
    (x, y, z), v = motion
    v = rotate_transposed(frame, (v[0], v[1] + frame.a * z, v[2] - frame.a * y))
    u = rotate_transposed(frame, (x, y, z))
    return u, add(v, (frame.d * u[1], -(frame.d * u[0]), 0.0))


def power(motion: AxisMotion, f: Vector, t: Vector) -> Scalar:
    """D_ji (21), also for prismatic joints.

    For revolute j and prismatic i it gives mh (sh)_z + u . [ch_y, -ch_x, 0], which has the
    opposite sign in Table III.
    """
    u, v = motion
    return dot(u, t) + dot(v, f)
