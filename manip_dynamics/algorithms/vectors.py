"""Functions, 3-vectors and modified-DH frames over generic scalars.

A scalar is a float, a numpy array (one entry per state) or a traced expression. Everything here
uses only `+ - *`, so that a traced scalar can fold zeros and ones.
Symbols as in docs/theory.md: C, S = cos, sin theta_i; ca, sa = cos, sin alpha_i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manip_dynamics.model.chain import ZERO as ZERO
from manip_dynamics.model.chain import Chain, Joint

Scalar = Any
Vector = tuple[Scalar, Scalar, Scalar]
Matrix = tuple[Vector, Vector, Vector]
Wrench = tuple[Vector, Vector]  # force, moment

UNIT_Z: Vector = (0.0, 0.0, 1.0)  # u_i, the axis of joint i, in frame i


@dataclass(frozen=True)
class Function:
    """A function of one scalar of any kind. A traced scalar records it by name."""

    name: str
    on_floats: Callable[[float], float]
    on_arrays: Callable[[np.ndarray], np.ndarray]

    def __call__(self, x: Scalar) -> Scalar:
        if hasattr(x, "recorded"):
            return x.recorded(self.name)
        return self.on_arrays(x) if isinstance(x, np.ndarray) else self.on_floats(x)


sin = Function("sin", math.sin, np.sin)
cos = Function("cos", math.cos, np.cos)
tanh = Function("tanh", math.tanh, np.tanh)
sign = Function("sign", lambda x: float(x > 0.0) - float(x < 0.0), np.sign)  # -1, 0 or 1


def sincos(angle: Scalar) -> tuple[Scalar, Scalar]:
    return sin(angle), cos(angle)


class Frame:
    """Frame i in frame i-1: C, S, d and the constants ca, sa, a of its modified DH row."""

    __slots__ = ("C", "S", "a", "ca", "d", "sa")

    def __init__(self, joint: Joint, C: Scalar, S: Scalar, d: Scalar) -> None:
        self.ca, self.sa, self.a = joint.cos_alpha, joint.sin_alpha, joint.a
        self.C, self.S, self.d = C, S, d


def _frame_at(joint: Joint, q: Scalar) -> Frame:
    if not joint.revolute:
        return Frame(joint, joint.cos_theta, joint.sin_theta, joint.d + q)
    if 0.0 in (joint.cos_theta, joint.sin_theta):  # an offset of quarter turns costs nothing
        S, C = sincos(q)
        co, so = joint.cos_theta, joint.sin_theta
        return Frame(joint, C * co - S * so, S * co + C * so, joint.d)
    S, C = sincos(q + joint.theta)
    return Frame(joint, C, S, joint.d)


def frames_at(chain: Chain, q: Sequence[Scalar]) -> list[Frame]:
    """Frames 1 to n at joint coordinates q."""
    return [_frame_at(joint, x) for joint, x in zip(chain.joints, q)]


def rotate(p: Frame, v: Vector) -> Vector:
    """R_i v: from frame i to frame i-1 (8M 4A; Angeles, Ma & Rojas 1989, eq. 54)."""
    u = p.S * v[0] + p.C * v[1]
    return (p.C * v[0] - p.S * v[1], p.ca * u - p.sa * v[2], p.sa * u + p.ca * v[2])


def rotate_transposed(p: Frame, v: Vector) -> Vector:
    """R_i^T v: from frame i-1 to frame i (8M 4A)."""
    w = p.ca * v[1] + p.sa * v[2]
    return (p.C * v[0] + p.S * w, p.C * w - p.S * v[0], p.ca * v[2] - p.sa * v[1])


def rotate_symmetric(p: Frame, m: Matrix) -> Matrix:
    """R_i m R_i^T of a symmetric m, whose upper triangle is read (17M 14A).

    One turn about z and one about x, each by eqs. (41) to (54) of Lin & Fang 1999.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = m
    xx, xy, yy = _turned(p.C, p.S, xx, xy, yy)
    xz, yz = p.C * xz - p.S * yz, p.S * xz + p.C * yz
    yy, yz, zz = _turned(p.ca, p.sa, yy, yz, zz)
    xy, xz = p.ca * xy - p.sa * xz, p.sa * xy + p.ca * xz
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _turned(c: Scalar, s: Scalar, aa: Scalar, ab: Scalar, bb: Scalar) -> Vector:
    """aa, ab, bb of a symmetric 2 x 2 matrix turned by the angle with cosine c and sine s."""
    if isinstance(s, float) and s == 0.0:  # constant quarter turns only permute
        return aa, ab, bb
    if isinstance(c, float) and c == 0.0:
        return bb, -ab, aa
    w = s * (aa - bb) + 2.0 * c * ab
    e = s * w
    return aa - e, c * w - ab, bb + e


