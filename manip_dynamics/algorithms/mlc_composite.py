"""Composite bodies from minimal linear combinations: Lin & Fang 1999, section 4, Table VII.

    ch_i = k_i + l_i,   Jh_i = U_i + V_i                                       (22), (23)

k_i, U_i are constant, l_i, V_i vary with q and need only those constants that are MLCs; so do the
inertia matrix and the inverse dynamics. What the MLCs do not determine is left 0: the z component
of ch of a revolute joint, and all of Jh but its third column.

Joints before s are parallel to joint r or prismatic, and are treated in its direction u_r alone:
of Jh_i only u_r^T Jh_i u_r is needed, and of t_ii only its component along u_r (29).

Cost for n revolute joints: 31 n - 43 multiplications, 33 n - 57 additions (printed: 32 n - 47,
33 n - 57, where R X R^T has 18 multiplications instead of 17).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manip_dynamics.model.mlc import CompositeConstants, MinimalCombinations

from .composite_body import CompositeBody, upper
from .vectors import (
    ZERO,
    Frame,
    Matrix,
    Scalar,
    Vector,
    add,
    rotate,
    rotate_symmetric,
    rotate_transposed,
)

NO_INERTIA: Matrix = (ZERO, ZERO, ZERO)


def mlc_composite_bodies(
    mlc: MinimalCombinations, frames: Sequence[Frame]
) -> tuple[list[CompositeBody], list[Scalar]]:
    """The composite bodies as far as MLCs determine them, and (t_ii)_z in frame r for r <= i < s.

    Bodies of joints before r have their mass only.
    """
    joints, n = mlc.chain.joints, mlc.chain.n
    r, s = mlc.r - 1, mlc.s - 1
    bodies = [CompositeBody(constants.mass, ZERO, NO_INERTIA) for constants in mlc.composite]
    moments: list[Scalar] = [0.0] * n
    ell: Vector = ZERO
    V: Matrix = NO_INERTIA

    # Part 1: joints from s on, with the full inertia.
    for i in reversed(range(s, n)):
        if i + 1 < n:
            child = _Child.of(mlc, bodies, frames, i + 1)
            V = rotate_symmetric(child.frame, _slid_along_z(child, ell, V))  # Y
            ell = _varying_first_moment(child, ell)
            V = _moved_along_x(child.frame.a, ell, V)
        bodies[i] = _body(joints[i].revolute, mlc.composite[i], ell, V)

    # Part 2: joints r to s - 1, with V33 = u_r^T V u_r alone.
    V33: Scalar = 0.0
    for i in reversed(range(r, s)):
        u, constants = mlc.u[i], mlc.composite[i]
        if i + 1 < n:
            child = _Child.of(mlc, bodies, frames, i + 1)
            if i + 1 == s:
                X = _slid_along_z(child, ell, V)
                V33 = _quadratic_form(rotate_transposed(child.frame, u), X)  # (39), (55)
            elif child.revolute:
                V33 = child.body.J[2][2]
            else:
                V33 = V33 + _slid_along_z_about(mlc.u[i + 1], child, ell)
            ell = _varying_first_moment(child, ell)
            V33 = V33 + _moved_along_x_about(u, child.frame.a, ell)
        if joints[i].revolute:
            J33 = constants.U[2][2] + V33
            first = (constants.k[0] + ell[0], constants.k[1] + ell[1], 0.0)
            bodies[i] = CompositeBody(constants.mass, first, (ZERO, ZERO, (0.0, 0.0, J33)))
            moments[i] = u[2] * J33  # (29)
        else:
            moments[i] = constants.kappa[0] - u[1] * ell[0] + u[0] * ell[1]  # (29)
    return bodies, moments


class _Child(NamedTuple):
    """Joint i+1, seen from joint i."""

    revolute: bool
    constants: CompositeConstants
    body: CompositeBody
    frame: Frame
    mass_d: Scalar  # mh_{i+1} d_{i+1}, of a prismatic joint

    @staticmethod
    def of(
        mlc: MinimalCombinations, bodies: Sequence[CompositeBody], frames: Sequence[Frame], i: int
    ) -> _Child:
        mass_d = mlc.composite[i].mass * frames[i].d
        return _Child(mlc.chain.joints[i].revolute, mlc.composite[i], bodies[i], frames[i], mass_d)


def _body(revolute: bool, constants: CompositeConstants, ell: Vector, V: Matrix) -> CompositeBody:
    """ch_i and the third column of Jh_i, for i >= s (22), (23)."""
    k, U = constants.k, constants.U
    if not revolute:
        return CompositeBody(constants.mass, add(k, ell), NO_INERTIA)
    J13, J23, J33 = U[0][2] + V[0][2], U[1][2] + V[1][2], U[2][2] + V[2][2]
    J = ((0.0, 0.0, J13), (0.0, 0.0, J23), (J13, J23, J33))
    return CompositeBody(constants.mass, (k[0] + ell[0], k[1] + ell[1], 0.0), J)


def _varying_first_moment(child: _Child, ell: Vector) -> Vector:
    """l_i (24)."""
    if child.revolute:
        return rotate(child.frame, (child.body.c[0], child.body.c[1], ell[2]))
    return rotate(child.frame, (ell[0], ell[1], ell[2] + child.mass_d))


def _slid_along_z(child: _Child, ell: Vector, V: Matrix) -> Matrix:
    """X: the varying inertia of joint i+1 >= s about the point d below O_{i+1} (34), (35)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = V
    d, (x, y, z) = child.frame.d, child.body.c
    if child.revolute:
        U, dl = child.constants.U, 2.0 * d * ell[2]
        (_, _, xz), (_, _, yz), (_, _, zz) = child.body.J
        return upper((xx + U[0][0] + dl, xy + U[0][1], xz - d * x), (yy + dl, yz - d * y), zz)
    dd = d * (child.mass_d + 2.0 * z)
    return upper((xx + dd, xy, xz - d * x), (yy + dd, yz - d * y), zz)


