"""Inertia matrix, velocity and gravity terms by Lagrange's equations: Tsai 9.8.

    M qdd + V + G = Q                                                                      (9.103)

    M = sum_i m_i Jv_i^T Jv_i + Jw_i^T I_i Jw_i                                             (9.86)
    V_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) qd_j qd_k                                   (9.101)
    G_i = -sum_j m_j g . Jv_j^i                                                            (9.102)

with the link Jacobians Jv (of the mass centre) and Jw (of the angular velocity), all in frame 0.
The derivatives of M follow from those of the columns, in closed form. This is the definition, term
by term, and slow: O(n^3) operations for M, O(n^4) for V; six revolute joints take 1210
multiplications and 896 additions for M, 5553 and 3362 for V; counted in
test/algorithms/test_lagrange.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from manip_dynamics.model.chain import Chain, Placement

from .kinematics import link_poses
from .vectors import (
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    column,
    cross,
    dot,
    matvec,
    scale,
    sub,
    transposed_matvec,
)


class LinkJacobian(NamedTuple):
    """Link i: columns j <= i of its Jacobians, and its inertia, in frame 0."""

    m: float
    v: list[Vector]  # Jv_i^j: velocity of the mass centre at qd_j = 1  (9.81)
    w: list[Vector]  # Jw_i^j: angular velocity at qd_j = 1  (9.82)
    Iw: list[Vector]  # I_i Jw_i^j, I_i about the mass centre  (9.79)


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M, (n, n), symmetric."""
    n = chain.n
    M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for link in _link_jacobians(chain, q):
        for j in range(len(link.v)):
            for k in range(j, len(link.v)):  # (9.86)
                energy = link.m * dot(link.v[j], link.v[k]) + dot(link.w[j], link.Iw[k])
                M[j][k] = M[j][k] + energy
    return [[M[min(j, k)][max(j, k)] for k in range(n)] for j in range(n)]


def mass_matrix_derivatives(chain: Chain, q: Sequence[Scalar]) -> list[list[list[Scalar]]]:
    """dM, (n, n, n): dM[l][j][k] = dM_jk / dq_l.

    M_jk does not depend on q_l for l <= min(j, k), because that joint moves both columns together.
    """
    n = chain.n
    dM: list[list[list[Scalar]]] = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    for i, link in enumerate(_link_jacobians(chain, q)):
        for el in range(i + 1):
            for j in range(el):
                for k in range(j, i + 1):
                    dM[el][j][k] = dM[el][j][k] + _energy_rate(link, j, k, el)
    return [[[rows[min(j, k)][max(j, k)] for k in range(n)] for j in range(n)] for rows in dM]


def velocity_terms(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """V, (n): Coriolis and centrifugal efforts."""
    n = chain.n
    dM = mass_matrix_derivatives(chain, q)
    V: list[Scalar] = [0.0] * n
    for i in range(n):
        for j in range(n):
            for k in range(n):  # (9.101)
                V[i] = V[i] + (dM[k][i][j] - 0.5 * dM[i][j][k]) * qd[j] * qd[k]
    return V


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """G, (n): efforts that hold the arm against gravity."""
    G: list[Scalar] = [0.0] * chain.n
    for link in _link_jacobians(chain, q):
        for i, v in enumerate(link.v):
            G[i] = G[i] - dot(scale(link.m, chain.gravity), v)  # (9.102)
    return G


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Joint efforts M qdd + V + G  (9.100)."""
    M, V, G = mass_matrix(chain, q), velocity_terms(chain, q, qd), gravity(chain, q)
    return [
        sum((x * y for x, y in zip(row, qdd)), V_i + G_i) for row, V_i, G_i in zip(M, V, G)
    ]


def _link_jacobians(chain: Chain, q: Sequence[Scalar]) -> list[LinkJacobian]:
    poses = link_poses(replace(chain, base=Placement()), q)
    axes = [column(rotation, 2) for rotation, _ in poses]
    jacobians: list[LinkJacobian] = []
    for i, (link, (rotation, position)) in enumerate(zip(chain.rigid_links, poses)):
        p_c = add(position, matvec(rotation, link.com))
        v: list[Vector] = []
        w: list[Vector] = []
        for j in range(i + 1):
            if chain.joints[j].revolute:
                v.append(cross(axes[j], sub(p_c, poses[j][1])))  # (9.81)
                w.append(axes[j])  # (9.82)
            else:
                v.append(axes[j])
                w.append(ZERO)
        jacobians.append(LinkJacobian(
            link.mass, v, w, [_turned_inertia(rotation, link.inertia, w_j) for w_j in w]))
    return jacobians


def _turned_inertia(rotation: Matrix, inertia: Matrix, w: Vector) -> Vector:
    """R I R^T w  (9.79)."""
    return matvec(rotation, matvec(inertia, transposed_matvec(rotation, w)))


def _energy_rate(link: LinkJacobian, j: int, k: int, el: int) -> Scalar:
    """d/dq_l of m v_j . v_k + w_j . I w_k for j < l and j <= k.

    A joint turns the columns that come after it, dv_k/dq_l = w_l x v_k for l <= k, and second
    derivatives of a position commute, hence dv_j/dq_l = w_j x v_l for j < l. In the frame that
    turns with joint l the inertia stands still and the columns before l turn backwards.
    """
    v, w, Iw = link.v, link.w, link.Iw
    dv_j = cross(w[j], v[el])
    dv_k = cross(w[k], v[el]) if k < el else cross(w[el], v[k])
    linear = dot(dv_j, v[k]) + dot(v[j], dv_k)
    angular = dot(cross(w[j], w[el]), Iw[k])
    if k < el:
        angular = angular + dot(cross(w[k], w[el]), Iw[j])
    return link.m * linear + angular
