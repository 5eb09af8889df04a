"""Derivatives of inverse dynamics with respect to q, qd and qdd, by composite bodies.

For a point x beyond joint j with axis z_j (r_j = x - O_j; dots are inertial rates):

    d xdd / d q_j  = zdd_j x r_j + 2 zd_j x rd_j + z_j x rdd_j        (prismatic: zdd_j)
    d xdd / d qd_j = 2 zd_j x r_j + 2 z_j x rd_j                      (prismatic: 2 zd_j)

with zd = omega x z and zdd = W z. Summed over the composite body i these give wrenches, which need,
besides its mass mh, first moment ch and inertia Jh, the sums

    h = 2 sum m rd        D = 2 sum m ((r . rd) E - rd r^T)

and its force f and moment n. Two wrenches of body i are carried inward and projected on the joints:

- j <= i: the derivatives of f and n by q_i and qd_i give column i, down to the diagonal.
- j < i: the force l and moment t at unit acceleration of joint i, and u = 2 sum rd x m (z_i x r_i),
  give row i below it: zdd_j . t + zd_j . u - (z_j x a_j) . l and 2 zd_j . t + z_j . u; the mass
  matrix is a by-product.

As in meeting_frame.py, both may stop at frame k, where they meet the fields of the axes before k.
docs/theory.md derives the equations; test/algorithms/test_derivatives.py compares with Pinocchio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain, Joint, Link

from .composite_body import CompositeBody, add_symmetric, seen_from_parent
from .newton_euler_mlc import (
    LinkMotion,
    euler_moment,
    is_symmetric_about_z,
    link_motions,
    second_moments,
)
from .vectors import (
    UNIT_Z,
    ZERO,
    Frame,
    Matrix,
    Scalar,
    Vector,
    add,
    column,
    cross,
    dot,
    frames_at,
    matvec,
    rotate,
    rotate_transposed,
    scale,
    sub,
    wrench_in_parent,
)

Rows = list[list[Scalar]]  # n x n


class Derivatives(NamedTuple):
    """Derivatives of the joint efforts: row i is effort i, column j is coordinate j."""

    dq: Rows
    dqd: Rows
    dqdd: Rows  # the mass matrix


class OriginStep(NamedTuple):
    """2 sd: twice the velocity of O_i relative to O_{i-1}, in two parts like s itself."""

    along_x: Vector  # of a, in frame i-1
    along_z: Vector  # of d, in frame i


class MovingBody(NamedTuple):
    """Composite body i and its motion: about O_i, in frame i."""

    mass: Scalar
    c: Vector
    J: Matrix
    h: Vector
    D: Matrix
    f: Vector
    n: Vector


class Wrenches(NamedTuple):
    """Wrenches of composite body i at O_j, in frame j; pairs are force and moment."""

    l: Vector  # noqa: E741
    t: Vector
    u: Vector
    by_q: tuple[Vector, Vector]  # derivatives by q_i
    by_qd: tuple[Vector, Vector]  # and by qd_i


class AxisField(NamedTuple):
    """How the acceleration of a point at r from O_i depends on joint j, in frame i:

    qdd_j gives z x r + v,   q_j zdd x r + 2 zd x rd + alpha,   qd_j 2 zd x r + 2 z x rd + gamma,
    without the rotation of the whole wrench by q_j.
    """

    z: Vector
    v: Vector
    zd: Vector
    gamma: Vector
    zdd: Vector
    alpha: Vector


def inverse_dynamics_derivatives(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], k: int = 1
) -> Derivatives:
    """Derivatives (n, n) of the efforts of rigid links; k, from 1 to n, is the meeting frame."""
    joints, n, meeting = chain.joints, chain.n, k - 1
    frames = frames_at(chain, q)
    last_angle_matters = not (joints[-1].revolute and is_symmetric_about_z(chain.links[-1]))
    if not last_angle_matters:
        frames[-1] = Frame(joints[-1], 1.0, 0.0, joints[-1].d)
    motions = link_motions(chain, frames, qd, qdd)
    steps = _origin_steps(chain, frames, motions, qd)
    bodies = _moving_bodies(chain, frames, motions, steps)
    axes = [_axis_field(joint, motion) for joint, motion in zip(joints, motions)]
    dq, dqd, M = ([[0.0] * n for _ in range(n)] for _ in range(3))
    carried: list[AxisField] = []  # of the axes before frame min(i, k), in that frame
    for i in range(n):
        if 0 < i <= meeting:
            carried = [_field_in_child(frames[i], steps[i], field)
                       for field in (*carried, axes[i - 1])]
        wrenches = _wrenches(joints[i], motions[i], bodies[i], axes[i])
        fields = [(i, axes[i])]
        for j in reversed(range(meeting, i)):
            _enter(dq, dqd, M, i, fields, wrenches)
            wrenches = _wrenches_in_parent(frames[j + 1], steps[j + 1], wrenches)
            fields = [(j, axes[j])]
        _enter(dq, dqd, M, i, [*fields, *enumerate(carried)], wrenches)
    if not last_angle_matters:
        for row in dq:
            row[-1] = 0.0
    return Derivatives(dq, dqd, M)


def _enter(dq: Rows, dqd: Rows, M: Rows, i: int, fields: Sequence[tuple[int, AxisField]],
           wrenches: Wrenches) -> None:
    """Enter the entries of body i and these axes."""
    l, t, u, (f_q, t_q), (f_qd, t_qd) = wrenches  # noqa: E741
    for j, (z, v, zd, gamma, zdd, alpha) in fields:
        dq[j][i] = dot(z, t_q) + dot(v, f_q)
        dqd[j][i] = dot(z, t_qd) + dot(v, f_qd)
        M[j][i] = M[i][j] = dot(z, t) + dot(v, l)
        if j < i:
            dq[i][j] = dot(zdd, t) + dot(zd, u) + dot(alpha, l)
            dqd[i][j] = dot(scale(2.0, zd), t) + dot(z, u) + dot(gamma, l)


def _origin_steps(chain: Chain, frames: Sequence[Frame], motions: Sequence[LinkMotion],
                  qd: Sequence[Scalar]) -> list[OriginStep]:
    steps = []
    omega: Vector = ZERO
    for joint, p, motion, rate in zip(chain.joints, frames, motions, qd):
        along_x = (0.0, p.a * (2.0 * omega[2]), -(p.a * (2.0 * omega[1])))
        omega = motion.turning.omega
        steps.append(OriginStep(along_x, (
            2.0 * p.d * omega[1], -(2.0 * p.d * omega[0]), 0.0 if joint.revolute else 2.0 * rate)))
    return steps


def _moving_bodies(chain: Chain, frames: Sequence[Frame], motions: Sequence[LinkMotion],
                   steps: Sequence[OriginStep]) -> list[MovingBody]:
    """Composite bodies, accumulated from the tip to the base."""
    bodies: list[MovingBody] = []
    for i in reversed(range(chain.n)):
        body = _moving_link(chain.links[i], motions[i])
        if bodies:
            child = _body_in_parent(chain.joints[i + 1], frames[i + 1], steps[i + 1], bodies[-1])
            body = MovingBody(
                body.mass + child.mass, add(body.c, child.c), add_symmetric(body.J, child.J),
                add(body.h, child.h), _sum(body.D, child.D), add(child.f, body.f),
                add(child.n, body.n))
        bodies.append(body)
    return bodies[::-1]


def _moving_link(link: Link, motion: LinkMotion) -> MovingBody:
    omega, a = motion.turning.omega, motion.a
    twice = scale(2.0, omega)
    S = second_moments(link)
    columns = [cross(column(S, m), twice) for m in range(3)]  # D = -2 omega x S
    return MovingBody(
        link.mass, link.first_moment, link.origin_inertia, cross(twice, link.first_moment),
        _transposed(columns), add(scale(link.mass, a), matvec(motion.turning.W, link.first_moment)),
        add(euler_moment(link.origin_inertia, motion.turning), cross(link.first_moment, a)))


def _body_in_parent(joint: Joint, p: Frame, step: OriginStep, body: MovingBody) -> MovingBody:
    """Composite body i about O_{i-1}, in frame i-1."""
    mass, c, J, h, D, f, n = body
    f, n = wrench_in_parent(p, f, n)
    D = _about_other_origin(D, h, c, mass, (0.0, 0.0, p.d), step.along_z)
    h = rotate(p, add(h, scale(mass, step.along_z)))
    c = rotate(p, (c[0], c[1], c[2] + mass * p.d))
    D = _about_other_origin(_rotate_matrix(p, D), h, c, mass, (p.a, 0.0, 0.0), step.along_x)
    h = add(h, scale(mass, step.along_x))
    rigid = seen_from_parent(joint, p, CompositeBody(mass, body.c, J))
    return MovingBody(mass, rigid.c, rigid.J, h, D, f, n)


def _about_other_origin(D: Matrix, h: Vector, c: Vector, mass: Scalar, s: Vector,
                        sd: Vector) -> Matrix:
    """D with s + r in place of r; `sd` is twice the rate of s."""
    return _sum(_sum(D, _crossed(h, s)), _crossed(sd, add(c, scale(mass, s))))


def _axis_field(joint: Joint, motion: LinkMotion) -> AxisField:
    """The field of axis i at O_i."""
    (x, y, _), a, zdd = motion.turning.omega, motion.a, column(motion.turning.W, 2)
    zd = (y, -x, 0.0)
    if joint.revolute:
        return AxisField(UNIT_Z, ZERO, zd, ZERO, zdd, (a[1], -a[0], 0.0))
    return AxisField(ZERO, UNIT_Z, ZERO, scale(2.0, zd), ZERO, zdd)


def _field_in_child(p: Frame, step: OriginStep, field: AxisField) -> AxisField:
    """The field at O_i, in frame i, from that at O_{i-1}."""
    field = _field_at(field, (p.a, 0.0, 0.0), step.along_x)
    return _field_at(AxisField(*(rotate_transposed(p, vector) for vector in field)),
                     (0.0, 0.0, p.d), step.along_z)


def _field_at(field: AxisField, s: Vector, sd: Vector) -> AxisField:
    z, v, zd, gamma, zdd, alpha = field
    return AxisField(
        z, add(v, cross(z, s)), zd, add(gamma, add(cross(scale(2.0, zd), s), cross(z, sd))),
        zdd, add(alpha, add(cross(zdd, s), cross(zd, sd))))


def _wrenches(joint: Joint, motion: LinkMotion, body: MovingBody, axis: AxisField) -> Wrenches:
    """The wrenches of body i at O_i."""
    mass, c, J, h, D, f, n = body
    (x, y, _), a, zdd = motion.turning.omega, motion.a, column(motion.turning.W, 2)
    zd = (y, -x, 0.0)
    if not joint.revolute:
        return Wrenches((0.0, 0.0, mass), (c[1], -c[0], 0.0), (h[1], -h[0], 0.0),
                        (scale(mass, zdd), add(cross(c, zdd), (-f[1], f[0], 0.0))),
                        (scale(mass, axis.gamma), cross(c, axis.gamma)))
    turned = (-a[1], a[0], 0.0)  # z x a
    twice = scale(2.0, zd)
    return Wrenches(
        (-c[1], c[0], 0.0), column(J, 2), D[2],
        (sub(add(add(cross(zdd, c), cross(zd, h)), (-f[1], f[0], 0.0)), scale(mass, turned)),
         add(add(add(matvec(J, zdd), matvec(D, zd)), (-n[1], n[0], 0.0)), cross(turned, c))),
        (add(cross(twice, c), (-h[1], h[0], 0.0)), add(matvec(J, twice), column(D, 2))))


def _wrenches_in_parent(p: Frame, step: OriginStep, wrenches: Wrenches) -> Wrenches:
    """The wrenches at O_{j-1}, in frame j-1."""
    l, t, u, by_q, by_qd = wrenches  # noqa: E741
    u = rotate(p, add(u, cross(step.along_z, l)))
    l, t = wrench_in_parent(p, l, t)  # noqa: E741
    u = add(u, cross(step.along_x, l))
    return Wrenches(l, t, u, wrench_in_parent(p, *by_q), wrench_in_parent(p, *by_qd))


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def _crossed(a: Vector, b: Vector) -> Matrix:
    """(a . b) E - a b^T."""
    x, y, z = (a[i] * b[i] for i in range(3))
    return ((y + z, -(a[0] * b[1]), -(a[0] * b[2])), (-(a[1] * b[0]), x + z, -(a[1] * b[2])),
            (-(a[2] * b[0]), -(a[2] * b[1]), x + y))


def _transposed(m: Sequence[Vector]) -> Matrix:
    x, y, z = zip(*m)
    return (x, y, z)


def _rotate_matrix(p: Frame, m: Matrix) -> Matrix:
    """R m R^T for any m: about z, then about x."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = _turned_about_z(p.C, p.S, m)
    (yy, yz, yx), (zy, zz, zx), (xy, xz, xx) = _turned_about_z(
        p.ca, p.sa, ((yy, yz, yx), (zy, zz, zx), (xy, xz, xx)))
    return ((xx, xy, xz), (yx, yy, yz), (zx, zy, zz))


def _turned_about_z(c: Scalar, s: Scalar, m: Matrix) -> Matrix:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = m
    if isinstance(c, float) and c == 0.0:  # constant quarter turns only permute
        xx, xy, yx, yy = yy, -yx, -xy, xx
    elif not (isinstance(s, float) and s == 0.0):
        w = s * (xx - yy) + c * (xy + yx)
        xx, xy, yx, yy = xx - s * w, c * w - yx, c * w - xy, yy + s * w
    return ((xx, xy, c * xz - s * yz), (yx, yy, s * xz + c * yz),
            (c * zx - s * zy, s * zx + c * zy, zz))
