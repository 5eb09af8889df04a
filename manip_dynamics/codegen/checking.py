"""Is a kernel right? Results are compared with the reference algorithms, for this very robot.

Nothing serves that was not checked: programs when they are chosen (select.py), compiled kernels
before they are stored (build.py). States are within the limits of the joints and beyond, at rest,
at usual and at large speeds, with and without accelerations. Batches begin at different states, so
that each lane of a vector meets many of them.

An error counts relative to the exact result or, where terms cancel, to a hundredth of what they
could amount to at most. Accelerations count by the efforts that they take: those are as exact as
ever where the inertia matrix is almost singular.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from manip_dynamics.algorithms import friction
from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from . import magnitudes
from .arguments import evaluated
from .emit_python import compile_python
from .program import Program
from .quantities import QUANTITIES, Quantity, reference

Array = np.ndarray

TOLERANCE = 1e-10
CANCELLATION = 1e-2  # of the sum of the sizes of all terms: what is left where they cancel
NO_INERTIA = 1e-13  # eigenvalue of the mass matrix with its diagonal scaled to 1: rounding
STATES = 24
SPEEDS = (0.0, 1.0, 20.0)  # rad/s or m/s
FARTHEST_LIMIT = 1e3  # rad or m; beyond, precision is lost to the position itself
OFFSETS = 8  # where batches begin: as many as a vector has lanes, at most
LARGE_BATCH = 3  # times all states


class Accelerations(NamedTuple):
    """What accelerations are judged by: M qdd = net within the sizes of all terms."""

    M: Array  # (STATES, n, n)
    entries: Array  # sizes of M, likewise
    net: Array  # (STATES, n): tau - bias - friction
    terms: Array  # sizes of net, likewise


@dataclass(frozen=True)
class Check:
    """States of one quantity of one robot, and what tells whether results for them are right."""

    inputs: tuple[Array, ...]  # (STATES, length) each
    exact: Array  # (STATES, *shape)
    scale: Array  # (STATES, *shape): what an error is relative to
    accelerations: Accelerations | None = None  # of forward dynamics: then these count

    def error(self, results: Array, first: int = 0) -> float:
        """The largest relative error of results (N, *shape) for N states from the first on."""
        some = slice(first, first + len(results))
        if self.accelerations is None:
            return _largest(results - self.exact[some], self.scale[some])
        M, entries, net, terms = (part[some] for part in self.accelerations)
        return _largest(np.einsum("sij,sj->si", M, results) - net,
                        np.einsum("sij,sj->si", entries, np.abs(results)) + terms)

    def agrees(self, results: Array, first: int = 0) -> bool:
        """Whether results (N, *shape) for N states are right."""
        return self.error(results, first) <= TOLERANCE

    def program_agrees(self, program: Program) -> bool:
        """Whether a program is right."""
        function = compile_python(program, np.ndarray)
        with np.errstate(all="ignore"):  # what is not finite does not agree
            return self.agrees(evaluated(function, self.inputs, self.exact.shape[1:]))

    def kernel_agrees(self, kernel: Callable[..., Array]) -> bool:
        """Whether a kernel is right for each state alone, for batches of every size, and for a
        large one."""
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
    """What tells whether a quantity of an arm is computed right."""
    record, given = QUANTITIES[quantity], _states(chain)
    if record.is_solution:
        return _check_of_accelerations(record, chain, given)
    used = {name: given[name] for name in record.inputs}
    inputs = tuple(used.values())
    exact = evaluated(reference(quantity, chain), inputs, record.signature(chain.n).shape)
    sizes = record.magnitude(record.arm(chain), used)
    return Check(inputs, exact, np.maximum(np.abs(exact), CANCELLATION * sizes))


@lru_cache(maxsize=64)
def require_determined_accelerations(chain: Chain) -> None:
    """ModelError if some joints can accelerate without moving anything that has inertia."""
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


def _check_of_accelerations(quantity: Quantity, chain: Chain, given: dict[str, Array]) -> Check:
    """The efforts are those of accelerations that an arm of any size can have, or none at all."""
    q, qd, qdd = given["q"], given["qd"], given["qdd"]
    moving = {"q": q, "qd": qd}
    M = evaluated(reference("mass_matrix", chain), (q,), (chain.n, chain.n))
    spent = evaluated(reference("bias", chain), (q, qd), (chain.n,))
    rigid = spent + np.einsum("sij,sj->si", M, qdd)
    lost, tau = np.zeros_like(rigid), rigid
    if quantity.friction is not None:
        lost = evaluated(partial(friction.friction, chain), (qd, rigid), (chain.n,))
        tau = rigid + lost
    tau[::4] = 0.0
    net = tau
    if quantity.friction is not None:
        net = evaluated(partial(friction.net_efforts, chain), (qd, tau), (chain.n,))
    terms = np.abs(tau) + np.abs(spent) + np.abs(lost) + CANCELLATION * quantity.magnitude(
        chain, moving)
    entries = np.maximum(np.abs(M), CANCELLATION * magnitudes.mass_matrix(chain, moving))
    return Check((q, qd, tau), qdd, np.ones_like(qdd),
                 Accelerations(M, entries, net - spent, terms))


def _largest(difference: Array, scale: Array) -> float:
    """The largest relative difference; infinite where one is not finite."""
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
    q[1::2] = rng.uniform(-half, half, q[1::2].shape)  # users go where limits do not
    q[5::8] *= 5.0  # and turn several times
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
    }


def _range(lower: float, upper: float, half: float) -> tuple[float, float]:
    """At most 2 half wide, within limits, and around 0 where they allow it."""
    middle = min(max(0.0, lower), upper)
    if not lower <= upper or abs(middle) > FARTHEST_LIMIT:
        return -half, half
    return max(lower, middle - half), min(upper, middle + half)
