"""Instructions per call of the exported C of a robot, counted by callgrind.

Unlike times, they do not depend on the load of the machine. Our code and CasADi's are compiled with
the same compiler and flags. Callgrind does not support AVX-512, so AVX2 is the widest target.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manip_dynamics.algorithms.vectors import sincos
from manip_dynamics.codegen import emit_c
from manip_dynamics.codegen.export import c_name, export
from manip_dynamics.codegen.program import Program, Signature
from manip_dynamics.codegen.programs import cheapest_program

from . import machine
from .arms import ARMS, Arm
from .entry import INVERSE_DYNAMICS, QUANTITIES
from .libraries import casadi, ours

CALLS = 1000
OPTIMISED = ("-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
SINCOS = "sines and cosines alone"


@dataclass(frozen=True)
class Count:
    """Instructions per call of one C function."""

    arm: str
    code: str  # the library
    quantity: str
    target: str  # the processor it was compiled for
    instructions: float


@dataclass(frozen=True)
class Function:
    """A C function to count: its source file, its name, and a statement that calls it."""

    source: Path
    name: str
    prototype: str
    call: str


def missing() -> str | None:
    """The reason why instructions cannot be counted; None if they can."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed; on Debian or Ubuntu: sudo apt install valgrind"
    try:
        machine.compiler()
    except ImportError as error:
        return str(error)
    return None


def targets() -> dict[str, tuple[str, ...]]:
    """Target processors with their compiler flags."""
    if platform.machine() == "x86_64":
        return {"AVX2": (*OPTIMISED, "-march=x86-64-v3"), "any x86-64": OPTIMISED}
    return {platform.machine(): OPTIMISED}


def count_all(
    arm_names: Sequence[str], with_casadi: bool, say: Callable[[str], None] = lambda text: None
) -> list[Count]:
    """The counts of all quantities of the named arms."""
    counts = []
    for name in arm_names:
        arm = ARMS[name]()
        with tempfile.TemporaryDirectory(prefix="manip_dynamics_bench_") as folder:
            for code, quantity, function in _functions(arm, Path(folder), with_casadi):
                for target, flags in targets().items():
                    say(f"{arm.title}: instructions of {code}, {quantity}, for {target}")
                    value = count(function, arm.robot.n, flags)
                    counts.append(Count(arm.title, code, quantity, target, value))
    return counts


def count(function: Function, n: int, flags: Sequence[str]) -> float:
    """Instructions per call, without what only the first call does."""
    program = _build(function, n, flags)
    fewer, more = (_collected(program, function.name, calls) for calls in (CALLS, 2 * CALLS))
    return (more - fewer) / CALLS


def _functions(
    arm: Arm, folder: Path, with_casadi: bool
) -> Iterator[tuple[str, str, Function]]:
    name = c_name(arm.robot.name)
    export(arm.robot, folder)
    for quantity in QUANTITIES:
        function = f"{name}_{quantity.replace(' ', '_')}"
        arguments = ["q"] if quantity == "mass matrix" else ["q", "qd", "u"]
        yield ours.TITLE, quantity, Function(
            folder / f"{name}.c", function,
            f"void {function}({', '.join(['const double *'] * len(arguments))}, double *);",
            f"{function}({', '.join(arguments)}, result);",
        )  # fmt: skip
    yield ours.TITLE, SINCOS, _sincos_alone(arm, folder)
    if with_casadi:
        for quantity in QUANTITIES:
            function = quantity.replace(" ", "_")
            yield casadi.TITLE, quantity, Function(
                casadi.generate(casadi.expression(arm, quantity), folder), function,
                f"int {function}(const double **, double **, long long *, double *, int);",
                f"{function}(arguments, &output, 0, work, 0);",
            )  # fmt: skip


def _sincos_alone(arm: Arm, folder: Path) -> Function:
    """A function that computes only the sines and cosines of inverse dynamics."""
    dynamics = cheapest_program(INVERSE_DYNAMICS.replace(" ", "_"), arm.robot.chain)
    angles = dynamics.counts().sincos
    signature = Signature("angles", (("q", angles),), "values", (2 * angles,))
    program = Program.traced(signature, lambda q: [value for x in q for value in sincos(x)])
    source = folder / "sincos.c"
    source.write_text(
        "\n".join([emit_c.INCLUDES, emit_c.lanes_source(), emit_c.functions(program, "alone_")])
    )
    return Function(
        source, "alone_angles", "void alone_angles(const double *, double *);",
        "alone_angles(q, result);",
    )  # fmt: skip


def _build(function: Function, n: int, flags: Sequence[str]) -> Path:
    rng = np.random.default_rng(0)
    arrays = "\n".join(
        f"static double {name}[] = {{{', '.join(map(repr, rng.uniform(-1, 1, n).tolist()))}}};"
        for name in ("q", "qd", "u")
    )
    main = function.source.with_name(f"{function.name}_main.c")
    main.write_text(f"""#include <stdlib.h>
{function.prototype}
{arrays}
static double result[{max(n * n, 64)}], work[100000];
int main(int argc, char **argv)
{{
    const double *arguments[] = {{q, qd, u}};
    double *output = result;
    int i;
    for (i = 0; i < atoi(argv[1]); i++) {{
        {function.call}
    }}
    return argc != 2 || arguments[0] == output || work[0] != 0;
}}
""")
    program = main.with_suffix("")
    files = [str(main), str(function.source)]
    command = [*machine.compiler(), *flags, "-o", str(program), *files, "-lm"]
    subprocess.run(command, check=True)
    return program


def _collected(program: Path, function: str, calls: int) -> int:
    """Instructions within the function over all calls."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "--collect-atstart=no", f"--toggle-collect={function}", str(program), str(calls)]
    outcome = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", outcome.stderr)
    if outcome.returncode or not found:
        raise RuntimeError(f"callgrind could not count {function}:\n{outcome.stderr[-1000:]}")
    return int(found[1])


def table(counts: Sequence[Count]) -> list[list[str]]:
    """A row per library and quantity, a column per target."""
    columns = list(dict.fromkeys(c.target for c in counts))
    values = {(c.arm, c.code, c.quantity, c.target): c.instructions for c in counts}
    rows = [["instructions per call in C", *columns]]
    for arm, code, quantity in dict.fromkeys((c.arm, c.code, c.quantity) for c in counts):
        cells = [f"{values[arm, code, quantity, target]:,.0f}" for target in columns]
        rows.append([f"{arm}: {quantity}, {code}", *cells])
    return rows
