"""Minimal linear combinations of inertia parameters (MLCs): Lin & Fang 1999, Theorem 1.

    mlc.values = mlc.K @ natural parameters            natural' = mlc.lift @ mlc.values

Joint efforts do not depend on all ten natural parameters of every link. The MLCs are the smallest
set that determines the dynamics: their number is the rank of the regressor. They are entries of
the inertia constants mh_i, k_i, U_i of composite bodies (eqs. 22, 23, C1 to C3).

`lift` leads back, to virtual links that have the same MLCs and mostly zero parameters. Every
algorithm that needs only mass, first moment and inertia about the link origin is exact on them,
and cheaper.

Joints are numbered from 1 in r, s and the names, as in the paper; tuples are indexed from 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .axes import AxisStructure, axis_structure
from .chain import Chain, Joint, Matrix, MomentLink, Vector
from .tolerances import MLC_ROUNDING, without_rounding

# Ways to use the freedom in U22 of a revolute joint (see `virtual_chain`).
BASES = ("J22", "J11", "Sigma33")

PARAMETERS_PER_LINK = 10
_INERTIA_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # order of Link.parameters


@dataclass(frozen=True)
class CompositeConstants:
    """Inertia constants of composite body i; 0 where the MLCs do not determine them."""

    mass: float  # mh_i of a prismatic joint
    k: Vector  # constant part of the first moment about O_i
    U: Matrix  # constant part of the inertia about O_i; U11 stands for U11 - U22
    kappa: tuple[float, float]  # kappa1, kappa2 of a prismatic joint r < i < s (eqs. 27, 28)


@dataclass(frozen=True, eq=False)
class MinimalCombinations:
    """The p MLCs of an arm with n joints."""

    names: tuple[str, ...]
    values: np.ndarray  # (p,)
    K: np.ndarray  # (p, 10 n): values = K @ natural parameters, link-major as Link.parameters
    lift: np.ndarray  # (10 n, p): natural parameters of the virtual links; K @ lift = identity
    chain: Chain  # the virtual links on the same joints
    r: int  # the first revolute joint, n + 1 if there is none
    s: int  # the first revolute joint not parallel to r, n + 1 if there is none
    u: tuple[Vector, ...]  # u_r in frame i, constant for r <= i < s; zero elsewhere
    sigma: tuple[bool, ...]  # per joint: a prismatic joint r < i < s is not parallel to r
    delta: tuple[bool, ...]  # per joint: k_x and k_y of a revolute joint matter
    composite: tuple[CompositeConstants, ...]  # per joint, from the MLCs alone (for Table VII)

    def with_values(self, values: Sequence[float] | np.ndarray) -> MinimalCombinations:
        """The same arm with other MLC values, e.g. identified ones."""
        values = np.array(values, float)
        if values.shape != self.values.shape:
            raise ValueError(f"values: expected {len(self.values)} MLC values, "
                             f"got shape {values.shape}")
        entries = _entries(self.names)
        return replace(self, values=values, chain=_with_links(self.chain, self.lift, values),
                       composite=_composite_constants(entries, values, self.chain.n))

    def virtual_chain(self, basis: str | Sequence[str] = "J22") -> Chain:
        """Virtual links in another basis, one for all joints or one per joint.

        For a revolute joint i >= s the sum U11 + U22 has no effect. "J22" and "J11" choose it so
        that this entry of the virtual inertia J vanishes, "Sigma33" so that J11 + J22 = J33. Which
        is cheapest depends on the arm and the algorithm. Other joints are not affected.
        """
        bases = [basis] * self.chain.n if isinstance(basis, str) else list(basis)
        if len(bases) != self.chain.n or not set(bases) <= set(BASES):
            raise ValueError(f"basis: expected one of {', '.join(BASES)}, or one for each of the "
                             f"{self.chain.n} joints, not {basis!r}")
        structure = axis_structure(self.chain)
        lift = _lift(self.chain.joints, structure, _entries(self.names), bases)
        return _with_links(self.chain, lift, self.values)

    def cheapest_chain(self, cost: Callable[[Chain], float]) -> Chain:
        """The virtual chain of lowest `cost`, e.g. the operation count of an algorithm.

        Coordinate descent: the basis of one joint at a time, until no change helps.
        """
        bases = ["J22"] * self.chain.n
        best = self.virtual_chain(bases)
        lowest = cost(best)
        free = [i for i in range(self.s - 1, self.chain.n) if self.chain.joints[i].revolute]
        improved = True
        while improved:
            improved = False
            for i in reversed(free):
                for basis in [basis for basis in BASES if basis != bases[i]]:
                    trial = [*bases[:i], basis, *bases[i + 1:]]
                    candidate = self.virtual_chain(trial)
                    candidate_cost = cost(candidate)
                    if candidate_cost < lowest:
                        bases, best, lowest, improved = trial, candidate, candidate_cost, True
        return best


@lru_cache(maxsize=64)
def minimal_combinations(chain: Chain) -> MinimalCombinations:
    """The MLCs of a chain (Theorem 1)."""
    structure = axis_structure(chain)
    entries = _theorem_1(chain.joints, structure)
    K = _composite_matrix(chain.joints, structure, entries)
    lift = _lift(chain.joints, structure, entries, ["J22"] * chain.n)
    natural = np.array([p for link in chain.links for p in link.parameters], float)
    kinds = [(entry.joint, entry.symbol[0]) for entry in entries]  # U, k (and kappa) or m
    values = _rounded(K @ natural, np.abs(K) @ np.abs(natural), kinds)
    return MinimalCombinations(
        names=tuple(f"{entry.symbol}_{entry.joint + 1}" for entry in entries),
        values=values,
        K=K,
        lift=lift,
        chain=_with_links(chain, lift, values),
        r=structure.r + 1,
        s=structure.s + 1,
        u=structure.u,
        sigma=structure.sigma,
        delta=structure.delta,
        composite=_composite_constants(entries, values, chain.n),
    )


# Theorem 1: which combinations. ------------------------------------------------------------------


class _Entry(NamedTuple):
    """One MLC: an entry of the inertia constants of the composite body of a joint."""

    symbol: str
    joint: int  # from 0


_SECOND_MOMENTS = {"U33": (2, 2), "U12": (0, 1), "U13": (0, 2), "U23": (1, 2)}
_FIRST_MOMENTS = {"k_x": 0, "k_y": 1, "k_z": 2}
_KAPPA = {"kappa1": 0, "kappa2": 1}


def _theorem_1(joints: Sequence[Joint], structure: AxisStructure) -> list[_Entry]:
    r, s = structure.r, structure.s
    entries = []
    for i, joint in enumerate(joints):
        if joint.revolute:
            symbols = ["U33"] if i < s else ["U11-U22", "U33", "U12", "U13", "U23"]  # 1, 2
            symbols += ["k_x", "k_y"] if structure.delta[i] else []
        else:
            symbols = ["m"]  # 3
            if i > s:
                symbols += ["k_x", "k_y", "k_z"]  # 4
            elif r < i and structure.sigma[i]:
                symbols += ["kappa1", "kappa2"]  # 5, with the index i (printed j)
        entries += [_Entry(symbol, i) for symbol in symbols]
    return entries


def _entries(names: Sequence[str]) -> list[_Entry]:
    pairs = (name.rsplit("_", 1) for name in names)
    return [_Entry(symbol, int(number) - 1) for symbol, number in pairs]


def _kappa_rows(u: Vector) -> np.ndarray:
    """(2, 3): kappa1, kappa2 = rows @ k (eqs. 27, 28).

    The rows are orthogonal and of equal length, so that rows^T kappa / (1 - u_z^2) is a k that
    has these kappa.
    """
    x, y, z = u
    square = x * x + y * y  # 1 - u_z^2 would be lost in rounding for nearly parallel axes
    return np.array([[-y, x, 0.0], [-z * x, -z * y, square]])


# Linear forms. The trailing axis holds coefficients: of the 10 n natural parameters for K, of the
# p MLCs for the lift. -----------------------------------------------------------------------------


class _Moments(NamedTuple):
    """Moments of a (composite) body about O_i in frame i, as linear forms."""

    mass: np.ndarray  # (c,)
    first: np.ndarray  # (3, c)
    second: np.ndarray  # (3, 3, c)


def _carried_by_parent(joint: Joint, child: _Moments) -> _Moments:
    """Contribution of the composite body of a joint to the constants of its parent (C1 to C3)."""
    if joint.revolute:
        z = np.array([0.0, -joint.sin_alpha, joint.cos_alpha])
        offset = np.array(joint.placement_at_zero.translation)
        first = np.outer(z, child.first[2])  # R_b (k)_z; printed (R_b b (k))_z in C2
        second = np.multiply.outer(np.eye(3) - np.outer(z, z), child.second[1, 1])
    else:
        R = np.array(joint.placement_at_zero.rotation)
        offset = np.array([joint.a, 0.0, 0.0])  # d varies with q and is left to the varying part
        first = R @ child.first
        second = np.einsum("ij,jkc,lk->ilc", R, child.second, R)
    shifted = np.outer(offset, child.mass)
    return _Moments(child.mass, first + shifted, second + _steiner(offset, first + 0.5 * shifted))


def _steiner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """-[a x][b x] - [b x][a x] = 2 (a.b) E - a b^T - b a^T, for a vector of linear forms b."""
    ab = np.multiply.outer(a, b)
    return np.multiply.outer(2.0 * np.eye(3), a @ b) - ab - ab.transpose(1, 0, 2)


def _composite_matrix(
    joints: Sequence[Joint], structure: AxisStructure, entries: Sequence[_Entry]
) -> np.ndarray:
    """K: the inertia constants of composite bodies as linear forms of the natural parameters."""
    n = len(joints)
    identity = np.eye(PARAMETERS_PER_LINK * n)
    moments: list[_Moments] = []
    for i in reversed(range(n)):
        own = _moments_of(identity[PARAMETERS_PER_LINK * i: PARAMETERS_PER_LINK * (i + 1)])
        if moments:
            carried = _carried_by_parent(joints[i + 1], moments[-1])
            own = _Moments(*(a + b for a, b in zip(own, carried)))
        moments.append(own)
    moments.reverse()

    rows = []
    for symbol, i in entries:
        mass, k, U = moments[i]
        if symbol == "m":
            rows.append(mass)
        elif symbol in _FIRST_MOMENTS:
            rows.append(k[_FIRST_MOMENTS[symbol]])
        elif symbol == "U11-U22":
            rows.append(U[0, 0] - U[1, 1])
        elif symbol in _KAPPA:
            rows.append(_kappa_rows(structure.u[i])[_KAPPA[symbol]] @ k)
        else:
            row, column = _SECOND_MOMENTS[symbol]
            entry = U[row, column]
            if symbol in ("U13", "U23"):  # about the fixed point of a weightless wrist
                entry = entry - structure.pivot[i] * k[row]
            rows.append(entry)
    return np.array(rows).reshape(len(entries), PARAMETERS_PER_LINK * n)


def _lift(
    joints: Sequence[Joint],
    structure: AxisStructure,
    entries: Sequence[_Entry],
    bases: Sequence[str],
) -> np.ndarray:
    """Natural parameters of virtual links as linear forms of the MLCs.

    From tip to base: composite constants of joint i that the MLCs do not determine are free, and
    chosen so that the link's own parameters vanish.
    """
    n, p = len(joints), len(entries)
    unit = np.eye(p)
    fixed: list[dict[str, np.ndarray]] = [{} for _ in range(n)]
    for row, (symbol, i) in zip(unit, entries):
        fixed[i][symbol] = row

    links = np.zeros((n, PARAMETERS_PER_LINK, p))
    composite = _Moments(np.zeros(p), np.zeros((3, p)), np.zeros((3, 3, p)))
    for i in reversed(range(n)):
        if i + 1 < n:
            composite = _carried_by_parent(joints[i + 1], composite)
        # `composite` is the load from the links beyond i; `own` is what link i must add to it.
        own = _Moments(np.zeros(p), np.zeros((3, p)), np.zeros((3, 3, p)))
        given = fixed[i]
        if "m" in given:
            own.mass[:] = given["m"] - composite.mass
        for symbol, axis in _FIRST_MOMENTS.items():
            if symbol in given:
                own.first[axis] = given[symbol] - composite.first[axis]
        if "kappa1" in given:
            rows = _kappa_rows(structure.u[i])
            missing = np.array([given["kappa1"], given["kappa2"]]) - rows @ composite.first
            own.first[:] = rows.T @ missing / rows[1, 2]
        for symbol, (row, column) in _SECOND_MOMENTS.items():
            if symbol in given:
                entry = given[symbol] - composite.second[row, column]
                if symbol in ("U13", "U23"):
                    entry = entry + structure.pivot[i] * (composite.first + own.first)[row]
                own.second[row, column] = own.second[column, row] = entry
        if "U11-U22" in given:
            difference = given["U11-U22"] - (composite.second[0, 0] - composite.second[1, 1])
            second = {
                "J22": np.zeros(p),
                "J11": -difference,
                "Sigma33": 0.5 * (own.second[2, 2] - difference),
            }[bases[i]]
            own.second[0, 0], own.second[1, 1] = difference + second, second
        links[i] = [own.mass, *own.first, *(own.second[entry] for entry in _INERTIA_ENTRIES)]
        composite = _Moments(*(a + b for a, b in zip(composite, own)))
    return links.reshape(PARAMETERS_PER_LINK * n, p)


# Numbers. -----------------------------------------------------------------------------------------


def _rounded(
    values: np.ndarray, magnitude: np.ndarray, kinds: Sequence[Hashable]
) -> np.ndarray:
    """The values without the rounding of sums of the given magnitudes, kind by kind."""
    largest: dict[Hashable, float] = {}
    for kind, size in zip(kinds, magnitude):
        largest[kind] = max(size, largest.get(kind, 0.0))
    return without_rounding(values, MLC_ROUNDING, np.array([largest[kind] for kind in kinds]))


def _composite_constants(
    entries: Sequence[_Entry], values: np.ndarray, n: int
) -> tuple[CompositeConstants, ...]:
    bodies = []
    for i in range(n):
        own = {e.symbol: float(x) for e, x in zip(entries, values) if e.joint == i}
        v = defaultdict(float, own)
        U12, U13, U23 = v["U12"], v["U13"], v["U23"]
        bodies.append(CompositeConstants(
            mass=v["m"],
            k=(v["k_x"], v["k_y"], v["k_z"]),
            U=((v["U11-U22"], U12, U13), (U12, 0.0, U23), (U13, U23, v["U33"])),
            kappa=(v["kappa1"], v["kappa2"]),
        ))
    return tuple(bodies)


def _with_links(chain: Chain, lift: np.ndarray, values: np.ndarray) -> Chain:
    """The chain with virtual links of these MLC values."""
    kinds = [(i, order) for i in range(chain.n) for order in "m" + 3 * "k" + 6 * "U"]
    parameters = _rounded(lift @ values, np.abs(lift) @ np.abs(values), kinds)
    links = []
    for row in parameters.reshape(chain.n, PARAMETERS_PER_LINK).tolist():
        m, x, y, z, xx, xy, xz, yy, yz, zz = row
        links.append(MomentLink(m, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
    return replace(chain, links=tuple(links))


def _moments_of(parameters: np.ndarray) -> _Moments:
    """The moments of one link from the ten rows of its parameters."""
    second = np.empty((3, 3, parameters.shape[1]))
    for form, (row, column) in zip(parameters[4:], _INERTIA_ENTRIES):
        second[row, column] = second[column, row] = form
    return _Moments(parameters[0], parameters[1:4], second)
