"""Real nodes in real processes, and a client that waits for events instead of sleeping."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rclpy
from ament_index_python import get_package_prefix
from rclpy.node import Node
from rclpy.qos import QoSProfile

# A request is lost if the server has not found the client's reader yet, or has just died, s.
ASK_AGAIN = 5.0
PATIENCE = 60.0  # s: discovery, or a node's start on a busy machine

# The processes that are expected to be alive; when one ends, it is useless to wait for anything.
_alive: list[NodeProcess] = []


class NodeProcess:
    """One node as a process of its own; its output is kept for the reader of a failure."""

    def __init__(self, executable: str, *arguments: str, **parameters: Any) -> None:
        path = Path(get_package_prefix("manip_dynamics"), "lib", "manip_dynamics", executable)
        command = [str(path), "--ros-args", *arguments]
        for name, value in parameters.items():
            command += ["-p", f"{name}:={value}"]
        # For appending, so that reading does not move the place where the node writes.
        self._log = tempfile.TemporaryFile("a+")  # noqa: SIM115 (lives as long as the process)
        # A group of its own, so that a test can interrupt it as a launch process would.
        self.process = subprocess.Popen(
            command, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True
        )

    @property
    def output(self) -> str:
        """Everything the node has printed so far."""
        self._log.seek(0)
        return self._log.read()

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL: the node gets no chance to say goodbye."""
        self.may_end()
        self.process.kill()
        self.process.wait()

    def may_end(self) -> None:
        """From now on its end is no surprise."""
        if self in _alive:
            _alive.remove(self)


@contextmanager
def running(executable: str, *arguments: str, **parameters: Any) -> Iterator[NodeProcess]:
    """Run a node for a while; whatever happens, it is gone afterwards, and in good order."""
    node = NodeProcess(executable, *arguments, **parameters)
    _alive.append(node)
    try:
        yield node
    except BaseException:
        print(f"---- output of {executable} ----\n{node.output}")
        raise
    finally:
        node.may_end()
        if node.is_alive():
            node.process.send_signal(signal.SIGINT)
            try:
                assert node.process.wait(PATIENCE) == 0, f"{executable} ended badly:\n{node.output}"
            except subprocess.TimeoutExpired:
                node.kill()
                raise


class Client:
    """A ROS node of the test itself."""

    def __init__(self, name: str = "test_client") -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=int(os.environ["ROS_DOMAIN_ID"]))
        self.node = Node(name, context=self._context)
        self._executor = rclpy.executors.SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def spin_until(
        self, condition: Callable[[], Any], what: str, patience: float = PATIENCE
    ) -> Any:
        """Spin until the condition holds and return its value."""
        deadline = time.monotonic() + patience
        while not (value := condition()):
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError(f"waited {patience} s for {what}")
            for dead in (node for node in _alive if not node.is_alive()):
                raise RuntimeError(f"a node ended ({dead.process.returncode}):\n{dead.output}")
            self._executor.spin_once(min(remaining, 0.05))
        return value

    def call(self, kind: Any, name: str, patience: float = PATIENCE, **fields: Any) -> Any:
        """Call a service with these fields and return its response."""
        return self.request(kind, name, kind.Request(**fields), patience)

    def service(self, kind: Any, name: str, patience: float = PATIENCE) -> Any:
        """Return the client of a service that is there."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        self.spin_until(self._clients[name].service_is_ready, f"service {name}", patience)
        return self._clients[name]

    def request(self, kind: Any, name: str, request: Any, patience: float = PATIENCE) -> Any:
        """Send a request to a service and return its response."""
        client = self.service(kind, name, patience)
        deadline = time.monotonic() + patience
        while True:
            future = client.call_async(request)
            try:
                self.spin_until(future.done, f"the answer of {name}", min(ASK_AGAIN, patience))
                return future.result()
            except TimeoutError:
                client.remove_pending_request(future)
                if time.monotonic() > deadline:
                    raise

    def collect(self, kind: type, topic: str, qos: QoSProfile | int = 100) -> list:
        """Return a list that fills with the messages of a topic."""
        messages: list = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def publisher(self, kind: type, topic: str, qos: QoSProfile | int = 10) -> Any:
        """Return a publisher that somebody is listening to."""
        publisher = self.node.create_publisher(kind, topic, qos)
        self.spin_until(publisher.get_subscription_count, f"a subscriber of {topic}")
        return publisher

    def keep_sending(self, publisher: Any, message: Any, period: float = 0.05) -> Any:
        """Publish again and again while spinning; return the timer, which can be cancelled.

        A best-effort subscriber may not know a publisher yet that already knows the subscriber.
        """
        return self.node.create_timer(period, lambda: publisher.publish(message))

    def next(self, messages: list, what: str, suits: Callable[[Any], bool] = lambda _: True) -> Any:
        """Forget the messages so far and return the next one that suits."""
        messages.clear()

        def suitable() -> Any:
            return next((message for message in messages if suits(message)), None)

        return self.spin_until(suitable, what)

    def next_from_now(
        self, messages: list, what: str, suits: Callable[[Any], bool] = lambda _: True
    ) -> Any:
        """As `next`, but none that was stamped before and has waited to be read."""
        now = self.node.get_clock().now().nanoseconds

        def stamp(message: Any) -> int:
            time = message.header.stamp
            return time.sec * 1_000_000_000 + time.nanosec

        return self.next(messages, what, lambda m: stamp(m) >= now and suits(m))
