"""The operations that a program is made of: one record each, for every part of the compiler.

A new function of one operand is a record here and a `Function` in algorithms/vectors.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import add, mul, truediv
from typing import Any

from manip_dynamics.algorithms.vectors import Function, cos, sign, sin, tanh


@dataclass(frozen=True)
class Operation:
    """An operation on one or two operands."""

    name: str
    evaluate: Callable[..., Any]  # on any kind of scalar: floats, arrays, traced expressions
    # {a} and {b} are the operands, {sign} the sign of b in a sum, {real} the type, {angle} the
    # index of an angle. Operations on two operands read the same in Python.
    c: str  # of one state
    lanes: str  # of LANES states; "" computes one after the other as `c` does
    cost: int  # in the search for the cheapest program
    # Where a sign goes: "odd" f(-x) = -f(x), "even" f(-x) = f(x), "neither"; "product"
    # (-a) b = -(a b), "sum"
    parity: str
    derivative: Callable[..., tuple]  # partial derivatives, from the operands and the result
    counted_as: str = ""  # column of the papers' tables
    sampled: Callable[..., float] | None = None  # stands for `evaluate` on random numbers

    @property
    def arity(self) -> int:
        return 2 if self.parity in ("product", "sum") else 1

    def sample(self, *numbers: float) -> float:
        """The value at random operands, by which equal expressions are recognised."""
        return (self.sampled or self.evaluate)(*numbers)


OPERATIONS = {operation.name: operation for operation in (
    Operation("add", add, "{a} {sign} {b}", "{a} {sign} {b}", 1, "sum",
              lambda a, b, y: (1.0, 1.0), "additions"),
    Operation("mul", mul, "{a} * {b}", "{a} * {b}", 1, "product",
              lambda a, b, y: (b, a), "multiplications"),
    Operation("div", truediv, "{a} / {b}", "{a} / {b}", 1, "product",
              lambda a, b, y: (1.0 / b, -(y / b)), "divisions"),
    # A sine takes longer than this cost says, but no way of computing a value avoids one.
    # In double all angles of a program are taken together (emit_c.py); in float each on its own.
    Operation("sin", sin, "sinf({a})", "sines[{angle}]", 3, "odd", lambda x, y: (cos(x),)),
    Operation("cos", cos, "cosf({a})", "cosines[{angle}]", 3, "even", lambda x, y: (-sin(x),)),
    Operation("tanh", tanh, "({real})tanh({a})", "", 3, "odd",
              lambda x, y: (1.0 - y * y,)),
    # The sign of random numbers would look like a constant, so another odd function stands for it.
    Operation("sign", sign, "({real})(({a} > 0) - ({a} < 0))", "sign_lanes({a})", 1, "odd",
              lambda x, y: (0.0,), sampled=lambda x: math.sin(math.e * x)),
)}

# Functions that programs in Python call by name, on floats and on arrays.
_FUNCTIONS = [operation.evaluate for operation in OPERATIONS.values()
              if isinstance(operation.evaluate, Function)]
ON_FLOATS: dict[str, Callable] = {function.name: function.on_floats for function in _FUNCTIONS}
ON_ARRAYS: dict[str, Callable] = {function.name: function.on_arrays for function in _FUNCTIONS}
