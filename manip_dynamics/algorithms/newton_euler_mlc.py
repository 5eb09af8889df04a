"""Inverse dynamics from MLCs at the lowest known cost: Newton-Euler on virtual links.

    f_i = m a + W k + R f_{i+1}
    n_i = J omegad + omega x J omega + k x a + R n_{i+1} + s x R f_{i+1}

W = [omegad x] + [omega x]^2; m, k, J are the mass, first moment and inertia about O_i of link i,
a the acceleration of O_i minus gravity. The equations hold for any links, and are cheap on the
virtual links of MinimalCombinations.chain (Lin & Fang 1999, section 3; for revolute arms the
regrouping of Khalil and Gautier): m = 0, k_z = 0 and five or fewer entries in J.

s is split as in eq. (18) of Lin & Fang: a in frame i-1, d in frame i. Cost for n revolute joints:
81 n - 93 multiplications, 69 n - 84 additions in the basis "Sigma33" (Kane on real links:
105 n - 116, 87 n - 104); test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain, Joint, Link
from manip_dynamics.model.tolerances import SUM_ROUNDING, without_rounding

from .vectors import (
    ZERO,
    Frame,
    Matrix,
    Scalar,
    Vector,
    acceleration_matrix,
    add,
    angular_motion,
    column,
    cross,
    cross_z,
    frames_at,
    matvec,
    rotate,
    rotate_transposed,
    scale,
    wrench_in_parent,
)


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Joint efforts (N m or N) for positions, velocities, accelerations."""
    joints, n = chain.joints, chain.n
    frames = frames_at(chain, q)
    if joints[-1].revolute and is_symmetric_about_z(chain.links[-1]):
        frames[-1] = Frame(joints[-1], 1.0, 0.0, joints[-1].d)  # its angle has no effect

    # From the base to the tip: the wrench at O_i that link i needs.
    forces: list[Vector] = []
    moments: list[Vector] = []
    for link, motion in zip(chain.links, link_motions(chain, frames, qd, qdd)):
        k, a = link.first_moment, motion.a
        forces.append(add(scale(link.mass, a), matvec(motion.turning.W, k)))
        moments.append(add(euler_moment(link.origin_inertia, motion.turning), cross(k, a)))

    # From the tip to the base: the wrench that joint i transmits.
    tau: list[Scalar] = [0.0] * n
    f, m = forces[-1], moments[-1]
    for i in reversed(range(n)):
        if i + 1 < n:
            f, m = wrench_in_parent(frames[i + 1], f, m)
            f, m = add(f, forces[i]), add(m, moments[i])
        tau[i] = m[2] if joints[i].revolute else f[2]
    return tau


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Coriolis, centrifugal and gravity efforts: the inverse dynamics without acceleration."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Efforts that hold the arm still: tau_i = -(u_i x ch_i) . g, or -mh_i (u_i . g)."""
    joints, n = chain.joints, chain.n
    frames = frames_at(chain, q)
    directions: list[Vector] = []
    g: Vector = chain.gravity
    for frame in frames:
        g = rotate_transposed(frame, g)
        directions.append(g)

    tau: list[Scalar] = [0.0] * n
    mass: Scalar = 0.0
    c: Vector = ZERO  # ch_i, first moment of the links i to n about O_i
    for i in reversed(range(n)):
        if i + 1 < n:
            frame = frames[i + 1]
            c = rotate(frame, (c[0], c[1], c[2] + mass * frame.d))
            c = (c[0] + mass * frame.a, c[1], c[2])
        c, mass = add(c, chain.links[i].first_moment), mass + chain.links[i].mass
        g = directions[i]
        tau[i] = c[1] * g[0] - c[0] * g[1] if joints[i].revolute else -(mass * g[2])
    return tau


class Turning(NamedTuple):
    """Angular motion of link i, in frame i."""

    omega: Vector
    omegad: Vector
    products: Vector  # omega_y omega_z, omega_x omega_z, omega_x omega_y
    W: Matrix  # [omegad x] + [omega x]^2


class LinkMotion(NamedTuple):
    """Motion of link i, in frame i."""

    turning: Turning
    a: Vector  # acceleration of O_i minus gravity


