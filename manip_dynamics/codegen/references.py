"""Every quantity by printed algorithms that the candidates do not use: slow and independent.

What is served is compared with these (checking.py). Friction is left out, rotors are added
(quantities.py). Links that are known by their moments alone take algorithms for moment links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from manip_dynamics.algorithms import kane, lin1991, newton_euler, uicker_kahn
from manip_dynamics.algorithms.forward_dynamics import solve_ldl
from manip_dynamics.model.chain import ZERO, Chain, MomentLink, RigidLink

from .candidates import Candidate

Reference = Callable[[Chain], Candidate]

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
    return lambda q, qd, tau: solve_ldl(M(q), [t - s for t, s in zip(tau, b(q, qd))])


def tip_efforts(chain: Chain) -> Candidate:
    massless = replace(chain, gravity=ZERO, links=(_MASSLESS,) * chain.n)
    rest = [0.0] * chain.n
    return lambda q, wrench: [-effort for effort in newton_euler.inverse_dynamics(
        massless, q, rest, rest, wrench)]
