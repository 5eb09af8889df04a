"""Inertia matrix by Formulation 4 of Lin & Fang 1999: Table IV; the method of Fijany & Bejczy 1990.

    D_ji = u_j . (t_{j+1,i} + s x f_ii)        j <= i

Formulation 1 with every vector in the frame of the last link: no rotations between joint i and
joint j, but rotation matrices from all frames to frame n.

Cost for n revolute joints, composite bodies given: 4.5 n^2 + 38.5 n - 95 multiplications,
4 n^2 + 18 n - 53 additions (printed: 4.5 n^2 + 48.5 n - 108, 4 n^2 + 24 n - 56, with the product
u_i = R e_z that is a column of R); test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import IDENTITY, Chain, Joint

from .composite_body import CompositeBody, composite_bodies
from .formulation1 import unit_wrench
from .vectors import (
    Frame,
    Matrix,
    Scalar,
    add,
    column,
    cross,
    dot,
    frames_at,
    matvec,
    rotate,
    scale,
)


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links."""
    frames = frames_at(chain, q)
    return entries(chain.joints, frames, composite_bodies(chain, frames))


def entries(
    joints: Sequence[Joint], frames: Sequence[Frame], bodies: Sequence[CompositeBody]
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies (Table IV)."""
    n = len(joints)
    R = _rotations_to_last(frames)
    u = [column(R[i], 2) for i in range(n)]  # printed as a product R u_i
    arms = [  # from O_i to O_{i+1}, in frame n
        add(scale(frames[i + 1].a, column(R[i], 0)), scale(frames[i + 1].d, u[i + 1]))
        for i in range(n - 1)
    ]
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        f, t = unit_wrench(joints[i], bodies[i])
        D[i][i] = t[2] if joints[i].revolute else f[2]
        if i == 0:
            continue
        f, t = matvec(R[i], f), matvec(R[i], t)
        for j in reversed(range(i)):
            t = add(t, cross(arms[j], f))
            D[j][i] = D[i][j] = dot(u[j], t if joints[j].revolute else f)
    return D


def _rotations_to_last(frames: Sequence[Frame]) -> list[Matrix]:
    """From frame i to frame n: the rows of R_i are those of R_{i+1}, turned (24M 12A)."""
    rotations: list[Matrix] = [IDENTITY]
    for frame in reversed(frames[1:]):
        x, y, z = rotations[-1]
        rotations.append((rotate(frame, x), rotate(frame, y), rotate(frame, z)))
    return rotations[::-1]
