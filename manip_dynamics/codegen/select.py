"""The cheapest program for a quantity of one robot."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

from manip_dynamics.algorithms.forward_dynamics import solve_ltl
from manip_dynamics.algorithms.friction import friction
from manip_dynamics.model.chain import ZERO, Chain

from .checking import check, require_determined_accelerations
from .equivalence import SAME, SAMPLES, STRICT, Equivalence
from .program import Program, Signature
from .quantities import (
    Candidate,
    angle_sums,
    candidates,
    has_friction,
    signatures,
    without_friction,
)
from .search import cheapest_choice
from .toolchain import NoCompiler
from .trace import Expr, Graph, Operand, Ref, flatten

MIXED = 5  # candidates whose ways are mixed: the cheapest ones
MOVES = 80_000  # of one search
ROUNDS = 1  # of looking for relations and searching again
# How much dearer, in operations, a program may become in a move at first: enough to leave it
# behind, or just to improve it.
HOT, WARM = 2.0, 0.7

_log = logging.getLogger(__name__)


# What is done about a program or a kernel that disagrees with the reference algorithm.
PLAIN = "a program that was not optimised serves instead"
CAREFUL = "one that was compiled with little optimisation serves instead"
REFERENCE = "the reference algorithm serves instead, in Python and slowly"


class Disagreement(RuntimeError):
    """A program does not agree with the reference algorithm."""


class Choice(NamedTuple):
    """The program that is to serve, if there is one that is right, and a remark if the cheapest
    one was wrong."""

    program: Program | None
    remark: str = ""


def choose_program(quantity: str, chain: Chain) -> Choice:
    """The cheapest program; if that is wrong, a plain one that is right."""
    try:
        return Choice(cheapest_program(quantity, chain))
    except Disagreement:
        pass
    try:
        return Choice(cheapest_program(quantity, chain, mixing=False), PLAIN)
    except Disagreement:
        return Choice(None, REFERENCE)


def warn_of_disagreement(robot: str, quantity: str, remark: str) -> None:
    """Say that something was wrong, and what serves instead."""
    _log.warning("robot '%s': a kernel for %s disagreed with the reference algorithm; %s. Please "
                 "report this with the URDF, the compiler and the processor", robot, quantity,
                 remark)


def cheapest_program(quantity: str, chain: Chain, mixing: bool = True) -> Program:
    """The program with the fewest operations that a search among the candidates finds.

    mixing: whether candidates may be mixed; else the cheapest of them that is right is taken.
    Raises Disagreement if the program is wrong, ModelError if the arm has no such quantity.
    """
    if quantity.endswith("forward_dynamics"):
        require_determined_accelerations(chain)
    if quantity == "friction":
        return _traced(quantity, chain, partial(friction, chain))
    smooth = without_friction(chain)
    if quantity == "weightless_inverse_dynamics":
        weightless = _searched("inverse_dynamics", replace(smooth, gravity=ZERO), mixing)
        return _traced(quantity, chain, weightless.evaluate)
    if quantity == "frictionless_forward_dynamics":
        return _traced(quantity, chain, _searched("forward_dynamics", smooth, mixing).evaluate)
    program = _searched(quantity, smooth, mixing)
    if not has_friction(chain):
        return program
    if quantity == "inverse_dynamics":
        return _traced(quantity, chain, lambda q, qd, qdd: [
            rigid + spent for rigid, spent in zip(program.evaluate(q, qd, qdd),
                                                  friction(chain, qd))])
    if quantity == "forward_dynamics":
        return _traced(quantity, chain, lambda q, qd, tau: program.evaluate(
            q, qd, [given - spent for given, spent in zip(tau, friction(chain, qd))]))
    return program


@lru_cache(maxsize=64)
def _searched(quantity: str, chain: Chain, mixing: bool) -> Program:
    """The cheapest program for an arm without friction."""
    for program in (_mixtures if mixing else _plain)(quantity, chain):
        if check(quantity, chain).program_agrees(program):
            return program
    raise Disagreement(f"{quantity} disagrees with the reference algorithm")


def _mixtures(quantity: str, chain: Chain) -> Iterator[Program]:
    """The best mixture of candidates, and a second one for which values are less soon equal."""
    signature = signatures(chain)[quantity]
    graph = Graph()
    inputs = signature.trace(graph)
    ways = list(candidates(quantity, chain))
    with suppress(Disagreement):  # of a part
        ways += _from_parts(quantity, chain)
    traces = [flatten(way(*inputs)) for way in ways]
    traces.sort(key=lambda outputs: graph.count(outputs).total)
    plain = Program.of(signature, graph, traces[0])
    names = [name for name, _ in signature.inputs]
    hints = angle_sums(chain, inputs[names.index("q")]) if "q" in names else []
    for same in (SAME, STRICT):
        try:
            mixed = _mixed(signature, graph, traces[:MIXED], hints, same)
        except NoCompiler:  # the search is compiled, too
            mixed = plain
        yield min(plain, mixed, key=lambda program: program.counts().total)


def _plain(quantity: str, chain: Chain) -> Iterator[Program]:
    """The candidates as they are, the cheapest first; each is traced by itself."""
    programs = [_traced(quantity, chain, candidate) for candidate in candidates(quantity, chain)]
    return iter(sorted(programs, key=lambda program: program.counts().total))


def _from_parts(quantity: str, chain: Chain) -> Iterator[Candidate]:
    """Candidates made of programs that were found before."""
    n = chain.n
    if quantity == "bias":
        inverse_dynamics = _searched("inverse_dynamics", chain, True)
        yield lambda q, qd: inverse_dynamics.evaluate(q, qd, [0.0] * n)
    elif quantity == "forward_dynamics":
        matrix, bias = (_searched(part, chain, True) for part in ("mass_matrix", "bias"))

        def solve(q, qd, tau):
            entries = matrix.evaluate(q)
            rows = [entries[n * i:n * (i + 1)] for i in range(n)]
            return solve_ltl(rows, [t - b for t, b in zip(tau, bias.evaluate(q, qd))])

        yield solve


def _traced(quantity: str, chain: Chain, function: Callable[..., Sequence]) -> Program:
    graph = Graph()
    signature = signatures(chain)[quantity]
    return Program.of(signature, graph, function(*signature.trace(graph)))


def _mixed(signature: Signature, graph: Graph, traces: Sequence[Sequence[Operand]],
           hints: Sequence[Operand], same: float) -> Program:
    """The best mixture of ways to compute what the traces have in common."""
    if not any(isinstance(out, Expr) for out in traces[0]):
        return Program.of(signature, graph, traces[0])
    rng = random.Random(signature.name)
    inputs = {f"{name}[{i}]": tuple(rng.uniform(0.3, 1.7) for _ in range(SAMPLES))
              for name, length in signature.inputs for i in range(length)}
    values = Equivalence(same)
    # The cheapest trace comes first, so that the first way of each of its values is its own.
    own = graph.live(traces[0])
    others = sorted({*graph.live([*flatten(list(traces)), *hints])} - {*own})
    where = values.add_graph(graph, [*own, *others], inputs)
    outputs = [_ref(out, where) for out in traces[0]]
    extra = [ref for ref in (_ref(hint, where) for hint in hints) if isinstance(ref, int)]
    best = cheapest_choice(values, outputs, [0] * len(values.ways), MOVES)
    for seed in range(ROUNDS):
        values.relate(_needed(values, [*outputs, *extra], best[1]))
        best = min(cheapest_choice(values, outputs, best[1], MOVES, WARM, seed),
                   cheapest_choice(values, outputs, best[1], MOVES, HOT, seed))
    _, choice = best
    return values.program(signature, outputs, choice)


def _needed(values: Equivalence, outputs: Sequence[Ref | float],
            choice: Sequence[int]) -> list[int]:
    pending = [abs(out) - 1 for out in outputs if isinstance(out, int)]
    found = set(pending)
    while pending:
        c = pending.pop()
        op, *operands, _ = values.ways[c][choice[c]]
        new = {abs(ref) - 1 for ref in operands if op != "input" and isinstance(ref, int)} - found
        found |= new
        pending += new
    return sorted(found)


def _ref(out: Operand, where: dict[int, Ref | float]) -> Ref | float:
    if not isinstance(out, Expr):
        return float(out)
    ref = where[abs(out.ref) - 1]
    return ref if out.ref > 0 else -ref
