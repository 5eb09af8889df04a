"""A program as Python source: the fallback where there is no compiler, and the batch in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Program
from .trace import Constant, Ref, split_sign


def source(program: Program) -> str:
    """`def kernel(q, ...)` of sequences of scalars (floats or arrays), returning a flat list."""
    arguments = ", ".join(name for name, _ in program.signature.inputs)
    lines = [f"def kernel({arguments}):"]
    for k, node in enumerate(program.nodes):
        left, right = node.left, node.right
        if node.op == "input":
            expression = str(left)
        elif node.op in ("sin", "cos", "sign"):
            expression = f"{node.op}({_operand(left)})"
        elif node.op == "add":
            sign, size = split_sign(right)
            expression = f"{_operand(left)} {sign} {_operand(size)}"
        else:
            expression = f"{_operand(left)} {'*' if node.op == 'mul' else '/'} {_operand(right)}"
        lines.append(f"    t{k} = {expression}")
    lines.append(f"    return [{', '.join(_operand(out) for out in program.outputs)}]")
    return "\n".join(lines) + "\n"


def compile_python(program: Program, scalar: type = float) -> Callable[..., list]:
    """The program as a Python function; `scalar` is float or numpy.ndarray."""
    if scalar is float:
        names: dict[str, Any] = {"sin": math.sin, "cos": math.cos, "sign": _sign}
    else:
        names = {"sin": np.sin, "cos": np.cos, "sign": np.sign}
    exec(compile(source(program), f"<{program.name}>", "exec"), names)
    return names["kernel"]


def _sign(x: float) -> float:
    return float((x > 0.0) - (x < 0.0))


def _operand(ref: Ref | Constant | str | None) -> str:
    if isinstance(ref, Constant):
        return repr(ref.value)
    assert isinstance(ref, int)
    return f"t{ref - 1}" if ref > 0 else f"-t{-ref - 1}"
