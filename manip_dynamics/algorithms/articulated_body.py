"""Forward dynamics in O(n): the articulated-body algorithm (Featherstone), in modified DH.

    (n, f) = [[J, H], [H^T, M]] (omegadot, a) + (p_n, p_f)

is the wrench at O_i that moves links i to n when the joints beyond i are free and driven by tau.
Bansevicius et al. 2005 name it as the best known O(n) method, cheaper than composite bodies for
nine or more links. Quantities of link i are in frame i, about O_i; a is the acceleration of O_i
minus g. Cost for n revolute joints: 243 n - 343 multiplications, 195 n - 294 additions, n - 1
divisions; counted in test/algorithms/test_forward_dynamics.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain

from .vectors import (
    ZERO,
    Frame,
    Matrix,
    Scalar,
    Vector,
    add,
    column,
    cross,
    cross_z,
    dot,
    frames_at,
    matvec,
    rotate,
    rotate_symmetric,
    rotate_transposed,
    scale,
    sub,
    translation,
    transposed_matvec,
)

Pair = tuple[Vector, Vector]  # angular and linear part: (omegadot, a) or (n, f)


class ArticulatedBody(NamedTuple):
    """Inertia (J, H, M) and bias wrench (moment, force) of links i to n."""

    J: Matrix
    H: Matrix
    M: Matrix
    bias: Pair


class Elimination(NamedTuple):
    """The equation of joint i, solved for qdd_i."""

    U: Pair  # inertia times joint axis
    inverse: Scalar  # 1 / (axis . U)
    u: Scalar  # effort left to accelerate the joint


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Joint accelerations that the efforts tau give to the rigid links."""
    joints, n = chain.joints, chain.n
    frames = frames_at(chain, q)
    omega, c = _velocity_products(chain, frames, qd)

    # From the tip to the base: eliminate each joint, pass the rest on to its parent.
    eliminations: list[Elimination] = []
    body: ArticulatedBody | None = None
    for i in reversed(range(n)):
        link = _free_link(chain, i, omega[i])
        body = link if body is None else _joined(link, body)
        elimination = _eliminate(body, joints[i].revolute, tau[i])
        eliminations.append(elimination)
        if i > 0:
            body = _seen_from_parent(frames[i], _articulated(
                body, elimination, c[i], joints[i].revolute, tau[i]))

    # From the base to the tip: the accelerations.
    qdd: list[Scalar] = []
    omegad: Vector = ZERO
    a: Vector = scale(-1.0, chain.gravity)
    for i, (U, inverse, u) in enumerate(reversed(eliminations)):
        frame = frames[i]
        a = add(rotate_transposed(frame, add(a, cross(omegad, translation(frame)))), c[i][1])
        omegad = add(rotate_transposed(frame, omegad), c[i][0])
        acceleration = (u - (dot(U[0], omegad) + dot(U[1], a))) * inverse
        qdd.append(acceleration)
        if joints[i].revolute:
            omegad = add(omegad, (0.0, 0.0, acceleration))
        else:
            a = add(a, (0.0, 0.0, acceleration))
    return qdd


def _velocity_products(
    chain: Chain, frames: Sequence[Frame], qd: Sequence[Scalar]
) -> tuple[list[Vector], list[Pair]]:
    """Angular velocities, and the accelerations c_i that velocities alone add at joint i."""
    omega: list[Vector] = []
    c: list[Pair] = []
    previous: Vector = ZERO
    for joint, frame, rate in zip(chain.joints, frames, qd):
        centripetal = cross(previous, cross(previous, translation(frame)))
        linear = rotate_transposed(frame, centripetal)
        spin = rotate_transposed(frame, previous)
        if joint.revolute:
            c.append((cross_z(spin, rate), linear))
            spin = add(spin, (0.0, 0.0, rate))
        else:
            c.append((ZERO, add(linear, cross_z(spin, 2.0 * rate))))
        omega.append(spin)
        previous = spin
    return omega, c


def _free_link(chain: Chain, i: int, omega: Vector) -> ArticulatedBody:
    m, (x, y, z), J = (chain.links[i].mass, chain.links[i].first_moment,
                       chain.links[i].origin_inertia)
    H = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))  # [m c x]
    M = ((m, 0.0, 0.0), (0.0, m, 0.0), (0.0, 0.0, m))
    moment = cross(omega, matvec(J, omega))
    force = cross(omega, cross(omega, (x, y, z)))
    return ArticulatedBody(J, H, M, (moment, force))


