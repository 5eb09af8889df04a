"""The tracing scalar: it records the operations of any algorithm run on it.

`Graph` holds the operations; `Expr` is a signed reference to one of them. A constant is a float
in an algorithm and a `Constant` in a node. Constants fold: c op c, x * 0, x * 1, x * -1, x + 0
and negation leave no operation.
With `share=True` equal operations become one node (hash-consing), so common subexpressions are
computed once; with `share=False` every operation counts as written, as in the operation tables
of the papers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Union

from .operations import OPERATIONS

Operand = Union["Expr", float]
Ref = int  # +(k + 1) or -(k + 1): node k with its sign


ANGLE_FUNCTIONS = ("sin", "cos")
FREE = ("input", *ANGLE_FUNCTIONS)  # not counted, so always shared


class Constant(NamedTuple):
    """A number in a node. It has its own type because nodes are looked up by their operands, and
    in Python the number 16.0 equals the reference 16."""

    value: float


class Node(NamedTuple):
    """One operation on references or a constant."""

    op: str  # "input", or the name of one of the OPERATIONS
    left: Ref | Constant | str  # input name; a constant only in a quotient
    right: Ref | Constant | None = None

    @property
    def operands(self) -> tuple[int, ...]:
        """Indices of the nodes this one uses."""
        return tuple(abs(ref) - 1 for ref in (self.left, self.right) if isinstance(ref, int))


@dataclass(frozen=True)
class Counts:
    """Operations of a straight-line program, as the papers count them."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    sincos: int = 0

    @staticmethod
    def of(nodes: Iterable[Node]) -> Counts:
        """The operations of these nodes; the sine and cosine of one angle count as one sincos."""
        nodes = list(nodes)
        number = Counter(node.op for node in nodes)
        angles = {node.left for node in nodes if node.op in ANGLE_FUNCTIONS}
        return Counts(sincos=len(angles), **{
            operation.counted_as: number[name] for name, operation in OPERATIONS.items()
            if operation.counted_as})

    def as_dict(self) -> dict[str, int]:
        return dict(vars(self))

    @property
    def total(self) -> int:
        """Arithmetic operations; sin and cos are excluded, as in the papers."""
        return self.multiplications + self.additions + self.divisions


class Graph:
    """Operations in the order in which they were recorded."""

    def __init__(self, share: bool = True) -> None:
        self.share = share
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}

    def input(self, name: str) -> Expr:
        return self._node("input", name)

    def inputs(self, name: str, n: int) -> list[Expr]:
        """A vector of inputs, e.g. q[0] .. q[n-1]."""
        return [self.input(f"{name}[{i}]") for i in range(n)]

    def live(self, outputs: Iterable[Operand]) -> list[int]:
        """Indices of the nodes that the outputs depend on, in order."""
        nodes = self.nodes
        pending = [abs(out.ref) - 1 for out in outputs if isinstance(out, Expr)]
        seen = set(pending)
        while pending:
            _, left, right = nodes[pending.pop()]
            for ref in (left, right):
                if type(ref) is int and (k := abs(ref) - 1) not in seen:
                    seen.add(k)
                    pending.append(k)
        return sorted(seen)

    def count(self, outputs: Iterable[Operand] | None = None) -> Counts:
        """Counts of all operations, or only of the live ones, which the outputs need."""
        nodes = self.nodes
        return Counts.of(nodes if outputs is None else [nodes[k] for k in self.live(outputs)])

    def add(self, a: Operand, b: Operand) -> Operand:
        if not isinstance(a, Expr):
            a, b = b, a
        if not isinstance(a, Expr):
            return a + b
        if not isinstance(b, Expr):
            if b == 0.0:
                return a
            sign = 1 if a.ref > 0 else -1
            return self._node("add", abs(a.ref), Constant(sign * float(b)), sign)
        if a.ref == -b.ref:
            return 0.0
        left, right = sorted((a.ref, b.ref), key=abs)
        sign = 1 if left > 0 else -1
        return self._node("add", sign * left, sign * right, sign)

    def mul(self, a: Operand, b: Operand) -> Operand:
        if not isinstance(a, Expr):
            a, b = b, a
        if not isinstance(a, Expr):
            return a * b
        if not isinstance(b, Expr):
            if b == 0.0:
                return 0.0
            sign = 1 if (a.ref > 0) == (b > 0) else -1
            if abs(b) == 1.0:
                return Expr(self, sign * abs(a.ref))
            return self._node("mul", abs(a.ref), Constant(abs(float(b))), sign)
        sign = 1 if (a.ref > 0) == (b.ref > 0) else -1
        left, right = sorted((abs(a.ref), abs(b.ref)))
        return self._node("mul", left, right, sign)

    def div(self, a: Operand, b: Operand) -> Operand:
        if not isinstance(b, Expr):
            return self.mul(a, 1.0 / b)
        sign = 1 if b.ref > 0 else -1
        if not isinstance(a, Expr):
            return 0.0 if a == 0.0 else self._node(
                "div", Constant(float(a)), abs(b.ref), sign)
        if abs(a.ref) == abs(b.ref):
            return 1.0 if a.ref == b.ref else -1.0
        sign = sign if a.ref > 0 else -sign
        return self._node("div", abs(a.ref), abs(b.ref), sign)

    def unary(self, op: str, a: Expr) -> Expr:
        """An operation on one operand; if it has a parity, the operand's sign is factored out."""
        parity = OPERATIONS[op].parity
        operand = a.ref if parity == "neither" else abs(a.ref)
        return self._node(op, operand, None, -1 if a.ref < 0 and parity == "odd" else 1)

    def _node(
        self, op: str, left: Ref | Constant | str, right: Ref | Constant | None = None,
        sign: int = 1,
    ) -> Expr:
        node = Node(op, left, right)
        index = self._index.get(node) if self.share or op in FREE else None
        if index is None:
            index = len(self.nodes)
            self.nodes.append(node)
            self._index[node] = index
        return Expr(self, sign * (index + 1))


class Expr:
    """A scalar that records the operations performed on it."""

    __slots__ = ("graph", "ref")
    __array_ufunc__ = None  # numpy scalars defer to our operators

    def __init__(self, graph: Graph, ref: Ref) -> None:
        self.graph, self.ref = graph, ref

    def __add__(self, other: Operand) -> Operand:
        return self.graph.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Operand:
        return self.graph.add(self, -other)

    def __rsub__(self, other: Operand) -> Operand:
        return self.graph.add(-self, other)

    def __mul__(self, other: Operand) -> Operand:
        return self.graph.mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Operand:
        return self.graph.div(self, other)

    def __rtruediv__(self, other: Operand) -> Operand:
        return self.graph.div(other, self)

    def __neg__(self) -> Expr:
        return Expr(self.graph, -self.ref)

    def recorded(self, function: str) -> Expr:
        """Record a function of algorithms/vectors.py, by name."""
        return self.graph.unary(function, self)


def split_sign(term: Ref | Constant | str | None) -> tuple[str, Ref | Constant]:
    """The right operand of a sum, as "+" or "-" and an unsigned operand."""
    if isinstance(term, Constant):
        return "-" if term.value < 0.0 else "+", Constant(abs(term.value))
    assert isinstance(term, int)
    return "-" if term < 0 else "+", abs(term)


def flatten(values: Sequence) -> list:
    """The scalars of nested lists, in order."""
    if isinstance(values, (list, tuple)):
        return [scalar for value in values for scalar in flatten(value)]
    return [values]
