"""C code that CasADi generates from RNEA, CRBA and ABA of the same arm, in its fastest forms.

Pinocchio's CasADi bindings are not in its wheels; bench/casadi_model.py builds the expressions.
The C is compiled with the machine's compiler and called through FunctionBuffer, which reads and
writes numpy arrays in place: CasADi's ordinary call takes a hundred times longer.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry
from ..machine import compiler

TITLE = "CasADi C code"
HOW_TO_GET = "get it by script/bench --with-peers"
BUFFER = "FunctionBuffer"
MAPPED = "compiled function, mapped"
MAP_COMPILED = "map compiled, too"

# Of -O1 to -O3, with and without -ffast-math and permission to fuse, none was faster than this.
FLAGS = ("-O3", "-march=native", "-fPIC", "-shared")

ARGUMENTS = {
    INVERSE_DYNAMICS: ("q", "qd", "qdd"),
    MASS_MATRIX: ("q",),
    FORWARD_DYNAMICS: ("q", "qd", "tau"),
}


def version() -> str:
    """The version, if it is installed with a compiler beside it."""
    import casadi

    compiler()
    return casadi.__version__


def entries(arm: Arm, states: States) -> list[Entry]:
    """One call; the compiled function mapped over all states; and the map compiled as a whole."""
    found = []
    for quantity in ARGUMENTS:
        function = expression(arm, quantity)
        width = (arm.robot.n, arm.robot.n) if quantity == MASS_MATRIX else (arm.robot.n,)
        compiled = compile_function(function)
        calls = [
            (BUFFER, CALL, _buffered(compiled, quantity, states[0], width, set_state=True)),
            (MAPPED, BATCH, _buffered(compiled.map(len(states)), quantity, states, width)),
            (MAP_COMPILED, BATCH,
             _buffered(compile_function(function.map(len(states))), quantity, states, width)),
        ]  # fmt: skip
        found += [Entry(TITLE, form, kind, quantity, code) for form, kind, code in calls]
    return found


def expression(arm: Arm, quantity: str) -> Any:
    """The CasADi function of a quantity, with common subexpressions shared."""
    import casadi as ca

    from .. import casadi_model

    arguments = [ca.SX.sym(name, arm.robot.n) for name in ARGUMENTS[quantity]]
    build = getattr(casadi_model, quantity.replace(" ", "_"))
    result = ca.densify(build(arm.robot.chain, *arguments))
    return ca.Function(quantity.replace(" ", "_"), arguments, [result], {"cse": True})


def compile_function(function: Any) -> Any:
    """The same function as a shared library."""
    import casadi as ca

    folder = Path(tempfile.mkdtemp(prefix="manip_dynamics_bench_"))
    try:
        source = generate(function, folder)
        library = source.with_suffix(".so")
        files = ["-o", str(library), str(source), "-lm"]
        subprocess.run([*compiler(), *FLAGS, *files], check=True)
        return ca.external(function.name(), str(library))
    finally:
        for file in folder.iterdir():  # loaded: the name is needed no more
            file.unlink()
        folder.rmdir()


def generate(function: Any, folder: Path) -> Path:
    """Write the C code of a function and return its file."""
    import casadi as ca

    generator = ca.CodeGenerator(f"{function.name()}.c")
    generator.add(function)
    return Path(generator.generate(f"{folder}/"))


def _buffered(
    function: Any, quantity: str, given: States, width: tuple[int, ...], set_state: bool = False
) -> Code:
    """A call through FunctionBuffer; `set_state`: the state is copied into its arrays each time.

    CasADi's (n, N) is column-major: in memory the same as our (N, n).
    """
    buffer, run = function.buffer()
    names: dict[str, Any] = {"run": run, "buffer": buffer}
    text = []
    for i, name in enumerate(ARGUMENTS[quantity]):
        names[name] = values = getattr(given, name)
        if set_state:
            names[f"{name}_in"] = values = np.empty_like(values)
            text.append(f"{name}_in[:] = {name}")
        buffer.set_arg(i, memoryview(values))
    batch = given.q.shape[:-1]
    names["answer"] = np.empty((*batch, *width))
    buffer.set_res(0, memoryview(names["answer"]))
    return Code("\n".join([*text, "run()"]), "answer", names, batch[0] if batch else 1)
