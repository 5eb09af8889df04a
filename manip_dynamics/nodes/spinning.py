"""Run a node: signals, executors, shutdown."""

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
    """The node cannot start; the message says why."""


class GroupExecutor(SingleThreadedExecutor):
    """Serve part of a node: the callback groups for which `serves(group)` is true.

    Before each wait, an executor visits every entity that it serves: dozens, in a lifecycle node
    with parameters. One that serves nothing but streams answers them faster.

    This overrides three documented methods of Executor and uses no private attribute. It relies on
    rclpy calling them as follows, which all versions from Humble on do:
    - before each wait, `get_nodes()` for the nodes and `can_execute(entity)` for their entities;
    - `wake()` when an entity is created or destroyed, but only of the one executor that is
      `node.executor`. That one wakes its companion, too.
    """

    def __init__(
        self, node: Node, serves: Callable[[CallbackGroup | None], bool],
        companion: Executor | None = None,
    ) -> None:
        super().__init__()
        self._served_node, self._serves, self._companion = node, serves, companion

    def get_nodes(self) -> list[Node]:
        """Return the node, without `add_node`, which would take it from another executor."""
        return [self._served_node]

    def can_execute(self, entity: Any) -> bool:
        """Return whether this executor serves the entity and it can run now."""
        return self._serves(entity.callback_group) and super().can_execute(entity)

    def wake(self) -> None:
        """Make this executor and its companion look at their entities again."""
        super().wake()
        if self._companion is not None:
            self._companion.wake()


def executors_of(node: Node, streams: CallbackGroup | None) -> list[Executor]:
    """Return one executor, or one for the group `streams` and one for everything else."""
    if streams is None:
        executors: list[Executor] = [SingleThreadedExecutor()]
    else:
        fast = GroupExecutor(node, lambda group: group is streams)
        executors = [fast, GroupExecutor(node, lambda group: group is not streams, fast)]
    executors[-1].add_node(node)
    return executors


def spin_until_shutdown(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and return the exit code of the process.

    The callback group `node.streams`, if there is one, gets a thread of its own.

    A signal only requests the shutdown, whenever and however often it arrives (launch interrupts
    the whole process group, so nodes get it twice). rclpy's own handlers would shut the context
    down under a callback that is publishing.
    """
    # The kernel may deliver a signal to any thread, but Python runs handlers in the main thread,
    # which is blocked waiting for the signal. Writing to the wakeup descriptor unblocks it.
    endings, end = socket.socketpair()
    end.setblocking(False)
    signal.set_wakeup_fd(end.fileno(), warn_on_full_buffer=False)
    ended: Future = Future()
    for number in ENDING_SIGNALS:
        signal.signal(number, lambda *_: None)
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # invalid --ros-args
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
        # Exempt everything created so far from garbage collection, which would delay callbacks.
        gc.collect()
        gc.freeze()
        for thread in threads:
            thread.start()
        endings.recv(1)
        # Each executor returns after its current callback, and is shut down only then.
        ended.set_result(None)
        for executor, thread in zip(executors, threads):
            thread.join()
            executor.shutdown()
        if failures:
            raise failures[0]
    except (StartupError, InvalidParameterTypeException, InvalidParameterValueException) as error:
        get_logger("manip_dynamics").fatal(str(error))
        return 1
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.shutdown()
        signal.set_wakeup_fd(-1)
        # Python restores the default handlers on exit, when a late signal would kill the process.
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    return 0
