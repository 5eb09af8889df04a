"""Check kernels: compare their results with the reference algorithms, for the robot at hand.

Nothing is used unchecked: programs are checked when they are chosen (programs.py), compiled kernels
before they are stored (build.py). States lie within the joint limits and beyond, at rest, at normal
and at high speeds, with and without accelerations. Batches start at different states, so that each
lane of a vector sees many of them.

Errors are relative to the exact result or, where terms cancel, to a hundredth of the largest value
they could reach. Solutions of M x = right side are checked through M x, which stays accurate where
the inertia matrix is almost singular.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from manip_dynamics.algorithms import friction
from manip_dynamics.algorithms.payload import with_load
from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from . import magnitudes
from .arguments import evaluated
from .emit_python import compile_python
from .program import Program
from .quantities import QUANTITIES, Quantity, reference

Array = np.ndarray

TOLERANCE = 1e-10
CANCELLATION = 1e-2  # of the summed magnitudes of all terms: error scale where they cancel
NO_INERTIA = 1e-13  # eigenvalue of the mass matrix scaled to unit diagonal: rounding error
STATES = 24
SPEEDS = (0.0, 1.0, 20.0)  # rad/s or m/s
FARTHEST_LIMIT = 1e3  # rad or m; beyond it, the position itself loses precision
OFFSETS = 8  # different batch starts: as many as a vector has lanes at most
# A 0.7 kg box off the last axis: m, m c, J. An arbitrary direction of gravity, in m/s^2.
PAYLOAD = (0.7, 0.07, -0.14, 0.21, 0.095, 0.017, -0.023, 0.079, 0.044, 0.041)
GRAVITY = (3.1, -5.3, -7.7)
LARGE_BATCH = 3  # multiple of STATES


class Equation(NamedTuple):
    """What a solution x must satisfy: M x = net, relative to the sizes of all terms."""

    M: Array  # (STATES, n, n)
    entries: Array  # magnitudes of M, same shape
    net: Array  # (STATES, n, columns)
    terms: Array  # magnitudes of net, same shape


@dataclass(frozen=True)
class Check:
    """Test states for one quantity of one robot, and the results expected there."""

    inputs: tuple[Array, ...]  # (STATES, length) each
    exact: Array  # (STATES, *shape)
    scale: Array  # (STATES, *shape): errors are relative to it
    equation: Equation | None = None  # for a solution: replaces `exact`

    def error(self, results: Array, first: int = 0) -> float:
        """The largest relative error of results (N, *shape) for N states from `first` on."""
        some = slice(first, first + len(results))
        if self.equation is None:
            return _largest(results - self.exact[some], self.scale[some])
        M, entries, net, terms = (part[some] for part in self.equation)
        x = results.reshape(net.shape)
        return _largest(M @ x - net, entries @ np.abs(x) + terms)

    def agrees(self, results: Array, first: int = 0) -> bool:
        """Whether results (N, *shape) for N states are right."""
        return self.error(results, first) <= TOLERANCE

    def program_agrees(self, program: Program) -> bool:
        """Whether a program is right."""
        function = compile_python(program, np.ndarray)
        with np.errstate(all="ignore"):  # a non-finite result does not agree
            return self.agrees(evaluated(function, self.inputs, self.exact.shape[1:]))

    def kernel_agrees(self, kernel: Callable[..., Array]) -> bool:
        """Whether a kernel is right for single states, for batches of every size and for a large
        batch."""
        alone = np.full(self.exact.shape, math.nan)
        for i in range(STATES):
            kernel(*(array[i] for array in self.inputs), out=alone[i])
        batches = [*((0, count) for count in range(1, STATES + 1)),
                   *((first, STATES - first) for first in range(1, OFFSETS))]
        if not self.agrees(alone) or not all(
                self.agrees(self._batch(kernel, self.inputs, first, count), first)
                for first, count in batches):
            return False
        large = self._batch(kernel, [np.tile(array, (LARGE_BATCH, 1)) for array in self.inputs], 0,
                            LARGE_BATCH * STATES)
        return all(self.agrees(large[i * STATES:(i + 1) * STATES]) for i in range(LARGE_BATCH))

    def _batch(self, kernel: Callable[..., Array], inputs: Sequence[Array], first: int,
               count: int) -> Array:
        return kernel(*(array[first:first + count] for array in inputs),
                      out=np.full((count, *self.exact.shape[1:]), math.nan))


@lru_cache(maxsize=64)
def check(quantity: str, chain: Chain) -> Check:
    """The check for a quantity of an arm."""
    record, given = QUANTITIES[quantity], _states(chain)
    if record.varying:
        load = {name: tuple(map(float, given[name][0])) for name in record.varying}
        unloaded = check(record.unloaded, with_load(chain, **load))
        return replace(unloaded, inputs=(*unloaded.inputs,
                                         *(given[name] for name in record.varying)))
    if record.right_side:
        return _check_of_solution(record, chain, given)
    used = {name: given[name] for name in record.inputs}
    inputs = tuple(used.values())
    exact = evaluated(reference(quantity, chain), inputs, record.signature(chain.n).shape)
    sizes = record.magnitude(record.arm(chain), used)
    return Check(inputs, exact, np.maximum(np.abs(exact), CANCELLATION * sizes))


@lru_cache(maxsize=64)
def require_determined_accelerations(chain: Chain) -> None:
    """Raise ModelError if some joints can accelerate without moving any inertia."""
    q = _states(chain)["q"]
    M = evaluated(reference("mass_matrix", chain), (q,), (chain.n, chain.n))
    scale = np.sqrt(np.abs(np.einsum("sii->si", M)))
    scale = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(M / (scale[:, :, None] * scale[:, None, :]))
    least = np.abs(values).min(1)
    if least.max() > NO_INERTIA:
        return
    motion = np.abs(vectors[0][:, np.abs(values[0]).argmin()])
    moving = [f"'{joint.name}'" for joint, part in zip(chain.joints, motion) if part > 0.1]
    who = f"joint {moving[0]} moves" if len(moving) == 1 else (
        f"joints {', '.join(moving)} together can move")
    raise ModelError(f"{who} nothing that has inertia, so the acceleration is not determined: "
                     "give the links beyond a mass, or a payload")


def _check_of_solution(quantity: Quantity, chain: Chain, given: dict[str, Array]) -> Check:
    """Efforts are zero or match accelerations that are plausible for an arm of any size."""
    n, q, qd, qdd = chain.n, given["q"], given["qd"], given["qdd"]
    moving = {"q": q, "qd": qd, "qdd": qdd}
    M = evaluated(reference("mass_matrix", chain), (q,), (n, n))
    entries = CANCELLATION * magnitudes.mass_matrix(chain, moving)
    identity = np.broadcast_to(np.eye(n), M.shape)
    if quantity.right_side == "identity":
        return _solution((q,), M, entries, identity, identity)
    spent = evaluated(reference("bias", chain), (q, qd), (n,))
    rigid = spent + np.einsum("sij,sj->si", M, qdd)
    lost, tau = np.zeros_like(rigid), rigid
    if quantity.friction is not None:
        lost = evaluated(partial(friction.friction, chain), (qd, rigid), (n,))
        tau = rigid + lost
    if quantity.right_side == "derivatives":
        rows = evaluated(reference("inverse_dynamics_derivatives", chain), (q, qd, qdd), (n, 3 * n))
        net = np.concatenate([-rows[..., :2 * n], identity], 2)
        sizes = magnitudes.derivatives(chain, moving)
        terms = np.abs(net) + CANCELLATION * np.concatenate([sizes[..., :2 * n], 0 * identity], 2)
        return _solution((q, qd, tau), rows[..., 2 * n:], entries, net, terms)
    tau[::4] = 0.0
    net = tau
    if quantity.friction is not None:
        net = evaluated(partial(friction.net_efforts, chain), (qd, tau), (n,))
    terms = np.abs(tau) + np.abs(spent) + np.abs(lost) + CANCELLATION * quantity.magnitude(
        chain, moving)
    return _solution((q, qd, tau), M, entries, (net - spent)[..., None], terms[..., None])


def _solution(inputs: tuple[Array, ...], M: Array, entries: Array, net: Array,
              terms: Array) -> Check:
    exact = np.zeros_like(net[..., 0] if net.shape[-1] == 1 else net)
    return Check(inputs, exact, np.ones_like(exact),
                 Equation(M, np.maximum(np.abs(M), entries), net, terms))


def _largest(difference: Array, scale: Array) -> float:
    """The largest relative difference; infinite if any is not finite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.abs(difference) / scale
    relative = np.where((difference == 0.0) & np.isfinite(scale), 0.0, relative)
    return float(np.where(np.isfinite(relative), relative, math.inf).max(initial=0.0))


