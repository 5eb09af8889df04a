"""Work that takes too long for a callback, done beside the executor."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.task import Future


class Background:
    """One thread that does one job after the other, in the order they came."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future]] = queue.SimpleQueue()
        # A daemon: the end of the process does not wait for a compiler.
        threading.Thread(target=self._work, daemon=True).start()

    def run(self, job: Callable[[], Any]) -> Future:
        """Return a future of the job's result, to be awaited in a callback of the node."""
        future: Future = Future()
        # A callback that waits looks at its future only when the executor wakes for something.
        future.add_done_callback(lambda _: self._wake())
        self._jobs.put((job, future))
        return future

    def _wake(self) -> None:
        executor = self._node.executor
        with suppress(InvalidHandle):  # the node has just been shut down
            if executor is not None:
                executor.wake()

    def _work(self) -> None:
        while True:
            job, future = self._jobs.get()
            try:
                future.set_result(job())
            except Exception as error:
                future.set_exception(error)
