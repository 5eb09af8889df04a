"""The C compiler of this machine, and libraries built with it."""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from . import cache

# Kernels run on the machine that compiles them, so they may use its full ISA. Contraction to fused
# multiply-add is allowed; -ffast-math is not: it breaks the range reduction of sine and cosine.
NATIVE = "-march=native"
FLAGS = ("-O3", "-ffp-contract=fast", "-fno-math-errno",
         "-fno-trapping-math", "-fPIC")
CAREFUL_FLAGS = ("-O1", "-ffp-contract=off", "-fPIC")

COMPILE_TIMEOUT = 120.0  # s


class NoCompiler(RuntimeError):
    """There is no C compiler, or it does not work."""


@lru_cache(maxsize=1)
def compiler() -> tuple[str, ...]:
    """The command of the C compiler: $CC, cc, gcc or clang."""
    wanted = os.environ.get("CC")
    for candidate in ([wanted] if wanted else ["cc", "gcc", "clang"]):
        try:
            command = shlex.split(candidate)
        except ValueError as error:
            raise NoCompiler(f"CC={candidate} is no command: {error}") from None
        found = shutil.which(command[0]) if command else None
        if found:
            return (found, *command[1:])
    raise NoCompiler(f"no C compiler found (looked for {wanted or 'cc, gcc, clang'})")


def library(name: str, sources: Sequence[str], ingredients: object,
            includes: Sequence[str] = ()) -> Path:
    """A shared library of concatenated C sources, from the cache or compiled now.

    The key is derived from `ingredients`: everything that the sources depend on.
    """
    return built(name, lambda target: compile_units(["\n".join(sources)], target, includes),
                 (ingredients, tuple(includes)))


def built(name: str, build: Callable[[Path], None], ingredients: object) -> Path:
    """A shared library from the cache; if it is missing, `build(path)` makes it."""
    try:
        return cache.cached(_key(name, ingredients), build)
    except OSError as error:  # e.g. a full disk
        raise NoCompiler(f"what is compiled cannot be stored: {error}") from error


def is_compiled(name: str, ingredients: object) -> bool:
    """Whether a library is in the cache."""
    return cache.find(_key(name, ingredients)) is not None


def _key(name: str, ingredients: object) -> str:
    """The cache key: name, ingredients (of kernels: kernels.py), compiler, processor, flags."""
    return f"{name}-{cache.key_of(name, ingredients, _identity(), NATIVE, FLAGS)}"


def load(path: Path) -> ctypes.CDLL:
    """A compiled library."""
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:  # e.g. a file system mounted noexec
        raise NoCompiler(f"what was compiled cannot be loaded: {error}") from error


def compile_units(units: Sequence[str], target: Path, includes: Sequence[str] = (),
                  careful: bool = False) -> None:
    """Compile translation units in parallel into one shared library.

    careful: with so little optimisation that a compiler can hardly get it wrong.
    """
    options = [*(CAREFUL_FLAGS if careful else FLAGS), *(f"-I{folder}" for folder in includes)]
    if not careful:
        try:
            _compile_with([NATIVE, *options], units, target)
            return
        except NoCompiler:  # not every compiler supports -march=native
            pass
    _compile_with(options, units, target)


def _compile_with(options: Sequence[str], units: Sequence[str], target: Path) -> None:
    if len(units) == 1:
        _run([*options, "-shared", "-o", str(target), "-x", "c", "-", "-lm"], units[0])
    else:
        _compile_side_by_side(options, units, target)
    if not target.exists() or not target.stat().st_size:
        raise NoCompiler(f"{compiler()[0]} did not write a library")


def _compile_side_by_side(options: Sequence[str], units: Sequence[str], target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="manip_dynamics-") as folder, \
            ThreadPoolExecutor(len(units)) as pool:
        objects = [str(Path(folder) / f"{i}.o") for i in range(len(units))]
        for _ in pool.map(lambda unit, file: _run([*options, "-c", "-o", file, "-x", "c", "-"],
                                                  unit), units, objects):
            pass
        _run([*options, "-shared", "-o", str(target), *objects, "-lm"], "")


def _run(arguments: Sequence[str], source: str) -> None:
    command = [*compiler(), *arguments]
    try:
        outcome = subprocess.run(command, input=source, text=True, capture_output=True,
                                 timeout=COMPILE_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoCompiler(f"{command[0]} does not run: {error}") from error
    if outcome.returncode != 0:
        raise NoCompiler(f"{shlex.join(command)} failed:\n{outcome.stderr[:2000]}")


@lru_cache(maxsize=1)
def _identity() -> tuple:
    """What a compiled file depends on besides its sources: compiler and processor."""
    path = Path(compiler()[0]).resolve()
    state = path.stat()
    return (compiler(), str(path), state.st_size, state.st_mtime_ns, sysconfig.get_platform(),
            platform.machine(), _processor_features())


def _processor_features() -> str:
    """What -march=native means on this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    wanted = ("flags", "Features", "model name", "CPU part", "CPU implementer")
    found = {line.partition(":")[0].strip(): line for line in lines
             if line.partition(":")[0].strip() in wanted}
    return "\n".join(found.values())
