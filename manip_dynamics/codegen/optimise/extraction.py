"""Extraction: choose one e-node per e-class so that the program is cheapest."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from .. import toolchain
from ..operations import OPERATIONS
from ..trace import Ref
from .egraph import EGraph

# The search budget.
MOVES, MANY_MOVES = 80_000, 200_000  # of one annealing run, for programs below or above
LARGE = 600  # operations
# Annealing temperatures, in operations: enough to leave the start behind, or just to improve it.
HOT, WARM = 2.0, 0.7


def cheapest_extraction(egraph: EGraph, outputs: Sequence[Ref | float], start: Sequence[int],
                        moves: int, temperature: float, seed: int) -> tuple[int, list[int]]:
    """Cost and, for each e-class, the index of its e-node, annealed from `start`.

    temperature: initial, in operations. The same arguments give the same extraction.
    """
    nodes = [node for each in egraph.nodes for node in each]
    first = np.concatenate([[0], np.cumsum([len(each) for each in egraph.nodes])]).astype(np.int32)
    operands = np.full((len(nodes), 2), -1, np.int32)
    for k, node in enumerate(nodes):
        operands[k, :len(node.operands)] = node.operands
    cost = np.array([OPERATIONS[node.op].cost if node.op in OPERATIONS else 0 for node in nodes],
                    np.int32)
    results = np.array(sorted({abs(out) - 1 for out in outputs if isinstance(out, int)}), np.int32)
    choice = first[:-1].copy()
    choice[:len(start)] += np.array(start, np.int32)
    arrays = (first, operands, cost)
    total = _library().extract(
        len(egraph.nodes), *(array.ctypes.data for array in arrays), len(results),
        results.ctypes.data, choice.ctypes.data, moves, temperature, seed)
    if total < 0:
        raise MemoryError("no memory to search for the cheapest program")
    return total, (choice - first[:-1]).tolist()


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_suffix(".c").read_text()
    library = toolchain.load(toolchain.library("extraction", [source], source))
    integer, pointer = ctypes.c_int, ctypes.c_void_p
    library.extract.argtypes = [integer, *[pointer] * 3, integer, pointer, pointer, ctypes.c_long,
                                ctypes.c_double, ctypes.c_uint64]
    library.extract.restype = integer
    return library
