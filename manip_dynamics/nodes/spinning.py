"""How a node's process lives and ends."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node


class StartupError(Exception):
    """The node cannot begin its work; the message says why."""


def spin_until_shutdown(make_node: Callable[[], Node], args: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and return the exit code of the process."""
    # rclpy ends the spinning on SIGINT and then calls the handler that stood here before. Python's
    # own would raise KeyboardInterrupt, a second time during the shutdown if the signal goes to
    # the process group (as a launch process sends it).
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=args)
    node = None
    try:
        node = make_node()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        # What was made until now stays: the collector need not look at it while the node works.
        gc.collect()
        gc.freeze()
        executor.spin()
    except ExternalShutdownException:
        pass
    except (
        StartupError,
        InvalidParameterTypeException,
        InvalidParameterValueException,
    ) as error:
        rclpy.logging.get_logger("manip_dynamics").fatal(str(error))
        return 1
    except Exception:
        # Interrupted while the node was being made: its context is gone, which is no error.
        if rclpy.ok():
            raise
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0

