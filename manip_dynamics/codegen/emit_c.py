"""Programs as C99: each becomes one function for a single state and one for a batch of states.

No heap, globals or I/O. All inputs are read before any result is written, so the result may
overwrite an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .operations import OPERATIONS, Operation
from .program import SHARED, Program, Signature
from .trace import ANGLE_FUNCTIONS, Constant, Ref, split_sign

INCLUDES = "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n"


def lanes_source() -> str:
    """C shared by all double-precision kernels: vector types, sine and cosine, transposition."""
    source = (Path(__file__).parent / "c" / "lanes.c").read_text()
    return source + "".join(_lane_by_lane(operation) for operation in OPERATIONS.values()
                            if not operation.lanes)


def _lane_by_lane(operation: Operation) -> str:
    return f"""
INLINE lanes {operation.name}_lanes(lanes x)
{{
    double value[LANES];
    int i;
    STORE(value, x);
    for (i = 0; i < LANES; i++)
        value[i] = {operation.c.format(a="value[i]", real="double")};
    return LOAD(value);
}}
"""


def prototypes(signature: Signature, prefix: str, real: str = "double") -> tuple[str, str]:
    """Prototypes for one state and for a batch, whose states share some inputs; no semicolon."""
    arguments = ", ".join([*(f"const {real} *{name}" for name, _ in signature.inputs),
                           f"{real} *{signature.result}"])
    return (f"void {prefix}{signature.name}({arguments})",
            f"void {prefix}{signature.name}_batch(size_t count, {arguments})")


def functions(program: Program, prefix: str, real: str = "double") -> str:
    """Both functions; "float" is not vectorised and takes its sines from the C library."""
    one, batch = prototypes(program.signature, prefix, real)
    parts = [f"{one}\n{{\n{_body(program, real)}}}\n"]
    if real == "double":
        parts.append(f"{_lanes_prototype(program.signature)}\n{{\n{_body(program, 'lanes')}}}\n")
    parts.append(f"{batch}\n{{\n{_batch_body(program.signature, prefix, real)}}}\n")
    return "\n".join(parts)


def _lanes_prototype(signature: Signature) -> str:
    arguments = ", ".join([*(f"const lanes *{name}" for name, _ in signature.inputs),
                           f"lanes *{signature.result}"])
    return f"static void {signature.name}_lanes({arguments})"


def _batch_body(signature: Signature, prefix: str, real: str) -> str:
    arrays = [*signature.inputs, (signature.result, signature.size)]
    rows = ", ".join(name if name in SHARED else f"{name} + i * {length}"
                     for name, length in arrays)
    one_by_one = (f"for (; i < count; i++)\n        {prefix}{signature.name}({rows});\n")
    if real != "double":
        return f"    size_t i = 0;\n    {one_by_one}"
    columns = ", ".join(f"{name}_[{length}]" for name, length in arrays)
    names = ", ".join(f"{name}_" for name, _ in arrays)
    load = "".join(f"        load_rows({name} + i * {length}, {length}, {name}_);\n"
                   for name, length in signature.inputs if name not in SHARED)
    spread = "".join(f"    spread({name}, {length}, {name}_);\n"
                     for name, length in signature.inputs if name in SHARED)
    result, size = arrays[-1]
    return (
        f"    lanes {columns};\n"
        "    size_t i;\n"
        f"{spread}"
        "    for (i = 0; i + LANES <= count; i += LANES) {\n"
        f"{load}"
        f"        {signature.name}_lanes({names});\n"
        f"        store_rows({result}_, {size}, {result} + i * {size});\n"
        "    }\n"
        f"    {one_by_one}")


def _body(program: Program, real: str) -> str:
    """Declarations and statements for one state (double, float) or LANES states (lanes)."""
    angles = program.angles()
    first = _inputs_and(program, angles)
    lines = _unused_inputs(program)
    lines += [_declaration(program, k, real) for k in first]
    lines += _sincos(angles, real)
    lines += [_declaration(program, k, real)
              for k in range(len(program.nodes)) if k not in first]
    for i, out in enumerate(program.outputs):
        value = _operand(out, real)
        if real == "lanes" and not isinstance(out, int):
            value = f"(lanes){{0}} + {value}"
        lines.append(f"{program.signature.result}[{i}] = {value};")
    return "".join(f"    {line}\n" for line in lines)


def _unused_inputs(program: Program) -> list[str]:
    used = {str(node.left).partition("[")[0] for node in program.nodes if node.op == "input"}
    return [f"(void){name};" for name, _ in program.signature.inputs if name not in used]


def _inputs_and(program: Program, refs: Sequence[Ref]) -> list[int]:
    """All inputs, and all nodes that these references depend on, in order."""
    found = {k for k, node in enumerate(program.nodes) if node.op == "input"}
    pending = [ref - 1 for ref in refs]
    while pending:
        k = pending.pop()
        found.add(k)
        pending += [j for j in program.nodes[k].operands if j not in found]
    return sorted(found)


def _sincos(angles: Sequence[Ref], real: str) -> list[str]:
    """Sines and cosines of all angles: LANES states or, for one state, LANES angles at a time."""
    names = [_operand(ref, real) for ref in angles]
    if not names or real == "float":  # in float, a C library call at each use
        return []
    lines = [f"{real} sines[{-(-len(names) // 8) * 8}], cosines[{-(-len(names) // 8) * 8}];"]
    if real == "lanes":
        lines += [f"sincos_lanes({name}, &sines[{i}], &cosines[{i}]);"
                  for i, name in enumerate(names)]
    else:
        for start in range(0, len(names), 8):
            packed = names[start:start + 8]
            width, macro = (4, "FOUR") if len(packed) <= 4 else (8, "EIGHT")
            packed += ["0"] * (width - len(packed))
            list_name = f"angles{start // 8}"
            lines += [
                f"const lanes {list_name}[] = {macro}({', '.join(packed)});",
                f"sincos_list((int)(sizeof {list_name} / sizeof(lanes)), {list_name}, "
                f"sines + {start}, cosines + {start});"]
    return lines


def _declaration(program: Program, k: int, real: str) -> str:
    """One node as a constant; except in float, _sincos has computed all sines and cosines."""
    op, left, right = program.nodes[k]
    if op == "input":
        return f"const {real} t{k} = {left};"
    operation = OPERATIONS[op]
    sign, second = split_sign(right) if operation.parity == "sum" else ("", right)
    angle = program.angles().index(left) if op in ANGLE_FUNCTIONS else None  # type: ignore[arg-type]
    by_lanes = real == "lanes" or angle is not None and real == "double"
    in_lanes = operation.lanes or f"{op}_lanes({{a}})"
    expression = (in_lanes if by_lanes else operation.c).format(
        a=_operand(left, real), sign=sign, b=second and _operand(second, real), real=real,
        angle=angle)
    return f"const {real} t{k} = {expression};"


def _operand(ref: Ref | Constant | str | None, real: str) -> str:
    if isinstance(ref, Constant):
        return f"{ref.value!r}f" if real == "float" else repr(ref.value)
    assert isinstance(ref, int)
    return f"t{ref - 1}" if ref > 0 else f"-t{-ref - 1}"
