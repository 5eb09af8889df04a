"""The quantities of one robot as a shared library, checked on this machine before it is stored.

A kernel that disagrees with the reference algorithm is never stored. It is rebuilt: first from the
cheapest candidate instead of a mixture, then with little compiler optimisation. If neither helps,
the library omits it. The library records what was done.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

import numpy as np

from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from . import emit_c, toolchain
from .checking import check
from .program import Program, Signature
from .programs import CAREFUL, PLAIN, REFERENCE, Disagreement, cheapest_program, choose_program
from .quantities import signatures

Array = np.ndarray
Kernel = Callable[..., Array]  # (*inputs, out) -> out

PREFIX = "md_"
CONTENTS = f"{PREFIX}contents"


def build(chain: Chain, library: str, target: Path) -> None:
    """Compile the quantities of an arm that belong to a library into `target`."""
    programs, remarks = right_programs(chain, library)
    remedies = iter((PLAIN, CAREFUL))
    careful = False
    attempts: list[Path] = []
    try:
        while True:
            # A new path for each attempt: a path that was loaded is not loaded again.
            attempts.append(target.with_name(f"{target.stem}-{len(attempts)}{target.suffix}"))
            toolchain.compile_units(_units(programs, remarks), attempts[-1], careful=careful)
            wrong = _wrong_quantities(chain, programs, attempts[-1])
            if not wrong:
                os.replace(attempts[-1], target)
                return
            remedy = next(remedies, REFERENCE)
            careful = careful or remedy == CAREFUL
            for quantity in wrong:
                remarks[quantity] = remedy
                if remedy == PLAIN:
                    with suppress(Disagreement):
                        programs[quantity] = cheapest_program(quantity, chain, mixing=False)
                elif remedy == REFERENCE:
                    del programs[quantity]
    finally:
        for path in attempts:
            path.unlink(missing_ok=True)


def right_programs(chain: Chain, library: str) -> tuple[dict[str, Program], dict[str, str]]:
    """Correct programs for a library's quantities, and remarks on those that needed a fallback.

    An arm with a joint that moves no inertia has no forward dynamics.
    """
    programs: dict[str, Program] = {}
    remarks: dict[str, str] = {}
    for quantity in signatures(chain, library):
        with suppress(ModelError):
            program, remark = choose_program(quantity, chain)
            if program is not None:
                programs[quantity] = program
            if remark:
                remarks[quantity] = remark
    return programs, remarks


def counts(programs: Mapping[str, Program]) -> dict[str, dict[str, int]]:
    """Operation counts of every program."""
    return {quantity: program.counts().as_dict() for quantity, program in programs.items()}


def contents(library: ctypes.CDLL) -> dict[str, dict]:
    """The metadata stored in a library: "counts" and "remarks", by quantity."""
    tell = library[CONTENTS]
    tell.restype = ctypes.c_char_p
    return json.loads(tell())


def ctypes_kernel(signature: Signature, library: ctypes.CDLL) -> Kernel:
    """A kernel through ctypes, with fixed buffers for one state: asking for addresses is slow."""
    pointers = len(signature.inputs) + 1
    one, many = library[PREFIX + signature.name], library[f"{PREFIX}{signature.name}_batch"]
    one.restype = many.restype = None
    one.argtypes = [ctypes.c_void_p] * pointers
    many.argtypes = [ctypes.c_size_t, *one.argtypes]
    state = [np.zeros(length) for _, length in signature.inputs]
    result = np.zeros(signature.shape)
    addresses = [array.ctypes.data for array in (*state, result)]
    in_use = Lock()

    def run(*inputs: Array, out: Array) -> Array:
        if inputs[0].ndim == 1:
            with in_use:
                for place, array in zip(state, inputs):
                    place[:] = array
                one(*addresses)
                out[...] = result
        else:
            many(len(out), *(array.ctypes.data for array in (*inputs, out)))
        return out

    return run


def _wrong_quantities(chain: Chain, programs: Mapping[str, Program], path: Path) -> list[str]:
    library = toolchain.load(path)
    return [quantity for quantity, program in programs.items()
            if not check(quantity, chain).kernel_agrees(ctypes_kernel(program.signature, library))]


def _units(programs: Mapping[str, Program], remarks: Mapping[str, str]) -> Sequence[str]:
    """Translation units of about equal size, one per processor, at most four."""
    units: list[list[Program]] = [[] for _ in range(min(os.cpu_count() or 1, 4))]
    for program in sorted(programs.values(), key=lambda program: -len(program.nodes)):
        smallest = min(units, key=lambda unit: sum(len(other.nodes) for other in unit))
        smallest.append(program)
    told = json.dumps({"counts": counts(programs), "remarks": remarks})
    tell = f"const char *{CONTENTS}(void)\n{{\n    return {json.dumps(told)};\n}}\n"
    return [tell, *("\n".join([emit_c.INCLUDES, emit_c.lanes_source(),
                               *(emit_c.functions(program, PREFIX) for program in unit)])
                    for unit in units if unit)]
