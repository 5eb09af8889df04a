"""The operations that this package executes for a row of the papers' tables.

An algorithm is run once on scalars that record every operation. As in the papers, sine, cosine and
all constants (parameters, 2 d, cos alpha ...) are free, as are products with 0 and +-1, sums with 0
and changes of sign; nothing is shared beyond what the algorithm itself shares. "Executed" counts
every operation, "live" only those that the result depends on.

The arms have general parameters: no right angles, no zero lengths, full inertia tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from manip_dynamics.algorithms import (
    formulation1,
    formulation2,
    formulation3,
    formulation4,
    formulation5,
    kane,
    lin1991,
    meeting_frame,
    newton_euler,
    newton_euler_mlc,
    uicker_kahn,
    walker_orin,
)
from manip_dynamics.algorithms.composite_body import CompositeBody, upper
from manip_dynamics.algorithms.mlc_composite import mlc_composite_bodies
from manip_dynamics.algorithms.vectors import frames_at
from manip_dynamics.codegen.trace import Counts, Graph, flatten
from manip_dynamics.model.chain import Chain, Joint, RigidLink, Vector
from manip_dynamics.model.mlc import minimal_combinations

ARMS = {
    "revolute": "n revolute joints (Type 1)",
    "prismatic": "third joint prismatic, others revolute (Type 2)",
}


class Counted(NamedTuple):
    """The operations of one run."""

    executed: Counts
    live: Counts


def general_arm(n: int, arm: str) -> Chain:
    """An arm of n joints in general position; its third joint is prismatic if `arm` says so."""
    rng = np.random.default_rng(n)
    joints, links = [], []
    for i in range(n):
        alpha, a, offset = rng.uniform(0.3, 1.2, 3).tolist()
        if arm == "prismatic" and i == 2:
            joints.append(Joint("prismatic", alpha, a, theta=offset))
        else:
            joints.append(Joint("revolute", alpha, a, d=offset))
        x, y, z, xy, xz, yz = rng.uniform(0.05, 0.1, 6).tolist()
        inertia = ((0.5, xy, xz), (xy, 0.6, yz), (xz, yz, 0.7))
        links.append(RigidLink(1.3 + i, (x, y, z), inertia))
    gravity: Vector = (1.7, 2.6, -9.3)
    return Chain(tuple(joints), tuple(links), gravity)


def as_written(function: Callable[..., Sequence], n: int, arguments: Sequence[str]) -> Counted:
    """The operations of a function of `arguments`, n scalars each."""
    graph = Graph(share=False)
    results = flatten(list(function(*(graph.inputs(name, n) for name in arguments))))
    return Counted(graph.count(), graph.count(results))


def _of_chain(function: Callable[..., Sequence], *arguments: str) -> Callable[[Chain], Counted]:
    return lambda chain: as_written(lambda *x: function(chain, *x), chain.n, arguments)


def _of_virtual_links(
    function: Callable[..., Sequence], *arguments: str, basis: str = "J22"
) -> Callable[[Chain], Counted]:
    def count(chain: Chain) -> Counted:
        links = minimal_combinations(chain).virtual_chain(basis)
        return as_written(lambda *x: function(links, *x), chain.n, arguments)
    return count


def _of_mlcs(function: Callable[..., Sequence]) -> Callable[[Chain], Counted]:
    def count(chain: Chain) -> Counted:
        mlc = minimal_combinations(chain)
        return as_written(lambda q: function(mlc, q), chain.n, ("q",))
    return count


def _of_given_bodies(entries: Callable[..., Sequence]) -> Callable[[Chain], Counted]:
    """Composite bodies are inputs, except for their constant masses."""
    def count(chain: Chain) -> Counted:
        graph = Graph(share=False)
        frames = frames_at(chain, graph.inputs("q", chain.n))
        bodies = []
        for i, link in enumerate(chain.links):
            x, y, z, xx, xy, xz, yy, yz, zz = graph.inputs(f"body{i}", 9)
            bodies.append(CompositeBody(link.mass, (x, y, z), upper((xx, xy, xz), (yy, yz), zz)))
        results = flatten(entries(graph, chain.joints, frames, bodies))
        return Counted(graph.count(), graph.count(results))
    return count


def _formulation5_of_given_bodies(graph: Graph, joints: Sequence, frames: Sequence,
                                  bodies: Sequence) -> list:
    h: list = [tuple(graph.inputs(f"h{i}", 3)) for i in range(len(joints))]
    return formulation5.entries(joints, frames, bodies, h)


def _meeting_frame_of_given_bodies(_: Graph, joints: Sequence, frames: Sequence,
                                   bodies: Sequence) -> list:
    return meeting_frame.entries(joints, frames, bodies, (len(joints) + 1) // 2)


def _table_7(chain: Chain) -> Counted:
    mlc = minimal_combinations(chain)
    return as_written(lambda q: mlc_composite_bodies(mlc, frames_at(chain, q)), chain.n, ("q",))


def _lin_bias_beside_mass_matrix(chain: Chain) -> Counted:
    both = as_written(lambda q, qd: lin1991.mass_matrix_and_bias(chain, q, qd), chain.n,
                      ("q", "qd"))
    alone = as_written(lambda q: lin1991.mass_matrix(chain, q), chain.n, ("q",))
    return Counted(*(Counts(a.multiplications - b.multiplications, a.additions - b.additions)
                     for a, b in zip(both, alone)))


STATE = ("q", "qd", "qdd")

ALGORITHMS: dict[str, Callable[[Chain], Counted]] = {
    "Kane": _of_chain(kane.inverse_dynamics, *STATE),
    "Newton-Euler": _of_chain(newton_euler.inverse_dynamics, *STATE),
    "Newton-Euler on virtual links": _of_virtual_links(
        newton_euler_mlc.inverse_dynamics, *STATE, basis="Sigma33"),
    "Newton-Euler bias": _of_chain(newton_euler.bias, "q", "qd"),
    "bias on virtual links": _of_virtual_links(
        newton_euler_mlc.bias, "q", "qd", basis="Sigma33"),
    "Lin 1991, H": _of_chain(lin1991.mass_matrix, "q"),
    "Lin 1991, H and b": _of_chain(lin1991.mass_matrix_and_bias, "q", "qd"),
    "Lin 1991, b beside H": _lin_bias_beside_mass_matrix,
    "Walker-Orin": _of_chain(walker_orin.mass_matrix, "q"),
    "Uicker-Kahn": _of_chain(uicker_kahn.mass_matrix, "q"),
    "Formulation 3": _of_chain(formulation3.mass_matrix, "q"),
    "Formulation 4": _of_chain(formulation4.mass_matrix, "q"),
    "Formulation 1, bodies given": _of_given_bodies(lambda _, *x: formulation1.entries(*x)),
    "Formulation 2, bodies given": _of_given_bodies(lambda _, *x: formulation2.entries(*x)),
    "Formulation 3, bodies given": _of_given_bodies(lambda _, *x: formulation3.entries(*x)),
    "Formulation 4, bodies given": _of_given_bodies(lambda _, *x: formulation4.entries(*x)),
    "Formulation 5, bodies given": _of_given_bodies(_formulation5_of_given_bodies),
    "meeting frame, bodies given": _of_given_bodies(_meeting_frame_of_given_bodies),
    "Table VII": _table_7,
    "Formulation 1 from MLCs": _of_mlcs(formulation1.mass_matrix_mlc),
    "Formulation 2 from MLCs": _of_mlcs(formulation2.mass_matrix_mlc),
    "Formulation 5 on virtual links": _of_virtual_links(formulation5.mass_matrix, "q"),
    "meeting frame": _of_virtual_links(meeting_frame.mass_matrix, "q"),
}
