"""How a node's process lives and ends."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)

# How long an idle node may take to notice that it shall end, s.
NOTICE = 0.1


class StartupError(Exception):
    """The node cannot begin its work; the message says why."""


def spin_until_shutdown(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and return the exit code of the process.

    A signal only leaves a note, at whatever moment it comes and however often (a launch process
    interrupts the whole process group, so that nodes get it twice). rclpy's own handlers would
    take the context away under a callback that is just publishing.
    """
    endings: list[int] = []
    for number in ENDING_SIGNALS:
        signal.signal(number, lambda number, _: endings.append(number))
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    node = None
    try:
        node = make_node()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        # What was made until now stays: the collector need not look at it while the node works.
        gc.collect()
        gc.freeze()
        while not endings:
            executor.spin_once(timeout_sec=NOTICE)
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
        # Python gives up our handlers before it ends.
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    return 0