def _states(chain: Chain) -> dict[str, Array]:
    """All inputs that a quantity can have; each (STATES, length)."""
    rng = np.random.default_rng(0)
    half = np.array([math.pi if joint.revolute else 1.0 for joint in chain.joints])
    low, high = np.array([_range(joint.lower, joint.upper, h)
                          for joint, h in zip(chain.joints, half)]).T
    q = rng.uniform(low, high, (STATES, chain.n))
    q[1::2] = rng.uniform(-half, half, q[1::2].shape)  # users exceed the limits
    q[5::8] *= 5.0  # and make several turns
    speeds = rng.permutation(np.resize(SPEEDS, STATES))[:, None]
    qdd = rng.uniform(-5.0, 5.0, (STATES, chain.n))
    qdd[rng.permutation(STATES)[:STATES // 3]] = 0.0
    return {
        "q": q,
        "qd": rng.uniform(-1.0, 1.0, (STATES, chain.n)) * speeds,
        "qdd": qdd,
        "wrench": rng.uniform(-5.0, 5.0, (STATES, 6)),
        "tau": rng.uniform(-5.0, 5.0, (STATES, chain.n)),
        "load": rng.uniform(-5.0, 5.0, (STATES, chain.n)),
        "width": rng.uniform(0.01, 1.0, (STATES, chain.n)),
        "w": rng.uniform(-1.0, 1.0, (STATES, chain.n)),
        "body": rng.uniform(-1.0, 1.0, (STATES, len(PAYLOAD))),
        # The same for all states, as in a batch.
        "payload": np.tile(PAYLOAD, (STATES, 1)),
        "gravity": np.tile(GRAVITY, (STATES, 1)),
    }


def _range(lower: float, upper: float, half: float) -> tuple[float, float]:
    """A range within the limits, at most 2 half wide, and around 0 if they allow it."""
    middle = min(max(0.0, lower), upper)
    if not lower <= upper or abs(middle) > FARTHEST_LIMIT:
        return -half, half
    return max(lower, middle - half), min(upper, middle + half)
