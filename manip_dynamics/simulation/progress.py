"""A progress bar for the person who waits: on standard error, only where that is a terminal."""

from __future__ import annotations

import sys
import time

PATIENCE = 1.0  # s without a bar
REFRESH = 0.1  # s
WIDTH = 30


class Progress:
    """`with Progress(total, "simulating") as progress: ... progress.show(done, "3.2 s")`."""

    def __init__(self, total: float, label: str) -> None:
        self._total, self._label = total, label
        self._stream = sys.stderr
        self._start = time.monotonic()
        self._due = self._start + PATIENCE if self._stream.isatty() else float("inf")
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def show(self, done: float, remark: str = "") -> None:
        """Draw the bar, if it is time to."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + REFRESH
        self._shown = True
        share = min(1.0, done / self._total) if self._total else 1.0
        bar = ("#" * round(share * WIDTH)).ljust(WIDTH, ".")
        left = (now - self._start) * (1.0 - share) / share if share else float("inf")
        ahead = f"{left:.0f} s left" if share else ""
        self._stream.write(f"\r\033[K{self._label} [{bar}] {share:4.0%}  {remark}  {ahead}")
        self._stream.flush()
