"""Inertia matrix with composite bodies about their mass centres: Walker & Orin 1982.

    D_ji = u_j . n_ji  (revolute j)   or   u_j . f_ji  (prismatic j),        j <= i

The first composite-body method (method 3 of the authors), as Lin 1991 and Lin & Fang 1999 describe
it: the mass, mass centre and inertia about the mass centre of the links i to n give the wrench
f_ii, n_ii at O_i, which travels inward as in Formulation 1. It needs real links.

Cost for n > 2 revolute joints: 10 n^2 + 21 n - 53 multiplications, 6 n^2 + 34 n - 68 additions
(Lin 1991 estimates 11 n^2 + 53 n - 74, 8 n^2 + 52 n - 62); counted in
test/papers/test_counts.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain

from .composite_body import CompositeBody, add_symmetric, upper
from .formulation1 import entries
from .vectors import (
    Frame,
    Matrix,
    Scalar,
    Vector,
    add,
    frames_at,
    rotate,
    rotate_symmetric,
    scale,
    sub,
    translation,
)


class CentralBody(NamedTuple):
    """Mass, mass centre from O_i and inertia about it, of the links i to n, in frame i."""

    mass: float
    center: Vector
    inertia: Matrix


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The n x n inertia matrix."""
    frames = frames_at(chain, q)
    bodies = [_about_origin(body) for body in _central_bodies(chain, frames)]
    return entries(chain.joints, frames, bodies)


def _central_bodies(chain: Chain, frames: Sequence[Frame]) -> list[CentralBody]:
    links = chain.rigid_links
    bodies: list[CentralBody] = []
    for i in reversed(range(chain.n)):
        link = links[i]
        body = CentralBody(link.mass, link.com, link.inertia)
        if bodies:
            mass, center, inertia = bodies[-1]
            center = add(rotate(frames[i + 1], center), translation(frames[i + 1]))
            inertia = rotate_symmetric(frames[i + 1], inertia)
            body = _union(body, CentralBody(mass, center, inertia))
        bodies.append(body)
    return bodies[::-1]


def _union(a: CentralBody, b: CentralBody) -> CentralBody:
    """Two bodies as one: masses m_a m_b / (m_a + m_b) at the distance of the centres."""
    mass = a.mass + b.mass
    share = b.mass / mass if mass else 0.0
    distance = sub(b.center, a.center)
    center = add(a.center, scale(share, distance))
    inertia = add_symmetric(a.inertia, b.inertia)
    return CentralBody(mass, center, add_symmetric(inertia, _steiner(a.mass * share, distance)))


def _steiner(mass: float, c: Vector) -> Matrix:
    """mass (c.c E - c c^T): 9M 3A."""
    x, y, z = scale(mass, c)
    xx, yy, zz = x * c[0], y * c[1], z * c[2]
    return upper((yy + zz, -(x * c[1]), -(x * c[2])), (xx + zz, -(y * c[2])), xx + yy)


def _about_origin(body: CentralBody) -> CompositeBody:
    """First moment, and the column of the inertia about O_i that the joint's axis picks.

    n_ii = E u + c x (m u x c) is the third column of the inertia about O_i.
    """
    mass, c, ((_, _, xz), (_, _, yz), (_, _, zz)) = body
    x, y, z = scale(mass, c)
    xz, yz, zz = xz - x * c[2], yz - y * c[2], zz + (x * c[0] + y * c[1])
    return CompositeBody(mass, (x, y, z), ((0.0, 0.0, xz), (0.0, 0.0, yz), (xz, yz, zz)))
