"""The cheapest program for a quantity of one robot."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from manip_dynamics.algorithms.forward_dynamics import solve_ltl
from manip_dynamics.algorithms.friction import friction
from manip_dynamics.model.chain import ZERO, Chain

from .emit_python import compile_python
from .equivalence import SAMPLES, Equivalence
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
AGREEMENT = 1e-11  # of a mixed program with a plain one, relative to the largest result


def cheapest_program(quantity: str, chain: Chain) -> Program:
    """The program with the fewest operations that a search among the candidates finds."""
    if quantity == "friction":
        return _traced(quantity, chain, partial(friction, chain))
    smooth = without_friction(chain)
    if quantity == "weightless_inverse_dynamics":
        weightless = _searched("inverse_dynamics", replace(smooth, gravity=ZERO))
        return _traced(quantity, chain, weightless.evaluate)
    if quantity == "frictionless_forward_dynamics":
        return _traced(quantity, chain, _searched("forward_dynamics", smooth).evaluate)
    program = _searched(quantity, smooth)
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
def _searched(quantity: str, chain: Chain) -> Program:
    """The cheapest program for an arm without friction."""
    signature = signatures(chain)[quantity]
    graph = Graph()
    inputs = signature.trace(graph)
    traces = [flatten(candidate(*inputs))
              for candidate in (*candidates(quantity, chain), *_from_parts(quantity, chain))]
    traces.sort(key=lambda outputs: graph.count(outputs).total)
    plain = Program.of(signature, graph, traces[0])
    names = [name for name, _ in signature.inputs]
    hints = angle_sums(chain, inputs[names.index("q")]) if "q" in names else []
    try:
        mixed = _mixed(signature, graph, traces[:MIXED], hints)
    except NoCompiler:  # the search is compiled, too
        return plain
    if mixed.counts().total < plain.counts().total and _agree(mixed, plain):
        return mixed
    return plain


def _from_parts(quantity: str, chain: Chain) -> Iterator[Candidate]:
    """Candidates made of programs that were found before."""
    n = chain.n
    if quantity == "bias":
        inverse_dynamics = _searched("inverse_dynamics", chain)
        yield lambda q, qd: inverse_dynamics.evaluate(q, qd, [0.0] * n)
    elif quantity == "forward_dynamics":
        matrix, bias = _searched("mass_matrix", chain), _searched("bias", chain)

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
           hints: Sequence[Operand]) -> Program:
    """The best mixture of ways to compute what the traces have in common."""
    if not any(isinstance(out, Expr) for out in traces[0]):
        return Program.of(signature, graph, traces[0])
    rng = random.Random(signature.name)
    inputs = {f"{name}[{i}]": tuple(rng.uniform(0.3, 1.7) for _ in range(SAMPLES))
              for name, length in signature.inputs for i in range(length)}
    values = Equivalence()
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


def _agree(program: Program, other: Program, states: int = 3) -> bool:
    """Whether two programs give the same results at random states."""
    rng = random.Random(2)
    functions = compile_python(program), compile_python(other)
    for _ in range(states):
        state = [[rng.uniform(-3.0, 3.0) for _ in range(length)]
                 for _, length in program.signature.inputs]
        results, expected = (function(*state) for function in functions)
        scale = max(map(abs, expected), default=0.0)
        if not all(math.isclose(x, y, rel_tol=0.0, abs_tol=AGREEMENT * scale)
                   for x, y in zip(results, expected)):
            return False
    return True
