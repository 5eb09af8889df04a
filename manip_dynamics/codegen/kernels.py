"""Kernels of one robot: its quantities as functions on numpy arrays, in the fastest way available.

- compiler and Python headers: C, called through numpy's C API (codegen/c/call.c)
- compiler only: the same C, called through ctypes
- neither: the traced programs in Python

A kernel takes float64 arrays, (n,) or (N, n), and `out`, all C-contiguous; `Dynamics` sees to that.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import logging
import os
import pickle
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from manip_dynamics.model.chain import Chain
from manip_dynamics.model.errors import ModelError

from . import cache, emit_c, toolchain
from .emit_python import compile_python
from .program import Program, Signature
from .quantities import signatures
from .select import cheapest_program
from .toolchain import NoCompiler

Array = np.ndarray
Kernel = Callable[..., Array]  # (*inputs, out) -> out
Fallback = Callable[..., Array]  # any arguments that a user may give

_log = logging.getLogger(__name__)

PREFIX = "md_"
BACKENDS = ("auto", "c", "python")


class PythonKernels:
    """Traced programs, run by Python; a batch is run on columns."""

    backend = "python"

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.signatures = signatures(chain)

    def counts(self) -> Mapping[str, dict[str, int]]:
        """Operations of every quantity that the arm has."""
        return _counts(_programs(self._chain))

    def kernel(self, quantity: str) -> Kernel:
        """The function of a quantity; ModelError if the arm has no such quantity."""
        program = cheapest_program(quantity, self._chain)
        size = program.signature.size
        on_floats = compile_python(program)
        on_columns = compile_python(program, np.ndarray)

        def run(*inputs: Array, out: Array) -> Array:
            if inputs[0].ndim == 1:
                out.ravel()[:] = on_floats(*(array.tolist() for array in inputs))
            else:
                flat = out.reshape(len(out), size)
                for k, column in enumerate(on_columns(*(array.T for array in inputs))):
                    flat[:, k] = column
            return out

        return run

    def entry(self, quantity: str, fallback: Fallback) -> Fallback:
        """What a user calls: without C there is no shorter way than the fallback."""
        return fallback


class CompiledKernels:
    """C of one robot, compiled now or before."""

    backend = "c"

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.signatures = signatures(chain)
        path = toolchain.lazy_library("kernels", lambda: _sources(chain), _ingredients(chain))
        self.library = toolchain.load(path)
        self._call = _call_module()
        tell = self.library[f"{PREFIX}counts"]
        tell.restype = ctypes.c_char_p
        self._counts: Mapping[str, dict[str, int]] = json.loads(tell())

    def counts(self) -> Mapping[str, dict[str, int]]:
        """Operations of every quantity that the arm has."""
        return {quantity: dict(counts) for quantity, counts in self._counts.items()}

    def address(self, function: str) -> int:
        """Where a C function is, e.g. for other compiled code that calls it."""
        pointer = ctypes.cast(self.library[PREFIX + function], ctypes.c_void_p)
        assert pointer.value is not None
        return pointer.value

    def kernel(self, quantity: str) -> Kernel:
        """The function of a quantity; ModelError if the arm has no such quantity."""
        if quantity not in self._counts:
            cheapest_program(quantity, self._chain)  # which says why there is none
        if self._call is None:
            return _ctypes_kernel(self.signatures[quantity], self.library)
        return self.entry(quantity, _refuse)

    def entry(self, quantity: str, fallback: Fallback) -> Fallback:
        """What a user calls: C, and `fallback` for arguments that need more than that."""
        if self._call is None or quantity not in self._counts:
            return fallback
        signature = self.signatures[quantity]
        return self._call.Kernel(
            self.address(quantity), self.address(f"{quantity}_batch"),
            tuple(length for _, length in signature.inputs), signature.shape,
            fallback, _defaults(fallback), self.library, quantity, fallback.__doc__)


def load(chain: Chain, backend: str = "auto") -> PythonKernels | CompiledKernels:
    """The kernels of a chain; `backend` "auto" takes C where there is a compiler."""
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    if backend != "python":
        try:
            return CompiledKernels(chain)
        except NoCompiler as error:
            if backend == "c":
                raise NoCompiler(f"backend 'c': {error}") from error
            _log.warning("no C kernels, Python serves instead, some 100 times slower: %s", error)
    return PythonKernels(chain)


def compile_in_child(chain: Chain) -> None:
    """Compile in another process what this one will load; its threads go on undisturbed.

    Does nothing where that cannot help; then `load` compiles.
    """
    try:
        if not sys.executable or not cache.is_shared() or toolchain.is_compiled(
                "kernels", _ingredients(chain)):
            return
    except NoCompiler:
        return
    program = (f"import sys; sys.path[:] = {sys.path!r}\n"
               "import pickle\n"
               f"from {__name__} import CompiledKernels\n"
               "CompiledKernels(pickle.load(sys.stdin.buffer))\n")
    try:
        subprocess.run([sys.executable, "-c", program], input=pickle.dumps(chain), check=True,
                       capture_output=True, timeout=toolchain.COMPILE_TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("kernels are compiled in this process: %s", error)


def _ingredients(chain: Chain) -> tuple:
    return chain, _package_digest()


def _defaults(function: Fallback) -> dict[str, Any]:
    """Keywords and their default values, which a compiled entry may ignore."""
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters
            if parameter.default is not parameter.empty}


def _refuse(*inputs: Any, **keywords: Any) -> Array:
    raise TypeError("a kernel takes C-contiguous float64 arrays of finite numbers that fit")


def _programs(chain: Chain) -> list[Program]:
    """All quantities; forward dynamics is none of them where a joint moves nothing."""
    programs = []
    for quantity in signatures(chain):
        with suppress(ModelError):
            programs.append(cheapest_program(quantity, chain))
    return programs


def _counts(programs: Sequence[Program]) -> dict[str, dict[str, int]]:
    return {program.name: program.counts().as_dict() for program in programs}


def _sources(chain: Chain) -> list[str]:
    """Translation units of about equal size, one for each processor, up to four."""
    programs = _programs(chain)
    units: list[list[Program]] = [[] for _ in range(min(os.cpu_count() or 1, 4))]
    for program in sorted(programs, key=lambda program: -len(program.nodes)):
        smallest = min(units, key=lambda unit: sum(len(other.nodes) for other in unit))
        smallest.append(program)
    counts = json.dumps(_counts(programs))
    tell = f"const char *{PREFIX}counts(void)\n{{\n    return {json.dumps(counts)};\n}}\n"
    return [tell, *("\n".join([emit_c.INCLUDES, emit_c.lanes_source(),
                               *(emit_c.functions(program, PREFIX) for program in unit)])
                    for unit in units if unit)]


def _ctypes_kernel(signature: Signature, library: ctypes.CDLL) -> Kernel:
    """Through ctypes. The addresses of one state are prepared: asking numpy for them is slow."""
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


@lru_cache(maxsize=1)
def _call_module() -> ModuleType | None:
    """The extension module that calls kernels, or None where Python's headers are missing."""
    include = sysconfig.get_paths()["include"]
    if not (Path(include) / "Python.h").exists():
        return None
    source = (Path(__file__).parent / "c" / "call.c").read_text()
    name = "manip_dynamics_call"
    ingredients = (source, np.__version__, sysconfig.get_config_var("EXT_SUFFIX"))
    try:
        path = toolchain.library(name, [source], ingredients, (include, np.get_include()))
        loader = importlib.machinery.ExtensionFileLoader(name, str(path))
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (NoCompiler, ImportError) as error:  # e.g. headers of another Python version
        _log.warning("kernels are called through ctypes, some 10 times slower: %s", error)
        return None
    return module


@lru_cache(maxsize=1)
def _package_digest() -> str:
    """A digest of the sources that programs are made from."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for folder in ("model", "algorithms", "codegen"):
        for path in sorted((package / folder).rglob("*.*")):
            if path.suffix in (".py", ".c"):
                digest.update(path.read_bytes())
    return digest.hexdigest()
