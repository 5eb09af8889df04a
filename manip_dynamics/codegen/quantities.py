"""The quantities that are compiled for one robot, and the algorithms that can give each of them.

Rotors and friction are part of the program where the robot has them, and cost nothing elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from manip_dynamics.algorithms import (
    articulated_body,
    formulation1,
    formulation2,
    friction,
    kane,
    kinematics,
    lin1991,
    meeting_frame,
    newton_euler_mlc,
    rotor,
)
from manip_dynamics.algorithms.forward_dynamics import solve_ldl, solve_ltl
from manip_dynamics.algorithms.vectors import Scalar
from manip_dynamics.model.chain import ZERO, Chain
from manip_dynamics.model.mlc import BASES, minimal_combinations
from manip_dynamics.model.sliding import merge_parallel_offsets

from .program import Signature

Candidate = Callable[..., Sequence]  # of the traced inputs, returning the results


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


def has_rotors(chain: Chain) -> bool:
    """Whether any joint has a rotor with inertia."""
    return any(joint.rotor_inertia for joint in chain.joints)


def candidates(quantity: str, chain: Chain) -> Iterator[Candidate]:
    """Algorithms for a quantity, each bound to the chain; results are equal, costs are not."""
    return _CANDIDATES[quantity](chain)


def reference(quantity: str, chain: Chain) -> Candidate:
    """A quantity by the printed algorithms on real links: slow, and independent of candidates."""
    def efforts(q, qd, qdd):
        return _sum(kane.inverse_dynamics(chain, q, qd, qdd), _rotor_efforts(chain, q, qd, qdd))

    def mass_matrix(q):
        return _with_rotors(chain, q, lin1991.mass_matrix(chain, q))

    def forward_dynamics(q, qd, tau):
        spent = efforts(q, qd, [0.0] * chain.n)
        return solve_ldl(mass_matrix(q), [t - s for t, s in zip(tau, spent)])

    def net(qd, tau):
        return [t - f for t, f in zip(tau, _friction(chain, qd))]

    rest = [0.0] * chain.n
    functions: dict[str, Candidate] = {
        "inverse_dynamics": lambda q, qd, qdd: _sum(efforts(q, qd, qdd), _friction(chain, qd)),
        "mass_matrix": mass_matrix,
        "bias": lambda q, qd: efforts(q, qd, rest),
        "gravity": lambda q: kane.inverse_dynamics(chain, q, rest, rest),
        "forward_dynamics": lambda q, qd, tau: forward_dynamics(q, qd, net(qd, tau)),
        "frictionless_forward_dynamics": forward_dynamics,
    }
    if quantity == "weightless_inverse_dynamics":
        weightless = replace(chain, gravity=ZERO)
        return lambda q, qd, qdd: _sum(kane.inverse_dynamics(weightless, q, qd, qdd),
                                       _rotor_efforts(chain, q, qd, qdd))
    return functions[quantity] if quantity in functions else next(candidates(quantity, chain))


def _rigid_chains(chain: Chain) -> Iterator[Chain]:
    """The arm on virtual links, in all bases."""
    combinations = minimal_combinations(merge_parallel_offsets(chain))
    for basis in BASES:
        yield combinations.virtual_chain(basis)


def _inverse_dynamics(chain: Chain) -> Iterator[Candidate]:
    for virtual in _rigid_chains(chain):
        yield lambda q, qd, qdd, virtual=virtual: _sum(
            newton_euler_mlc.inverse_dynamics(virtual, q, qd, qdd),
            _rotor_efforts(chain, q, qd, qdd), _friction(chain, qd))


def _weightless_inverse_dynamics(chain: Chain) -> Iterator[Candidate]:
    for virtual in _rigid_chains(replace(chain, gravity=ZERO)):
        yield lambda q, qd, qdd, virtual=virtual: _sum(
            newton_euler_mlc.inverse_dynamics(virtual, q, qd, qdd),
            _rotor_efforts(chain, q, qd, qdd))


def _bias(chain: Chain) -> Iterator[Candidate]:
    rest = [0.0] * chain.n
    for virtual in _rigid_chains(chain):
        yield lambda q, qd, virtual=virtual: _sum(
            newton_euler_mlc.bias(virtual, q, qd), _rotor_efforts(chain, q, qd, rest))


def _gravity(chain: Chain) -> Iterator[Candidate]:
    for virtual in _rigid_chains(chain):
        yield lambda q, virtual=virtual: newton_euler_mlc.gravity(virtual, q)


def _mass_matrix(chain: Chain) -> Iterator[Candidate]:
    combinations = minimal_combinations(merge_parallel_offsets(chain))
    for function in (formulation1.mass_matrix_mlc, formulation2.mass_matrix_mlc):
        yield lambda q, function=function: _with_rotors(chain, q, function(combinations, q))
    for virtual in _rigid_chains(chain):
        for k in range(1, chain.n + 1):
            yield lambda q, virtual=virtual, k=k: _with_rotors(
                chain, q, meeting_frame.mass_matrix(virtual, q, k))


def _forward_dynamics(chain: Chain) -> Iterator[Candidate]:
    for mass_matrix in _mass_matrix(chain):
        for bias in _bias(chain):
            def solve(q, qd, tau, mass_matrix=mass_matrix, bias=bias):
                spent = _sum(bias(q, qd), _friction(chain, qd))
                return solve_ltl(mass_matrix(q), [t - s for t, s in zip(tau, spent)])
            yield solve
    if not has_rotors(chain):
        def articulated(q, qd, tau):
            effort = [t - f for t, f in zip(tau, _friction(chain, qd))]
            return articulated_body.forward_dynamics(chain, q, qd, effort)
        yield articulated


def _frictionless_forward_dynamics(chain: Chain) -> Iterator[Candidate]:
    joints = tuple(replace(joint, damping=0.0, friction=0.0) for joint in chain.joints)
    return _forward_dynamics(replace(chain, joints=joints))


def _friction(chain: Chain, qd: Sequence[Scalar]) -> list[Scalar]:
    return friction.friction(chain, qd)


def _tip_efforts(chain: Chain) -> Iterator[Candidate]:
    def efforts(q, wrench):
        columns = zip(*kinematics.jacobian(chain, q))
        return [sum((x * w for x, w in zip(column, wrench)), 0.0) for column in columns]
    yield efforts


_CANDIDATES: dict[str, Callable[[Chain], Iterator[Candidate]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "weightless_inverse_dynamics": _weightless_inverse_dynamics,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "gravity": _gravity,
    "friction": lambda chain: iter([lambda qd: _friction(chain, qd)]),
    "forward_dynamics": _forward_dynamics,
    "frictionless_forward_dynamics": _frictionless_forward_dynamics,
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
