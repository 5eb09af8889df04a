"""Kernels of one robot: its quantities as functions on numpy arrays, with the fastest backend here.

- compiler and Python headers: C, called through numpy's C API (codegen/c/call.c)
- compiler only: the same C, called through ctypes
- neither: the traced programs in Python

Every kernel is checked against the reference algorithms (checking.py): C before it is stored,
Python programs when they are loaded.

A kernel takes C-contiguous float64 arrays, (n,) or (N, n), and `out`; `Dynamics` ensures this.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import inspect
import logging
import pickle
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from manip_dynamics.model.chain import Chain

from . import build, cache, toolchain
from .arguments import evaluated
from .build import Kernel
from .emit_python import compile_python
from .programs import REFERENCE, cheapest_program, choose_program, warn_of_disagreement
from .quantities import DYNAMICS, QUANTITIES, reference, signatures
from .toolchain import NoCompiler

Array = np.ndarray
Fallback = Callable[..., Any]  # takes any arguments a user may pass
Bound = Sequence[Array]

_log = logging.getLogger(__name__)

BACKENDS = ("auto", "c", "python")


class PythonKernels:
    """Traced programs run in Python; a batch runs on columns."""

    backend = "python"

    def __init__(self, chain: Chain, robot: str) -> None:
        self.chain = chain
        self._robot = robot
        self.signatures = signatures(chain)

    def counts(self) -> Mapping[str, dict[str, int]]:
        """Operation counts of every quantity in the default library."""
        return build.counts(build.right_programs(self.chain, DYNAMICS)[0])

    def kernel(self, quantity: str, bound: Bound = ()) -> Kernel:
        """The kernel of a quantity; raises ModelError if the arm has no such quantity."""
        quantity = self._existing(quantity)
        program, remark = choose_program(quantity, self.chain)
        if remark:
            warn_of_disagreement(self._robot, quantity, remark)
        if program is None:
            return _bound_kernel(_reference_kernel(quantity, self.chain), bound)
        on_floats = compile_python(program)
        on_columns = compile_python(program, np.ndarray)
        shape = program.signature.shape

        def run(*inputs: Array, out: Array) -> Array:
            out[...] = evaluated(on_floats if inputs[0].ndim == 1 else on_columns, inputs, shape)
            return out

        return _bound_kernel(run, bound)

    def prepare(self, library: str) -> None:
        """Nothing to compile."""

    def address(self, quantity: str) -> int | None:
        """None: there is no C function."""
        return None

    def entry(self, quantity: str, fallback: Fallback, bound: Bound = (),
              parts: type | None = None) -> Fallback:
        """What a user calls: without C, simply the fallback."""
        return fallback

    def _existing(self, quantity: str) -> str:
        return quantity if quantity in self.signatures else QUANTITIES[quantity].variant_of


class Library:
    """A loaded library of compiled quantities."""

    def __init__(self, code: ctypes.CDLL) -> None:
        self.code = code
        contents = build.contents(code)
        self.counts: Mapping[str, dict[str, int]] = contents["counts"]
        self.remarks: Mapping[str, str] = contents["remarks"]
        self._addresses: dict[str, int] = {}

    def address(self, function: str) -> int:
        """The address of a function in memory."""
        found = self._addresses.get(function)
        if found is None:
            pointer = ctypes.cast(self.code[build.PREFIX + function], ctypes.c_void_p)
            assert pointer.value is not None
            found = self._addresses[function] = pointer.value
        return found


class CompiledKernels:
    """Compiled C of one robot, cached or built now; derivatives are loaded on first use."""

    backend = "c"

    def __init__(self, chain: Chain, robot: str) -> None:
        self.chain = chain
        self._robot = robot
        self.signatures = signatures(chain)
        self._libraries: dict[str, Library] = {}
        self._call = _call_module()
        self.library(DYNAMICS)

    def prepare(self, library: str) -> None:
        """Compile a library in another process unless it is loaded already."""
        if library not in self._libraries:
            compile_in_child(self.chain, library)
            self.library(library)

    def library(self, name: str) -> Library:
        """A library, loaded on first use."""
        found = self._libraries.get(name)
        if found is None:
            found = self._libraries[name] = Library(toolchain.load(compiled(self.chain, name)))
            for quantity, remark in found.remarks.items():
                warn_of_disagreement(self._robot, quantity, remark)
        return found

    def counts(self) -> Mapping[str, dict[str, int]]:
        """Operation counts of every quantity loaded so far."""
        return {quantity: dict(counts) for library in self._libraries.values()
                for quantity, counts in library.counts.items()}

    def address(self, quantity: str) -> int | None:
        """Address of a quantity's C function, for other compiled code; None if there is none."""
        if quantity not in self.signatures:
            quantity = QUANTITIES[quantity].variant_of
        library = self.library(QUANTITIES[quantity].library) if quantity else None
        return library.address(quantity) if library and quantity in library.counts else None

    def kernel(self, quantity: str, bound: Bound = ()) -> Kernel:
        """The kernel of a quantity; raises ModelError if the arm has no such quantity.

        bound: fixed trailing inputs, (length,) each, appended to those of every call.
        """
        if quantity not in self.signatures:
            quantity = QUANTITIES[quantity].variant_of
        library = self.library(QUANTITIES[quantity].library)
        if library.remarks.get(quantity) == REFERENCE:
            return _bound_kernel(_reference_kernel(quantity, self.chain), bound)
        if quantity not in library.counts:
            cheapest_program(quantity, self.chain)  # raises an error that says why
        if self._call is None:
            return _bound_kernel(
                build.ctypes_kernel(self.signatures[quantity], library.code), bound)
        return self.entry(quantity, _refuse, bound)

    def entry(self, quantity: str, fallback: Fallback, bound: Bound = (),
              parts: type | None = None) -> Fallback:
        """What a user calls: C, with `fallback` for arguments that C does not handle.

        parts: a named tuple type with three fields, to return the result as three parts.
        """
        library = self.library(QUANTITIES[quantity].library)
        if self._call is None or quantity not in library.counts:
            return fallback
        signature = self.signatures[quantity]
        lengths = tuple(length for _, length in signature.inputs)
        return self._call.Kernel(
            library.address(quantity), library.address(f"{quantity}_batch"),
            lengths[:len(lengths) - len(bound)], signature.shape, fallback, _defaults(fallback),
            library.code, quantity, fallback.__doc__, tuple(bound), parts)


