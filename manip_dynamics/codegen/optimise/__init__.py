"""The optimiser: takes several programs for one result and returns their cheapest mixture.

Equality is by value, not by rewrite rules: an e-graph (egraph.py) holds the values that the
programs compute as e-classes, each with all ways found to compute it. Extraction (extraction.py
and .c) picks one way per e-class by simulated annealing. docs/kernels.md has a picture.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ..program import Program
from .egraph import SAME, SAMPLES, STRICT, EGraph
from .extraction import HOT, LARGE, MANY_MOVES, MOVES, WARM, cheapest_extraction

__all__ = ["SAME", "STRICT", "optimise"]

def optimise(programs: Sequence[Program], hints: Program | None = None,
             same: float = SAME) -> Program:
    """The cheapest mixture found of these programs, which share one signature and result.

    The search starts from the first program; `hints` computes other values that may help.
    same: relative difference below which values are equal. Raises NoCompiler without a compiler.
    """
    first, *others = programs
    if not first.nodes:  # all results are constants
        return first
    rng = random.Random(first.name)
    inputs = {f"{name}[{i}]": tuple(rng.uniform(0.3, 1.7) for _ in range(SAMPLES))
              for name, length in first.signature.inputs for i in range(length)}
    egraph = EGraph(same)
    outputs = egraph.add_program(first, inputs)  # so that e-node 0 of its e-classes is its own
    for program in others:
        egraph.add_program(program, inputs)
    helpful = egraph.add_program(hints, inputs) if hints is not None else []
    start = [0] * len(egraph.nodes)
    moves = MOVES if len(first.nodes) < LARGE else MANY_MOVES
    _, choice = cheapest_extraction(egraph, outputs, start, moves, HOT, seed=1)
    egraph.relate(egraph.needed([*outputs, *helpful], choice))
    _, choice = min(cheapest_extraction(egraph, outputs, choice, moves, temperature, seed=0)
                    for temperature in (WARM, HOT))
    return egraph.program(first.signature, outputs, choice)
