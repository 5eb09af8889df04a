"""The demo: two nodes as processes, service calls, and a motion in closed loop."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from manip_dynamics_msgs.srv import InverseDynamics, MassMatrix

REFERENCE_RATE = 250.0  # 1/s
PATIENCE = 30.0  # s

# Example 1 of Angeles, Ma & Rojas (1989): q_i = q_i(0) + A_i (t - sin(B t) / B). The third joint
# of the URDF extends where the paper's b_3 retracts.
DURATION = 10.0  # s
START = np.array([0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0])
AMPLITUDE = np.array([np.pi / 30, -np.pi / 60, -0.01, np.pi / 30, np.pi / 30, np.pi / 30])
FREQUENCY = 2 * np.pi / DURATION
# Efforts at t = 5 s, agreed upon by five independent computations (test/data/reference.json).
EFFORTS_AT_5_S = (-0.02329, 10.24491, -15.54898, 0.08524, -0.20963, -0.00012)


def trajectory(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, qd, qdd of the motion at time t."""
    angle = FREQUENCY * t
    return (
        START + AMPLITUDE * (t - np.sin(angle) / FREQUENCY),
        AMPLITUDE * (1 - np.cos(angle)),
        AMPLITUDE * FREQUENCY * np.sin(angle),
    )


def say(text: str) -> None:
    """Tell the visitor what happens now."""
    print(f"\033[1m==>\033[0m {text}", flush=True)


class Demo(Node):
    """Asks the services, sends references and listens to the joint states."""

    def __init__(self, nodes: list[subprocess.Popen]) -> None:
        super().__init__("demo")
        self._nodes = nodes
        self.state: JointState | None = None
        self.states = self.efforts = 0
        self.reference = self.create_publisher(JointTrajectory, "dynamics/reference", 10)
        self.create_subscription(
            JointState, "joint_states", self._on_state, qos_profile_sensor_data
        )
        self.create_subscription(
            JointState, "dynamics/feedforward", self._on_effort, qos_profile_sensor_data
        )

    def _on_state(self, message: JointState) -> None:
        self.state = message
        self.states += 1

    def _on_effort(self, message: JointState) -> None:
        self.efforts += 1

    def wait_for(self, condition: Callable[[], Any], what: str) -> None:
        """Spin until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if any(node.poll() is not None for node in self._nodes):
                sys.exit("script/demo: a node has ended; what it said stands above")
            if time.monotonic() > deadline:
                sys.exit(f"script/demo: waited {PATIENCE:.0f} s for {what} in vain")
            rclpy.spin_once(self, timeout_sec=0.1)

    def ask(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service and return its answer."""
        client: Any = self.create_client(kind, name)
        self.wait_for(client.service_is_ready, f"the service {name}")
        future = client.call_async(kind.Request(**fields))
        self.wait_for(future.done, f"the answer of {name}")
        answer: Any = future.result()
        if not answer.success:
            sys.exit(f"script/demo: {name} refused: {answer.message}")
        return answer

    def follow(self) -> tuple[np.ndarray, np.ndarray]:
        """Send the references of the whole motion; return position errors and acting efforts."""
        errors, efforts = [], []
        begin = time.monotonic()
        next_time, next_tick = 0.0, 0.0
        while next_time <= DURATION:
            now = time.monotonic() - begin
            if now < next_time:
                rclpy.spin_once(self, timeout_sec=next_time - now)
                continue
            q, qd, qdd = trajectory(now)
            point = JointTrajectoryPoint(positions=q, velocities=qd, accelerations=qdd)
            self.reference.publish(JointTrajectory(points=[point]))
            if self.state is not None:
                errors.append(np.array(self.state.position) - q)
                efforts.append(np.array(self.state.effort))
            next_time += 1.0 / REFERENCE_RATE
            if now >= next_tick and sys.stdout.isatty():
                print(f"\r    {now:4.0f} of {DURATION:.0f} s", end="", flush=True)
                next_tick += 1.0
        if sys.stdout.isatty():
            print("\r" + " " * 20, end="\r")
        return np.array(errors), np.array(efforts)


def start(executable: str, *arguments: str) -> subprocess.Popen:
    """Start a node as a process of its own."""
    return subprocess.Popen([executable, "--ros-args", *arguments])


def show_services(demo: Demo) -> None:
    """Ask for a mass matrix and for efforts, and print them."""
    matrix = demo.ask(MassMatrix, "dynamics/mass_matrix", positions=START)
    n = len(matrix.joint_names)
    print("    mass matrix at the start, kg m^2 (kg m, kg for the sliding joint 3):")
    for row in np.reshape(matrix.mass_matrix, (n, n)):
        print("     " + "".join(f"{value:10.4f}" for value in row))
    q, qd, qdd = trajectory(5.0)
    answer = demo.ask(
        InverseDynamics,
        "dynamics/inverse_dynamics",
        positions=q, velocities=qd, accelerations=qdd,
    )  # fmt: skip
    print("    efforts at t = 5 s of the motion, N m (N):")
    for label, efforts in (("service", answer.efforts), ("reference", EFFORTS_AT_5_S)):
        print(f"     {label:>10}" + "".join(f"{value:10.5f}" for value in efforts))


def show_motion(demo: Demo) -> bool:
    """Let the arm follow the trajectory and print how well; returns whether it did."""
    states, sent = demo.states, demo.efforts
    errors, efforts = demo.follow()
    print("    joint     rms error      largest error     largest effort   (rad, N m; m, N)")
    names = demo.state.name if demo.state else []
    for name, e, tau in zip(names, errors.T, efforts.T):
        rms, largest = np.sqrt(np.mean(e**2)), np.abs(e).max()
        print(f"    {name:8} {rms:10.2e} {largest:18.2e} {np.abs(tau).max():18.3f}")
    print(
        f"    {len(errors) / DURATION:.0f} references/s, "
        f"{(demo.efforts - sent) / DURATION:.0f} efforts/s, "
        f"{(demo.states - states) / DURATION:.0f} joint states/s"
    )
    return bool(np.abs(errors).max() < 0.05)


def main() -> int:
    """Run the demo; exit code 0 if the arm followed its reference."""
    argparse.ArgumentParser(prog="script/demo", description=__doc__).parse_args()
    say("Starting dynamics_node and simulator_node with the Stanford arm")
    nodes = [
        start(
            "dynamics_node", "-p", "robot:=stanford_arm", "-p", "mode:=computed_torque",
            "-p", "kp:=[400.0]", "-p", "kd:=[40.0]",
        ),
        start(
            "simulator_node", "-p", "robot:=stanford_arm",
            "-p", f"initial_positions:={START.tolist()}",
            "-p", "without_command:=gravity_compensation",
            "-r", "simulator/commands:=dynamics/commands",
        ),
    ]  # fmt: skip
    try:
        rclpy.init()
        demo = Demo(nodes)
        demo.wait_for(lambda: demo.state, "the first joint state")
        demo.wait_for(demo.reference.get_subscription_count, "the dynamics node to listen")
        say("Asking services of the dynamics node")
        show_services(demo)
        say(f"Following example 1 of Angeles, Ma & Rojas (1989) in closed loop, {DURATION:.0f} s")
        followed = show_motion(demo)
    finally:
        for node in nodes:
            node.send_signal(signal.SIGINT)
        codes = [node.wait(PATIENCE) for node in nodes]
    if any(codes):
        sys.exit(f"script/demo: the nodes ended with {codes}")
    say("Done: the arm followed its reference" if followed else "The arm lost its reference")
    return 0 if followed else 1


if __name__ == "__main__":
    sys.exit(main())
