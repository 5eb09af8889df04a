"""Inertia matrix and bias vector by composite bodies about the base origin: Lin 1991.

    H(q) qdd + b(q, qd) = tau                                                              (1)

All distances are measured from one fixed point, which keeps the n^2 terms small. Quantities that
carry the index j are in frame j; composite body j is links j to n. Cost for n revolute joints:
H: 10.5 n^2 + 17.5 n - 48 multiplications, 6 n^2 + 32 n - 60 additions; H and b together:
23 n^2 + 23 n - 64, 15 n^2 + 30 n - 67 (printed: 10.5 n^2 + 38.5 n - 85, 6 n^2 + 39 n - 70;
23 n^2 + 44 n - 82, 15 n^2 + 40 n - 70); counted in test/algorithms/test_lin1991.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain

from .vectors import (
    UNIT_Z,
    ZERO,
    Frame,
    Matrix,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    frames_at,
    matvec,
    rotate,
    rotate_symmetric,
    rotate_transposed,
    scale,
    sub,
)


class Composite(NamedTuple):
    """Composite body j about the fixed point O, and joint j, in frame j."""

    revolute: bool
    m: float  # mass of links j to n
    s: Vector  # O -> O_j
    p: Vector  # first moment
    Jx: Scalar  # J'_11 + p_x s_x  \
    Jy: Scalar  # J'_22 + p_y s_y   | J' = J - tr(J)/2 E (23), joined with the products of p and s
    J12: Scalar  # J'_12            | that d_j and d_mj need
    Jxz: Scalar  # J'_13 + p_z s_x  |
    Jyz: Scalar  # J'_23 + p_z s_y /
    e: Vector  # u x p - m (u x s): what a unit rate of joint j does to the momentum
    d: Vector  # J u - p x (u x s): and to the angular momentum


class Axis(NamedTuple):
    """Joint m as seen from frame j >= m."""

    u: Vector  # direction
    sh: Vector  # u x s_m: velocity of O due to the joint, reversed


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """H, (n, n), symmetric: kg m^2, kg m or kg by the kinds of the joints."""
    frames, bodies = _composites(chain, q)
    return _mass_matrix(bodies, _axes(frames, bodies))


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """b, (n): Coriolis, centrifugal and gravity efforts, N m or N."""
    frames, bodies = _composites(chain, q)
    return _bias(chain, frames, bodies, _axes(frames, bodies), qd)


def mass_matrix_and_bias(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """H and b, which share their composite bodies and axes."""
    frames, bodies = _composites(chain, q)
    axes = _axes(frames, bodies)
    return _mass_matrix(bodies, axes), _bias(chain, frames, bodies, axes, qd)


def velocity_coefficients(chain: Chain, q: Sequence[Scalar]) -> list[list[list[Scalar]]]:
    """D, (n, n, n): b_m = sum_kj D[m][k][j] qd_k qd_j + gravity, D[m][k][j] = D[m][j][k]  (31)."""
    n = chain.n
    frames, bodies = _composites(chain, q)
    axes = _axes(frames, bodies)
    D: list[list[list[Scalar]]] = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    for j in range(n):
        for m, d_mj in enumerate(_velocity_vectors(bodies, axes, j)):
            for k in range(j + 1):
                if bodies[k].revolute:
                    coefficient = dot(d_mj, axes[k][j].u)  # (45)
                    D[m][k][j] = D[m][j][k] = coefficient  # (32)
                    if m >= k:
                        D[j][k][m] = D[j][m][k] = -coefficient  # (34)
    return D


def _composites(chain: Chain, q: Sequence[Scalar]) -> tuple[list[Frame], list[Composite]]:
    """(24) to (30): forward the positions s, backward the moments p and J'."""
    joints, links, n = chain.joints, chain.rigid_links, chain.n
    frames = frames_at(chain, q)

    # O is where joint 1 meets its own x axis: a revolute joint leaves it in place.
    s: list[Vector] = [ZERO if joints[0].revolute else (0.0, 0.0, frames[0].d)]
    for frame in frames[1:]:
        arm = add(s[-1], (frame.a, 0.0, 0.0))
        s.append(add(rotate_transposed(frame, arm), (0.0, 0.0, frame.d)))

    bodies: list[Composite] = []
    mass = 0.0
    p: Vector = ZERO
    J: Matrix = (ZERO, ZERO, ZERO)
    for j in reversed(range(n)):
        rho = add(s[j], links[j].com)
        moment = scale(links[j].mass, rho)
        own = _less_half_trace(links[j].inertia, rho, moment)
        if j + 1 < n:
            p = add(moment, rotate(frames[j + 1], p))
            J = _plus_rotated(own, frames[j + 1], J, j == 0)
        else:
            p, J = moment, own
        mass += links[j].mass
        bodies.append(_composite(joints[j].revolute, mass, s[j], p, J))
    return frames, bodies[::-1]


def _plus_rotated(own: Matrix, frame: Frame, J: Matrix, first: bool) -> Matrix:
    """(22): J'_j of link j and of the composite body beyond it."""
    if first:  # joint 1 feels J_33 = -(J'_11 + J'_22) alone: both in the place of J'_11
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
        S, C, sa, ca = frame.S, frame.C, frame.sa, frame.ca
        turned_yy, turned_yz = yy + S * (S * (xx - yy) + 2.0 * C * xy), S * xz + C * yz
        both = (own[0][0] + own[1][1]) + (xx + yy)
        both = both - (sa * sa * (turned_yy - zz) + 2.0 * sa * ca * turned_yz)
        return ((both, 0.0, 0.0), ZERO, ZERO)
    rotated = rotate_symmetric(frame, J)
    return (add(own[0], rotated[0]), add(own[1], rotated[1]), add(own[2], rotated[2]))


