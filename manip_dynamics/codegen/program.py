"""Straight-line programs: what the compiler passes take and return.

    trace -> optimise -> schedule -> emit        (Program.traced, optimise/, schedule.py, emit_*.py)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from manip_dynamics.algorithms.vectors import Scalar

from .operations import OPERATIONS
from .trace import ANGLE_FUNCTIONS, Constant, Counts, Expr, Graph, Node, Operand, Ref, flatten

SHARED = ("payload", "gravity")  # inputs given once per batch, not per state


@dataclass(frozen=True)
class Signature:
    """Name and shapes of a program: inputs are vectors, the result is an array."""

    name: str
    inputs: tuple[tuple[str, int], ...]  # ("q", 6), ("qd", 6), ...
    result: str
    shape: tuple[int, ...]  # of one result

    @property
    def size(self) -> int:
        """Number of scalars in one result."""
        return prod(self.shape)

    def trace(self, graph: Graph) -> list[list[Operand]]:
        """The inputs as traced scalars."""
        return [list(graph.inputs(name, size)) for name, size in self.inputs]


@dataclass(frozen=True)
class Program:
    """Operations in an executable order; the outputs need all of them."""

    signature: Signature
    nodes: tuple[Node, ...]
    outputs: tuple[Ref | Constant, ...]  # row-major

    @staticmethod
    def traced(signature: Signature, function: Callable[..., Sequence]) -> Program:
        """The operations that a function of vectors of scalars performs."""
        graph = Graph()
        return Program.of(signature, graph, function(*signature.trace(graph)))

    @staticmethod
    def of(signature: Signature, graph: Graph, outputs: Sequence) -> Program:
        """The part of a graph that the outputs, possibly nested, need."""
        results = flatten(outputs)
        if len(results) != signature.size:
            raise ValueError(f"{signature.name}: {len(results)} results for {signature.shape}")
        whole = Program(signature, tuple(graph.nodes), tuple(
            out.ref if isinstance(out, Expr) else Constant(float(out)) for out in results))
        return whole.with_nodes(graph.live(results))

    def with_nodes(self, order: Sequence[int]) -> Program:
        """The program reduced to these nodes, in this order."""
        place = {old: new for new, old in enumerate(order)}

        def moved(ref: Ref | Constant | str | None) -> Ref | Constant | str | None:
            if not isinstance(ref, int):
                return ref
            return (place[abs(ref) - 1] + 1) * (1 if ref > 0 else -1)

        nodes = []
        for old in order:
            op, left, right = self.nodes[old]
            nodes.append(Node(op, moved(left), moved(right)))  # type: ignore[arg-type]
        return Program(self.signature, tuple(nodes),
                       tuple(map(moved, self.outputs)))  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        return self.signature.name

    def counts(self) -> Counts:
        """Operations, as the papers count them."""
        return Counts.of(self.nodes)

    def evaluate(self, *inputs: Sequence[Scalar]) -> list[Scalar]:
        """The flat results for inputs of any kind of scalar, including traced ones."""
        values = self.values(*inputs)
        return [value_of(out, values) for out in self.outputs]

    def values(self, *inputs: Sequence[Scalar]) -> list[Scalar]:
        """The value of each node."""
        given = {f"{name}[{i}]": vector[i] for (name, length), vector in
                 zip(self.signature.inputs, inputs) for i in range(length)}
        done: list[Scalar] = []
        for op, left, right in self.nodes:
            if op == "input":
                done.append(given[str(left)])
                continue
            operands = (left,) if right is None else (left, right)
            done.append(OPERATIONS[op].evaluate(
                *(value_of(ref, done) for ref in operands)))  # type: ignore[arg-type]
        return done

    def angles(self) -> list[Ref]:
        """The references whose sine or cosine is taken, in order."""
        return list(dict.fromkeys(
            node.left for node in self.nodes if node.op in ANGLE_FUNCTIONS))  # type: ignore[misc]


def value_of(ref: Ref | Constant, values: Sequence[Scalar]) -> Scalar:
    """The value of a reference, given the values of the nodes."""
    if isinstance(ref, Constant):
        return ref.value
    return values[ref - 1] if ref > 0 else -values[-ref - 1]


def count_operations(function: Callable[..., Sequence], *lengths: int) -> Counts:
    """Operations of a function of vectors of these lengths; equal ones count once."""
    graph = Graph()
    results = function(*(graph.inputs(f"x{i}", length) for i, length in enumerate(lengths)))
    return graph.count(flatten(results))
