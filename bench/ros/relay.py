"""The minimum that an rclpy node can do with the same messages, without any computation.

`python -m bench.ros.relay topics`: returns the positions of a reference as efforts, on both topics.
`python -m bench.ros.relay services`: answers requests with a response of the same size.

It is optimised like the dynamics node: messages are allocated once, and the objects that exist
after startup are frozen for the garbage collector.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from manip_dynamics.nodes.streams import STREAM
from manip_dynamics_msgs.srv import InverseDynamics, MassMatrix


class TopicRelay(Node):
    """~/reference to ~/feedforward and ~/commands."""

    def __init__(self) -> None:
        super().__init__("relay")
        self._efforts, self._command = JointState(), Float64MultiArray()
        self._feedforward = self.create_publisher(JointState, "~/feedforward", 10)
        self._commands = self.create_publisher(Float64MultiArray, "~/commands", 10)
        self.create_subscription(JointTrajectory, "~/reference", self._on_reference, STREAM)

    def _on_reference(self, message: JointTrajectory) -> None:
        self._efforts.header.stamp = message.header.stamp
        self._efforts.name = message.joint_names
        self._efforts.effort = message.points[0].positions
        self._feedforward.publish(self._efforts)
        self._command.data = message.points[0].positions
        self._commands.publish(self._command)


class ServiceRelay(Node):
    """~/mass_matrix and ~/inverse_dynamics, with constant numbers."""

    def __init__(self) -> None:
        super().__init__("relay")
        self.create_service(MassMatrix, "~/mass_matrix", self._on_mass_matrix)
        self.create_service(InverseDynamics, "~/inverse_dynamics", self._on_inverse_dynamics)
        self._matrix: list[float] = []

    def _on_mass_matrix(self, request: Any, response: Any) -> Any:
        if not self._matrix:
            self._matrix = [0.5] * len(request.positions) ** 2
        response.success = True
        response.joint_names = request.joint_names
        response.mass_matrix = self._matrix
        return response

    def _on_inverse_dynamics(self, request: Any, response: Any) -> Any:
        response.success = True
        response.joint_names = request.joint_names
        response.efforts = request.positions
        return response


def main() -> None:
    """Spin until it is interrupted."""
    rclpy.init()
    node = {"topics": TopicRelay, "services": ServiceRelay}[sys.argv[1]]()
    gc.collect()
    gc.freeze()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


if __name__ == "__main__":
    main()
