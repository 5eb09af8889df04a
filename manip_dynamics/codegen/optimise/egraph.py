"""An e-graph: e-classes of equal values, each with e-nodes, the operations that compute it.

Two operations are in one e-class if they have the same value for random inputs. This finds what no
rewrite rule would, e.g. that an entry of one algorithm is a product of two of another. A value is
stored up to its sign, because negation is free.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..operations import OPERATIONS
from ..program import Program, Signature
from ..trace import Constant, Expr, Graph, Operand, Ref

Sample = tuple[float, ...]

SAMPLES = 3
# Relative difference below which values are equal. Rounding leaves 1e-16 times the cancellation in
# an expression; different values agree in three samples with probability 1e-38. But a term this
# small next to another is lost, which matters if the parameters of an arm span many orders of
# magnitude: STRICT then finds less, but keeps the term.
SAME, STRICT = 3e-13, 1e-14
ZERO = 1e-13  # a sum this small relative to its terms is zero

_HASH_BITS = 20


class ENode(NamedTuple):
    """An operation on e-classes, or an input."""

    op: str
    left: Ref | Constant | str
    right: Ref | Constant | None
    sign: int  # of the e-class relative to this operation

    @property
    def operands(self) -> list[int]:
        """The e-classes that it uses."""
        return [abs(ref) - 1 for ref in (self.left, self.right) if isinstance(ref, int)]


class EGraph:
    """References are +-(e-class + 1), as in a Graph; constants are floats."""

    def __init__(self, same: float = SAME) -> None:
        self.same = same
        self.samples: list[Sample] = []  # of each e-class, the first one positive
        self.nodes: list[list[ENode]] = []  # of each e-class
        self._seen: dict[tuple, Ref | float] = {}  # operations added earlier
        self._known: list[set[ENode]] = []
        self._by_size: dict[int, list[int]] = {}

    def add_program(self, program: Program, inputs: Mapping[str, Sample]) -> list[Ref | float]:
        """Add a program, in order; returns the references of its outputs."""
        where: list[Ref | float] = []

        def moved(ref: Ref | Constant) -> Ref | float:
            if isinstance(ref, Constant):
                return ref.value
            target = where[abs(ref) - 1]
            return target if ref > 0 else -target

        for op, left, right in program.nodes:
            if op == "input":
                where.append(self._put(inputs[str(left)], (op, left, None)))
            elif right is None:
                where.append(self.unary(op, moved(left)))  # type: ignore[arg-type]
            else:
                where.append(self.binary(op, moved(left), moved(right)))  # type: ignore[arg-type]
        return [moved(out) for out in program.outputs]

    def sample(self, ref: Ref | float) -> Sample:
        """Values for the random inputs."""
        if not isinstance(ref, int):
            return (ref,) * SAMPLES
        values = self.samples[abs(ref) - 1]
        return values if ref > 0 else tuple(-x for x in values)

    def unary(self, op: str, x: Ref | float) -> Ref | float:
        """An operation on one value."""
        operation = OPERATIONS[op]
        if not isinstance(x, int):
            return operation.evaluate(x)
        operand = x if operation.parity == "neither" else abs(x)
        values = tuple(operation.sample(v) for v in self.sample(operand))
        ref = self._put(values, (op, operand, None))
        return -ref if operation.parity == "odd" and x < 0 else ref

    def binary(self, op: str, a: Ref | float, b: Ref | float) -> Ref | float:
        """An operation on two values, folded as in a Graph."""
        key = (op, a, type(a), b, type(b))
        if key not in self._seen:
            self._seen[key] = self._binary(op, a, b)
        return self._seen[key]

    def _binary(self, op: str, a: Ref | float, b: Ref | float) -> Ref | float:
        x, y = self.sample(a), self.sample(b)
        values = tuple(map(OPERATIONS[op].sample, x, y))
        if op == "add" and all(abs(w) <= ZERO * (abs(u) + abs(v))
                               for w, u, v in zip(values, x, y)):
            return 0.0
        if not (isinstance(a, int) or isinstance(b, int)) or not all(values):
            return values[0]  # a product that underflows is 0, too
        if self._same(values, (values[0],) * SAMPLES):
            return values[0]
        if not isinstance(a, int) and op != "div":
            a, b = b, a
        if not isinstance(b, int):
            if (op, b) in (("add", 0.0), ("mul", 1.0)):
                return a
            if (op, b) == ("mul", -1.0):
                return -a
        return self._put(values, (op, a, b))

    def relate(self, classes: Sequence[int]) -> None:
        """Find sums, differences, products and multiples among these e-classes."""
        if not classes:
            return
        values = np.array([self.samples[c] for c in classes])
        first = values[:, 0]
        order = np.argsort(first)
        sizes = first[order]
        # Almost none of the many pairs yields a known value: one look-up rules the others out.
        occurs = np.zeros(1 << _HASH_BITS, bool)
        for factor in (1.0 - self.same, 1.0, 1.0 + self.same):
            occurs[_hash(first * factor)] = True
        for i, a in enumerate(classes):
            others = first[i:]
            for op, sign, result in (("add", 1, first[i] + others), ("add", -1, first[i] - others),
                                     ("mul", 1, first[i] * others)):
                for k in np.nonzero(occurs[_hash(result)])[0]:
                    size, b = abs(result[k]), sign * (classes[i + k] + 1)
                    start = np.searchsorted(sizes, size * (1.0 - self.same))
                    stop = np.searchsorted(sizes, size * (1.0 + self.same), side="right")
                    for target in order[start:stop]:
                        self._add_node(classes[target], self._result(op, a + 1, b), (op, a + 1, b))
        self._relate_multiples(classes, values)

    def _result(self, op: str, a: Ref, b: Ref) -> Sample:
        return tuple(map(OPERATIONS[op].sample, self.sample(a), self.sample(b)))

    def _relate_multiples(self, classes: Sequence[int], values: np.ndarray) -> None:
        shapes = values / values[:, :1]
        order = np.lexsort(shapes.T[::-1])
        for x, y in zip(order, order[1:]):
            if self._same(tuple(shapes[x]), tuple(shapes[y])):
                factor = float(values[x, 0] / values[y, 0])
                self._add_node(classes[x], tuple(values[y] * factor),
                               ("mul", classes[y] + 1, factor))
                self._add_node(classes[y], tuple(values[x] / factor),
                               ("mul", classes[x] + 1, 1.0 / factor))

    def needed(self, outputs: Sequence[Ref | float], choice: Sequence[int]) -> list[int]:
        """The e-classes that the outputs depend on if each is computed as chosen."""
        pending = [abs(out) - 1 for out in outputs if isinstance(out, int)]
        found = set(pending)
        while pending:
            c = pending.pop()
            new = {*self.nodes[c][choice[c]].operands} - found
            found |= new
            pending += new
        return sorted(found)

    def program(self, signature: Signature, outputs: Sequence[Ref | float],
                choice: Sequence[int]) -> Program:
        """The program that computes each e-class by the chosen e-node."""
        graph = Graph()
        done: dict[int, Operand] = {}

        def operand(ref: Ref | Constant) -> Operand:
            if isinstance(ref, Constant):
                return ref.value
            return done[abs(ref) - 1] if ref > 0 else -done[abs(ref) - 1]

        pending = [abs(out) - 1 for out in outputs if isinstance(out, int)]
        while pending:
            c = pending[-1]
            node = self.nodes[c][choice[c]]
            missing = [operand for operand in node.operands if operand not in done]
            if missing:
                pending += missing
                continue
            pending.pop()
            if c in done:
                continue
            op, a, b, sign = node
            if op == "input":
                result: Operand = graph.input(str(a))
            elif b is None:
                x = operand(a)  # type: ignore[arg-type]
                assert isinstance(x, Expr)
                result = graph.unary(op, x)
            else:
                result = OPERATIONS[op].evaluate(operand(a), operand(b))  # type: ignore[arg-type]
            done[c] = result if sign > 0 else -result
        return Program.of(signature, graph, [
            operand(out) if isinstance(out, int) else out for out in outputs])

    def _put(self, values: Sample, operation: tuple) -> Ref:
        """The e-class of a value, new or known, after adding an e-node to it."""
        c = self._find(values)
        if c is None:
            c = self._new(values)
        self._add_node(c, values, operation)
        return c + 1 if values[0] > 0 else -(c + 1)

    def _find(self, values: Sample) -> int | None:
        size = self._size(values[0])
        positive = values if values[0] > 0 else tuple(-x for x in values)
        for key in (size, size - 1, size + 1):
            for c in self._by_size.get(key, ()):
                if self._same(positive, self.samples[c]):
                    return c
        return None

    def _new(self, values: Sample) -> int:
        self.samples.append(values if values[0] > 0 else tuple(-x for x in values))
        self.nodes.append([])
        self._known.append(set())
        c = len(self.samples) - 1
        self._by_size.setdefault(self._size(values[0]), []).append(c)
        return c

    def _add_node(self, c: int, values: Sample, operation: tuple) -> None:
        """Add an e-node if `values`, the operation's results, match the e-class up to sign."""
        op, a, b = operation
        sign = 1 if values[0] > 0 else -1
        if not self._same(values if sign > 0 else tuple(-x for x in values), self.samples[c]):
            return
        if any(isinstance(ref, int) and abs(ref) == c + 1 for ref in (a, b)):
            return
        if op in ("add", "mul") and isinstance(b, int) and abs(a) > abs(b):
            a, b = b, a
        if op == "add" and a < 0:
            a, b, sign = -a, -b, -sign
        elif op != "input" and OPERATIONS[op].parity == "product":
            for operand in (a, b):
                sign = -sign if operand < 0 else sign
            a, b = abs(a), abs(b)
        a, b = (Constant(x) if isinstance(x, float) else x for x in (a, b))
        node = ENode(op, a, b, sign)
        if node not in self._known[c]:
            self._known[c].add(node)
            self.nodes[c].append(node)

    def _size(self, x: float) -> int:
        """Equal values have equal or neighbouring sizes."""
        return round(math.log(abs(x)) / (2.0 * self.same))

    def _same(self, x: Sample, y: Sample) -> bool:
        return all(abs(u - v) <= self.same * abs(v) for u, v in zip(x, y))


def _hash(values: np.ndarray) -> np.ndarray:
    """Leading bits of the mantissa."""
    return (values.view(np.int64) >> (52 - _HASH_BITS)) & ((1 << _HASH_BITS) - 1)