def _composite(revolute: bool, m: float, s: Vector, p: Vector, J: Matrix) -> Composite:
    Jx, Jy = J[0][0] + p[0] * s[0], J[1][1] + p[1] * s[1]
    Jxz, Jyz = J[0][2] + p[2] * s[0], J[1][2] + p[2] * s[1]
    e = (m * s[1] - p[1], p[0] - m * s[0], 0.0)
    d = (Jxz, Jyz, -(Jx + Jy))
    return Composite(revolute, m, s, p, Jx, Jy, J[0][1], Jxz, Jyz, e, d)


def _less_half_trace(inertia: Matrix, rho: Vector, moment: Vector) -> Matrix:
    """I' - m rho rho^T with I' = I - tr(I)/2 E (19), so that I = I' - tr(I') E."""
    # (20) prints tr(I) in the latter: misprint
    half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2])
    xx, yy, zz = (inertia[i][i] - half - moment[i] * rho[i] for i in range(3))
    xy, xz = inertia[0][1] - moment[0] * rho[1], inertia[0][2] - moment[0] * rho[2]
    yz = inertia[1][2] - moment[1] * rho[2]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _axes(frames: Sequence[Frame], bodies: Sequence[Composite]) -> list[dict[int, Axis]]:
    """axes[m][j]: joint m in frame j, for j >= m."""
    axes: list[dict[int, Axis]] = []
    for m, body in enumerate(bodies):
        u, sh = UNIT_Z, (-body.s[1], body.s[0], 0.0)
        seen = {m: Axis(u, sh)}
        for j in range(m + 1, len(bodies)):
            u = rotate_transposed(frames[j], u)
            sh = rotate_transposed(frames[j], sh)
            seen[j] = Axis(u, sh)
        axes.append(seen)
    return axes


def _mass_matrix(
    bodies: Sequence[Composite], axes: Sequence[dict[int, Axis]]
) -> list[list[Scalar]]:
    n = len(bodies)
    H: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j, body in enumerate(bodies):
        for m in range(j + 1):
            u, sh = axes[m][j]
            if body.revolute:  # (12)
                entry = dot(u, body.d) - dot(sh, body.e) if bodies[m].revolute else dot(u, body.e)
            elif bodies[m].revolute:
                entry = u[0] * body.p[1] - u[1] * body.p[0] - body.m * sh[2]
            else:
                entry = body.m * u[2]
            H[m][j] = H[j][m] = entry
    return H


def _velocity_vectors(
    bodies: Sequence[Composite], axes: Sequence[dict[int, Axis]], j: int
) -> list[Vector]:
    """d_mj for m < j (46): turning joint k while joint j moves costs joint m d_mj . u_k."""
    body = bodies[j]
    (sx, sy, _), p = body.s, body.p
    xy, yx = body.J12 + p[0] * sy, body.J12 + p[1] * sx
    B = ((-yx, body.Jx, 0.0), (-body.Jy, xy, 0.0), (-body.Jyz, body.Jxz, xy - yx))
    vectors = []
    for m in range(j):
        u, sh = axes[m][j]
        if body.revolute and bodies[m].revolute:
            d_mj = sub(matvec(B, u), cross(body.e, sh))
        elif body.revolute:
            d_mj = cross(body.e, u)
        elif bodies[m].revolute:
            d_mj = cross(UNIT_Z, sub(cross(u, p), scale(body.m, sh)))
        else:
            d_mj = scale(body.m, cross(UNIT_Z, u))
        vectors.append(d_mj)
    return vectors


def _bias(
    chain: Chain,
    frames: Sequence[Frame],
    bodies: Sequence[Composite],
    axes: Sequence[dict[int, Axis]],
    qd: Sequence[Scalar],
) -> list[Scalar]:
    first = next((j for j, body in enumerate(bodies) if body.revolute), chain.n)
    b: list[Scalar] = []
    g: Vector = chain.gravity
    omega: Vector = ZERO
    w: list[Vector] = []  # w_j = 2 qd_j S_j + qd_j^2 u_j, in the frame at hand
    first_square: Scalar = 0.0
    for j, (frame, body, rate) in enumerate(zip(frames, bodies, qd)):
        g = rotate_transposed(frame, g)
        b.append(-dot(body.e, g) if body.revolute else -(body.m * g[2]))  # (58)
        omega = rotate_transposed(frame, omega)  # S_j, the angular velocity of link j-1 (55), (56)
        square = rate * rate
        own = add(scale(2.0 * rate, omega), (0.0, 0.0, square if body.revolute else 0.0))  # (57)
        for m, d_mj in enumerate(_velocity_vectors(bodies, axes, j)):  # (54)
            # S vanishes at the first revolute joint, so that its w is along u.
            w[m] = (scale(first_square, axes[m][j].u) if m == first
                    else rotate_transposed(frame, w[m]))
            b[m] = b[m] + dot(d_mj, own)
            b[j] = b[j] - dot(d_mj, w[m])
        w.append(own)
        if j == first:
            first_square = square
        if body.revolute:
            omega = add(omega, (0.0, 0.0, rate))
    return b
