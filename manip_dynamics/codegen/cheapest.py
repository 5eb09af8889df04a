"""Which formulation, on which virtual links, needs the fewest operations for one arm.

Lin & Fang 1999 recommend Formulation 1 or 2, whichever is cheaper for the arm at hand. Here every
candidate is traced on the arm and counted, with common subexpressions shared and the arm's zeros
folded away, so that the choice is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from manip_dynamics.algorithms import (
    formulation1,
    formulation2,
    meeting_frame,
    newton_euler_mlc,
)
from manip_dynamics.model.chain import Chain
from manip_dynamics.model.mlc import MinimalCombinations, minimal_combinations
from manip_dynamics.model.sliding import merge_parallel_offsets

from .trace import Counts, Graph, flatten


class Choice(NamedTuple):
    """An algorithm bound to an arm, and what it costs there."""

    name: str
    function: Callable[..., list]  # of q, or of q, qd, or of q, qd, qdd
    counts: Counts


def count_operations(function: Callable[..., list], n: int, arguments: Sequence[str]) -> Counts:
    """Operations of a function of `arguments`, n scalars each, with equal ones shared."""
    graph = Graph()
    results = function(*(graph.inputs(name, n) for name in arguments))
    return graph.count(flatten(results))


def cheapest_mass_matrix(chain: Chain) -> Choice:
    """The inertia matrix in the fewest operations: a function of q."""
    choices = []
    for frames, mlc in _frame_choices(chain):
        for k in range(1, chain.n + 1):
            choices.append((f"wrenches and axes met in frame {k}{frames}", mlc, _meeting_at(k)))
        choices.append((f"Formulation 2{frames}", mlc, formulation2.mass_matrix))

    def operations(choice: tuple[str, MinimalCombinations, Callable[..., list]]) -> int:
        _, mlc, algorithm = choice
        return count_operations(partial(algorithm, mlc.chain), chain.n, ("q",)).total

    name, mlc, algorithm = min(choices, key=operations)
    from_links = _in_best_basis(f"{name}, on virtual links", algorithm, mlc, ("q",))
    from_mlcs = cheaper_of_formulations_1_and_2(mlc)
    return min(from_links, from_mlcs, key=lambda choice: choice.counts.total)


def cheaper_of_formulations_1_and_2(mlc: MinimalCombinations) -> Choice:
    """What the paper recommends: Formulation 1 or 2 from MLCs, whichever is cheaper."""
    choices = [
        Choice(name, function, count_operations(function, mlc.chain.n, ("q",)))
        for name, function in (
            ("Formulation 1 from MLCs", partial(formulation1.mass_matrix_mlc, mlc)),
            ("Formulation 2 from MLCs", partial(formulation2.mass_matrix_mlc, mlc)),
        )
    ]
    return min(choices, key=lambda choice: choice.counts.total)


def cheapest_inverse_dynamics(chain: Chain) -> Choice:
    """The inverse dynamics in the fewest operations: a function of q, qd, qdd."""
    return _cheapest_on_virtual_links(
        "Newton-Euler", newton_euler_mlc.inverse_dynamics, chain, ("q", "qd", "qdd"))


def cheapest_bias(chain: Chain) -> Choice:
    """Coriolis, centrifugal and gravity efforts in the fewest operations: a function of q, qd."""
    return _cheapest_on_virtual_links("bias", newton_euler_mlc.bias, chain, ("q", "qd"))


def cheapest_gravity(chain: Chain) -> Choice:
    """Gravity efforts in the fewest operations: a function of q."""
    return _cheapest_on_virtual_links("gravity", newton_euler_mlc.gravity, chain, ("q",))


def _frame_choices(chain: Chain) -> Iterator[tuple[str, MinimalCombinations]]:
    yield "", minimal_combinations(chain)
    slid = merge_parallel_offsets(chain)
    if slid != chain:
        yield ", frames slid", minimal_combinations(slid)


def _cheapest_on_virtual_links(
    name: str, algorithm: Callable[..., list], chain: Chain, arguments: Sequence[str]
) -> Choice:
    choices = [
        _in_best_basis(f"{name} on virtual links{frames}", algorithm, mlc, arguments)
        for frames, mlc in _frame_choices(chain)
    ]
    return min(choices, key=lambda choice: choice.counts.total)


def _in_best_basis(
    name: str, algorithm: Callable[..., list], mlc: MinimalCombinations, arguments: Sequence[str]
) -> Choice:
    def counts(links: Chain) -> Counts:
        return count_operations(partial(algorithm, links), links.n, arguments)

    links = mlc.cheapest_chain(lambda links: counts(links).total)
    return Choice(name, partial(algorithm, links), counts(links))


def _meeting_at(k: int) -> Callable[..., list]:
    return lambda chain, q: meeting_frame.mass_matrix(chain, q, k)
