"""The quantities that are compiled for one robot, and the algorithms that can give each of them.

Rotors are part of the program where the robot has them, and cost nothing elsewhere. Friction is
left out here: select.py adds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from manip_dynamics.algorithms import (
    articulated_body,
    formulation1,
    formulation2,
    friction,
    kane,
    kinematics,
    lin1991,
    matrix_kinematics,
    meeting_frame,
    newton_euler,
    newton_euler_mlc,
    rotor,
)
from manip_dynamics.algorithms.forward_dynamics import solve_ldl, solve_ltl
from manip_dynamics.algorithms.vectors import Scalar, sincos
from manip_dynamics.model.chain import ZERO, Chain, Link
from manip_dynamics.model.mlc import BASES, MinimalCombinations
from manip_dynamics.model.sliding import merge_parallel_offsets

from .arms import Arm, cheap_arms
from .program import Signature
from .trace import Counts, Graph, flatten

Candidate = Callable[..., Sequence]  # of the traced inputs, returning the results

_MASSLESS = Link.virtual(0.0, ZERO, (ZERO, ZERO, ZERO))


def signatures(chain: Chain) -> dict[str, Signature]:
    """Names and shapes of the compiled quantities of an arm."""
    n = chain.n
    q, qd, qdd, tau = (("q", n), ("qd", n), ("qdd", n), ("tau", n))
    all_of_them = [
        Signature("inverse_dynamics", (q, qd, qdd), "tau", (n,)),
        Signature("weightless_inverse_dynamics", (q, qd, qdd), "tau", (n,)),
        Signature("mass_matrix", (q,), "M", (n, n)),
        Signature("bias", (q, qd), "tau", (n,)),
        Signature("gravity", (q,), "tau", (n,)),
        Signature("friction", (qd,), "tau", (n,)),
        Signature("forward_dynamics", (q, qd, tau), "qdd", (n,)),
        Signature("tip_efforts", (q, ("wrench", 6)), "tau", (n,)),
        Signature("jacobian", (q,), "J", (6, n)),
        Signature("forward_kinematics", (q,), "pose", (4, 4)),
    ]
    if has_friction(chain):
        all_of_them.append(Signature("frictionless_forward_dynamics", (q, qd, tau), "qdd", (n,)))
    return {signature.name: signature for signature in all_of_them}


def has_friction(chain: Chain) -> bool:
    """Whether any joint has friction."""
    return any(joint.damping or joint.friction for joint in chain.joints)


def without_friction(chain: Chain) -> Chain:
    """The same arm with smooth joints."""
    joints = tuple(replace(joint, damping=0.0, friction=0.0) for joint in chain.joints)
    return replace(chain, joints=joints)


def has_rotors(chain: Chain) -> bool:
    """Whether any joint has a rotor with inertia."""
    return any(joint.rotor_inertia for joint in chain.joints)


def candidates(quantity: str, chain: Chain) -> Iterator[Candidate]:
    """Algorithms for a quantity without friction; results are equal, costs are not."""
    return _CANDIDATES[quantity](chain)


def angle_sums(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Sines and cosines of q_i + q_{i+1} + .. for runs of parallel revolute joints.

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


def reference(quantity: str, chain: Chain) -> Candidate:
    """A quantity by the printed algorithms on real links: slow, and independent of candidates."""
    rest = [0.0] * chain.n

    def efforts(q, qd, qdd):
        return _sum(kane.inverse_dynamics(chain, q, qd, qdd), _rotor_efforts(chain, q, qd, qdd))

    def mass_matrix(q):
        return _with_rotors(chain, q, lin1991.mass_matrix(chain, q))

    def forward_dynamics(q, qd, tau):
        spent = efforts(q, qd, [0.0] * chain.n)
        return solve_ldl(mass_matrix(q), [t - s for t, s in zip(tau, spent)])

    def net(qd, tau):
        return [t - f for t, f in zip(tau, friction.friction(chain, qd))]

    def tip_efforts(q, wrench):
        massless = replace(chain, gravity=ZERO, links=(_MASSLESS,) * chain.n)
        reaction = newton_euler.inverse_dynamics(massless, q, rest, rest, wrench)
        return [-effort for effort in reaction]

    def weightless(q, qd, qdd):
        return _sum(kane.inverse_dynamics(replace(chain, gravity=ZERO), q, qd, qdd),
                    _rotor_efforts(chain, q, qd, qdd))

    functions: dict[str, Candidate] = {
        "inverse_dynamics": lambda q, qd, qdd: _sum(
            efforts(q, qd, qdd), friction.friction(chain, qd)),
        "weightless_inverse_dynamics": weightless,
        "mass_matrix": mass_matrix,
        "bias": lambda q, qd: efforts(q, qd, rest),
        "gravity": lambda q: kane.inverse_dynamics(chain, q, rest, rest),
        "friction": partial(friction.friction, chain),
        "forward_dynamics": lambda q, qd, tau: forward_dynamics(q, qd, net(qd, tau)),
        "frictionless_forward_dynamics": forward_dynamics,
        "tip_efforts": tip_efforts,
        "jacobian": partial(matrix_kinematics.jacobian, chain),
        "forward_kinematics": partial(matrix_kinematics.forward_kinematics, chain),
    }
    return functions[quantity]


def _inverse_dynamics(chain: Chain) -> Iterator[Candidate]:
    for rigid in _on_virtual_links(newton_euler_mlc.inverse_dynamics, 3, chain):
        yield lambda q, qd, qdd, rigid=rigid: _sum(
            rigid(q, qd, qdd), _rotor_efforts(chain, q, qd, qdd))


def _bias(chain: Chain) -> Iterator[Candidate]:
    rest = [0.0] * chain.n
    for rigid in _on_virtual_links(newton_euler_mlc.bias, 2, chain):
        yield lambda q, qd, rigid=rigid: _sum(rigid(q, qd), _rotor_efforts(chain, q, qd, rest))


def _gravity(chain: Chain) -> Iterator[Candidate]:
    return _on_virtual_links(newton_euler_mlc.gravity, 1, chain)


def _on_virtual_links(
    algorithm: Callable[..., list], inputs: int, chain: Chain
) -> Iterator[Candidate]:
    """Joint efforts on cheap descriptions of the arm, each in all bases, and in a mixed one."""
    def efforts(arm: Arm, virtual: Chain) -> Candidate:
        return lambda *state: arm.efforts(algorithm(virtual, *map(arm.coordinates, state)))

    def cost(arm: Arm, virtual: Chain) -> int:
        return count(efforts(arm, virtual), *[chain.n] * inputs).total

    arms = cheap_arms(chain, lambda arm: cost(arm, arm.combinations.virtual_chain("Sigma33")))
    for arm in arms:
        for basis in BASES:
            yield efforts(arm, arm.combinations.virtual_chain(basis))
    best = arms[0]
    yield efforts(best, best.combinations.cheapest_chain(partial(cost, best)))


def _mass_matrix(chain: Chain) -> Iterator[Candidate]:
    for arm in cheap_arms(chain, _cost_of_mass_matrix):
        for function in _mass_matrices(arm.combinations):
            yield lambda q, arm=arm, function=function: _with_rotors(
                chain, q, arm.matrix(function(arm.coordinates(q))))


def _mass_matrices(combinations: MinimalCombinations) -> Iterator[Callable]:
    yield partial(formulation1.mass_matrix_mlc, combinations)
    yield partial(formulation2.mass_matrix_mlc, combinations)
    for basis in BASES:
        virtual = combinations.virtual_chain(basis)
        for k in range(1, virtual.n + 1):
            yield partial(meeting_frame.mass_matrix, virtual, k=k)


def _forward_dynamics(chain: Chain) -> Iterator[Candidate]:
    """The cheapest M and b, solved from the tip."""
    n = chain.n
    matrices = sorted(_mass_matrix(chain), key=lambda f: count(f, n).total)[:3]
    for bias in sorted(_bias(chain), key=lambda f: count(f, n, n).total)[:3]:
        for matrix in matrices:
            yield lambda q, qd, tau, bias=bias, matrix=matrix: solve_ltl(
                matrix(q), [t - b for t, b in zip(tau, bias(q, qd))])
    if not has_rotors(chain):
        virtual = Arm(merge_parallel_offsets(chain)).combinations.virtual_chain("Sigma33")
        yield partial(articulated_body.forward_dynamics, virtual)


def _cost_of_mass_matrix(arm: Arm) -> float:
    return count(lambda q: arm.matrix(formulation1.mass_matrix_mlc(
        arm.combinations, arm.coordinates(q))), arm.chain.n).total


def count(function: Callable, *lengths: int) -> Counts:
    """Operations of a function of vectors of these lengths, equal ones shared."""
    graph = Graph()
    results = function(*(graph.inputs(f"x{i}", length) for i, length in enumerate(lengths)))
    return graph.count(flatten(results))


def _tip_efforts(chain: Chain) -> Iterator[Candidate]:
    def efforts(q, wrench):
        columns = zip(*kinematics.jacobian(chain, q))
        return [sum((x * w for x, w in zip(column, wrench)), 0.0) for column in columns]
    yield efforts


_CANDIDATES: dict[str, Callable[[Chain], Iterator[Candidate]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "gravity": _gravity,
    "friction": lambda chain: iter([partial(friction.friction, chain)]),
    "forward_dynamics": _forward_dynamics,
    "tip_efforts": _tip_efforts,
    "jacobian": lambda chain: iter([lambda q: kinematics.jacobian(chain, q)]),
    "forward_kinematics": lambda chain: iter([lambda q: kinematics.forward_kinematics(chain, q)]),
}


def _rotor_efforts(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    if not has_rotors(chain):
        return [0.0] * chain.n
    return rotor.inverse_dynamics(chain, q, qd, qdd)


def _with_rotors(
    chain: Chain, q: Sequence[Scalar], matrix: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    if not has_rotors(chain):
        return [list(row) for row in matrix]
    return [_sum(row, added) for row, added in zip(matrix, rotor.mass_matrix(chain, q))]


def _sum(*vectors: Sequence[Scalar]) -> list[Scalar]:
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors)]
