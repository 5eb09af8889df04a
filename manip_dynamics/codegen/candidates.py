"""Algorithms that compete for the program of a quantity: equal results, different costs.

A candidate is a function of the inputs. Friction is left out, rotors are added (quantities.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from manip_dynamics.algorithms import (
    articulated_body,
    formulation1,
    formulation2,
    kinematics,
    meeting_frame,
    newton_euler_mlc,
)
from manip_dynamics.algorithms.forward_dynamics import solve_ltl
from manip_dynamics.algorithms.vectors import Scalar, sincos
from manip_dynamics.model.chain import Chain
from manip_dynamics.model.mlc import BASES, MinimalCombinations
from manip_dynamics.model.sliding import merge_parallel_offsets

from .parametrizations import Parametrization, cheap_parametrizations
from .program import count_operations

Candidate = Callable[..., Sequence]
Candidates = Callable[[Chain], Iterator[Candidate]]


def inverse_dynamics(chain: Chain) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.inverse_dynamics, 3, chain)


def bias(chain: Chain) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.bias, 2, chain)


def gravity(chain: Chain) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.gravity, 1, chain)


def _on_virtual_links(
    algorithm: Callable[..., list], inputs: int, chain: Chain
) -> Iterator[Candidate]:
    """Joint efforts for cheap parametrizations of the arm, each in all bases and in a mixed one."""
    def efforts(arm: Parametrization, virtual: Chain) -> Candidate:
        return lambda *state: arm.efforts(algorithm(virtual, *map(arm.coordinates, state)))

    def cost(arm: Parametrization, virtual: Chain) -> int:
        return count_operations(efforts(arm, virtual), *[chain.n] * inputs).total

    arms = cheap_parametrizations(chain, lambda arm: cost(arm, arm.mlc.virtual_chain("Sigma33")))
    for arm in arms:
        for basis in BASES:
            yield efforts(arm, arm.mlc.virtual_chain(basis))
    best = arms[0]
    yield efforts(best, best.mlc.cheapest_chain(partial(cost, best)))


def mass_matrix(chain: Chain) -> Iterator[Candidate]:
    for arm in cheap_parametrizations(chain, _cost_of_mass_matrix):
        for function in _mass_matrices(arm.mlc):
            yield lambda q, arm=arm, function=function: arm.matrix(function(arm.coordinates(q)))


def _mass_matrices(mlc: MinimalCombinations) -> Iterator[Callable]:
    yield partial(formulation1.mass_matrix_mlc, mlc)
    yield partial(formulation2.mass_matrix_mlc, mlc)
    for basis in BASES:
        virtual = mlc.virtual_chain(basis)
        for k in range(1, virtual.n + 1):
            yield partial(meeting_frame.mass_matrix, virtual, k=k)


def _cost_of_mass_matrix(arm: Parametrization) -> float:
    return count_operations(lambda q: arm.matrix(formulation1.mass_matrix_mlc(
        arm.mlc, arm.coordinates(q))), arm.chain.n).total


def forward_dynamics(matrices: Candidates, biases: Candidates, chain: Chain) -> Iterator[Candidate]:
    """The cheapest M and b, solved from the tip; or in O(n)."""
    n = chain.n
    cheap = sorted(matrices(chain), key=lambda f: count_operations(f, n).total)[:3]
    for b in sorted(biases(chain), key=lambda f: count_operations(f, n, n).total)[:3]:
        for M in cheap:
            yield partial(solved, M, b)
    if not chain.has_rotors:
        virtual = Parametrization(merge_parallel_offsets(chain)).mlc.virtual_chain("Sigma33")
        yield partial(articulated_body.forward_dynamics, virtual)


def solved(mass_matrix: Candidate, bias: Candidate, q: Sequence[Scalar], qd: Sequence[Scalar],
           tau: Sequence[Scalar]) -> list[Scalar]:
    """qdd with M qdd = tau - b."""
    return solve_ltl(mass_matrix(q), [t - b for t, b in zip(tau, bias(q, qd))])


def tip_efforts(chain: Chain) -> Iterator[Candidate]:
    def efforts(q, wrench):
        columns = zip(*kinematics.jacobian(chain, q))
        return [sum((x * w for x, w in zip(column, wrench)), 0.0) for column in columns]
    yield efforts


def angle_sums(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Sines and cosines of q_i + q_{i+1} + .. for runs of parallel revolute joints: helpful values.

    By the addition theorem: the sine of a rounded sum would be off where angles are large, and
    takes longer than 4M 2A.
    """
    results: list[Scalar] = []
    S, C = 0.0, 1.0
    parallel = False
    for joint, x in zip(chain.joints, q):
        if joint.revolute:
            s, c = sincos(x)
            if parallel and joint.sin_alpha == 0.0:
                S = joint.cos_alpha * S  # an antiparallel axis turns the other way
                S, C = S * c + C * s, C * c - S * s
                results += [S, C]
            else:
                S, C = s, c
        parallel = joint.revolute
    return results
