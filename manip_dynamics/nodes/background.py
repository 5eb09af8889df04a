"""Run jobs that take too long for a callback in a background thread."""

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
    """One thread that runs jobs in the order of their arrival."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future]] = queue.SimpleQueue()
        # A daemon, so that the process can exit during a compilation.
        threading.Thread(target=self._work, daemon=True).start()

    def run(self, job: Callable[[], Any]) -> Future:
        """Queue a job; a callback of the node can await the returned future."""
        future: Future = Future()
        # The executor resumes an awaiting callback only when something wakes it.
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