def _bound_kernel(kernel: Kernel, bound: Bound) -> Kernel:
    return (lambda *inputs, out: kernel(*inputs, *bound, out=out)) if bound else kernel


Kernels = PythonKernels | CompiledKernels


def load(chain: Chain, backend: str = "auto",
         robot: str = "") -> Kernels:
    """The kernels of a chain; `backend` "auto" uses C if there is a working compiler.

    robot: the name used in warnings.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    if backend != "python":
        try:
            return CompiledKernels(chain, robot)
        except NoCompiler as error:
            if backend == "c":
                raise NoCompiler(f"backend 'c': {error}") from error
            _log.warning("no C kernels; using Python, about 100x slower: %s", error)
    return PythonKernels(chain, robot)


def compiled(chain: Chain, library: str = DYNAMICS) -> Path:
    """The path of an arm's library, from the cache or compiled and checked now."""
    return toolchain.built("kernels", partial(build.build, chain, library),
                           _ingredients(chain, library))


def compile_in_child(chain: Chain, library: str = DYNAMICS) -> None:
    """Compile in a child process what this one will load, so that its threads keep running.

    Does nothing where that cannot help; `load` then compiles.
    """
    try:
        if not sys.executable or not cache.is_shared() or toolchain.is_compiled(
                "kernels", _ingredients(chain, library)):
            return
    except NoCompiler:
        return
    program = (f"import sys; sys.path[:] = {sys.path!r}\n"
               "import pickle\n"
               f"from {__name__} import compiled\n"
               "compiled(*pickle.load(sys.stdin.buffer))\n")
    try:
        subprocess.run([sys.executable, "-c", program], input=pickle.dumps((chain, library)),
                       check=True,
                       capture_output=True, timeout=toolchain.COMPILE_TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("kernels are compiled in this process: %s", error)


def _ingredients(chain: Chain, library: str = DYNAMICS) -> tuple:
    """Everything that kernels depend on; part of the cache key (toolchain.py)."""
    return chain, library, _package_digest()


def _defaults(fallback: Fallback) -> dict[str, Any]:
    """Keyword defaults; a compiled entry ignores keywords that have these values."""
    return dict(_keyword_defaults(getattr(fallback, "__func__", fallback)))


@lru_cache
def _keyword_defaults(function: Fallback) -> tuple[tuple[str, Any], ...]:
    return tuple((parameter.name, parameter.default)
                 for parameter in inspect.signature(function).parameters.values()
                 if parameter.default is not parameter.empty)


def _refuse(*inputs: Any, **keywords: Any) -> Array:
    raise TypeError("a kernel takes C-contiguous float64 arrays of finite numbers that fit")


def _reference_kernel(quantity: str, chain: Chain) -> Kernel:
    """The reference algorithm itself, as a kernel."""
    function, shape = reference(quantity, chain), signatures(chain)[quantity].shape

    def run(*inputs: Array, out: Array) -> Array:
        out[...] = evaluated(function, inputs, shape)
        return out

    return run


@lru_cache(maxsize=1)
def _call_module() -> ModuleType | None:
    """The extension module that calls kernels, or None if it cannot be built."""
    include = sysconfig.get_paths()["include"]
    if not (Path(include) / "Python.h").exists():
        return None
    source = "\n".join((Path(__file__).parent / "c" / file).read_text()
                       for file in ("kernel.h", "results.c", "call.c"))
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
    """A digest of the sources that generate the programs."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for folder in ("model", "algorithms", "codegen"):
        for path in sorted((package / folder).rglob("*.*")):
            if path.suffix in (".py", ".c"):
                digest.update(path.read_bytes())
    return digest.hexdigest()
