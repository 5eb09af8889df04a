"""The driver side: sends references, waits for the efforts and takes the time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

DISCOVERY = 20.0  # s
ANSWER = 2.0  # s, after which an answer counts as lost
# No message may be dropped on this side.
KEEP_ALL = QoSProfile(depth=10_000)


@dataclass
class Peer:
    """A node under test and the times of its answers, s, by the number of the reference."""

    reference: Any
    sent: dict[int, float] = field(default_factory=dict)  # s
    feedforward: dict[int, float] = field(default_factory=dict)
    commands: list[float] = field(default_factory=list)
    last_efforts: Any = None

    def on_feedforward(self, message: JointState) -> None:
        self.feedforward[message.header.stamp.sec] = perf_counter()
        self.last_efforts = message.effort

    def on_command(self, message: Float64MultiArray) -> None:
        self.commands.append(perf_counter())

    def forget(self) -> None:
        self.sent.clear()
        self.feedforward.clear()
        self.commands.clear()


class Driver:
    """The node that drives the nodes under test."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        rclpy.init()
        self._node = Node("driver")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._names = list(joint_names)
        self._number = 0

    def close(self) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown()

    def peer(self, name: str, state: Sequence[Any]) -> Peer:
        """Connect to the topics of a node and wait until it has answered a reference."""
        node = self._node
        peer = Peer(node.create_publisher(JointTrajectory, f"{name}/reference", 10))
        answers = [(JointState, "feedforward", peer.on_feedforward),
                   (Float64MultiArray, "commands", peer.on_command)]  # fmt: skip
        for kind, topic, callback in answers:
            node.create_subscription(kind, f"{name}/{topic}", callback, KEEP_ALL)

        # Discovery takes different times on both sides; until then messages are lost.
        def answered() -> bool:
            if peer.reference.get_subscription_count():
                self.send(peer, state)
            return bool(peer.feedforward and peer.commands)

        self.spin_until(answered, DISCOVERY, f"an answer of /{name}")
        self.spin_for(ANSWER / 10)  # drain what is still in flight
        return peer

    def spin_for(self, seconds: float) -> None:
        """Process messages for that time."""
        deadline = perf_counter() + seconds
        while (wait := deadline - perf_counter()) > 0:
            self._executor.spin_once(wait)

    def spin_until(self, condition: Callable[[], Any], patience: float, what: str) -> None:
        """Process messages until the condition is true; TimeoutError after `patience` s."""
        deadline = perf_counter() + patience
        while not condition():
            if perf_counter() > deadline:
                raise TimeoutError(f"waited {patience:g} s for {what}")
            self._executor.spin_once(0.05)

    # ---- topics --------------------------------------------------------------------------------

    def send(self, peer: Peer, state: Sequence[Any]) -> int:
        """Send a reference (q, qd, qdd) with a number that the answer returns as its stamp."""
        self._number += 1
        message = JointTrajectory(joint_names=self._names)
        message.header.stamp.sec = self._number
        q, qd, qdd = state
        message.points = [JointTrajectoryPoint(positions=q, velocities=qd, accelerations=qdd)]
        peer.sent[self._number] = perf_counter()
        peer.reference.publish(message)
        return self._number

    def exchange(self, peer: Peer, state: Sequence[Any]) -> tuple[float, float]:
        """Send one reference; return the seconds until ~/feedforward and until ~/commands."""
        peer.forget()
        number = self.send(peer, state)
        self.spin_until(lambda: number in peer.feedforward and peer.commands, ANSWER, "an answer")
        start = peer.sent[number]
        return peer.feedforward[number] - start, peer.commands[0] - start

    def stream(self, peer: Peer, state: Sequence[Any], rate: float, seconds: float) -> int:
        """Send references at a rate, Hz; return their number."""
        peer.forget()
        gc.collect()
        period, start = 1.0 / rate, perf_counter()
        for i in range(round(rate * seconds)):
            due = start + i * period
            while (wait := due - perf_counter()) > 0:
                self._executor.spin_once(wait)
            self.send(peer, state)
        sent = len(peer.sent)
        deadline = perf_counter() + ANSWER
        while perf_counter() < deadline and min(len(peer.feedforward), len(peer.commands)) < sent:
            self._executor.spin_once(0.05)
        return sent

    # ---- services ------------------------------------------------------------------------------

    def client(self, kind: type, name: str) -> Any:
        """A client of a service that is available."""
        client: Any = self._node.create_client(kind, name)
        self.spin_until(client.service_is_ready, DISCOVERY, f"the service {name}")
        return client

    def call(self, client: Any, request: Any) -> float:
        """The time of one round trip, s; RuntimeError if the request was rejected."""
        start = perf_counter()
        future = client.call_async(request)
        while not future.done():
            if perf_counter() - start > ANSWER:
                raise TimeoutError(f"no answer from {client.srv_name}")
            self._executor.spin_once(ANSWER)
        seconds, response = perf_counter() - start, future.result()
        if not response.success:
            raise RuntimeError(f"{client.srv_name}: {response.message}")
        return seconds


def latencies(peer: Peer) -> np.ndarray:
    """Seconds from sending to ~/feedforward, for all references that were answered."""
    answered = peer.sent.keys() & peer.feedforward.keys()
    return np.array([peer.feedforward[i] - peer.sent[i] for i in answered])
