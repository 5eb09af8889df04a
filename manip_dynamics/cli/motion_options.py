"""The options of every verb that moves an arm along a trajectory."""

from __future__ import annotations

import argparse
import math
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
# The options that say something about some kinds only; with another they would be ignored.
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
ROUNDING = 1e-6
INSTANTS = 1001  # at which a trajectory is compared with the joint limits
SHARE_OF_VELOCITY = 0.5  # of a joint's limit, that a trapezoidal trajectory uses


def add_motion_arguments(
    parser: argparse.ArgumentParser, default: str, also: str = ""
) -> argparse._ArgumentGroup:
    """The trajectory; `also` names further kinds that the verb knows."""
    motion = parser.add_argument_group("motion")
    motion.add_argument("--trajectory", metavar="KIND",
                        help=f"{also + ', ' if also else ''}{', '.join(KINDS)}, or a CSV file "
                             f"with a column time and one for each joint (default {default}; "
                             "quintic with --to, line with --by)")
    parser.set_defaults(default_trajectory=default)
    motion.add_argument("--start", nargs="+", type=float, metavar="Q",
                        help="joint positions at the beginning (default: zero, within limits)")
    motion.add_argument("--to", nargs="+", type=float, metavar="Q",
                        help="joint positions at the end (cycloidal, quintic, trapezoidal)")
    motion.add_argument("--by", nargs=3, type=float, metavar=("X", "Y", "Z"),
                        help="way of the tip in the base link, m (line)")
    motion.add_argument("--components", nargs="+", choices=ALL_COMPONENTS,
                        help="what of the tip's pose a line keeps, as many as joints (default "
                             "for six joints: all)")
    motion.add_argument("--amplitude", nargs="+", type=float, metavar="A",
                        help="of sinusoidal motion, one or one for each joint (default "
                             f"{DEFAULT_AMPLITUDE:g})")
    motion.add_argument("--frequency", nargs="+", type=float, metavar="HZ",
                        help=f"of sinusoidal motion (default {DEFAULT_FREQUENCY:g})")
    motion.add_argument("--duration", type=float, metavar="S",
                        help=f"default: that of the trajectory, or {DEFAULT_DURATION:g}")
    return motion


def kind_from_arguments(args: argparse.Namespace) -> str:
    """The kind of trajectory; ValueError if an option is there that says nothing about it."""
    kind = args.trajectory
    if kind is None:
        kind = "quintic" if args.to else "line" if args.by else args.default_trajectory
    for option, kinds in KINDS_OF.items():
        if getattr(args, option, None) is not None and kind not in kinds:
            raise ValueError(f"--{option} belongs to --trajectory {' or '.join(kinds)}, "
                             f"not to {kind}")
    return kind


def motion_from_arguments(args: argparse.Namespace, dyn: Dynamics) -> Trajectory:
    """The trajectory that the options describe; within the joint limits, unless --no-limits."""
    trajectory = _trajectory(args, dyn)
    if not args.no_limits:
        check_positions(trajectory, dyn.robot)
    return trajectory


def check_positions(trajectory: Trajectory, robot: Robot) -> None:
    """Raise ValueError if a joint would have to go beyond its limits."""
    q = trajectory(_instants(trajectory))[0]
    for joint, lowest, highest in zip(robot.joints, q.min(axis=0), q.max(axis=0)):
        for reached, limit in ((lowest, max(lowest, joint.lower)),
                               (highest, min(highest, joint.upper))):
            if abs(reached - limit) > ROUNDING:
                raise ValueError(f"the trajectory takes {joint.name} to {reached:.4g} "
                                 f"{'rad' if joint.revolute else 'm'}, and its limit is "
                                 f"{limit:.4g} (--no-limits: do it all the same)")


def check_velocities(trajectory: Trajectory, robot: Robot) -> None:
    """Raise ValueError if a joint would have to be faster than it can."""
    fastest = abs(trajectory(_instants(trajectory))[1]).max(axis=0)
    for joint, velocity in zip(robot.joints, fastest):
        if velocity > (1.0 + ROUNDING) * joint.max_velocity:
            raise ValueError(f"the trajectory needs {velocity:.4g} "
                             f"{'rad/s' if joint.revolute else 'm/s'} of {joint.name}, and its "
                             f"limit is {joint.max_velocity:.4g} (--no-limits: do it all the same)")


def _instants(trajectory: Trajectory) -> np.ndarray:
    return np.linspace(0.0, trajectory.duration, INSTANTS)


def _trajectory(args: argparse.Namespace, dyn: Dynamics) -> Trajectory:
    robot, kind = dyn.robot, kind_from_arguments(args)
    if Path(kind).suffix == ".csv":
        return Waypoints.from_csv(kind, robot.joint_names)
    if kind not in KINDS:
        raise ValueError(f"--trajectory: '{kind}' is none of {', '.join(KINDS)} and no "
                         ".csv file")
    start = start_from_arguments(args, robot)
    duration = args.duration or DEFAULT_DURATION
    if kind == "sinusoidal":
        return Sinusoidal(start, one_or_each(args.amplitude or [DEFAULT_AMPLITUDE]),
                          one_or_each(args.frequency or [DEFAULT_FREQUENCY]), duration=duration)
    if kind == "line":
        if args.by is None:
            raise ValueError("--trajectory line needs --by X Y Z, the way of the tip")
        return CartesianLine(dyn, dyn.forward_kinematics(start), args.by, duration, start,
                             args.components or ALL_COMPONENTS)
    if args.to is None:
        raise ValueError(f"--trajectory {kind} needs --to, the joint positions at the end")
    end = joint_values("--to", args.to, robot)
    if kind == "cycloidal":
        return Cycloidal(start, (end - start) / duration, duration)
    if kind == "quintic":
        return Quintic(start, end, duration)
    velocity = [SHARE_OF_VELOCITY * joint.max_velocity if math.isfinite(joint.max_velocity)
                else 1.0 for joint in robot.joints]
    return Trapezoidal(start, end, velocity, 4.0 * np.array(velocity))


def start_from_arguments(args: argparse.Namespace, robot: Robot) -> np.ndarray:
    """The positions (n,) of --start, or zero within the limits."""
    if args.start is not None:
        return joint_values("--start", args.start, robot)
    return np.array([min(max(0.0, joint.lower), joint.upper) for joint in robot.joints])


def one_or_each(values: list[float]) -> Any:
    """One value for all joints, or one for each."""
    return values[0] if len(values) == 1 else values
