"""The operations that a program is made of: one record each, for all who need to know about them.

A new one is a record here and a function of generic scalars in algorithms/vectors.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import add, mul, truediv
from typing import Any

import numpy as np

from manip_dynamics.algorithms.vectors import sign, sincos


@dataclass(frozen=True)
class Operation:
    """One operation, on one operand or two."""

    name: str
    generic: Callable[..., Any]  # on any kind of scalar: floats, arrays, traced ones
    # {a} and {b} are the operands, {sign} is that of b in a sum, {real} the type, {angle} the
    # number of an angle. What has two operands reads the same in Python.
    c: str  # of one state
    lanes: str  # of LANES states
    cost: int  # what the search counts
    # Where a sign goes: "odd" f(-x) = -f(x), "even" f(-x) = f(x), "product" (-a) b = -(a b), "sum"
    signs: str
    counted: str = ""  # the column of the papers' tables
    sampled: Callable[..., float] | None = None  # on random numbers, if it is not `generic`

    @property
    def arity(self) -> int:
        return 1 if self.signs in ("odd", "even") else 2

    def sample(self, *numbers: float) -> float:
        """The value that stands for this operation among random numbers."""
        return (self.sampled or self.generic)(*numbers)


OPERATIONS = {operation.name: operation for operation in (
    Operation("add", add, "{a} {sign} {b}", "{a} {sign} {b}", 1, "sum", "additions"),
    Operation("mul", mul, "{a} * {b}", "{a} * {b}", 1, "product", "multiplications"),
    Operation("div", truediv, "{a} / {b}", "{a} / {b}", 1, "product", "divisions"),
    # Sine and cosine cost more than they are counted here; but no way avoids one by other means.
    # In C all angles of a program are taken together (emit_c.py); in float each where it is used.
    Operation("sin", lambda x: sincos(x)[0], "sinf({a})", "sines[{angle}]", 3, "odd"),
    Operation("cos", lambda x: sincos(x)[1], "cosf({a})", "cosines[{angle}]", 3, "even"),
    # Samples of a sign would be those of a constant; another odd function stands for it.
    Operation("sign", sign, "({real})(({a} > 0) - ({a} < 0))", "sign_lanes({a})", 1, "odd",
              sampled=lambda x: math.sin(math.e * x)),
)}

# Functions that programs in Python call by name, on floats and on arrays.
ON_FLOATS: dict[str, Callable] = {"sin": math.sin, "cos": math.cos, "sign": sign}
ON_ARRAYS: dict[str, Callable] = {"sin": np.sin, "cos": np.cos, "sign": np.sign}
