"""The cheapest choice among all ways to compute the same values (codegen/c/search.c)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from . import toolchain
from .equivalence import Equivalence
from .operations import OPERATIONS
from .trace import Ref

HOT, COLD = 2.0, 0.12  # operations: how much dearer a program may become in a move, first and last
SHARE = 0.3  # of the values that a move adds, how many change their way too


def cheapest_choice(values: Equivalence, outputs: Sequence[Ref | float], start: Sequence[int],
                    moves: int, hot: float = HOT, seed: int = 1) -> tuple[int, list[int]]:
    """Cost and, for each class, the index of its way, found from `start` on.

    hot: operations by which a program may become dearer in one move at first. The same arguments
    give the same choice.
    """
    numbers = [len(ways) for ways in values.ways]
    first = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int32)
    ways = [way for each in values.ways for way in each]
    left, right = (np.array([_operand(way, k) for way in ways], np.int32) for k in (1, 2))
    cost = np.array([OPERATIONS[way[0]].cost if way[0] in OPERATIONS else 0 for way in ways],
                    np.int32)
    results = np.array(sorted({abs(out) - 1 for out in outputs if isinstance(out, int)}), np.int32)
    choice = first[:-1].copy()
    choice[:len(start)] += np.array(start, np.int32)
    arrays = (first, left, right, cost)
    total = _library().search(
        len(numbers), *(array.ctypes.data for array in arrays), len(results), results.ctypes.data,
        choice.ctypes.data, moves, hot, COLD, SHARE, seed)
    if total < 0:
        raise MemoryError("no memory to search for the cheapest program")
    return total, (choice - first[:-1]).tolist()


def _operand(way: tuple, k: int) -> int:
    ref = way[k]
    return abs(ref) - 1 if way[0] != "input" and isinstance(ref, int) else -1


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    source = (Path(__file__).parent / "c" / "search.c").read_text()
    library = toolchain.load(toolchain.library("search", [source], source))
    integer, pointer, real = ctypes.c_int, ctypes.c_void_p, ctypes.c_double
    library.search.argtypes = [integer, *[pointer] * 4, integer, pointer, pointer, ctypes.c_long,
                               real, real, real, ctypes.c_uint64]
    library.search.restype = integer
    return library