def _moved_along_x(a: float, ell: Vector, Y: Matrix) -> Matrix:
    """V_i: Y about O_i, a below in x (34), (35)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = Y
    aa = 2.0 * a * ell[0]
    return upper((xx, xy - a * ell[1], xz - a * ell[2]), (yy + aa, yz), zz + aa)


def _quadratic_form(u: Vector, X: Matrix) -> Scalar:
    """u^T X u with constant u_z (55): 10M 5A."""
    x, y, z = u
    return (
        x * (x * X[0][0] + 2.0 * y * X[0][1])
        + y * y * X[1][1]
        + 2.0 * z * (x * X[0][2] + y * X[1][2])
        + z * z * X[2][2]
    )


def _slid_along_z_about(u: Vector, child: _Child, ell: Vector) -> Scalar:
    """Contribution of d of a prismatic joint r < i+1 < s to V33; u = u_r in its frame (40)."""
    x, y, z = u
    # - 2 u_z (u_x l_x + u_y l_y): printed without the 2 and with + u_z u_y l_y
    square = (x * x + y * y) * (child.mass_d + 2.0 * ell[2])
    return child.frame.d * (
        2.0 * child.constants.kappa[1] + square - (2.0 * z * x) * ell[0] - (2.0 * z * y) * ell[1]
    )


def _moved_along_x_about(u: Vector, a: float, ell: Vector) -> Scalar:
    """Contribution of the offset a of joint i+1 to V33; u = u_r in frame i (38), (40)."""
    x, y, z = u  # (0, 0, +-1) for a revolute joint i, which leaves 2 a l_x
    return 2.0 * a * (1.0 - x * x) * ell[0] - 2.0 * a * x * y * ell[1] - 2.0 * a * x * z * ell[2]
