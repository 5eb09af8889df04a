"""One line that says what is going on, on a terminal; a line now and then elsewhere."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TextIO

SILENCE = 10.0  # s: no more often than this where lines cannot be overwritten


class Progress:
    """Call it with what is being done; it keeps to one line."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream = stream
        self._start = monotonic()
        self._last = -SILENCE

    def __call__(self, text: str) -> None:
        elapsed = monotonic() - self._start
        line = f"[{elapsed:4.0f} s] {text}"
        if self._stream.isatty():
            self._stream.write(f"\r\033[K{line}")
        elif elapsed - self._last >= SILENCE:
            self._last = elapsed
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Leave a clean line to those who print."""
        if self._stream.isatty():
            self._stream.write("\r\033[K")
            self._stream.flush()
