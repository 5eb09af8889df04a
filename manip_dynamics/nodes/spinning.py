"""How a node's process lives and ends."""

from __future__ import annotations

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.callback_groups import CallbackGroup
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StartupError(Exception):
    """The node cannot begin its work; the message says why."""


class PartialExecutor(SingleThreadedExecutor):
    """Serves one part of a node: the entities in a callback group, or all the others.

    An rclpy executor goes through all that it waits for before each wait, and a node with
    parameters, lifecycle and services has dozens of entities. A stream of messages that is served
    apart from them is answered faster.
    """

    def __init__(
        self, node: Node, serves: Callable[[CallbackGroup | None], bool],
        companion: Executor | None = None,
    ) -> None:
        super().__init__()
        self._served_node, self._serves, self._companion = node, serves, companion

    def get_nodes(self) -> list[Node]:
        """The node, without taking it away from another executor as `add_node` does."""
        return [self._served_node]

    def can_execute(self, entity: Any) -> bool:
        """Whether an entity is of our part and may run now."""
        return self._serves(entity.callback_group) and super().can_execute(entity)

    def wake(self) -> None:
        """Look again at what there is to serve; the node tells one executor only."""
        super().wake()
        if self._companion is not None:
            self._companion.wake()


def executors_of(node: Node, streams: CallbackGroup | None) -> list[Executor]:
    """One executor, or one for the group `streams` and one for everything else."""
    if streams is None:
        everything = SingleThreadedExecutor()
        everything.add_node(node)
        return [everything]
    fast = PartialExecutor(node, lambda group: group is streams)
    the_rest = PartialExecutor(node, lambda group: group is not streams, companion=fast)
    the_rest.add_node(node)
    return [fast, the_rest]


def spin_until_shutdown(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and return the exit code of the process.

    The callback group `node.streams`, if there is one, is served by a thread of its own.

    A signal only leaves a note, at whatever moment it comes and however often (a launch process
    interrupts the whole process group, so that nodes get it twice). rclpy's own handlers would
    take the context away under a callback that is just publishing.
    """
    # The operating system may hand a signal to any thread, and Python's handler would wait for the
    # main thread, which waits for the signal. What comes through the wakeup descriptor wakes it.
    endings, end = socket.socketpair()
    end.setblocking(False)
    signal.set_wakeup_fd(end.fileno(), warn_on_full_buffer=False)
    ended: Future = Future()
    for number in ENDING_SIGNALS:
        signal.signal(number, lambda *_: None)
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # what stands after --ros-args
        print(f"manip_dynamics: {error}", file=sys.stderr)
        return 1
    node = None
    failures: list[BaseException] = []

    def spin(executor: Executor) -> None:
        try:
            executor.spin_until_future_complete(ended)
        except BaseException as failure:
            failures.append(failure)
            end.send(b"\0")

    try:
        node = make_node()
        executors = executors_of(node, getattr(node, "streams", None))
        threads = [threading.Thread(target=spin, args=(executor,)) for executor in executors]
        # What was made until now stays: the collector need not look at it while the node works.
        gc.collect()
        gc.freeze()
        for thread in threads:
            thread.start()
        endings.recv(1)
        # Each ends after its callback; a shutdown from outside would take away what it works with.
        ended.set_result(None)
        for executor, thread in zip(executors, threads):
            thread.join()
            executor.shutdown()
        if failures:
            raise failures[0]
    except (
        StartupError,
        InvalidParameterTypeException,
        InvalidParameterValueException,
    ) as error:
        get_logger("manip_dynamics").fatal(str(error))
        return 1
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.shutdown()
        signal.set_wakeup_fd(-1)
        # Python gives up our handlers before it ends.
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    return 0