def link_motions(
    chain: Chain, frames: Sequence[Frame], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[LinkMotion]:
    """The motion of every link, from the base to the tip."""
    turning = Turning(ZERO, ZERO, ZERO, (ZERO, ZERO, ZERO))
    a: Vector = scale(-1.0, chain.gravity)
    motions = []
    for i, (joint, frame) in enumerate(zip(chain.joints, frames)):
        a = rotate_transposed(frame, add(a, scale(frame.a, column(turning.W, 0))))
        turning = _turning(joint, frame, turning, qd[i], qdd[i])
        a = add(a, scale(frame.d, column(turning.W, 2)))
        if not joint.revolute:
            a = add(a, add(cross_z(turning.omega, 2.0 * qd[i]), (0.0, 0.0, qdd[i])))
        motions.append(LinkMotion(turning, a))
    return motions


def _turning(joint: Joint, frame: Frame, parent: Turning, qd: Scalar, qdd: Scalar) -> Turning:
    """The turning of link i from that of link i-1."""
    if not joint.revolute or 0.0 not in (frame.ca, frame.sa):
        omega, omegad = angular_motion(
            frame, joint.revolute, parent.omega, parent.omegad, qd, qdd)
        x, y, z = omega
        products = (y * z, x * z, x * y)
        W = acceleration_matrix((x * x, y * y, z * z), products, omegad)
        return Turning(omega, omegad, products, W)

    # The points of axis i also belong to link i-1: W_i e_z = R_i^T W_{i-1} z_i. Where z_i is +-y or
    # +-z of frame i-1, W_{i-1} z_i is a known column, and turning it is cheaper (by 3M 2A) than
    # turning omegad and adding omega x qd e_z.
    x, y, z = rotate_transposed(frame, parent.omega)
    _, _, dz = rotate_transposed(frame, parent.omegad)
    W = parent.W
    axis_column = add(scale(frame.ca, column(W, 2)), scale(-frame.sa, column(W, 1)))
    Wxz, Wyz, Wzz = rotate_transposed(frame, axis_column)
    z, dz = z + qd, dz + qdd
    xx, xy, xz, yz, zz = x * x, x * y, x * z, y * z, z * z
    yy = -(Wzz + xx)
    dx, dy = yz - Wyz, Wxz - xz
    W = (
        (-(yy + zz), xy - dz, Wxz),
        (xy + dz, -(xx + zz), Wyz),
        (xz - dy, yz + dx, Wzz),
    )
    return Turning((x, y, z), (dx, dy, dz), (yz, xz, xy), W)


def second_moments(link: Link) -> Matrix:
    """Sigma = tr(J)/2 E - J."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.origin_inertia
    return ((_half_difference(yy, zz, xx), -xy, -xz), (-xy, _half_difference(zz, xx, yy), -yz),
            (-xz, -yz, _half_difference(xx, yy, zz)))


def euler_moment(J: Matrix, turning: Turning) -> Vector:
    """J omegad + omega x J omega: 13M 13A if J11 + J22 = J33, 14M 14A if J22 = 0.

    The contribution of the diagonal of J to each component has two equal forms: Euler's equations,
    and the axial vector of W Sigma with Sigma = tr(J)/2 E - J. The one with fewer products is used.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
    (dx, dy, dz), (wyz, wxz, wxy), W = turning.omegad, turning.products, turning.W
    Sxx, Syy = _half_difference(yy, zz, xx), _half_difference(zz, xx, yy)
    Szz = _half_difference(xx, yy, zz)
    x = _shorter(((dx, xx), (wyz, zz - yy)), ((W[2][1], Syy), (-W[1][2], Szz)))
    y = _shorter(((dy, yy), (wxz, xx - zz)), ((W[0][2], Szz), (-W[2][0], Sxx)))
    z = _shorter(((dz, zz), (wxy, yy - xx)), ((W[1][0], Sxx), (-W[0][1], Syy)))
    return (
        x - W[2][0] * xy + W[1][0] * xz - (W[2][2] - W[1][1]) * yz,
        y + W[2][1] * xy - W[0][1] * yz - (W[0][0] - W[2][2]) * xz,
        z - W[1][2] * xz + W[0][2] * yz - (W[1][1] - W[0][0]) * xy,
    )


Terms = tuple[tuple[Scalar, float], tuple[Scalar, float]]


def _shorter(a: Terms, b: Terms) -> Scalar:
    """The one of two equal sums of variables times coefficients that has fewer products."""
    def products(terms: Terms) -> int:
        return sum(c != 0.0 and not (isinstance(v, float) and v == 0.0) for v, c in terms)

    (v, c), (w, d) = a if products(a) <= products(b) else b
    return c * v + d * w


def _half_difference(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """(a + b - c) / 2, where a constant difference of rounding size is zero."""
    difference = 0.5 * (a + b - c)
    if not isinstance(difference, float):
        return difference
    return float(without_rounding(difference, SUM_ROUNDING, abs(a) + abs(b)))


def is_symmetric_about_z(link: Link) -> bool:
    (xx, xy, xz), (_, yy, yz), _ = link.origin_inertia
    return xx == yy and (xy, xz, yz) == ZERO and link.first_moment[:2] == (0.0, 0.0)
