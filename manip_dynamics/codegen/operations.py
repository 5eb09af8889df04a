"""The operations that programs are made of: one record each, used by all of the compiler.

A new function of one operand needs a record here and a `Function` in algorithms/vectors.py.
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
    # index of an angle. Binary operations read the same in Python.
    c: str  # of one state
    lanes: str  # of LANES states; "" applies `c` lane by lane
    cost: int  # in the search for the cheapest program
    # How signs propagate: "odd" f(-x) = -f(x), "even" f(-x) = f(x), "neither"; "product"
    # (-a) b = -(a b), "sum"
    parity: str
    derivative: Callable[..., tuple]  # partial derivatives, from the operands and the result
    counted_as: str = ""  # column in the papers' tables
    sampled: Callable[..., float] | None = None  # replaces `evaluate` on random numbers

    @property
    def arity(self) -> int:
        return 2 if self.parity in ("product", "sum") else 1

    def sample(self, *numbers: float) -> float:
        """The value at random operands, used to recognise equal expressions."""
        return (self.sampled or self.evaluate)(*numbers)


OPERATIONS = {operation.name: operation for operation in (
    Operation("add", add, "{a} {sign} {b}", "{a} {sign} {b}", 1, "sum",
              lambda a, b, y: (1.0, 1.0), "additions"),
    Operation("mul", mul, "{a} * {b}", "{a} * {b}", 1, "product",
              lambda a, b, y: (b, a), "multiplications"),
    Operation("div", truediv, "{a} / {b}", "{a} / {b}", 1, "product",
              lambda a, b, y: (1.0 / b, -(y / b)), "divisions"),
    # A sine takes longer than this cost suggests, but no alternative avoids one.
    # In double all angles of a program are computed together (emit_c.py), in float one by one.
    Operation("sin", sin, "sinf({a})", "sines[{angle}]", 3, "odd", lambda x, y: (cos(x),)),
    Operation("cos", cos, "cosf({a})", "cosines[{angle}]", 3, "even", lambda x, y: (-sin(x),)),
    Operation("tanh", tanh, "({real})tanh({a})", "", 3, "odd",
              lambda x, y: (1.0 - y * y,)),
    # The sign of random numbers would look like a constant, so another odd function replaces it.
    Operation("sign", sign, "({real})(({a} > 0) - ({a} < 0))", "sign_lanes({a})", 1, "odd",
              lambda x, y: (0.0,), sampled=lambda x: math.sin(math.e * x)),
)}

# Functions that Python programs call by name, on floats and on arrays.
_FUNCTIONS = [operation.evaluate for operation in OPERATIONS.values()
              if isinstance(operation.evaluate, Function)]
ON_FLOATS: dict[str, Callable] = {function.name: function.on_floats for function in _FUNCTIONS}
ON_ARRAYS: dict[str, Callable] = {function.name: function.on_arrays for function in _FUNCTIONS}
