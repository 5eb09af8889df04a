"""Differentiation passes: turn a program into the program of its derivatives.

Forward mode propagates the derivatives of each value with respect to the inputs it depends on;
reverse mode propagates the derivatives of w . results with respect to each value. Both apply the
rules of operations.py to traced scalars, so zeros and ones fold away as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manip_dynamics.algorithms.vectors import Scalar

from .operations import OPERATIONS
from .program import Program, Signature, value_of
from .trace import Constant, Node, Ref, flatten

Function = Callable[..., Sequence]


def jacobian(function: Function, lengths: Sequence[int], wrt: Sequence[int]) -> Function:
    """The Jacobian of a function, by rows, as a function of the same inputs.

    lengths: sizes of the function's inputs; wrt: positions of the inputs that form the columns.
    """
    program = _traced(function, lengths)
    return lambda *inputs: forward_mode(program, inputs, wrt)


def vector_jacobian_product(function: Function, lengths: Sequence[int],
                            wrt: Sequence[int]) -> Function:
    """w^T J, as a function of the same inputs followed by the weights w of the results."""
    program = _traced(function, lengths)
    return lambda *inputs: reverse_mode(program, inputs[:-1], inputs[-1], wrt)


def forward_mode(program: Program, inputs: Sequence[Sequence[Scalar]],
                 wrt: Sequence[int]) -> list[list[Scalar]]:
    """The Jacobian at `inputs`, by rows; the columns are the inputs `wrt`, concatenated."""
    columns = _columns(program, wrt)
    values = program.values(*inputs)
    rates: list[dict[int, Scalar]] = []  # one per node, keyed by column

    def rates_of(ref: Ref | Constant | str | None) -> dict[int, Scalar]:
        if not isinstance(ref, int):
            return {}
        known = rates[abs(ref) - 1]
        return known if ref > 0 else {column: -rate for column, rate in known.items()}

    for node, value in zip(program.nodes, values):
        if node.op == "input":
            column = columns.get(str(node.left))
            rates.append({} if column is None else {column: 1.0})
            continue
        sums: dict[int, Scalar] = {}
        operands = [rates_of(ref) for ref in (node.left, node.right)]
        for partial, known in zip(_partials(node, values, value), operands):
            for column, rate in known.items():
                term = partial * rate
                sums[column] = sums[column] + term if column in sums else term
        rates.append({column: rate for column, rate in sums.items() if not _is_zero(rate)})
    return [[rates_of(out).get(column, 0.0) for column in range(len(columns))]
            for out in program.outputs]


def reverse_mode(program: Program, inputs: Sequence[Sequence[Scalar]], weights: Sequence[Scalar],
                 wrt: Sequence[int]) -> list[Scalar]:
    """weights^T times the Jacobian, in one backward sweep."""
    columns = _columns(program, wrt)
    values = program.values(*inputs)
    contributions: dict[int, Scalar] = {}
    results: list[Scalar] = [0.0] * len(columns)

    def give(ref: Ref | Constant | str | None, part: Scalar) -> None:
        if isinstance(ref, int):
            k, part = abs(ref) - 1, part if ref > 0 else -part
            contributions[k] = contributions[k] + part if k in contributions else part

    for out, weight in zip(program.outputs, weights):
        give(out, weight)
    for k in reversed(range(len(program.nodes))):
        node, whole = program.nodes[k], contributions.get(k, 0.0)
        if _is_zero(whole):
            continue
        if node.op == "input":
            if str(node.left) in columns:
                results[columns[str(node.left)]] = whole
            continue
        for ref, partial in zip((node.left, node.right), _partials(node, values, values[k])):
            give(ref, whole * partial)
    return results


def _partials(node: Node, values: Sequence[Scalar], value: Scalar) -> tuple[Scalar, ...]:
    """Derivatives of a node with respect to its operands."""
    operands = (node.left,) if node.right is None else (node.left, node.right)
    numbers = (value_of(ref, values) for ref in operands)  # type: ignore[arg-type]
    return OPERATIONS[node.op].derivative(*numbers, value)


def _columns(program: Program, wrt: Sequence[int]) -> dict[str, int]:
    """The column of each scalar in the inputs `wrt`, by name."""
    names = [f"{name}[{i}]" for name, length in (program.signature.inputs[k] for k in wrt)
             for i in range(length)]
    return {name: column for column, name in enumerate(names)}


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


def _traced(function: Function, lengths: Sequence[int]) -> Program:
    inputs = tuple((f"x{k}", length) for k, length in enumerate(lengths))
    size = len(flatten(function(*([0.5] * length for length in lengths))))
    return Program.traced(Signature("function", inputs, "y", (size,)), function)