def translation(p: Frame) -> Vector:
    """s_i = O_{i-1} -> O_i in frame i-1."""
    return (p.a, -(p.d * p.sa), p.d * p.ca)


def translation_in_child(p: Frame) -> Vector:
    """s_i = O_{i-1} -> O_i in frame i."""
    return (p.a * p.C, -(p.a * p.S), p.d)


def wrench_in_parent(p: Frame, f: Vector, t: Vector) -> Wrench:
    """The wrench at O_{i-1}, in frame i-1, equivalent to f, t at O_i: 20M 12A.

    Lin & Fang 1999, eqs. (9), (10), (18): along z_i by d, turned, along x_{i-1} by a.
    """
    t = rotate(p, (t[0] - p.d * f[1], t[1] + p.d * f[0], t[2]))
    f = rotate(p, f)
    return f, (t[0], t[1] - p.a * f[2], t[2] + p.a * f[1])


def angular_motion(
    frame: Frame, revolute: bool, omega: Vector, omegad: Vector, qd: Scalar, qdd: Scalar
) -> tuple[Vector, Vector]:
    """omega and omegadot of link i, in frame i, from those of link i-1 (Tsai 9.50, 9.53)."""
    omega, omegad = rotate_transposed(frame, omega), rotate_transposed(frame, omegad)
    if revolute:
        omegad = add(add(omegad, cross_z(omega, qd)), (0.0, 0.0, qdd))
        omega = add(omega, (0.0, 0.0, qd))
    return omega, omegad


def angular_acceleration_matrix(omega: Vector, omegad: Vector) -> Matrix:
    """W = [omegadot x] + [omega x]^2 (Angeles, Ma & Rojas 1989, eq. 53): 6M 9A.

    W times a position fixed in a link is its acceleration relative to the link's origin.
    """
    x, y, z = omega
    return acceleration_matrix((x * x, y * y, z * z), (y * z, x * z, x * y), omegad)


def acceleration_matrix(squares: Vector, products: Vector, omegad: Vector) -> Matrix:
    """W from the squares of omega and the products (yz, xz, xy) of its components: 9A."""
    (xx, yy, zz), (yz, xz, xy), (dx, dy, dz) = squares, products, omegad
    return (
        (-(yy + zz), xy - dz, xz + dy),
        (xy + dz, -(xx + zz), yz - dx),
        (xz - dy, yz + dx, -(xx + yy)),
    )


def add(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s: Scalar, a: Vector) -> Vector:
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Vector, b: Vector) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def cross_z(a: Vector, s: Scalar) -> Vector:
    """a x (s e_z)."""
    return (a[1] * s, -(a[0] * s), 0.0)


def column(m: Matrix, k: int) -> Vector:
    return (m[0][k], m[1][k], m[2][k])


def matvec(m: Matrix, v: Vector) -> Vector:
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def transposed_matvec(m: Matrix, v: Vector) -> Vector:
    """m^T v."""
    return add(add(scale(v[0], m[0]), scale(v[1], m[1])), scale(v[2], m[2]))


def homogeneous(rotation: Matrix, position: Vector) -> list[list[Scalar]]:
    """The 4 x 4 matrix of a pose."""
    rows: list[list[Scalar]] = [[*row, x] for row, x in zip(rotation, position)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def sum_of_products(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b, of any length."""
    return sum((x * y for x, y in zip(a, b)), 0.0)
