"""Algorithms that compete for the program of a quantity: equal results, different costs.

A candidate is a function of the inputs. quantities.py adds rotors and friction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from manip_dynamics.algorithms import (
    articulated_body,
    derivatives,
    formulation1,
    formulation2,
    kinematics,
    meeting_frame,
    newton_euler_mlc,
)
from manip_dynamics.algorithms import forward_dynamics as forward
from manip_dynamics.algorithms.payload import PARAMETERS
from manip_dynamics.algorithms.vectors import Scalar, sincos
from manip_dynamics.model.chain import Chain
from manip_dynamics.model.mlc import BASES
from manip_dynamics.model.sliding import merge_parallel_offsets

from . import differentiate
from .parametrizations import Parametrization, cheap_parametrizations
from .program import count_operations

MEETING_FRAMES = 4  # how many to try with every basis: the cheapest ones

# Inputs whose length is not the number of joints.
LENGTHS = {"wrench": 6, "body": PARAMETERS, "payload": PARAMETERS, "gravity": 3}

Candidate = Callable[..., Sequence]
Candidates = Callable[..., Iterator[Candidate]]  # of a chain and the varying inputs:
Varying = tuple[str, ...]  # "payload", "gravity", in this order, after the others


def inverse_dynamics(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.inverse_dynamics, 3, chain, varying)


def bias(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.bias, 2, chain, varying)


def gravity(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.gravity, 1, chain, varying)


def _on_virtual_links(algorithm: Callable[..., list], inputs: int, chain: Chain,
                      varying: Varying) -> Iterator[Candidate]:
    """Joint efforts for cheap parametrizations, in all bases, the best also in a mixed one."""
    def efforts(arm: Parametrization, virtual: Chain) -> Candidate:
        return lambda *state: arm.efforts(arm.run(algorithm, virtual, state))

    def cost(arm: Parametrization, virtual: Chain) -> int:
        return count_operations(efforts(arm, virtual), *_lengths(chain, inputs, varying)).total

    arms = cheap_parametrizations(
        chain, lambda arm: cost(arm, arm.mlc.virtual_chain("Sigma33")), varying)
    for arm in arms:
        for basis in BASES:
            yield efforts(arm, arm.mlc.virtual_chain(basis))
    best = arms[0]
    yield efforts(best, best.mlc.cheapest_chain(partial(cost, best)))


def mass_matrix(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    def matrix(arm: Parametrization, virtual: Chain, k: int) -> Candidate:
        return lambda *state: arm.matrix(arm.run(
            partial(meeting_frame.mass_matrix, k=k), virtual, state))

    def cost(arm: Parametrization) -> int:
        return count_operations(matrix(arm, arm.mlc.virtual_chain("J22"), 1),
                                *_lengths(chain, 1, varying)).total

    for arm in cheap_parametrizations(
            chain, cost if varying else _cost_of_mass_matrix, varying):
        if not varying:
            for algorithm in (formulation1.mass_matrix_mlc, formulation2.mass_matrix_mlc):
                yield partial(_matrix_from_mlc, algorithm, arm)
        for basis in BASES:
            for k in range(1, chain.n + 1):
                yield matrix(arm, arm.mlc.virtual_chain(basis), k)


def _matrix_from_mlc(algorithm: Callable, arm: Parametrization, q: Sequence[Scalar]) -> list:
    return arm.matrix(algorithm(arm.mlc, arm.coordinates(q)))


def _cost_of_mass_matrix(arm: Parametrization) -> int:
    return count_operations(
        partial(_matrix_from_mlc, formulation1.mass_matrix_mlc, arm), arm.chain.n).total


def forward_dynamics(matrices: Candidates, biases: Candidates, chain: Chain,
                     varying: Varying = ()) -> Iterator[Candidate]:
    """The cheapest M and b, solved from the tip inward, or the O(n) articulated-body algorithm."""
    M_candidates = _cheapest(matrices(chain, varying), *_lengths(chain, 1, varying))
    for b in _cheapest(biases(chain, varying), *_lengths(chain, 2, varying)):
        for M in M_candidates:
            yield partial(solved, M, b)
    if not chain.has_rotors:
        arm = Parametrization(merge_parallel_offsets(chain), varying=varying)
        virtual = arm.mlc.virtual_chain("Sigma33")
        yield lambda *state: arm.run(articulated_body.forward_dynamics, virtual, state)


def solved(mass_matrix: Candidate, bias: Candidate, q: Sequence[Scalar], qd: Sequence[Scalar],
           tau: Sequence[Scalar], *load: Sequence[Scalar]) -> list[Scalar]:
    """The qdd that solves M qdd = tau - b."""
    return forward.solve_ltl(mass_matrix(q, *load),
                             [t - b for t, b in zip(tau, bias(q, qd, *load))])


def inverse_dynamics_derivatives(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    """Rows (n, 3n), for every basis of the virtual links and the cheapest meeting frames."""
    lengths = _lengths(chain, 3, varying)

    def rows(arm: Parametrization, virtual: Chain, k: int) -> Candidate:
        def derivative_rows(*state):
            parts = arm.run(partial(derivatives.inverse_dynamics_derivatives, k=k), virtual, state)
            return [sum(rows, []) for rows in zip(*map(arm.matrix, parts))]
        return derivative_rows

    def cost(arm: Parametrization, k: int) -> int:
        return count_operations(rows(arm, arm.mlc.virtual_chain("Sigma33"), k), *lengths).total

    for arm in cheap_parametrizations(
            chain, lambda arm: min(cost(arm, 1), cost(arm, chain.n // 2)), varying):
        frames = sorted(range(1, chain.n + 1), key=lambda k: cost(arm, k))
        for k in frames[:MEETING_FRAMES]:
            for basis in BASES:
                yield rows(arm, arm.mlc.virtual_chain(basis), k)


def inverse_dynamics_vjp(efforts: Candidates, chain: Chain,
                         varying: Varying = ()) -> Iterator[Candidate]:
    """w^T [d tau/dq, d tau/dqd, M] by reverse mode."""
    lengths = _lengths(chain, 3, varying)
    for function in _cheapest(efforts(chain, varying), *lengths):
        product = differentiate.vector_jacobian_product(function, lengths, (0, 1, 2))
        yield lambda q, qd, qdd, w, *load, product=product: product(q, qd, qdd, *load, w)


def coriolis_matrix(rows: Candidates, chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    """Half of d tau/dqd at qdd = 0: the derivative of a quadratic form."""
    n = chain.n
    for derivative_rows in rows(chain, varying):
        yield lambda q, qd, *load, f=derivative_rows: [
            [0.5 * x for x in row[n:2 * n]] for row in f(q, qd, [0.0] * n, *load)]


def mass_matrix_inverse(matrices: Candidates, chain: Chain,
                        varying: Varying = ()) -> Iterator[Candidate]:
    for M in _cheapest(matrices(chain, varying), *_lengths(chain, 1, varying)):
        yield lambda *state, M=M: forward.inverse_ltl(M(*state))


def forward_dynamics_derivatives(rows: Candidates, gravities: Candidates, chain: Chain,
                                 varying: Varying = ()) -> Iterator[Candidate]:
    """A single candidate; another is assembled from programs already found."""
    yield partial(forward.forward_dynamics_derivatives, next(rows(chain, varying)),
                  next(gravities(chain, varying)))


def _lengths(chain: Chain, vectors: int, varying: Varying) -> list[int]:
    """Lengths of the inputs."""
    return [*[chain.n] * vectors, *(LENGTHS[name] for name in varying)]


def _cheapest(candidates: Iterator[Candidate], *lengths: int) -> list[Candidate]:
    return sorted(candidates, key=lambda f: count_operations(f, *lengths).total)[:3]


def tip_efforts(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    def efforts(q, wrench):
        columns = zip(*kinematics.jacobian(chain, q))
        return [sum((x * w for x, w in zip(column, wrench)), 0.0) for column in columns]
    yield efforts


def tip_efforts_derivatives(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
    for efforts in tip_efforts(chain):
        yield differentiate.jacobian(efforts, (chain.n, LENGTHS["wrench"]), (0,))


def angle_sums(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Sines and cosines of q_i + q_{i+1} + .. for runs of parallel revolute joints, as hints.

    By the addition theorem: the sine of a rounded sum would be inaccurate for large angles and
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
