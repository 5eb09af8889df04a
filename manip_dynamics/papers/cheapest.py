"""Formulation 1 or 2 from MLCs, whichever needs fewer operations for a given arm.

This is the recommendation of Lin & Fang 1999. Both are traced on the arm and counted, with common
subexpressions shared and the zeros of the arm folded, so the choice is exact. These two are also
among the candidates of the compiled kernels (codegen/candidates.py).
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
    """An algorithm bound to an arm, and its cost."""

    name: str
    function: Callable[..., list]  # of q
    counts: Counts


def cheaper_of_formulations_1_and_2(mlc: MinimalCombinations) -> Choice:
    """The formulation of the mass matrix that is cheaper for this arm."""
    choices = [
        Choice(name, function, count_operations(function, mlc.chain.n))
        for name, function in (
            ("Formulation 1 from MLCs", partial(formulation1.mass_matrix_mlc, mlc)),
            ("Formulation 2 from MLCs", partial(formulation2.mass_matrix_mlc, mlc)),
        )
    ]
    return min(choices, key=lambda choice: choice.counts.total)
