"""The time that `Dynamics(robot)` takes: with an empty cache, and with its kernels cached."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import manip_dynamics as md

from .arms import ARMS

ROOT = Path(__file__).resolve().parent.parent
PRIMER = "primer"  # not measured; it puts what all arms share into the cache


@dataclass(frozen=True)
class Startup:
    """Seconds until the kernels of an arm can be called."""

    arm: str
    cold: float  # wall time; the compiler runs on two cores
    cold_work: float  # processor time, including the compiler
    warm: float


def measure(
    arm_names: Sequence[str], say: Callable[[str], None] = lambda text: None
) -> list[Startup]:
    """Each in a new process, first with an empty cache, then with the cache that it has filled."""
    found = []
    with tempfile.TemporaryDirectory(prefix="manip_dynamics_bench_") as folder:
        _in_a_new_process(PRIMER, folder)
        for name in arm_names:
            say(f"{name}: startup time")
            cold, *warm = (_in_a_new_process(name, folder) for _ in range(3))
            found.append(Startup(ARMS[name]().title, *cold, min(waited for waited, _ in warm)))
    return found


def table(startups: Sequence[Startup]) -> list[list[str]]:
    """A row per arm."""
    rows = [["Dynamics(robot)", "compiled, s", "processor time, s", "from the cache, ms"]]
    return rows + [
        [s.arm, f"{s.cold:.2f}", f"{s.cold_work:.2f}", f"{s.warm * 1e3:.1f}"] for s in startups
    ]


def _in_a_new_process(arm: str, cache: str) -> tuple[float, float]:
    outcome = subprocess.run(
        [sys.executable, "-m", __name__, arm], cwd=ROOT, check=True, text=True,
        env={**os.environ, "XDG_CACHE_HOME": cache}, stdout=subprocess.PIPE,
    )  # fmt: skip
    waited, worked = outcome.stdout.split()
    return float(waited), float(worked)


def main() -> None:
    """Print the wall time and the processor time of the named arm, s."""
    name = sys.argv[1]
    if hasattr(os, "sched_setaffinity"):  # undo the restriction to one core
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    robot = md.load_robot("planar_2r") if name == PRIMER else ARMS[name]().robot
    start, start_of_work = time.perf_counter(), _processor_time()
    md.Dynamics(robot)
    print(time.perf_counter() - start, _processor_time() - start_of_work)


def _processor_time() -> float:
    """Of this process and its finished children, s."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


if __name__ == "__main__":
    main()
