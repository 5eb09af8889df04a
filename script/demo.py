"""The demo: both nodes as processes, service calls, a motion in closed loop, and its plots."""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from demo_motion import ROOT, Play, choose, draw, too_weak
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from tqdm import tqdm
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics.control import Cycloidal
from manip_dynamics.model.text_table import text_table
from manip_dynamics.nodes.own_domain import take_own_domain
from manip_dynamics.simulation import History
from manip_dynamics_msgs.srv import InverseDynamics, MassMatrix

REFERENCE_RATE = 250.0  # 1/s
TIMEOUT = 30.0  # s
MAX_RMS_ERROR = 0.1  # of a joint's travel; beyond that the arm has lost its reference
MIN_TRAVEL = 0.01  # rad or m
ROUNDING = 1e-9  # relative
REPORT_PERIOD = 10.0  # s, of --live
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def say(text: str) -> None:
    """Print what happens next."""
    print(f"\033[1m==>\033[0m {text}", flush=True)


class Demo(Node):
    """Calls the services, publishes references and records the joint states."""

    def __init__(self, play: Play, nodes: Sequence[subprocess.Popen]) -> None:
        super().__init__("demo")
        self._play, self._nodes = play, nodes
        self.states: list[JointState] = []
        self.references = self.efforts = 0
        self.reference = self.create_publisher(JointTrajectory, "dynamics/reference", 10)
        self.create_subscription(
            JointState, "joint_states", self._on_state, qos_profile_sensor_data
        )
        self.create_subscription(
            JointState, "dynamics/feedforward", self._on_effort, qos_profile_sensor_data
        )

    def _on_state(self, message: JointState) -> None:
        self.states.append(message)

    def _on_effort(self, message: JointState) -> None:
        self.efforts += 1

    def check_nodes(self) -> None:
        """Exit if a node has exited."""
        if any(node.poll() is not None for node in self._nodes):
            sys.exit("script/demo: a node has exited; see its output above")

    def wait_for(self, condition: Callable[[], Any], what: str) -> None:
        """Spin until the condition is true."""
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            self.check_nodes()
            if time.monotonic() > deadline:
                sys.exit(f"script/demo: timed out after {TIMEOUT:.0f} s waiting for {what}")
            rclpy.spin_once(self, timeout_sec=0.1)

    def ask(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service and return its response."""
        client: Any = self.create_client(kind, name)
        self.wait_for(client.service_is_ready, f"the service {name}")
        future = client.call_async(kind.Request(**fields))
        self.wait_for(future.done, f"the response of {name}")
        response: Any = future.result()
        if not response.success:
            sys.exit(f"script/demo: {name} failed: {response.message}")
        return response

    def follow(self, motion: Cycloidal) -> History:
        """Publish the references of a whole motion; return the motion of the arm."""
        del self.states[:-1]
        begin = self.now()
        next_time, next_check = 0.0, 0.0
        bar_format = "    {bar} {n:.0f} of {total:.0f} s"
        with tqdm(total=motion.duration, bar_format=bar_format, leave=False, disable=None) as bar:
            while next_time <= motion.duration:
                now = self.now() - begin
                if now < next_time:
                    rclpy.spin_once(self, timeout_sec=next_time - now)
                    continue
                q, qd, qdd = motion(now)
                point = JointTrajectoryPoint(positions=q, velocities=qd, accelerations=qdd)
                self.reference.publish(JointTrajectory(points=[point]))
                self.references += 1
                next_time += 1.0 / REFERENCE_RATE
                if now >= next_check:
                    self.check_nodes()
                    bar.update(now - bar.n)
                    next_check += 1.0
        return self.history(motion, begin)

    def now(self) -> float:
        """The time, s, on the clock of the simulator's stamps."""
        return self.get_clock().now().nanoseconds * 1e-9

    def history(self, motion: Cycloidal, begin: float) -> History:
        """The states since `begin`, with the reference at their stamps."""
        stamps = [s.header.stamp.sec + s.header.stamp.nanosec * 1e-9 for s in self.states]
        # The arm was at rest, so the last state before the beginning is that at the beginning.
        t = np.maximum(np.array(stamps) - begin, 0.0)
        robot = self._play.robot
        order = [list(self.states[0].name).index(name) for name in robot.joint_names]
        q, qd, tau = (np.array([getattr(state, field) for state in self.states])[:, order]
                      for field in ("position", "velocity", "effort"))
        return History(robot.joint_names, robot.mdh.kind, t, q, qd, tau, motion(t)[0])


def start(executable: str, *arguments: str) -> subprocess.Popen:
    """Start a node as a process in its own session, so that Ctrl-C reaches only the demo."""
    return subprocess.Popen([executable, "--ros-args", *arguments], start_new_session=True,
                            preexec_fn=end_with_the_demo)


def end_with_the_demo() -> None:
    """Have the kernel interrupt this process when the demo exits, even if it is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


@contextmanager
def both_nodes(args: argparse.Namespace, play: Play) -> Iterator[list[subprocess.Popen]]:
    """Run dynamics_node and simulator_node, connected to each other."""
    settings = ROOT / "config" / f"{args.robot}.yaml"
    model = [] if args.urdf else ["--params-file", str(settings)]
    model += ["-p", f"robot:={Path(args.urdf).resolve() if args.urdf else args.robot}"]
    for name in ("base", "tip", "inertia_check"):
        if getattr(args, name):
            model += ["-p", f"{name}:={getattr(args, name)}"]
    nodes: list[subprocess.Popen] = []
    try:
        nodes.append(start(
            "dynamics_node", *model, "-p", "mode:=computed_torque",
            "-p", "kp:=[100.0]", "-p", "kd:=[20.0]",
        ))  # fmt: skip
        nodes.append(start(
            "simulator_node", *model, "-p", f"initial_positions:={play.motion.start.tolist()}",
            "-p", "without_command:=gravity_compensation",
            "-r", "simulator/commands:=dynamics/commands",
        ))  # fmt: skip
        yield nodes
    finally:
        for node in nodes:
            node.send_signal(signal.SIGINT)
        codes = [node.wait(TIMEOUT) for node in nodes]
    if any(codes):
        sys.exit(f"script/demo: the nodes exited with codes {codes}")


def without_rounding(values: Any) -> Any:
    """The values as lists, with 0 for those that are rounding errors of the largest one."""
    array = np.array(values)
    return np.where(abs(array) > ROUNDING * abs(array).max(), array, 0.0).tolist()


def show_services(demo: Demo, play: Play) -> None:
    """Request a mass matrix and efforts, and print them."""
    matrix = demo.ask(MassMatrix, "dynamics/mass_matrix", positions=play.motion.start)
    n = len(matrix.joint_names)
    unit = "kg m^2" if all(joint.revolute for joint in play.robot.joints) else "SI units"
    print(f"    mass_matrix at the start, {unit}:")
    rows = without_rounding(np.reshape(matrix.mass_matrix, (n, n)))
    print(text_table(rows, left=(), number=".5g", indent="      "))
    middle = play.motion.duration / 2
    q, qd, qdd = play.motion(middle)
    answer = demo.ask(
        InverseDynamics, "dynamics/inverse_dynamics",
        joint_names=play.robot.joint_names, positions=q, velocities=qd, accelerations=qdd,
    )  # fmt: skip
    print(f"    inverse_dynamics at t = {middle:g} s of the motion, N m (N for prismatic joints):")
    efforts = {"service": answer.efforts}
    if play.instants is not None and play.efforts is not None:
        efforts["reference"] = play.efforts[np.searchsorted(play.instants, middle)]
    print(text_table([[label, *without_rounding(values)] for label, values in efforts.items()],
                     number=".5g", indent="      "))


def show_motion(demo: Demo, play: Play) -> History:
    """Move the arm and print its tracking error."""
    asked, answered = demo.references, demo.efforts
    history = demo.follow(play.motion)
    duration = play.motion.duration
    rms = np.sqrt(np.mean(history.error**2, axis=0))
    efforts = (f"{effort:.4g}" for effort in abs(history.tau).max(axis=0))
    lengths, forces = play.units
    print(text_table([
        ("joint", "rms error", "max error", "", "max effort", ""),
        *zip(history.joint_names, rms, abs(history.error).max(axis=0), lengths, efforts, forces),
    ], left=(0, 3, 5), number=".2e", indent="    "))
    print(
        f"    {(demo.references - asked) / duration:.0f} references/s, "
        f"{(demo.efforts - answered) / duration:.0f} efforts/s, "
        f"{len(history) / duration:.0f} joint states/s"
    )
    return history


def followed(play: Play, history: History) -> bool:
    """Whether all joints followed their references, with tolerance for delays on a busy machine."""
    travel = abs(play.motion.rate * play.motion.duration)
    rms = np.sqrt(np.mean(history.error**2, axis=0))
    return bool((rms <= MAX_RMS_ERROR * np.maximum(travel, MIN_TRAVEL)).all())


def keep_moving(demo: Demo, play: Play) -> None:
    """Move back and forth until Ctrl-C."""
    say("Moving back and forth until Ctrl-C. To inspect it from another terminal:")
    if shutil.which("ros2") is None:
        print("    (these commands need an installed ROS 2, sourced)")
    zeros = [0.0] * play.robot.n
    print(
        "    export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST "
        f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}\n"
        "    source install/setup.bash\n"
        "    ros2 topic echo /joint_states             # the motion of the simulated arm\n"
        "    ros2 topic echo /dynamics/reference       # its reference\n"
        "    ros2 topic hz /dynamics/feedforward       # the efforts, by joint name\n"
        "    ros2 topic echo /simulator/energy\n"
        "    ros2 topic echo /diagnostics\n"
        "    ros2 service list | grep -e dynamics -e simulator\n"
        "    ros2 service call /dynamics/mass_matrix manip_dynamics_msgs/srv/MassMatrix "
        f"\"{{positions: {zeros}}}\"\n"
        "    ros2 service call /dynamics/get_model manip_dynamics_msgs/srv/GetModel",
        flush=True,
    )
    begin, reported = time.monotonic(), 0.0
    while True:
        for motion in (play.way_back, play.motion):
            history = demo.follow(motion)
            now = time.monotonic() - begin
            if now - reported >= REPORT_PERIOD:
                print(f"    {now:6.0f} s, max error {abs(history.error).max():.1e}", flush=True)
                reported = now


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the options, which script/demo --help describes."""
    parser = argparse.ArgumentParser(prog="script/demo", add_help=False, allow_abbrev=False)
    arm = parser.add_mutually_exclusive_group()
    arm.add_argument("--robot", choices=md.bundled_robots(), default="stanford_arm")
    arm.add_argument("--urdf", metavar="FILE")
    parser.add_argument("--base", metavar="LINK")
    parser.add_argument("--tip", metavar="LINK")
    parser.add_argument("--inertia-check", choices=("error", "warn"), default="warn")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--output", type=Path, default=ROOT / "demo", metavar="DIR")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; exit code 0 if the arm followed its reference."""
    args = parsed(arguments)
    # Shells start background jobs with SIGINT ignored, but --live must end on it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # exits normally, which stops the nodes
    try:
        play = choose(args)
    except ValueError as error:
        sys.exit(f"script/demo: {error}")
    robot = play.robot
    say(f"{robot.name}: {robot.n} joints from {robot.base} to {robot.tip}")
    for remark in (*robot.warnings, *too_weak(play)):
        print(f"    note: {remark}")
    if "ROS_DOMAIN_ID" not in os.environ:
        _claim = take_own_domain()
    say("Starting dynamics_node and simulator_node as separate processes")
    with both_nodes(args, play) as nodes:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        demo = Demo(play, nodes)
        demo.wait_for(lambda: demo.states, "the first joint state")
        demo.wait_for(demo.reference.get_subscription_count, "the dynamics node")
        say("Calling services of the dynamics node")
        show_services(demo, play)
        say(f"Following {play.title} in closed loop, {play.motion.duration:.0f} s")
        history = show_motion(demo, play)
        say("Plotting the motion")
        for path in draw(play, history, args.output):
            inside = path.is_relative_to(Path.cwd())
            print(f"    {path.relative_to(Path.cwd()) if inside else path}")
        if args.live:
            try:
                keep_moving(demo, play)
            except KeyboardInterrupt:
                print()
    if not followed(play, history):
        say("The arm lost its reference; see the notes above for possible reasons")
        return 1
    say("Done: the arm followed its reference")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
