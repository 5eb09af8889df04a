"""Options of the verbs that move an arm along a trajectory."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from manip_dynamics.control import (
    CartesianLine,
    Cycloidal,
    Quintic,
    Sinusoidal,
    Trajectory,
    Trapezoidal,
    Waypoints,
)
from manip_dynamics.control.cartesian import ALL_COMPONENTS
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.robot import Robot

from .robot_options import joint_values

KINDS = ("cycloidal", "quintic", "trapezoidal", "sinusoidal", "line")
# The kinds that each option applies to; with any other it would be ignored.
KINDS_OF = {
    "start": ("none", *KINDS),
    "to": ("cycloidal", "quintic", "trapezoidal"),
    "by": ("line",),
    "components": ("line",),
    "amplitude": ("sinusoidal",),
    "frequency": ("sinusoidal",),
    "velocity": ("none",),
}
DEFAULT_DURATION = 10.0  # s
DEFAULT_AMPLITUDE = 0.2  # rad or m
DEFAULT_FREQUENCY = 0.5  # Hz
LIMIT_TOLERANCE = 1e-6  # rad or m; relative for velocities
SAMPLES = 1001  # at which a trajectory is compared with the joint limits
VELOCITY_FRACTION = 0.5  # of the joint limits, reached by a trapezoidal trajectory


def add_motion_arguments(
    parser: argparse.ArgumentParser, default: str, also: str = ""
) -> argparse._ArgumentGroup:
    """Add the options of a trajectory; `also` describes further kinds that the verb accepts."""
    motion = parser.add_argument_group("motion")
    motion.add_argument("--trajectory", metavar="KIND",
                        help=f"{also + ', ' if also else ''}{', '.join(KINDS)}, or a CSV file "
                             f"with a column time and one per joint (default {default}; "
                             "quintic with --to, line with --by)")
    parser.set_defaults(default_trajectory=default)
    motion.add_argument("--start", nargs="+", type=float, metavar="Q",
                        help="initial joint positions (default: zero, within limits)")
    motion.add_argument("--to", nargs="+", type=float, metavar="Q",
                        help="final joint positions (cycloidal, quintic, trapezoidal)")
    motion.add_argument("--by", nargs=3, type=float, metavar=("X", "Y", "Z"),
                        help="displacement of the tip in the base frame, m (line)")
    motion.add_argument("--components", nargs="+", choices=ALL_COMPONENTS,
                        help="components of the tip pose to control on a line, as many as "
                             "joints (default for six joints: all)")
    motion.add_argument("--amplitude", nargs="+", type=float, metavar="A",
                        help="amplitude of sinusoidal motion, one value or one per joint "
                             f"(default {DEFAULT_AMPLITUDE:g})")
    motion.add_argument("--frequency", nargs="+", type=float, metavar="HZ",
                        help=f"frequency of sinusoidal motion (default {DEFAULT_FREQUENCY:g})")
    motion.add_argument("--duration", type=float, metavar="S",
                        help=f"s (default: that of the trajectory, or {DEFAULT_DURATION:g})")
    return motion


def kind_from_arguments(args: argparse.Namespace) -> str:
    """The kind of trajectory; ValueError if an option does not apply to it."""
    kind = args.trajectory
    if kind is None:
        kind = "quintic" if args.to else "line" if args.by else args.default_trajectory
    for option, kinds in KINDS_OF.items():
        if getattr(args, option, None) is not None and kind not in kinds:
            raise ValueError(f"--{option} applies to --trajectory {' or '.join(kinds)}, "
                             f"not to {kind}")
    return kind


def motion_from_arguments(args: argparse.Namespace, dyn: Dynamics) -> Trajectory:
    """The trajectory that the options describe, within the joint limits unless --no-limits."""
    trajectory = _trajectory(args, dyn)
    if not args.no_limits:
        check_positions(trajectory, dyn.robot)
    return trajectory


def check_positions(trajectory: Trajectory, robot: Robot) -> None:
    """Raise ValueError if the trajectory exceeds a position limit."""
    q = trajectory(_samples(trajectory))[0]
    nearest = np.clip(q, robot.lower, robot.upper)
    for j, joint in enumerate(robot.joints):
        i = int(np.argmax(abs(q - nearest)[:, j]))
        if abs(q[i, j] - nearest[i, j]) > LIMIT_TOLERANCE:
            raise ValueError(f"the trajectory moves {joint.name} to {q[i, j]:.4g} "
                             f"{'rad' if joint.revolute else 'm'}, but its limit is "
                             f"{nearest[i, j]:.4g} (--no-limits overrides)")


def check_velocities(trajectory: Trajectory, robot: Robot) -> None:
    """Raise ValueError if the trajectory exceeds a velocity limit."""
    fastest = abs(trajectory(_samples(trajectory))[1]).max(axis=0)
    for joint, velocity in zip(robot.joints, fastest):
        if velocity > (1.0 + LIMIT_TOLERANCE) * joint.max_velocity:
            raise ValueError(f"the trajectory moves {joint.name} at {velocity:.4g} "
                             f"{'rad/s' if joint.revolute else 'm/s'}, but its limit is "
                             f"{joint.max_velocity:.4g} (--no-limits overrides)")


def _samples(trajectory: Trajectory) -> np.ndarray:
    return np.linspace(0.0, trajectory.duration, SAMPLES)


def _trajectory(args: argparse.Namespace, dyn: Dynamics) -> Trajectory:
    robot, kind = dyn.robot, kind_from_arguments(args)
    if Path(kind).suffix == ".csv":
        return Waypoints.from_csv(kind, robot.joint_names)
    if kind not in KINDS:
        raise ValueError(f"--trajectory: '{kind}' is neither one of {', '.join(KINDS)} nor a "
                         ".csv file")
    start = start_from_arguments(args, robot)
    duration = args.duration or DEFAULT_DURATION
    if kind == "sinusoidal":
        return Sinusoidal(start, one_or_each(args.amplitude or [DEFAULT_AMPLITUDE]),
                          one_or_each(args.frequency or [DEFAULT_FREQUENCY]), duration=duration)
    if kind == "line":
        if args.by is None:
            raise ValueError("--trajectory line needs --by X Y Z, the displacement of the tip")
        return CartesianLine(dyn, dyn.forward_kinematics(start), args.by, duration, start,
                             args.components or ALL_COMPONENTS)
    if args.to is None:
        raise ValueError(f"--trajectory {kind} needs --to, the final joint positions")
    end = joint_values("--to", args.to, robot)
    if kind == "cycloidal":
        return Cycloidal(start, (end - start) / duration, duration)
    if kind == "quintic":
        return Quintic(start, end, duration)
    limits = robot.max_velocity
    velocity = np.where(np.isfinite(limits), VELOCITY_FRACTION * limits, 1.0)
    return Trapezoidal(start, end, velocity, 4.0 * velocity)


def start_from_arguments(args: argparse.Namespace, robot: Robot) -> np.ndarray:
    """The positions (n,) of --start, or zero within the limits."""
    if args.start is not None:
        return joint_values("--start", args.start, robot)
    return np.clip(0.0, robot.lower, robot.upper)


def one_or_each(values: list[float]) -> Any:
    """One value for all joints, or one per joint."""
    return values[0] if len(values) == 1 else values
