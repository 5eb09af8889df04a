"""Equivalent parametrizations of an arm, which need different numbers of operations.

- frames slid along parallel axes (model/sliding.py)
- the last frame rotated about its axis, so that a first moment or a product of inertia vanishes
- a unit of length in which some length, first moment, mass or gravity is 1

Joint coordinates do not change, except that those of prismatic joints are in the arm's unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from manip_dynamics.algorithms.payload import with_load
from manip_dynamics.algorithms.vectors import Scalar
from manip_dynamics.model.chain import Chain, Matrix, MomentLink, as_matrix, as_vector
from manip_dynamics.model.mlc import MinimalCombinations, minimal_combinations
from manip_dynamics.model.sliding import merge_parallel_offsets
from manip_dynamics.model.tolerances import TURNED_ROUNDING, without_rounding

# rad: adding the rotation of a frame to larger joint angles would round them noticeably.
MOST_TURNING = 1e3


@dataclass(frozen=True)
class Parametrization:
    """A chain whose unit of length is `unit` metres and whose unit of mass is 1 / unit^2 kg.

    Moments, and thus the efforts of revolute joints, remain in N m.
    """

    chain: Chain
    unit: float = 1.0
    varying: tuple[str, ...] = ()  # "payload", "gravity": trailing inputs of the program

    def run(self, algorithm: Callable, virtual: Chain, state: Sequence) -> Any:
        """Run an algorithm on virtual links of this arm, at a state in SI units."""
        split = len(state) - len(self.varying)
        load = dict(zip(self.varying, state[split:]))
        if "payload" in load:
            m, x, y, z, *J = load["payload"]
            first = [self.unit * moment for moment in (x, y, z)]
            load["payload"] = [self.unit * self.unit * m, *first, *J]
        if "gravity" in load:
            load["gravity"] = [(1.0 / self.unit) * g for g in load["gravity"]]
        return algorithm(with_load(virtual, **load), *map(self.coordinates, state[:split]))

    @cached_property
    def mlc(self) -> MinimalCombinations:
        return minimal_combinations(self.chain)

    def coordinates(self, x: Sequence[Scalar]) -> list[Scalar]:
        """Convert positions, velocities or accelerations from SI units."""
        return [value if joint.revolute else value * (1.0 / self.unit)
                for value, joint in zip(x, self.chain.joints)]

    def efforts(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Convert efforts to SI units."""
        return self.coordinates(tau)

    def matrix(self, M: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Convert an inertia matrix to SI units."""
        rows = [self.coordinates(row) for row in M]
        return [row if joint.revolute else [x * (1.0 / self.unit) for x in row]
                for row, joint in zip(rows, self.chain.joints)]


def cheap_parametrizations(
    chain: Chain, cost: Callable[[Parametrization], float], varying: tuple[str, ...] = ()
) -> list[Parametrization]:
    """Parametrizations that make an algorithm cheap, as counted by `cost`; the best first.

    With varying inputs the last frame is not rotated: the payload would have to be rotated, too.
    """
    plain = Parametrization(merge_parallel_offsets(chain), varying=varying)
    best, least = plain, cost(plain)
    for change in (_unmerged, *([] if varying else [_turned]), _in_units):
        for arm in change(chain, best):
            counted = cost(arm)
            if counted < least:
                best, least = arm, counted
    return [best] if best is plain else [best, plain]


def _unmerged(original: Chain, arm: Parametrization) -> Iterator[Parametrization]:
    if original != arm.chain:
        yield replace(arm, chain=original)


def _turned(original: Chain, arm: Parametrization) -> Iterator[Parametrization]:
    """The last frame rotated so that k_y or the product of inertia J_xy is zero."""
    last = arm.chain.links[-1]
    (xx, xy, _), (_, yy, _), _ = last.origin_inertia
    kx, ky, _ = last.first_moment
    joint = arm.chain.joints[-1]
    if joint.revolute and max(-joint.lower, joint.upper) <= MOST_TURNING:
        for angle, matters in ((math.atan2(ky, kx), ky), (math.atan2(2.0 * xy, xx - yy) / 2.0, xy)):
            if matters:
                yield replace(arm, chain=_with_last_frame_turned(arm.chain, angle))


def _with_last_frame_turned(chain: Chain, angle: float) -> Chain:
    joint, link = chain.joints[-1], chain.links[-1]
    c, s = math.cos(angle), math.sin(angle)
    turn = ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))

    def turned(J: Matrix) -> Matrix:
        rows = [[sum(turn[i][a] * J[a][b] * turn[j][b] for a in range(3) for b in range(3))
                 for j in range(3)] for i in range(3)]
        return as_matrix(without_rounding(rows, TURNED_ROUNDING))

    x, y, z = link.first_moment
    across = [c * x + s * y, c * y - s * x]
    k = as_vector([*without_rounding(across, TURNED_ROUNDING, math.hypot(x, y)), z])
    moved = MomentLink(link.mass, k, turned(link.origin_inertia))
    return replace(chain, joints=(*chain.joints[:-1], replace(joint, theta=joint.theta + angle)),
                   links=(*chain.links[:-1], moved))


def _in_units(original: Chain, arm: Parametrization) -> Iterator[Parametrization]:
    """Units of length that make one constant of the arm equal to 1."""
    chain = arm.mlc.chain
    lengths = [math.hypot(*chain.gravity)]
    for joint, link in zip(chain.joints, chain.links):
        lengths += [abs(joint.a), abs(joint.d) if joint.revolute else 0.0]
        lengths += [1.0 / abs(k) for k in link.first_moment if k]
        lengths += [1.0 / math.sqrt(abs(link.mass))] if link.mass else []
    for unit in dict.fromkeys(lengths):
        if unit not in (0.0, 1.0):
            yield replace(arm, chain=_in_unit(arm.chain, unit), unit=unit)


def _in_unit(chain: Chain, unit: float) -> Chain:
    joints = tuple(replace(joint, a=joint.a / unit, d=joint.d / unit) for joint in chain.joints)
    links = tuple(
        MomentLink(link.mass * unit * unit, _scaled(link.first_moment, unit), link.origin_inertia)
        for link in chain.links)
    return replace(chain, joints=joints, links=links, gravity=_scaled(chain.gravity, 1.0 / unit))


def _scaled(v: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return (v[0] * factor, v[1] * factor, v[2] * factor)
