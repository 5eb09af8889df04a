"""The cheapest program for a quantity of one robot."""

from __future__ import annotations

from manip_dynamics.model.chain import Chain

from .program import Program, Signature
from .quantities import candidates, signatures
from .trace import Graph


def cheapest_program(quantity: str, chain: Chain) -> Program:
    """The program with the fewest operations among the candidates."""
    signature = signatures(chain)[quantity]
    programs = [_traced(signature, candidate) for candidate in candidates(quantity, chain)]
    return min(programs, key=lambda program: program.counts().total)


def _traced(signature: Signature, candidate) -> Program:
    graph = Graph()
    return Program.of(signature, graph, candidate(*signature.trace(graph)))
