"""The C compiler of this machine, and libraries made with it."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from . import cache

# Kernels run on the machine that compiles them, so they may use all of it. Contraction to fused
# multiply-add is allowed; -ffast-math is not: it breaks the range reduction of sine and cosine.
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno",
         "-fno-trapping-math", "-fPIC", "-shared", "-fvisibility=default")

COMPILE_TIMEOUT = 120.0  # s


class NoCompiler(RuntimeError):
    """There is no C compiler, or it does not work."""


@lru_cache(maxsize=1)
def compiler() -> tuple[str, ...]:
    """The command of the C compiler: $CC, cc, gcc or clang."""
    wanted = os.environ.get("CC")
    for candidate in ([wanted] if wanted else ["cc", "gcc", "clang"]):
        command = shlex.split(candidate)
        found = shutil.which(command[0]) if command else None
        if found:
            return (found, *command[1:])
    raise NoCompiler(f"no C compiler found (looked for {wanted or 'cc, gcc, clang'})")


def library(name: str, sources: Sequence[str], ingredients: object,
            includes: Sequence[str] = ()) -> Path:
    """A shared library of C sources, from the cache or compiled now.

    The key is made of `ingredients`, everything that the sources depend on: so a cached library
    is found without generating them. `sources` may therefore be called for lazily.
    """
    return lazy_library(name, lambda: sources, ingredients, includes)


def lazy_library(name: str, sources, ingredients: object, includes: Sequence[str] = ()) -> Path:
    """Like `library`, with a function that makes the sources if they are needed."""
    key = cache.key_of(name, ingredients, _identity(), FLAGS, tuple(includes))
    return cache.cached(f"{name}-{key}", lambda path: _compile(sources(), path, includes))


def _compile(sources: Sequence[str], target: Path, includes: Sequence[str]) -> None:
    command = [*compiler(), *FLAGS, *(f"-I{folder}" for folder in includes),
               "-o", str(target), "-x", "c", "-", "-lm"]
    try:
        outcome = subprocess.run(command, input="\n".join(sources), text=True,
                                 capture_output=True, timeout=COMPILE_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoCompiler(f"{command[0]} does not run: {error}") from error
    if outcome.returncode != 0:
        raise NoCompiler(f"{shlex.join(command)} failed:\n{outcome.stderr[:2000]}")


@lru_cache(maxsize=1)
def _identity() -> tuple:
    """What a compiled file depends on beside its sources: compiler and processor."""
    path = Path(compiler()[0]).resolve()
    state = path.stat()
    return (compiler(), str(path), state.st_size, state.st_mtime_ns, sysconfig.get_platform(),
            platform.machine(), _processor_features())


def _processor_features() -> str:
    """What -march=native means here."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    wanted = ("flags", "Features", "model name", "CPU part", "CPU implementer")
    found = {line.partition(":")[0].strip(): line for line in lines
             if line.partition(":")[0].strip() in wanted}
    return "\n".join(found.values())
