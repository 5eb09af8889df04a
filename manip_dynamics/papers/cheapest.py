"""Formulation 1 or 2 from MLCs, whichever needs fewer operations for one arm.

So recommend Lin & Fang 1999. Both are traced on the arm and counted, with equal operations shared
and the arm's zeros folded away, so that the choice is exact. Compiled kernels go further
(codegen/candidates.py): these two are among their candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from manip_dynamics.algorithms import formulation1, formulation2
from manip_dynamics.codegen.program import count_operations
from manip_dynamics.codegen.trace import Counts
from manip_dynamics.model.mlc import MinimalCombinations


class Choice(NamedTuple):
    """An algorithm bound to an arm, and what it costs there."""

    name: str
    function: Callable[..., list]  # of q
    counts: Counts


def cheaper_of_formulations_1_and_2(mlc: MinimalCombinations) -> Choice:
    """The inertia matrix by the formulation that is cheaper for this arm."""
    choices = [
        Choice(name, function, count_operations(function, mlc.chain.n))
        for name, function in (
            ("Formulation 1 from MLCs", partial(formulation1.mass_matrix_mlc, mlc)),
            ("Formulation 2 from MLCs", partial(formulation2.mass_matrix_mlc, mlc)),
        )
    ]
    return min(choices, key=lambda choice: choice.counts.total)
