"""The machine of the measurements, and the one core that they run on."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

from manip_dynamics.codegen import toolchain


def compiler() -> tuple[str, ...]:
    """The command of the C compiler; ImportError if it is missing, as for a library."""
    try:
        return toolchain.compiler()
    except toolchain.NoCompiler as error:
        raise ImportError(str(error)) from error


def stay_on_one_core() -> int | None:
    """Bind this process to the last of its cores, and return that core."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def description() -> dict[str, str]:
    """Processor, compiler and versions."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": _compiler_version(),
        "Python": sys.version.split()[0],
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    wide = next((name for name in ("avx512f", "avx2") if name in facts.get("flags", "")), "")
    family = f"family {facts.get('cpu family', '?')}"
    return ", ".join(filter(None, [facts.get("model name", platform.machine()), family, wide]))


def _compiler_version() -> str:
    try:
        command = [*compiler(), "--version"]
    except ImportError:
        return "none"
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
