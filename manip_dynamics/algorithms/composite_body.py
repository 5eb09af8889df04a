"""Composite bodies from natural parameters: Lin & Fang 1999, eqs. (3) to (5), as a recursion.

    mh_i = m_i + mh_{i+1}
    ch_i = m_i c_i + R ch_{i+1} + mh_{i+1} s
    Jh_i = J_i + R Jh_{i+1} R^T - [s x][b x] - [b x][s x],   b = R ch_{i+1} + mh_{i+1} s / 2

Composite body i is the union of the links i to n; ch_i is its first moment and Jh_i its inertia
about O_i, in frame i. s = a e_x + R (d e_z) goes from O_i to O_{i+1} and is taken in two steps, d
in frame i+1 and a in frame i, as in eqs. (33) to (35). Cost per revolute joint: 33M 44A.
Links enter by m, m c and J alone, so that virtual links work too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain

from .vectors import Matrix, Place, Scalar, Vector, add, rotate, rotate_symmetric


class CompositeBody(NamedTuple):
    """Mass, first moment and inertia about O_i of the links i to n, in frame i."""

    mass: Scalar
    c: Vector
    J: Matrix


def composite_bodies(chain: Chain, frames: Sequence[Place]) -> list[CompositeBody]:
    """The composite bodies 1 to n."""
    bodies: list[CompositeBody] = []
    for i in reversed(range(chain.n)):
        link = chain.links[i]
        body = CompositeBody(link.mass, link.first_moment, link.origin_inertia)
        if bodies:
            child = _seen_from_parent(frames[i + 1], bodies[-1])
            body = CompositeBody(
                body.mass + child.mass, add(body.c, child.c), add_symmetric(body.J, child.J)
            )
        bodies.append(body)
    return bodies[::-1]


def _seen_from_parent(frame: Place, body: CompositeBody) -> CompositeBody:
    """Composite body i+1 about O_i, in frame i."""
    mass, c, J = body
    J = rotate_symmetric(frame, shifted_along_z(J, frame.d, mass, c))
    c = rotate(frame, (c[0], c[1], c[2] + mass * frame.d))
    J = shifted_along_x(J, frame.a, mass, c)
    return CompositeBody(mass, (c[0] + mass * frame.a, c[1], c[2]), J)


def shifted_along_z(J: Matrix, d: Scalar, mass: Scalar, c: Vector) -> Matrix:
    """Inertia about the point -d e_z of a body with inertia J and first moment c about 0 (35)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
    dd = d * (mass * d + 2.0 * c[2])
    return upper((xx + dd, xy, xz - d * c[0]), (yy + dd, yz - d * c[1]), zz)


def shifted_along_x(J: Matrix, a: Scalar, mass: Scalar, c: Vector) -> Matrix:
    """Inertia about the point -a e_x of a body with inertia J and first moment c about 0 (35)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
    aa = a * (mass * a) + (2.0 * a) * c[0]
    return upper((xx, xy - a * c[1], xz - a * c[2]), (yy + aa, yz), zz + aa)


def add_symmetric(A: Matrix, B: Matrix) -> Matrix:
    """A + B of symmetric matrices (6A)."""
    return upper(
        (A[0][0] + B[0][0], A[0][1] + B[0][1], A[0][2] + B[0][2]),
        (A[1][1] + B[1][1], A[1][2] + B[1][2]),
        A[2][2] + B[2][2],
    )


def upper(first: Vector, second: tuple[Scalar, Scalar], third: Scalar) -> Matrix:
    """The symmetric matrix with this upper triangle."""
    xx, xy, xz = first
    yy, yz = second
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, third))
