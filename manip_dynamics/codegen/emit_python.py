"""A program as Python source: the fallback without a compiler, on floats or numpy batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .operations import ON_ARRAYS, ON_FLOATS, OPERATIONS
from .program import Program
from .trace import Constant, Ref, split_sign


def source(program: Program) -> str:
    """`def kernel(q, ...)`, from sequences of scalars (floats or arrays) to a flat list."""
    arguments = ", ".join(name for name, _ in program.signature.inputs)
    lines = [f"def kernel({arguments}):"]
    for k, (op, left, right) in enumerate(program.nodes):
        if op == "input":
            expression = str(left)
        elif OPERATIONS[op].arity == 1:
            expression = f"{op}({_operand(left)})"
        else:
            sign, second = split_sign(right) if OPERATIONS[op].parity == "sum" else ("", right)
            expression = OPERATIONS[op].c.format(a=_operand(left), sign=sign, b=_operand(second))
        lines.append(f"    t{k} = {expression}")
    lines.append(f"    return [{', '.join(_operand(out) for out in program.outputs)}]")
    return "\n".join(lines) + "\n"


def compile_python(program: Program, scalar: type = float) -> Callable[..., list]:
    """The program as a Python function; `scalar` is float or numpy.ndarray."""
    names: dict[str, Any] = dict(ON_FLOATS if scalar is float else ON_ARRAYS)
    exec(compile(source(program), f"<{program.name}>", "exec"), names)
    return names["kernel"]


def _operand(ref: Ref | Constant | str | None) -> str:
    if isinstance(ref, Constant):
        return repr(ref.value)
    assert isinstance(ref, int)
    return f"t{ref - 1}" if ref > 0 else f"-t{-ref - 1}"
