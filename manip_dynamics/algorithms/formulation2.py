"""Inertia matrix by Formulation 2 of Lin & Fang 1999: Table II, eq. (20).

    D_ji = u_j . (Jh_i u_i + s x (u_i x ch_i))        j <= i, both revolute

All in frame i; s goes from O_j to O_i. The axes u_j and arms s travel outward instead of the
wrenches of Formulation 1 inward. Best for up to 4 joints, and for arms with prismatic joints,
which need no s.

Cost for n revolute joints, composite bodies given: 11.5 n^2 - 27.5 n + 20 multiplications,
8 n^2 - 18 n + 10 additions; test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manip_dynamics.model.chain import Chain, Joint
from manip_dynamics.model.mlc import MinimalCombinations

from .composite_body import CompositeBody, composite_bodies
from .mlc_composite import mlc_composite_bodies
from .vectors import UNIT_Z, ZERO, Frame, Scalar, Vector, column, dot, frames_at, rotate_transposed


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links."""
    frames = frames_at(chain, q)
    return entries(chain.joints, frames, composite_bodies(chain, frames))


def mass_matrix_mlc(mlc: MinimalCombinations, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from MLCs alone (Table VII, then Table II with eq. 32)."""
    joints = mlc.chain.joints
    frames = frames_at(mlc.chain, q)
    bodies, moments = mlc_composite_bodies(mlc, frames)

    def entry(j: int, i: int, u: Vector, s: Vector) -> Scalar:
        if i >= mlc.s - 1:
            return _entry(joints[j], joints[i], bodies[i], u, s)
        return _entry_before_s(mlc, bodies[i], moments[i], j, i, u, s)

    return _matrix(joints, frames, bodies, entry)


def entries(
    joints: Sequence[Joint], frames: Sequence[Frame], bodies: Sequence[CompositeBody]
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies (Table II)."""
    return _matrix(joints, frames, bodies,
                   lambda j, i, u, s: _entry(joints[j], joints[i], bodies[i], u, s))


def _matrix(
    joints: Sequence[Joint],
    frames: Sequence[Frame],
    bodies: Sequence[CompositeBody],
    entry: Callable[[int, int, Vector, Vector], Scalar],
) -> list[list[Scalar]]:
    """Carry u_j and s outward from joint j and ask for D_ji = entry(j, i, u, s) on the way."""
    n = len(joints)
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        D[j][j] = bodies[j].J[2][2] if joints[j].revolute else bodies[j].mass
        u, s = UNIT_Z, ZERO
        for i in range(j + 1, n):
            u = rotate_transposed(frames[i], u)
            if joints[j].revolute:
                x, y, z = rotate_transposed(frames[i], (s[0] + frames[i].a, s[1], s[2]))
                s = (x, y, z + frames[i].d)
            D[j][i] = D[i][j] = entry(j, i, u, s)
    return D


def _entry(joint_j: Joint, joint_i: Joint, body: CompositeBody, u: Vector, s: Vector) -> Scalar:
    """D_ji (20)."""
    x, y, _ = body.c
    if joint_i.revolute and joint_j.revolute:
        J13, J23, J33 = column(body.J, 2)
        return dot(u, (J13 - x * s[2], J23 - y * s[2], J33 + (x * s[0] + y * s[1])))
    if joint_i.revolute:
        return u[1] * x - u[0] * y
    if joint_j.revolute:
        return u[0] * (body.mass * s[1] + y) - u[1] * (body.mass * s[0] + x)
    return body.mass * u[2]


def _entry_before_s(
    mlc: MinimalCombinations,
    body: CompositeBody,
    moment: Scalar,
    j: int,
    i: int,
    u: Vector,
    s: Vector,
) -> Scalar:
    """D_ji for i < s, where MLCs give only the moment (t_ii)_z along u_r (32)."""
    joint_j, joint_i = mlc.chain.joints[j], mlc.chain.joints[i]
    x, y, _ = body.c
    if joint_i.revolute and joint_j.revolute:
        arm = x * s[0] + y * s[1] if mlc.delta[i] else 0.0
        return mlc.u[j][2] * mlc.u[i][2] * (body.J[2][2] + arm)  # (u_j in frame i)_z = +-1
    if joint_i.revolute:
        return u[1] * x - u[0] * y if mlc.delta[i] else 0.0
    if joint_j.revolute:
        return body.mass * (u[0] * s[1] - u[1] * s[0]) + mlc.u[j][2] * moment
    return body.mass * u[2]
