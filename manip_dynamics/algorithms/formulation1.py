"""Inertia matrix by Formulation 1 of Lin & Fang 1999: Table I, eqs. (7) to (11).

    D_ji = u_j . t_ji  (revolute j)   or   u_j . f_ji  (prismatic j),        j <= i

f_ji, t_ji: force and moment at O_j, in frame j, which support composite body i while joint i alone
moves with unit acceleration. Walker & Orin's idea with moments about the link origins; the spatial
composite-body method of Lilly & Orin 1991. Best for revolute arms with 5 joints and more.

Cost for n revolute joints, composite bodies given: 10 n^2 - 18 n + 10 multiplications,
6 n^2 - 10 n + 4 additions as printed, of which 4 (n - 1) and 2 (n - 1) are superfluous;
test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manip_dynamics.model.chain import Chain, Joint
from manip_dynamics.model.mlc import MinimalCombinations

from .composite_body import CompositeBody, composite_bodies
from .mlc_composite import mlc_composite_bodies
from .vectors import (
    ZERO,
    Frame,
    Scalar,
    Vector,
    Wrench,
    add,
    column,
    cross,
    dot,
    frames_at,
    rotate,
    translation,
    translation_in_child,
    wrench_in_parent,
)


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links."""
    frames = frames_at(chain, q)
    return entries(chain.joints, frames, composite_bodies(chain, frames))


def mass_matrix_mlc(mlc: MinimalCombinations, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from MLCs alone (Table VII, then Table I with eqs. 29 to 31)."""
    joints, n = mlc.chain.joints, mlc.chain.n
    frames = frames_at(mlc.chain, q)
    bodies, moments = mlc_composite_bodies(mlc, frames)
    r, s = mlc.r - 1, mlc.s - 1
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    _columns(D, joints, frames, bodies, [*range(r), *range(s, n)])
    for i in range(r, s):
        f, _ = unit_wrench(joints[i], bodies[i])
        tz = moments[i]  # (t_ii)_z in frame r: the only component that acts about parallel axes
        D[i][i] = bodies[i].J[2][2] if joints[i].revolute else bodies[i].mass
        for j in reversed(range(i)):
            f = rotate(frames[j + 1], f)
            if j >= r:
                arm = cross(mlc.u[j], translation(frames[j + 1]))
                tz = tz + dot(arm, f)  # (30), for r <= j
            # u_r in frame j, not i: misprint in (31)
            D[j][i] = D[i][j] = mlc.u[j][2] * tz if joints[j].revolute else f[2]
    return D


def entries(
    joints: Sequence[Joint], frames: Sequence[Frame], bodies: Sequence[CompositeBody]
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies (Table I)."""
    n = len(joints)
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    _columns(D, joints, frames, bodies, range(n))
    return D


def unit_wrench(joint: Joint, body: CompositeBody) -> Wrench:
    """f_ii and t_ii (7), (8): no operation."""
    x, y, _ = body.c
    if joint.revolute:
        return (-y, x, 0.0), column(body.J, 2)
    return (0.0, 0.0, body.mass), (y, -x, 0.0)


def inward(joints: Sequence[Joint], frames: Sequence[Frame]) -> Callable[..., Wrench]:
    """A function (j, f, t) that moves a wrench from joint j+1 to joint j.

    Before the first revolute joint, r, only forces are needed, and at r only t_z.
    """
    r = next((i for i, joint in enumerate(joints) if joint.revolute), len(joints))
    s_r = translation_in_child(frames[r + 1]) if r + 1 < len(joints) else ZERO

    def moved(j: int, f: Vector, t: Vector) -> Wrench:
        if j > r:
            return wrench_in_parent(frames[j + 1], f, t)
        if j == r:
            t = rotate(frames[j + 1], add(t, cross(s_r, f)))
        return (rotate(frames[j + 1], f) if r > 0 else f), t

    return moved


def _columns(
    D: list[list[Scalar]],
    joints: Sequence[Joint],
    frames: Sequence[Frame],
    bodies: Sequence[CompositeBody],
    columns: Sequence[int],
) -> None:
    """Fill these columns of D above the diagonal, and their mirror images."""
    moved = inward(joints, frames)
    for i in columns:
        f, t = unit_wrench(joints[i], bodies[i])
        D[i][i] = t[2] if joints[i].revolute else f[2]
        for j in reversed(range(i)):
            f, t = moved(j, f, t)
            D[j][i] = D[i][j] = t[2] if joints[j].revolute else f[2]