def _eliminate(body: ArticulatedBody, revolute: bool, tau: Scalar) -> Elimination:
    if revolute:  # the axis is (e_z, 0)
        U = (column(body.J, 2), body.H[2])
        return Elimination(U, 1.0 / U[0][2], tau - body.bias[0][2])
    U = (column(body.H, 2), body.M[2])
    return Elimination(U, 1.0 / U[1][2], tau - body.bias[1][2])


def _articulated(
    body: ArticulatedBody, elimination: Elimination, c: Pair, revolute: bool, tau: Scalar
) -> ArticulatedBody:
    """The body as it acts on its parent through its free joint, with velocity products."""
    (Un, Uf), inverse, u = elimination
    Vn, Vf = scale(inverse, Un), scale(inverse, Uf)
    J = _minus_symmetric_product(body.J, Un, Vn)
    H = (sub(body.H[0], scale(Un[0], Vf)), sub(body.H[1], scale(Un[1], Vf)),
         sub(body.H[2], scale(Un[2], Vf)))
    M = _minus_symmetric_product(body.M, Uf, Vf)
    if revolute:  # no inertia acts about the free axis: exact zeros for what cancels
        J, H = _without_z(J), (H[0], H[1], ZERO)
    else:
        M, H = _without_z(M), _each(lambda row: (row[0], row[1], 0.0), H)
    nx, ny, nz = add(body.bias[0], add(add(matvec(J, c[0]), matvec(H, c[1])), scale(u, Vn)))
    fx, fy, fz = add(body.bias[1],
                     add(add(transposed_matvec(H, c[0]), matvec(M, c[1])), scale(u, Vf)))
    # Along the free axis the joint transmits only its effort.
    bias = ((nx, ny, tau), (fx, fy, fz)) if revolute else ((nx, ny, nz), (fx, fy, tau))
    return ArticulatedBody(J, H, M, bias)


def _seen_from_parent(frame: Frame, body: ArticulatedBody) -> ArticulatedBody:
    """The same in frame i-1 about O_{i-1}: along z_i by d, turned, along x_{i-1} by a."""
    J, H, M, (moment, force) = _moved((0.0, 0.0, frame.d), body)
    turned_rows = _each(lambda row: rotate(frame, row), H)
    turned = ArticulatedBody(
        rotate_symmetric(frame, J),
        _transposed(_each(lambda column: rotate(frame, column), _transposed(turned_rows))),
        rotate_symmetric(frame, M),
        (rotate(frame, moment), rotate(frame, force)))
    return _moved((frame.a, 0.0, 0.0), turned)


def _moved(s: Vector, body: ArticulatedBody) -> ArticulatedBody:
    """The same about another point; s leads from it to the old one."""
    J, H, M, (moment, force) = body
    moved_H = _plus(H, _cross_columns(s, M))  # H + [s x] M
    # J - H [s x] + [s x] (H + [s x] M)^T with H [s x] = -([s x] H^T)^T
    J = _plus(J, _plus(_transposed(_cross_columns(s, _transposed(H))),
                       _cross_columns(s, _transposed(moved_H))))
    return ArticulatedBody(J, moved_H, M, (add(moment, cross(s, force)), force))


def _joined(link: ArticulatedBody, rest: ArticulatedBody) -> ArticulatedBody:
    bias = add(link.bias[0], rest.bias[0]), add(link.bias[1], rest.bias[1])
    return ArticulatedBody(
        _plus(link.J, rest.J), _plus(link.H, rest.H), _plus(link.M, rest.M), bias)


def _plus(a: Matrix, b: Matrix) -> Matrix:
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))


def _each(function: Callable[[Vector], Vector], rows: Matrix) -> Matrix:
    return (function(rows[0]), function(rows[1]), function(rows[2]))


def _transposed(m: Matrix) -> Matrix:
    return tuple(zip(*m))  # type: ignore[return-value]


def _without_z(m: Matrix) -> Matrix:
    return ((m[0][0], m[0][1], 0.0), (m[1][0], m[1][1], 0.0), ZERO)


def _cross_columns(s: Vector, m: Matrix) -> Matrix:
    """[s x] m."""
    return _transposed(_each(lambda column: cross(s, column), _transposed(m)))


def _minus_symmetric_product(m: Matrix, a: Vector, b: Vector) -> Matrix:
    """m - a b^T for parallel a and b."""
    xx, xy, xz = m[0][0] - a[0] * b[0], m[0][1] - a[0] * b[1], m[0][2] - a[0] * b[2]
    yy, yz, zz = m[1][1] - a[1] * b[1], m[1][2] - a[1] * b[2], m[2][2] - a[2] * b[2]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
