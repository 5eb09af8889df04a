"""ROS 2 for verbs that talk to nodes; imported only when such a verb runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 10.0  # s: discovery takes up to 3 s
LONGEST_ANSWER = 60.0  # s: a payload is compiled first
# A request is lost if the server has not found our reader yet; those of our nodes do no harm twice.
ASK_AGAIN = 5.0  # s


class Session:
    """A node of our own for the time of one command."""

    def __init__(self, node: Any, executor: Any) -> None:
        self.node, self._executor = node, executor

    def spin_until(self, condition: Callable[[], Any], complaint: str,
                   patience: float = PATIENCE) -> Any:
        """Spin until the condition holds and return its value; ValueError if it never does."""
        deadline = time.monotonic() + patience
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise ValueError(complaint)
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def ask(self, kind: Any, service: str, request: Any, hint: str) -> Any:
        """Call a service and return its response; ValueError, with the hint, if it is not there."""
        client = self.node.create_client(kind, service)
        self.spin_until(client.service_is_ready, f"there is no service {service}; {hint}")
        futures: list[Any] = []

        def answered() -> Any:
            if time.monotonic() >= begin + ASK_AGAIN * len(futures):
                futures.append(client.call_async(request))
            return next((future for future in futures if future.done()), None)

        begin = time.monotonic()
        return self.spin_until(answered, f"{service} does not answer", LONGEST_ANSWER).result()


@contextmanager
def session(name: str, use_sim_time: bool = False) -> Iterator[Session]:
    """A session as long as the block; ValueError where there is no ROS 2."""
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
