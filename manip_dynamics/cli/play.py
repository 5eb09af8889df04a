"""Stream a trajectory to a running dynamics node as references, after moving to its start."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from manip_dynamics.control import Quintic, Trajectory
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.robot import Robot
from manip_dynamics.model.text_table import text_table

from .motion_options import (
    add_motion_arguments,
    check_velocities,
    kind_from_arguments,
    motion_from_arguments,
)
from .robot_options import add_robot_arguments, robot_from_arguments
from .ros_session import Session, session

SUMMARY = "play a trajectory to a running dynamics node"
EXAMPLE = ("manip_dynamics play stanford_arm --trajectory quintic --to 0.5 0.8 0.1 0 0.3 0 "
           "--duration 5 --rate 500")

APPROACH_VELOCITY = 0.25  # of the joint limits, on the way to the start of the trajectory
MIN_APPROACH_TIME = 1.0  # s
AT_START = 1e-3  # rad or m


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    add_motion_arguments(parser, default="sinusoidal")
    ros = parser.add_argument_group("ROS 2")
    ros.add_argument("--node", default="/dynamics", metavar="NAME",
                     help="the dynamics node, with its namespace (default /dynamics)")
    ros.add_argument("--rate", type=float, default=500.0, metavar="HZ",
                     help="references per second (default 500)")
    ros.add_argument("--use-sim-time", action="store_true", help="use the time on /clock")
    ros.add_argument("--no-limits", action="store_true",
                     help="ignore the position and velocity limits of the robot")


def run(args: argparse.Namespace) -> int:
    if not 0.0 < args.rate <= 10_000.0:
        raise ValueError(f"--rate must be between 0 and 10000 Hz, not {args.rate:g}")
    robot = robot_from_arguments(args)
    trajectory = motion_from_arguments(args, Dynamics(robot))
    if not args.no_limits:
        check_velocities(trajectory, robot)
    if args.duration is not None and args.duration != trajectory.duration:
        raise ValueError(f"--duration: the duration of a '{kind_from_arguments(args)}' "
                         f"trajectory is fixed, here {trajectory.duration:.4g} s")
    with session("player", args.use_sim_time) as ros:
        player = Player(ros, robot, args.node, args.rate)
        start = trajectory(0.0)[0]
        here = player.wait_for_state()
        if abs(start - here).max() > AT_START:
            approach = Quintic(here, start, approach_duration(robot, start - here))
            print(f"moving to the start, {approach.duration:.1f} s", flush=True)
            player.play(approach)
        print(f"playing, {trajectory.duration:g} s at {args.rate:g} Hz", flush=True)
        print(report(robot, *player.play(trajectory)))
    return 0


def approach_duration(robot: Robot, distance: np.ndarray) -> float:
    """Seconds for `distance` (n,); the velocity of a quintic peaks at 1.875 distance / duration."""
    velocity = APPROACH_VELOCITY * robot.max_velocity
    return max(MIN_APPROACH_TIME, float((1.875 * abs(distance) / velocity).max()))


class Player:
    """Publishes references and records the joint states."""

    def __init__(self, ros: Session, robot: Robot, dynamics_node: str, rate: float) -> None:
        from rclpy.qos import qos_profile_sensor_data
        from sensor_msgs.msg import JointState
        from trajectory_msgs.msg import JointTrajectory

        self._ros, self._robot, self._period = ros, robot, 1.0 / rate
        self._reference = ros.node.create_publisher(
            JointTrajectory, f"{dynamics_node}/reference", 10)
        namespace = dynamics_node.rpartition("/")[0]
        self._state_topic = f"{namespace}/joint_states"
        ros.node.create_subscription(JointState, self._state_topic, self._on_state,
                                     qos_profile_sensor_data)
        self._times: list[float] = []
        self._positions: list[list[float]] = []

    def wait_for_state(self) -> np.ndarray:
        """The positions (n,) of the arm, once the dynamics node is connected."""
        topic = self._reference.topic_name
        self._ros.spin_until(self._reference.get_subscription_count,
                             f"no subscriber on {topic}; is the dynamics node running?")
        self._ros.spin_until(lambda: self._positions,
                             f"no joint states of {', '.join(self._robot.joint_names)} on "
                             f"{self._state_topic}; is the robot or the simulator running?")
        return np.array(self._positions[-1])

    def play(self, trajectory: Trajectory) -> tuple[np.ndarray, float]:
        """Publish a whole trajectory at the rate.

        Returns the position errors (N, n) at the stamps of the N joint states received meanwhile,
        rad or m, and the number of references published per second.
        """
        self._times.clear()
        self._positions.clear()
        start = self._now()
        sent = 0

        def send() -> None:
            nonlocal sent
            self._send(trajectory, self._now() - start)
            sent += 1

        timer = self._ros.node.create_timer(self._period, send)
        end = start + trajectory.duration
        self._ros.spin_until(lambda: self._now() >= end, "the clock has stopped",
                             timeout=float("inf"))
        self._ros.node.destroy_timer(timer)
        self._send(trajectory, trajectory.duration)
        times = np.array(self._times) - start
        during = (times >= 0.0) & (times <= trajectory.duration)
        positions = np.reshape(self._positions, (-1, self._robot.n))[during]
        return positions - trajectory(times[during])[0], sent / trajectory.duration

    def _send(self, trajectory: Trajectory, t: float) -> None:
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        q, qd, qdd = trajectory(t)
        point = JointTrajectoryPoint(positions=q, velocities=qd, accelerations=qdd)
        message = JointTrajectory(joint_names=list(self._robot.joint_names), points=[point])
        message.header.stamp = self._ros.node.get_clock().now().to_msg()
        self._reference.publish(message)

    def _now(self) -> float:
        return self._ros.node.get_clock().now().nanoseconds * 1e-9

    def _on_state(self, message: Any) -> None:
        place = {name: i for i, name in enumerate(message.name)}
        try:
            position = [message.position[place[name]] for name in self._robot.joint_names]
        except (KeyError, IndexError):
            return  # joint states of another device
        self._times.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)
        self._positions.append(position)


def report(robot: Robot, errors: np.ndarray, rate: float) -> str:
    """The tracking error, joint by joint."""
    rms = np.sqrt(np.mean(errors**2, axis=0)) if len(errors) else np.full(robot.n, np.nan)
    units = ("rad" if joint.revolute else "m" for joint in robot.joints)
    largest = abs(errors).max(axis=0, initial=0.0)
    return text_table([f"{rate:.0f} references per second, {len(errors)} joint states",
                       ("joint", "rms error", "max error", "unit"),
                       *zip(robot.joint_names, rms, largest, units)], left=(0, 3), number=".2e")
