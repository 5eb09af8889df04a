"""Inertia matrix by Formulation 5 of Lin & Fang 1999: Table V; the method of Kawasaki et al. 1996.

    f_{i-1,i} = u_i x (h_i - mh_i s),   t_{i-1,i} = R Jh_i u_i + s x f_{i-1,i}      i revolute
    f_{i-1,i} = mh_i u_i,               t_{i-1,i} = h_i x u_i                       i prismatic

Formulation 1 whose first step uses h_i = R ch_i + mh_i s, the first moment of composite body i
about O_{i-1} in frame i-1, instead of ch_i (eqs. B3, B5 to B11).

Cost for n > 2 revolute joints, Jh and h given: 10 n^2 - 22 n + 15 multiplications, 6 n^2 - 8 n
additions (printed: 10 n^2 - 18 n + 14, 6 n^2 - 6 n + 2); test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Joint

from .composite_body import CompositeBody, composite_bodies
from .formulation1 import inward
from .vectors import (
    ZERO,
    Frame,
    Scalar,
    Vector,
    Wrench,
    add,
    column,
    cross,
    frames_at,
    rotate,
    scale,
    sub,
    translation,
)


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links."""
    frames = frames_at(chain, q)
    bodies = composite_bodies(chain, frames)
    h = [ZERO] + [sub(body.c, link.first_moment) for body, link in zip(bodies, chain.links)][:-1]
    return entries(chain.joints, frames, bodies, h)


def entries(
    joints: Sequence[Joint],
    frames: Sequence[Frame],
    bodies: Sequence[CompositeBody],
    h: Sequence[Vector],
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies and their first moments h about O_{i-1}."""
    n = len(joints)
    moved = inward(joints, frames)
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        D[i][i] = bodies[i].J[2][2] if joints[i].revolute else bodies[i].mass  # (B6)
        f, t = ZERO, ZERO
        for j in reversed(range(i)):
            if j == i - 1:
                f, t = _first_step(joints[i], frames[i], bodies[i], h[i])
            else:
                f, t = moved(j, f, t)  # (B9), (B10)
            D[j][i] = D[i][j] = t[2] if joints[j].revolute else f[2]  # K_j, printed K_i (B11)
    return D


def _first_step(joint: Joint, frame: Frame, body: CompositeBody, h: Vector) -> Wrench:
    """f_{i-1,i} and t_{i-1,i} (B7), (B8)."""
    u = (0.0, -frame.sa, frame.ca)
    if not joint.revolute:  # s x f is within h x u; Table V adds it once more
        return scale(body.mass, u), cross(h, u)
    s = translation(frame)
    f = cross(u, sub(h, scale(body.mass, s)))
    return f, add(rotate(frame, column(body.J, 2)), cross(s, f))
