"""From a quantity and an arm to the program to use: trace, optimise, schedule, check."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple

from manip_dynamics.model.chain import Chain

from .candidates import Candidate, angle_sums
from .checking import check, require_determined_accelerations
from .optimise import SAME, STRICT, optimise
from .program import Program, Signature
from .quantities import QUANTITIES, candidates_for, with_friction, without_friction
from .schedule import schedule
from .toolchain import NoCompiler
from .trace import flatten

_log = logging.getLogger(__name__)


# Fallbacks for a program or kernel that disagrees with the reference algorithm.
PLAIN = "using a program that is not optimised"
CAREFUL = "using one that is compiled with little optimisation"
REFERENCE = "using the reference algorithm in Python, which is slow"


class Disagreement(RuntimeError):
    """A program does not agree with the reference algorithm."""


class Choice(NamedTuple):
    """The program to use, or None if none is correct, and a remark if the cheapest one was
    wrong."""

    program: Program | None
    remark: str = ""


def choose_program(quantity: str, chain: Chain) -> Choice:
    """The cheapest program or, if that is wrong, a plain one that is correct."""
    try:
        return Choice(cheapest_program(quantity, chain))
    except Disagreement:
        pass
    try:
        return Choice(cheapest_program(quantity, chain, mixing=False), PLAIN)
    except Disagreement:
        return Choice(None, REFERENCE)


def warn_of_disagreement(robot: str, quantity: str, remark: str) -> None:
    """Log that a kernel was wrong and what replaces it."""
    _log.warning("robot '%s': a kernel for %s disagreed with the reference algorithm; %s. Please "
                 "report this with the URDF, the compiler and the processor", robot, quantity,
                 remark)


def cheapest_program(quantity: str, chain: Chain, mixing: bool = True) -> Program:
    """The program with the fewest operations that a search over the candidates finds.

    mixing: whether candidates may be mixed; if not, the cheapest correct one is used.
    Raises Disagreement if the program is wrong, ModelError if the arm has no such quantity.
    """
    record = QUANTITIES[quantity]
    if record.right_side:
        require_determined_accelerations(chain)
    smooth = _searched(record.variant_of or quantity, without_friction(chain), mixing)
    complete = with_friction(record, chain, smooth.evaluate)
    if complete == smooth.evaluate and smooth.name == quantity:
        return smooth
    program = schedule(Program.traced(record.signature(chain.n), complete))
    if not check(quantity, chain).program_agrees(program):
        raise Disagreement(f"{quantity} disagrees with the reference algorithm")
    return program


@lru_cache(maxsize=64)
def _searched(quantity: str, chain: Chain, mixing: bool) -> Program:
    """The cheapest program for an arm without friction."""
    signature = QUANTITIES[quantity].signature(chain.n)
    programs = [Program.traced(signature, way) for way in candidates_for(quantity, chain)]
    for program in (_mixtures if mixing else _cheapest_first)(programs, chain):
        if check(quantity, chain).program_agrees(program):
            return schedule(program)
    raise Disagreement(f"{quantity} disagrees with the reference algorithm")


def _cheapest_first(programs: list[Program], chain: Chain) -> Iterator[Program]:
    """The candidates, unmixed."""
    return iter(sorted(programs, key=_cost))


def _mixtures(programs: list[Program], chain: Chain) -> Iterator[Program]:
    """The best mixture of candidates, then one with a stricter test for equal values."""
    signature = programs[0].signature
    with suppress(Disagreement):  # raised by a part
        programs = [*programs, *_assembled(signature, chain)]
    cheap = sorted(programs, key=_cost)[:QUANTITIES[signature.name].mixed]
    mixed = [cheap[0], *(program for program in programs if program in cheap[1:])]
    for same in (SAME, STRICT):
        try:
            yield min(cheap[0], optimise(mixed, _hints(signature, chain), same), key=_cost)
        except NoCompiler:  # the search itself is compiled
            yield cheap[0]


def _cost(program: Program) -> int:
    return program.counts().total


def _assembled(signature: Signature, chain: Chain) -> Iterator[Program]:
    """A candidate assembled from the programs already found for its parts."""
    quantity = QUANTITIES[signature.name]
    if quantity.assembled is not None:
        parts: list[Candidate] = [_searched(part, chain, True).evaluate for part in quantity.parts]
        yield Program.traced(signature, partial(quantity.assembled, *parts))


def _hints(signature: Signature, chain: Chain) -> Program | None:
    """Values that no candidate computes but that may make a mixture cheaper."""
    if "q" not in dict(signature.inputs):
        return None
    length = len(flatten(angle_sums(chain, [0.0] * chain.n)))
    return Program.traced(Signature("hints", (("q", chain.n),), "sums", (length,)),
                          partial(angle_sums, chain))
