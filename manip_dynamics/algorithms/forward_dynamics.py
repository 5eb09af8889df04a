"""Forward dynamics from the inertia matrix and the bias vector.

    M(q) qdd = tau - b(q, qd)

solved by the factors L D L^T without square roots, as Lin 1991 recommends (Conclusion), from the
base or, as L^T D L, from the tip. Solving costs (n^3 + 9 n^2 - 4 n) / 6 multiplications,
(n^3 + 6 n^2 - 7 n) / 6 additions and n divisions; counted in
test/algorithms/test_forward_dynamics.py. Entries of M that are zero for every q cost nothing;
most of them belong to the last joints, so elimination from the tip preserves more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from . import lin1991, newton_euler
from .vectors import Scalar

MassMatrix = Callable[[Chain, Sequence[Scalar]], Sequence[Sequence[Scalar]]]
Bias = Callable[[Chain, Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
Derivatives = Callable[..., Sequence[Sequence[Scalar]]]
Gravity = Callable[..., Sequence[Scalar]]
Solver = Callable[[Sequence[Sequence[Scalar]], Sequence[Scalar]], list[Scalar]]


class Factors(NamedTuple):
    """L D L^T: L unit lower triangular, by rows below the diagonal, and the reciprocals of D."""

    L: list[list[Scalar]]
    reciprocals: list[Scalar]


def factor_ldl(matrix: Sequence[Sequence[Scalar]]) -> Factors:
    """The factors of a symmetric positive definite matrix, whose lower triangle is read."""
    n = len(matrix)
    rows = [list(row[: i + 1]) for i, row in enumerate(matrix)]
    reciprocals: list[Scalar] = []
    for j in range(n):  # eliminate unknown j: column j becomes L_ij D_j, then L_ij
        if isinstance(rows[j][j], float) and rows[j][j] == 0.0:
            raise ModelError("a joint moves nothing that has inertia, so its acceleration is not "
                             "determined: give the links beyond it a mass, or a payload")
        reciprocal = 1.0 / rows[j][j]
        reciprocals.append(reciprocal)
        column = [rows[i][j] for i in range(j + 1, n)]
        for i, entry in enumerate(column, j + 1):
            factor = entry * reciprocal
            for k in range(j + 1, i + 1):
                rows[i][k] = rows[i][k] - factor * column[k - j - 1]
            rows[i][j] = factor
    return Factors([row[:-1] for row in rows], reciprocals)


def substitute(factors: Factors, rhs: Sequence[Scalar]) -> list[Scalar]:
    """x with L D L^T x = rhs."""
    L, reciprocals = factors
    n = len(rhs)
    x = list(rhs)
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - L[i][j] * x[j]
    for j in reversed(range(n)):
        x[j] = x[j] * reciprocals[j]
        for i in range(j + 1, n):
            x[j] = x[j] - L[i][j] * x[i]
    return x


def solve_ldl(matrix: Sequence[Sequence[Scalar]], rhs: Sequence[Scalar]) -> list[Scalar]:
    """x with matrix x = rhs, for a symmetric positive definite matrix."""
    return substitute(factor_ldl(matrix), rhs)


def solve_ltl(matrix: Sequence[Sequence[Scalar]], rhs: Sequence[Scalar]) -> list[Scalar]:
    """The same, eliminating the last unknown first."""
    return solve_ldl([row[::-1] for row in matrix[::-1]], rhs[::-1])[::-1]


def inverse_ltl(matrix: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The inverse of a symmetric positive definite matrix, from the factors at the tip.

    By back substitution, L^T X = D^-1 L^-1, whose right side is known where X is asked for: it is
    zero above the diagonal, and X is symmetric.
    """
    n = len(matrix)
    L, reciprocals = factor_ldl([row[::-1] for row in matrix[::-1]])
    X: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i in reversed(range(n)):
        for j in reversed(range(i + 1)):
            entry: Scalar = reciprocals[i] if i == j else 0.0
            for k in range(j + 1, n):
                entry = entry - L[k][j] * X[k][i]
            X[i][j] = X[j][i] = entry
    return [row[::-1] for row in X[::-1]]


def forward_dynamics_derivatives(
    derivatives: Derivatives, gravity: Gravity, q: Sequence[Scalar], qd: Sequence[Scalar],
    tau: Sequence[Scalar], *load: Sequence[Scalar],
) -> list[list[Scalar]]:
    """Rows (n, 3n) of d qdd / d(q, qd, tau) = M^-1 [-d tau/dq, -d tau/dqd, E].

    derivatives: rows of d tau / d(q, qd, qdd) by q, qd, qdd; `load`: what it and gravity ask for
    besides. The bias comes with them: its part quadratic in qd is (d tau/dqd) qd / 2, by Euler's
    theorem.
    """
    n = len(q)
    rows = derivatives(q, qd, [0.0] * n, *load)
    M = [row[2 * n:] for row in rows]
    efforts = []
    for effort, weight, row in zip(tau, gravity(q, *load), rows):
        rest = effort - weight
        for rate, slope in zip(qd, row[n:2 * n]):
            rest = rest - slope * (0.5 * rate)
        efforts.append(rest)
    factors = factor_ldl([row[::-1] for row in M[::-1]])
    qdd = substitute(factors, efforts[::-1])[::-1]
    rows = derivatives(q, qd, qdd, *load)
    columns = [substitute(factors, [-row[j] for row in rows[::-1]])[::-1] for j in range(2 * n)]
    inverse = inverse_ltl(M)
    return [[*(column[i] for column in columns), *inverse[i]] for i in range(n)]


def forward_dynamics(
    chain: Chain,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    mass_matrix: MassMatrix = lin1991.mass_matrix,
    bias: Bias = newton_euler.bias,
    solve: Solver = solve_ltl,
) -> list[Scalar]:
    """Joint accelerations that the efforts tau give to the rigid links."""
    effort = [t - b for t, b in zip(tau, bias(chain, q, qd))]
    return solve(mass_matrix(chain, q), effort)
