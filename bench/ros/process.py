"""Nodes in separate processes."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 20.0  # s, for a node to end
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def keep_apart() -> set[int]:
    """Bind this process to one core and return the others, for the nodes.

    Driver and nodes then neither migrate nor compete for a core, unless there is only one.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    return set(cores[1:] or cores)


@contextmanager
def running(command: Sequence[str], cores: set[int]) -> Iterator[subprocess.Popen]:
    """Run a process and interrupt it at the end; show its output if it has exited by then."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is not None:
                log.seek(0)
                print(f"{command[0]} exited early:\n{log.read()}")
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cpu_seconds(process: subprocess.Popen) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS
