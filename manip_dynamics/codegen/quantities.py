"""The quantities that are compiled for an arm: one record each, used throughout the package.

`Dynamics`, the kernels and their check, the exported C, the command line, the docs and the tests
all use QUANTITIES. A new quantity needs a record here and an algorithm; to be a method of
`Dynamics` it also needs a signature and a docstring there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from manip_dynamics.algorithms import (
    forward_dynamics,
    friction,
    kinematics,
    matrix_kinematics,
    payload,
    rotor,
)
from manip_dynamics.algorithms.payload import PARAMETERS, in_any_gravity, with_load
from manip_dynamics.algorithms.vectors import Scalar
from manip_dynamics.model.chain import ZERO, Chain, Friction

from . import candidates, magnitudes, references
from .candidates import LENGTHS, Candidate, Candidates, Varying
from .differentiate import jacobian
from .program import Signature
from .trace import flatten

# Libraries, each compiled as a whole: "dynamics" when an arm is loaded, others when one of their
# quantities is first used.
DYNAMICS, PAYLOAD, NO_LIBRARY = "dynamics", "payload", ""

LOADED = "_with_payload_and_gravity"
_PAYLOAD_AND_GRAVITY = ("payload", "gravity")


@dataclass(frozen=True)
class Quantity:
    """A quantity of an arm: what it is, and every way to compute it."""

    name: str
    inputs: tuple[str, ...]
    result: str
    shape: tuple[int | str, ...]  # of one result; "n" is the number of joints, "3n" triple that
    meaning: str
    candidates: Candidates  # for an arm without friction and rotors
    reference: Callable[[Chain], Candidate]  # likewise, independent of the candidates
    magnitude: Callable[[Chain, magnitudes.States], magnitudes.Array]
    rotors: Callable[..., Sequence] | None = None  # what rotors add to the result
    # From a function of the frictionless arm to one with friction; None if it plays no part.
    friction: Callable[[Chain, Candidate], Candidate] | None = None
    arm: Callable[[Chain], Chain] = lambda chain: chain  # the arm that it is computed for
    varying: Varying = ()  # trailing inputs that replace parameters of the arm
    unloaded: str = ""  # the quantity without these inputs
    parts: tuple[str, ...] = ()  # quantities whose programs form another candidate
    assembled: Callable[..., Sequence] | None = None  # it, from their functions and the inputs
    right_side: str = ""  # if the result x solves M x = right side: see checking.py
    mixed: int = 5  # number of candidates to mix, the cheapest ones
    exported: bool = True  # by default
    library: str = DYNAMICS
    variant_of: str = ""  # the equivalent quantity if `exists` is false
    exists: Callable[[Chain], bool] = lambda chain: True

    def signature(self, n: int) -> Signature:
        """Shapes for an arm with n joints."""
        return Signature(
            self.name, tuple((name, LENGTHS.get(name, n)) for name in self.inputs), self.result,
            tuple(n * int(axis[:-1] or 1) if isinstance(axis, str) else axis
                  for axis in self.shape))


def signatures(chain: Chain, library: str | None = None) -> dict[str, Signature]:
    """Names and shapes of the quantities that an arm has, all or those of one library."""
    return {name: quantity.signature(chain.n) for name, quantity in QUANTITIES.items()
            if library in (None, quantity.library) and quantity.exists(chain)}


def candidates_for(name: str, chain: Chain, varying: Varying | None = None) -> Iterator[Candidate]:
    """Algorithms for a quantity without friction; equal results, different costs."""
    quantity = QUANTITIES[name]
    varying = quantity.varying if varying is None else varying
    arm = quantity.arm(chain)
    return (_with_rotors(quantity, arm, candidate)
            for candidate in quantity.candidates(arm, varying))


def reference(name: str, chain: Chain) -> Candidate:
    """A quantity by algorithms that no candidate uses, with rotors and friction."""
    quantity = QUANTITIES[name]
    if quantity.varying:
        return partial(_reference_of_loaded_arm, quantity, chain)
    arm = quantity.arm(chain)
    smooth = _with_rotors(quantity, arm, quantity.reference(without_friction(arm)))
    return with_friction(quantity, arm, smooth)


def _reference_of_loaded_arm(quantity: Quantity, chain: Chain, *state: Sequence) -> Sequence:
    split = len(state) - len(quantity.varying)
    arm = with_load(chain, **dict(zip(quantity.varying, state[split:])))
    return reference(quantity.unloaded, arm)(*state[:split])


def with_friction(quantity: Quantity, chain: Chain, smooth: Candidate) -> Candidate:
    """A function of the arm with friction, from that of the arm without."""
    if quantity.friction is None or not chain.has_friction:
        return smooth
    return quantity.friction(chain, smooth)


def without_friction(chain: Chain) -> Chain:
    """The same arm with frictionless joints."""
    return replace(chain, joints=tuple(
        replace(joint, friction=Friction()) for joint in chain.joints))


def without_gravity(chain: Chain) -> Chain:
    """The same arm in free fall."""
    return replace(chain, gravity=ZERO)


def _with_rotors(quantity: Quantity, chain: Chain, rigid: Candidate) -> Candidate:
    added = quantity.rotors
    if added is None or not chain.has_rotors:
        return rigid
    used = len(quantity.inputs) - len(quantity.varying)
    return lambda *state: [x + y for x, y in zip(flatten(rigid(*state)),
                                                 flatten(added(chain, *state[:used])))]


def _friction_added(chain: Chain, smooth: Candidate) -> Candidate:
    def efforts(q, qd, qdd, *load):
        rigid = smooth(q, qd, qdd, *load)
        return [r + f for r, f in zip(rigid, friction.friction(chain, qd, rigid))]
    return efforts


def _friction_taken_off(chain: Chain, smooth: Candidate) -> Candidate:
    return lambda q, qd, tau, *load: smooth(q, qd, friction.net_efforts(chain, qd, tau), *load)


def _one(function: Callable[..., Sequence]) -> Candidates:
    """A single candidate."""
    return lambda chain, varying=(): iter([partial(function, chain)])


def _rows_of(name: str) -> Candidates:
    """Candidates for a matrix of the arm with its rotors, as rows."""
    def candidates_as_rows(chain: Chain, varying: Varying = ()) -> Iterator[Candidate]:
        for candidate in candidates_for(name, chain, varying):
            yield lambda *state, candidate=candidate: _rows(flatten(candidate(*state)), chain.n)
    return candidates_as_rows


def _rows_by_reference(name: str) -> Callable[[Chain], Candidate]:
    return lambda chain: lambda *state: _rows(flatten(reference(name, chain)(*state)), chain.n)


def _rows(entries: Sequence[Scalar], n: int) -> list[Sequence[Scalar]]:
    """Flat entries as n rows."""
    width = len(entries) // n
    return [entries[width * i:width * (i + 1)] for i in range(n)]


def _rotors_differentiated(chain: Chain, *state: Sequence[Scalar]) -> Sequence:
    return jacobian(partial(rotor.inverse_dynamics, chain), [chain.n] * 3, (0, 1, 2))(*state)


def _friction_differentiated(chain: Chain, smooth: Candidate) -> Candidate:
    """d tau = d tau_r + d friction(qd, tau_r)."""
    n = chain.n
    slopes = jacobian(partial(friction.friction, chain), (n, n), (0, 1))

    def derivatives(q, qd, qdd, *load):
        rows = _rows(flatten(smooth(q, qd, qdd, *load)), n)
        rigid = [0.0] * n
        if chain.has_load_friction:
            weight = next(candidates_for("gravity", chain, _PAYLOAD_AND_GRAVITY[:len(load)]))(
                q, *load)
            rigid = [g + sum((m * a for m, a in zip(row[2 * n:], qdd)), 0.0) + sum(
                (slope * (0.5 * rate) for slope, rate in zip(row[n:2 * n], qd)), 0.0)
                for g, row in zip(weight, rows)]
        results = []
        for i, (row, slope) in enumerate(zip(rows, slopes(qd, rigid))):
            entries = [x + slope[n + i] * x for x in row]
            entries[n + i] = entries[n + i] + slope[i]
            results.append(entries)
        return results

    return derivatives


def _friction_in_product(chain: Chain, smooth: Candidate) -> Candidate:
    """w^T d tau = (w + w friction/tau_r)^T d tau_r + w friction/qd."""
    n = chain.n
    slopes = jacobian(partial(friction.friction, chain), (n, n), (0, 1))

    def product(q, qd, qdd, w, *load):
        rigid: Sequence[Scalar] = [0.0] * n
        if chain.has_load_friction:
            rigid = next(candidates_for(
                "inverse_dynamics", chain, _PAYLOAD_AND_GRAVITY[:len(load)]))(q, qd, qdd, *load)
        rows = slopes(qd, rigid)
        weights = [x + x * row[n + i] for i, (x, row) in enumerate(zip(w, rows))]
        results = flatten(smooth(q, qd, qdd, weights, *load))
        for i, (x, row) in enumerate(zip(w, rows)):
            results[n + i] = results[n + i] + x * row[i]
        return results

    return product


def _friction_differentiated_in_motion(chain: Chain, smooth: Candidate) -> Candidate:
    """d qdd through the net efforts left by friction, which depend on qd and tau."""
    n = chain.n
    slopes = jacobian(partial(friction.net_efforts, chain), (n, n), (0, 1))

    def derivatives(q, qd, tau, *load):
        net = friction.net_efforts(chain, qd, tau)
        by_rate, by_effort = ([row[k * n + i] for i, row in enumerate(slopes(qd, tau))]
                              for k in (0, 1))
        results = []
        for row in _rows(flatten(smooth(q, qd, net, *load)), n):
            dqd, inverse = row[n:2 * n], row[2 * n:]
            results.append([*row[:n], *(x + m * s for x, m, s in zip(dqd, inverse, by_rate)),
                            *(m * s for m, s in zip(inverse, by_effort))])
        return results

    return derivatives


def _with_load(quantity: Quantity, suffix: str, varying: Varying, library: str) -> Quantity:
    """The same quantity with the payload, or payload and gravity, as inputs."""
    return replace(
        quantity, name=quantity.name + suffix, inputs=(*quantity.inputs, *varying),
        meaning=f"{quantity.meaning}; with another payload" + (
            " and gravity" if "gravity" in varying else ""),
        arm=in_any_gravity if "gravity" in varying else quantity.arm, varying=varying,
        unloaded=quantity.name,
        parts=tuple(part + suffix for part in quantity.parts), library=library,
        exported=quantity.exported and varying == ("payload",),
        variant_of=quantity.variant_of and quantity.variant_of + suffix)


_INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics", ("q", "qd", "qdd"), "tau", ("n",),
    "joint efforts that give the accelerations qdd, friction included",
    candidates.inverse_dynamics, references.inverse_dynamics, magnitudes.efforts,
    rotors=rotor.inverse_dynamics, friction=_friction_added)
_RIGID_INVERSE_DYNAMICS = replace(
    _INVERSE_DYNAMICS, name="rigid_inverse_dynamics", friction=None, exported=False,
    meaning="inverse dynamics without friction", variant_of="inverse_dynamics", library=NO_LIBRARY,
    exists=lambda chain: chain.has_friction)
_MASS_MATRIX = Quantity(
    "mass_matrix", ("q",), "M", ("n", "n"), "inertia matrix, n x n, row by row",
    candidates.mass_matrix, references.mass_matrix, magnitudes.mass_matrix,
    rotors=rotor.mass_matrix)
_BIAS = Quantity(
    "bias", ("q", "qd"), "tau", ("n",),
    "Coriolis, centrifugal and gravity efforts, without friction",
    candidates.bias, references.bias, magnitudes.efforts, rotors=rotor.bias,
    parts=("inverse_dynamics",),
    assembled=lambda efforts, q, qd, *load: efforts(q, qd, [0.0] * len(q), *load))
_GRAVITY = Quantity(
    "gravity", ("q",), "tau", ("n",), "efforts that hold the arm against gravity",
    candidates.gravity, references.gravity, magnitudes.efforts)
_FORWARD_DYNAMICS = Quantity(
    "forward_dynamics", ("q", "qd", "tau"), "qdd", ("n",),
    "accelerations that the efforts tau cause, against friction",
    partial(candidates.forward_dynamics, _rows_of("mass_matrix"), partial(candidates_for, "bias")),
    partial(references.forward_dynamics, _rows_by_reference("mass_matrix"),
            partial(reference, "bias")),
    magnitudes.efforts, friction=_friction_taken_off,
    parts=("mass_matrix", "bias"), right_side="efforts",
    assembled=lambda matrix, bias, q, qd, tau, *load: candidates.solved(
        lambda *state: _rows(matrix(*state), len(q)), bias, q, qd, tau, *load))
_RIGID_FORWARD_DYNAMICS = replace(
    _FORWARD_DYNAMICS, name="rigid_forward_dynamics", friction=None, exported=False,
    meaning="forward dynamics without friction", variant_of="forward_dynamics",
    exists=lambda chain: chain.has_friction)
_DERIVATIVES = (
    Quantity("inverse_dynamics_derivatives", ("q", "qd", "qdd"), "d", ("n", "3n"),
             "d tau/dq, d tau/dqd, d tau/dqdd side by side, n x 3n, row by row",
             candidates.inverse_dynamics_derivatives, references.inverse_dynamics_derivatives,
             magnitudes.derivatives, rotors=_rotors_differentiated,
             friction=_friction_differentiated, mixed=40, exported=False,
             library="inverse_dynamics_derivatives"),
    Quantity("forward_dynamics_derivatives", ("q", "qd", "tau"), "d", ("n", "3n"),
             "d qdd/dq, d qdd/dqd, d qdd/dtau side by side, n x 3n, row by row",
             partial(candidates.forward_dynamics_derivatives,
                     _rows_of("inverse_dynamics_derivatives"), partial(candidates_for, "gravity")),
             partial(references.forward_dynamics_derivatives,
                     _rows_by_reference("inverse_dynamics_derivatives"),
                     partial(reference, "gravity")),
             magnitudes.derivatives, friction=_friction_differentiated_in_motion,
             parts=("inverse_dynamics_derivatives", "gravity"),
             assembled=lambda derivatives, gravity, q, qd, tau, *load: (
                 forward_dynamics.forward_dynamics_derivatives(
                     lambda *state: _rows(derivatives(*state), len(q)), gravity, q, qd, tau,
                     *load)),
             right_side="derivatives", exported=False,
             library="forward_dynamics_derivatives"),
    Quantity("inverse_dynamics_vjp", ("q", "qd", "qdd", "w"), "g", ("3n",),
             "w^T times d tau/dq, d tau/dqd, d tau/dqdd, side by side",
             partial(candidates.inverse_dynamics_vjp, partial(candidates_for, "inverse_dynamics")),
             partial(references.inverse_dynamics_vjp,
                     _rows_by_reference("inverse_dynamics_derivatives")),
             magnitudes.products, friction=_friction_in_product, exported=False,
             library="inverse_dynamics_vjp"),
    Quantity("coriolis_matrix", ("q", "qd"), "C", ("n", "n"),
             "C with C qd the Coriolis and centrifugal efforts and M' - 2 C skew-symmetric",
             partial(candidates.coriolis_matrix, _rows_of("inverse_dynamics_derivatives")),
             partial(references.coriolis_matrix,
                     _rows_by_reference("inverse_dynamics_derivatives")),
             magnitudes.coriolis_matrix, exported=False,
             library="coriolis_matrix"),
    Quantity("mass_matrix_inverse", ("q",), "Minv", ("n", "n"),
             "inverse of the inertia matrix, n x n, row by row",
             partial(candidates.mass_matrix_inverse, _rows_of("mass_matrix")),
             partial(references.mass_matrix_inverse, _rows_by_reference("mass_matrix")),
             magnitudes.mass_matrix, parts=("mass_matrix",),
             assembled=lambda matrix, q, *load: forward_dynamics.inverse_ltl(
                 _rows(matrix(q, *load), len(q))),
             right_side="identity", exported=False,
             library="mass_matrix_inverse"),
)
_LOADED = (_INVERSE_DYNAMICS, _RIGID_INVERSE_DYNAMICS, _MASS_MATRIX, _BIAS, _GRAVITY,
           _FORWARD_DYNAMICS, _RIGID_FORWARD_DYNAMICS)

QUANTITIES: dict[str, Quantity] = {quantity.name: quantity for quantity in (
    _INVERSE_DYNAMICS,
    replace(_INVERSE_DYNAMICS, name="weightless_inverse_dynamics", arm=without_gravity,
            meaning="inverse dynamics without gravity and friction", friction=None,
            exported=False),
    _RIGID_INVERSE_DYNAMICS,
    _MASS_MATRIX,
    _BIAS,
    _GRAVITY,
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
    _RIGID_FORWARD_DYNAMICS,
    Quantity("tip_efforts", ("q", "wrench"), "tau", ("n",),
             "J^T wrench: force and moment on the tip, in the base link",
             candidates.tip_efforts, references.tip_efforts, magnitudes.tip_efforts,
             exported=False),
    Quantity("tip_efforts_derivatives", ("q", "wrench"), "d", ("n", "n"),
             "d (J^T wrench)/dq, n x n, row by row", candidates.tip_efforts_derivatives,
             references.tip_efforts_derivatives, magnitudes.tip_efforts_derivatives,
             exported=False, library="tip_efforts_derivatives"),
    Quantity("jacobian", ("q",), "J", (6, "n"),
             "6 x n, row by row: linear, then angular velocity of the tip in the base link",
             _one(kinematics.jacobian), lambda chain: partial(matrix_kinematics.jacobian, chain),
             magnitudes.jacobian),
    Quantity("forward_kinematics", ("q",), "pose", (4, 4),
             "pose of the tip in the base link, 4 x 4, row by row",
             _one(kinematics.forward_kinematics),
             lambda chain: partial(matrix_kinematics.forward_kinematics, chain), magnitudes.pose),
    *_DERIVATIVES,
    Quantity("payload", ("body",), "parameters", (PARAMETERS,),
             "a body at the tip as the functions with a payload take it: mass, centre of mass (3) "
             "and inertia about it (xx, xy, xz, yy, yz, zz), in the tip frame",
             _one(payload.payload_parameters), references.payload, magnitudes.payload,
             library=NO_LIBRARY),
    *(_with_load(quantity, "_with_payload", _PAYLOAD_AND_GRAVITY[:1], NO_LIBRARY)
      for quantity in _LOADED),
    *(_with_load(quantity, LOADED, _PAYLOAD_AND_GRAVITY, PAYLOAD)
      for quantity in (_INVERSE_DYNAMICS, _RIGID_INVERSE_DYNAMICS, _MASS_MATRIX,
                       _FORWARD_DYNAMICS, _RIGID_FORWARD_DYNAMICS)),
    *(_with_load(quantity, LOADED, _PAYLOAD_AND_GRAVITY, NO_LIBRARY)
      for quantity in (_BIAS, _GRAVITY)),  # parts of other quantities
    *(_with_load(quantity, LOADED, _PAYLOAD_AND_GRAVITY, quantity.library + LOADED)
      for quantity in _DERIVATIVES),
)}
