"""The quantities that are compiled for an arm: one record each, read by all who deal with them.

`Dynamics`, the kernels and their check, the exported C, the command line, the docs and the tests
go through QUANTITIES. A new quantity is a record here and its algorithm; as a method of `Dynamics`
it gets a signature and a docstring there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from manip_dynamics.algorithms import friction, kinematics, matrix_kinematics, rotor
from manip_dynamics.algorithms.vectors import Scalar
from manip_dynamics.model.chain import ZERO, Chain, Friction

from . import candidates, magnitudes, references
from .candidates import Candidate
from .program import Signature
from .trace import flatten

LENGTHS = {"wrench": 6}  # of an input; others have one entry for each joint


@dataclass(frozen=True)
class Quantity:
    """A quantity of an arm: what it is, and every way to compute it."""

    name: str
    inputs: tuple[str, ...]
    result: str
    shape: tuple[int | str, ...]  # of one result; "n" is the number of joints
    meaning: str
    candidates: Callable[[Chain], Iterator[Candidate]]  # for an arm without friction and rotors
    reference: Callable[[Chain], Candidate]  # likewise, independent of the candidates
    magnitude: Callable[[Chain, magnitudes.States], magnitudes.Array]
    rotors: Callable[..., Sequence] | None = None  # what they add to the result
    # From a function of the smooth arm to one with friction; None where friction has no part in it.
    friction: Callable[[Chain, Candidate], Candidate] | None = None
    arm: Callable[[Chain], Chain] = lambda chain: chain  # the arm that it is computed for
    parts: tuple[str, ...] = ()  # quantities whose programs make another candidate, and
    assembled: Callable[..., Sequence] | None = None  # how, from their functions and the inputs
    exported: bool = True  # unless other quantities are asked for
    variant_of: str = ""  # another one that is the same where `exists` is false
    exists: Callable[[Chain], bool] = lambda chain: True

    def signature(self, n: int) -> Signature:
        """Shapes for an arm with n joints."""
        return Signature(
            self.name, tuple((name, LENGTHS.get(name, n)) for name in self.inputs), self.result,
            tuple(n if axis == "n" else int(axis) for axis in self.shape))

    @property
    def is_solution(self) -> bool:
        """Whether the result x solves M x = net, so that an error is judged by its residual."""
        return self.result == "qdd"


def signatures(chain: Chain) -> dict[str, Signature]:
    """Names and shapes of the quantities that an arm has."""
    return {name: quantity.signature(chain.n) for name, quantity in QUANTITIES.items()
            if quantity.exists(chain)}


def candidates_for(name: str, chain: Chain) -> Iterator[Candidate]:
    """Algorithms for a quantity without friction; equal results, different costs."""
    quantity = QUANTITIES[name]
    arm = quantity.arm(chain)
    return (_with_rotors(quantity, arm, candidate) for candidate in quantity.candidates(arm))


def reference(name: str, chain: Chain) -> Candidate:
    """A quantity by algorithms that no candidate uses, with rotors and friction."""
    quantity = QUANTITIES[name]
    arm = quantity.arm(chain)
    smooth = _with_rotors(quantity, arm, quantity.reference(without_friction(arm)))
    return with_friction(quantity, arm, smooth)


def with_friction(quantity: Quantity, chain: Chain, smooth: Candidate) -> Candidate:
    """A function of the arm from that of the arm without friction."""
    if quantity.friction is None or not chain.has_friction:
        return smooth
    return quantity.friction(chain, smooth)


def without_friction(chain: Chain) -> Chain:
    """The same arm with smooth joints."""
    return replace(chain, joints=tuple(
        replace(joint, friction=Friction()) for joint in chain.joints))


def without_gravity(chain: Chain) -> Chain:
    """The same arm in free fall."""
    return replace(chain, gravity=ZERO)


def _with_rotors(quantity: Quantity, chain: Chain, rigid: Candidate) -> Candidate:
    added = quantity.rotors
    if added is None or not chain.has_rotors:
        return rigid
    return lambda *state: [x + y for x, y in zip(flatten(rigid(*state)),
                                                 flatten(added(chain, *state)))]


def _friction_added(chain: Chain, smooth: Candidate) -> Candidate:
    def efforts(q, qd, qdd):
        rigid = smooth(q, qd, qdd)
        return [r + f for r, f in zip(rigid, friction.friction(chain, qd, rigid))]
    return efforts


def _friction_taken_off(chain: Chain, smooth: Candidate) -> Candidate:
    return lambda q, qd, tau: smooth(q, qd, friction.net_efforts(chain, qd, tau))


def _one(function: Callable[..., Sequence]) -> Callable[[Chain], Iterator[Candidate]]:
    """The only candidate."""
    return lambda chain: iter([partial(function, chain)])


def _square(name: str) -> Callable[[Chain], Iterator[Candidate]]:
    """Candidates for a matrix of the arm with its rotors, as rows."""
    def candidates_as_rows(chain: Chain) -> Iterator[Candidate]:
        for candidate in candidates_for(name, chain):
            yield lambda q, candidate=candidate: _rows(flatten(candidate(q)), chain.n)
    return candidates_as_rows


def _rows(entries: Sequence[Scalar], n: int) -> list[Sequence[Scalar]]:
    return [entries[n * i:n * (i + 1)] for i in range(n)]


_INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics", ("q", "qd", "qdd"), "tau", ("n",),
    "joint efforts that give the accelerations qdd, friction included",
    candidates.inverse_dynamics, references.inverse_dynamics, magnitudes.efforts,
    rotors=rotor.inverse_dynamics, friction=_friction_added)
_FORWARD_DYNAMICS = Quantity(
    "forward_dynamics", ("q", "qd", "tau"), "qdd", ("n",),
    "accelerations that the efforts tau cause, against friction",
    partial(candidates.forward_dynamics, _square("mass_matrix"), partial(candidates_for, "bias")),
    partial(references.forward_dynamics,
            lambda chain: lambda q: _rows(flatten(reference("mass_matrix", chain)(q)), chain.n),
            partial(reference, "bias")),
    magnitudes.efforts, friction=_friction_taken_off, parts=("mass_matrix", "bias"),
    assembled=lambda matrix, bias, q, qd, tau: candidates.solved(
        lambda q: _rows(matrix(q), len(q)), bias, q, qd, tau))

QUANTITIES: dict[str, Quantity] = {quantity.name: quantity for quantity in (
    _INVERSE_DYNAMICS,
    replace(_INVERSE_DYNAMICS, name="weightless_inverse_dynamics", arm=without_gravity,
            meaning="inverse dynamics without gravity and friction", friction=None,
            exported=False),
    Quantity("mass_matrix", ("q",), "M", ("n", "n"), "inertia matrix, n x n, row by row",
             candidates.mass_matrix, references.mass_matrix, magnitudes.mass_matrix,
             rotors=rotor.mass_matrix),
    Quantity("bias", ("q", "qd"), "tau", ("n",),
             "Coriolis, centrifugal and gravity efforts, without friction",
             candidates.bias, references.bias, magnitudes.efforts, rotors=rotor.bias,
             parts=("inverse_dynamics",),
             assembled=lambda efforts, q, qd: efforts(q, qd, [0.0] * len(q))),
    Quantity("gravity", ("q",), "tau", ("n",), "efforts that hold the arm against gravity",
             candidates.gravity, references.gravity, magnitudes.efforts),
    Quantity("friction", ("qd",), "tau", ("n",),
             "efforts that overcome friction; what depends on the load is left out",
             _one(lambda chain, qd: [0.0] * chain.n), lambda chain: lambda qd: [0.0] * chain.n,
             magnitudes.friction, exported=False,
             friction=lambda chain, _: partial(friction.friction, chain)),
    Quantity("friction_under_load", ("qd", "load"), "tau", ("n",),
             "efforts that overcome friction while the rigid arm takes the efforts `load`",
             _one(lambda chain, qd, load: [0.0] * chain.n),
             lambda chain: lambda qd, load: [0.0] * chain.n, magnitudes.friction, exported=False,
             friction=lambda chain, _: partial(friction.friction, chain),
             exists=lambda chain: chain.has_load_friction),
    Quantity("net_efforts", ("qd", "tau", "width"), "net", ("n",),
             "what friction, smoothed over the velocities `width`, leaves of the efforts tau",
             _one(lambda chain, qd, tau, width: tau), lambda chain: lambda qd, tau, width: tau,
             magnitudes.friction, exported=False,
             friction=lambda chain, _: partial(friction.net_efforts, chain),
             exists=lambda chain: chain.has_friction),
    _FORWARD_DYNAMICS,
    replace(_FORWARD_DYNAMICS, name="rigid_forward_dynamics", friction=None, exported=False,
            meaning="forward dynamics without friction", variant_of="forward_dynamics",
            exists=lambda chain: chain.has_friction),
    Quantity("tip_efforts", ("q", "wrench"), "tau", ("n",),
             "J^T wrench: force and moment on the tip, in the base link",
             candidates.tip_efforts, references.tip_efforts, magnitudes.tip_efforts,
             exported=False),
    Quantity("jacobian", ("q",), "J", (6, "n"),
             "6 x n, row by row: linear, then angular velocity of the tip in the base link",
             _one(kinematics.jacobian), lambda chain: partial(matrix_kinematics.jacobian, chain),
             magnitudes.jacobian),
    Quantity("forward_kinematics", ("q",), "pose", (4, 4),
             "pose of the tip in the base link, 4 x 4, row by row",
             _one(kinematics.forward_kinematics),
             lambda chain: partial(matrix_kinematics.forward_kinematics, chain), magnitudes.pose),
)}
