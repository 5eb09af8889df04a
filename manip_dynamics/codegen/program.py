"""A straight-line program: what the compiler, the Python emitter and the counts work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from manip_dynamics.algorithms.vectors import Scalar

from .operations import OPERATIONS
from .trace import ANGLE_FUNCTIONS, Constant, Counts, Expr, Graph, Node, Operand, Ref, flatten


@dataclass(frozen=True)
class Signature:
    """Name and shapes of one quantity: inputs are vectors, the result is an array."""

    name: str
    inputs: tuple[tuple[str, int], ...]  # ("q", 6), ("qd", 6), ...
    result: str
    shape: tuple[int, ...]  # of one result

    @property
    def size(self) -> int:
        """Scalars in one result."""
        return prod(self.shape)

    def trace(self, graph: Graph) -> list[list[Operand]]:
        """The inputs as traced scalars."""
        return [list(graph.inputs(name, size)) for name, size in self.inputs]


@dataclass(frozen=True)
class Program:
    """Operations in an order in which they can be executed; all of them are needed."""

    signature: Signature
    nodes: tuple[Node, ...]
    outputs: tuple[Ref | Constant, ...]  # row-major

    @staticmethod
    def of(signature: Signature, graph: Graph, outputs: Sequence) -> Program:
        """What the outputs, nested as they may be, need of a traced graph."""
        results = flatten(outputs)
        if len(results) != signature.size:
            raise ValueError(f"{signature.name}: {len(results)} results for {signature.shape}")
        order = _depth_first(graph.nodes, results)
        place = {old: new for new, old in enumerate(order)}

        def moved(ref: Ref | Constant | str | None) -> Ref | Constant | str | None:
            if not isinstance(ref, int):
                return ref
            return (place[abs(ref) - 1] + 1) * (1 if ref > 0 else -1)

        nodes = []
        for old in order:
            op, left, right = graph.nodes[old]
            nodes.append(Node(op, moved(left), moved(right)))  # type: ignore[arg-type]
        return Program(
            signature, tuple(nodes),
            tuple(moved(out.ref) if isinstance(out, Expr)  # type: ignore[misc]
                  else Constant(float(out)) for out in results))

    @property
    def name(self) -> str:
        return self.signature.name

    def counts(self) -> Counts:
        """Operations, as the papers count them."""
        graph = Graph()
        graph.nodes = list(self.nodes)
        return graph.count()

    def evaluate(self, *inputs: Sequence[Scalar]) -> list[Scalar]:
        """The results, flat, for inputs of any kind of scalar: traced ones, too."""
        given = {f"{name}[{i}]": vector[i] for (name, length), vector in
                 zip(self.signature.inputs, inputs) for i in range(length)}
        done: list[Scalar] = []

        def value(ref: Ref | Constant) -> Scalar:
            if isinstance(ref, Constant):
                return ref.value
            return done[ref - 1] if ref > 0 else -done[-ref - 1]

        for op, left, right in self.nodes:
            if op == "input":
                done.append(given[str(left)])
                continue
            operands = (left,) if right is None else (left, right)
            done.append(OPERATIONS[op].generic(*map(value, operands)))  # type: ignore[arg-type]
        return [value(out) for out in self.outputs]

    def angles(self) -> list[Ref]:
        """The references whose sine or cosine is taken, in order."""
        return list(dict.fromkeys(
            node.left for node in self.nodes if node.op in ANGLE_FUNCTIONS))  # type: ignore[misc]


def _depth_first(nodes: Sequence[Node], results: Sequence[Operand]) -> list[int]:
    """Needed nodes, each as late as its first user allows: few values are alive at a time."""
    order: list[int] = []
    done: set[int] = set()
    for result in results:
        stack = [abs(result.ref) - 1] if isinstance(result, Expr) else []
        while stack:
            k = stack[-1]
            missing = [j for j in nodes[k].operands if j not in done]
            if missing:
                stack.extend(missing[::-1])
                continue
            stack.pop()
            if k not in done:
                done.add(k)
                order.append(k)
    return order
