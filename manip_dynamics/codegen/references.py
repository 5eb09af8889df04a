"""Every quantity by published algorithms that the candidates do not use: slow and independent.

Every kernel is checked against these (checking.py). quantities.py adds rotors and friction.
Links known only by their moments use algorithms for moment links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from manip_dynamics.algorithms import (
    formulation1,
    formulation2,
    formulation3,
    formulation4,
    formulation5,
    kane,
    lagrange,
    lin1991,
    meeting_frame,
    newton_euler,
    newton_euler_mlc,
    uicker_kahn,
    walker_orin,
)
from manip_dynamics.algorithms import forward_dynamics as forward
from manip_dynamics.model.chain import ZERO, Chain, MomentLink, RigidLink

from .candidates import Candidate

Reference = Callable[[Chain], Candidate]

COMPLEX_STEP = 1e-100

# Algorithms that users can choose by name, for cross-checking and teaching.
INVERSE_DYNAMICS: dict[str, Callable] = {
    "kane": kane.inverse_dynamics,
    "newton_euler": newton_euler.inverse_dynamics,
    "newton_euler_mlc": newton_euler_mlc.inverse_dynamics,
    "lagrange": lagrange.inverse_dynamics,
}
MASS_MATRIX: dict[str, Callable] = {
    "formulation1": formulation1.mass_matrix,
    "formulation2": formulation2.mass_matrix,
    "formulation3": formulation3.mass_matrix,
    "formulation4": formulation4.mass_matrix,
    "formulation5": formulation5.mass_matrix,
    "meeting_frame": meeting_frame.mass_matrix,
    "walker_orin": walker_orin.mass_matrix,
    "lin1991": lin1991.mass_matrix,
    "lagrange": lagrange.mass_matrix,
    "uicker_kahn": uicker_kahn.mass_matrix,
}

_MASSLESS = MomentLink(0.0, ZERO, (ZERO, ZERO, ZERO))


def _is_rigid(chain: Chain) -> bool:
    return all(isinstance(link, RigidLink) for link in chain.links)


def inverse_dynamics(chain: Chain) -> Candidate:
    algorithm = kane.inverse_dynamics if _is_rigid(chain) else newton_euler.inverse_dynamics
    return partial(algorithm, chain)


def mass_matrix(chain: Chain) -> Candidate:
    return partial((lin1991 if _is_rigid(chain) else uicker_kahn).mass_matrix, chain)


def bias(chain: Chain) -> Candidate:
    return lambda q, qd: inverse_dynamics(chain)(q, qd, [0.0] * chain.n)


def gravity(chain: Chain) -> Candidate:
    rest = [0.0] * chain.n
    return lambda q: inverse_dynamics(chain)(q, rest, rest)


def forward_dynamics(matrix: Reference, biases: Reference, chain: Chain) -> Candidate:
    M, b = matrix(chain), biases(chain)
    return lambda q, qd, tau: forward.solve_ldl(M(q), [t - s for t, s in zip(tau, b(q, qd))])


def mass_matrix_inverse(matrix: Reference, chain: Chain) -> Candidate:
    M = matrix(chain)
    return lambda q: forward.inverse_ltl(M(q))


def inverse_dynamics_derivatives(chain: Chain) -> Candidate:
    return _complex_steps(partial(newton_euler.inverse_dynamics, chain), 3)


def _complex_steps(function: Candidate, wrt: int) -> Candidate:
    """Rows of the derivatives with respect to the first `wrt` inputs.

    Im f(x + ih) / h: exact to rounding, because no difference is taken.
    """
    def rows(*state):
        vectors = [[np.atleast_1d(x).astype(complex) for x in vector] for vector in state]
        columns = []
        for entry in (entry for vector in vectors[:wrt] for entry in vector):
            entry += COMPLEX_STEP * 1j
            columns.append([np.imag(result) / COMPLEX_STEP for result in function(*vectors)])
            entry -= COMPLEX_STEP * 1j
        scalar = np.ndim(state[0][0]) == 0
        return [[float(x[0]) if scalar else x for x in np.broadcast_arrays(*row)]
                for row in zip(*columns)]

    return rows


def inverse_dynamics_vjp(derivatives: Reference, chain: Chain) -> Candidate:
    rows = derivatives(chain)
    return lambda q, qd, qdd, w: [sum(x * y for x, y in zip(column, w))
                                  for column in zip(*rows(q, qd, qdd))]


def coriolis_matrix(derivatives: Reference, chain: Chain) -> Candidate:
    n, rows = chain.n, derivatives(chain)
    return lambda q, qd: [[0.5 * x for x in row[n:2 * n]] for row in rows(q, qd, [
        0.0 * x for x in qd])]


def forward_dynamics_derivatives(derivatives: Reference, gravities: Reference,
                                 chain: Chain) -> Candidate:
    return partial(forward.forward_dynamics_derivatives, derivatives(chain), gravities(chain))


def tip_efforts(chain: Chain) -> Candidate:
    massless = replace(chain, gravity=ZERO, links=(_MASSLESS,) * chain.n)
    rest = [0.0] * chain.n
    return lambda q, wrench: [-effort for effort in newton_euler.inverse_dynamics(
        massless, q, rest, rest, wrench)]


def tip_efforts_derivatives(chain: Chain) -> Candidate:
    return _complex_steps(tip_efforts(chain), 1)


def payload(chain: Chain) -> Candidate:
    """By second moments sum m r r^T, which transform more simply than inertia."""
    def parameters(body):
        m, x, y, z, xx, xy, xz, yy, yz, zz = body
        R, p = np.array(chain.tip.rotation), np.array(chain.tip.translation)
        c = [x, y, z]
        half = 0.5 * (xx + yy + zz)
        S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
        S = [[S[i][j] + m * c[i] * c[j] for j in range(3)] for i in range(3)]
        k = [m * sum(R[i][j] * c[j] for j in range(3)) for i in range(3)]  # rotated, not shifted
        S = [[sum(R[i][a] * S[a][b] * R[j][b] for a in range(3) for b in range(3))
              + k[i] * p[j] + p[i] * k[j] + m * p[i] * p[j] for j in range(3)] for i in range(3)]
        J = S[0][0] + S[1][1] + S[2][2]
        return [m, *(k[i] + m * p[i] for i in range(3)), J - S[0][0], -S[0][1], -S[0][2],
                J - S[1][1], -S[1][2], J - S[2][2]]
    return parameters
