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
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from .arguments import evaluated
from .emit_python import compile_python
from .program import Program
from .quantities import reference, signatures

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
    signature = signatures(chain)[quantity]
    given = _states(chain)
    if quantity.endswith("forward_dynamics"):
        return _check_of_accelerations(quantity, chain, given)
    inputs = tuple(given[name] for name, _ in signature.inputs)
    exact = evaluated(reference(quantity, chain), inputs, signature.shape)
    used = {name: given[name] for name, _ in signature.inputs}
    scale = np.maximum(np.abs(exact), CANCELLATION * _sizes(quantity, chain, used))
    return Check(inputs, exact, scale)


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


def _check_of_accelerations(quantity: str, chain: Chain, given: dict[str, Array]) -> Check:
    """The efforts are those of accelerations that an arm of any size can have, or none at all."""
    q, qd, qdd = given["q"], given["qd"], given["qdd"]
    moving = {"q": q, "qd": qd}
    M = evaluated(reference("mass_matrix", chain), (q,), (chain.n, chain.n))
    spent = evaluated(reference("bias", chain), (q, qd), (chain.n,))
    if quantity == "forward_dynamics":
        spent = spent + evaluated(reference("friction", chain), (qd,), (chain.n,))
    tau = spent + np.einsum("sij,sj->si", M, qdd)
    tau[::4] = 0.0
    terms = np.abs(tau) + np.abs(spent) + CANCELLATION * _sizes("bias", chain, moving)
    entries = np.maximum(np.abs(M), CANCELLATION * _sizes("mass_matrix", chain, moving))
    return Check((q, qd, tau), qdd, np.ones_like(qdd),
                 Accelerations(M, entries, tau - spent, terms))


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
    }


def _range(lower: float, upper: float, half: float) -> tuple[float, float]:
    """At most 2 half wide, within limits, and around 0 where they allow it."""
    middle = min(max(0.0, lower), upper)
    if not lower <= upper or abs(middle) > FARTHEST_LIMIT:
        return -half, half
    return max(lower, middle - half), min(upper, middle + half)


def _sizes(quantity: str, chain: Chain, given: dict[str, Array]) -> Array:
    """What the terms of each entry could amount to: sums of absolute values, (STATES, *shape)."""
    if quantity == "friction":
        return np.zeros((STATES, chain.n))  # nothing cancels: both terms have one sign
    travel = np.abs(given["q"])
    steps = np.array([abs(joint.a) + abs(joint.d) for joint in chain.joints]) + np.where(
        [joint.revolute for joint in chain.joints], 0.0, travel)  # (STATES, n): |O_{i-1} O_i|
    tip = math.hypot(*chain.tip.translation)
    reach = steps.sum(1) + tip + math.hypot(*chain.base.translation)
    if quantity == "forward_kinematics":
        pose = np.ones((STATES, 4, 4))
        pose[:, :, 3] = reach[:, None]
        return pose
    if quantity == "jacobian":  # differences of positions in the base link
        linear = np.tile(reach[:, None, None], (1, 3, chain.n))
        return np.concatenate([linear, np.ones_like(linear)], 1)
    revolute = np.array([joint.revolute for joint in chain.joints])
    if quantity == "tip_efforts":
        force, moment = np.split(np.abs(given["wrench"]), 2, 1)
        force, moment = force.sum(1)[:, None], moment.sum(1)[:, None]
        return np.where(revolute, moment + force * reach[:, None], force)
    mass, moment, inertia = _outward_moments(chain, steps)
    if quantity == "mass_matrix":
        root = np.sqrt(np.where(revolute, inertia, mass))
        return root[:, :, None] * root[:, None, :]
    # Angular acceleration of any link, and linear acceleration of any joint.
    turning = np.sum(np.abs(given.get("qdd", 0.0 * travel)), 1) + np.sum(
        np.abs(given.get("qd", 0.0 * travel)), 1)**2
    moving = turning * (steps.sum(1) + 1.0) + math.hypot(*chain.gravity)
    turning, moving = turning[:, None], moving[:, None]
    return np.where(revolute, moment * moving + inertia * turning, mass * moving + moment * turning)


def _outward_moments(chain: Chain, steps: Array) -> tuple[Array, Array, Array]:
    """Mass, first moment and inertia about O_i of all beyond joint i, at most; (STATES, n)."""
    sizes = []
    nothing: Array = np.zeros(STATES)
    mass, moment, inertia, step = nothing, nothing, nothing, nothing
    for i in reversed(range(chain.n)):
        joint, link = chain.joints[i], chain.links[i]
        rotor = joint.rotor_inertia * max(1.0, abs(joint.gear_ratio))**2
        inertia = inertia + 2.0 * moment * step + mass * step**2 + rotor + float(
            np.abs(link.origin_inertia).sum())
        moment = moment + mass * step + math.hypot(*link.first_moment)
        mass = mass + abs(link.mass) + (0.0 if joint.revolute else rotor)
        sizes.append((mass, moment, inertia))
        step = steps[:, i]
    mass, moment, inertia = (np.stack(values[::-1], 1) for values in zip(*sizes))
    return mass, moment, inertia
