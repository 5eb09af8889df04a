"""A short-lived ROS 2 node for verbs that talk to nodes; rclpy is imported only when one runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

DISCOVERY_TIMEOUT = 10.0  # s; discovery takes up to 3 s
RESPONSE_TIMEOUT = 60.0  # s; SetPayload may compile first
# A response is lost if the server has not discovered our reader yet, so the request is repeated;
# all services of our nodes are idempotent.
RETRY_PERIOD = 5.0  # s


class Session:
    """The node and executor of one command."""

    def __init__(self, node: Any, executor: Any) -> None:
        self.node, self._executor = node, executor

    def spin_until(self, condition: Callable[[], Any], complaint: str,
                   timeout: float = DISCOVERY_TIMEOUT) -> Any:
        """Spin until the condition is true and return its value; ValueError after `timeout` s."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise ValueError(complaint)
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def ask(self, kind: Any, service: str, request: Any, hint: str) -> Any:
        """Call a service and return its response; ValueError with the hint if it is unavailable."""
        client = self.node.create_client(kind, service)
        self.spin_until(client.service_is_ready, f"there is no service {service}; {hint}")
        futures: list[Any] = []

        def answered() -> Any:
            if time.monotonic() >= begin + RETRY_PERIOD * len(futures):
                futures.append(client.call_async(request))
            return next((future for future in futures if future.done()), None)

        begin = time.monotonic()
        return self.spin_until(answered, f"no response from {service}", RESPONSE_TIMEOUT).result()


@contextmanager
def session(name: str, use_sim_time: bool = False) -> Iterator[Session]:
    """Open a session for the duration of the block; ValueError if ROS 2 is not available."""
    try:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node
        from rclpy.parameter import Parameter
    except ImportError as error:
        raise ValueError(f"this verb talks to nodes and needs ROS 2 ({error})") from None
    rclpy.init(args=[])
    try:
        node = Node(name, parameter_overrides=[Parameter("use_sim_time", value=use_sim_time)])
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        yield Session(node, executor)
    finally:
        rclpy.try_shutdown()
