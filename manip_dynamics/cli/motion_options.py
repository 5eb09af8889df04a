"""The options of every verb that moves an arm along a trajectory."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np

from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.robot import Robot
from manip_dynamics.simulation import (
    CartesianLine,
    Cycloidal,
    Quintic,
    Sinusoidal,
    Trajectory,
    Trapezoidal,
    Waypoints,
)
from manip_dynamics.simulation.cartesian import ALL_COMPONENTS

KINDS = ("cycloidal", "quintic", "trapezoidal", "sinusoidal", "line")
DEFAULT_DURATION = 10.0  # s
SHARE_OF_VELOCITY = 0.5  # of a joint's limit, that a trapezoidal trajectory uses


def add_motion_arguments(
    parser: argparse.ArgumentParser, default: str, also: str = ""
) -> argparse._ArgumentGroup:
    """The trajectory; `also` names further kinds that the verb knows."""
    motion = parser.add_argument_group("motion")
    motion.add_argument("--trajectory", metavar="KIND", default=default,
                        help=f"{also + ', ' if also else ''}{', '.join(KINDS)}, or a CSV file "
                             f"with a column time and one for each joint (default {default})")
    motion.add_argument("--start", nargs="+", type=float, metavar="Q",
                        help="joint positions at the beginning (default: zero, within limits)")
    motion.add_argument("--to", nargs="+", type=float, metavar="Q",
                        help="joint positions at the end (cycloidal, quintic, trapezoidal)")
    motion.add_argument("--by", nargs=3, type=float, metavar=("X", "Y", "Z"),
                        help="way of the tip in the base link, m (line)")
    motion.add_argument("--components", nargs="+", choices=ALL_COMPONENTS,
                        help="what of the tip's pose a line keeps, as many as joints (default "
                             "for six joints: all)")
    motion.add_argument("--amplitude", nargs="+", type=float, default=[0.2], metavar="A",
                        help="of sinusoidal motion, one or one for each joint (default 0.2)")
    motion.add_argument("--frequency", nargs="+", type=float, default=[0.5], metavar="HZ",
                        help="of sinusoidal motion (default 0.5)")
    motion.add_argument("--duration", type=float, metavar="S",
                        help=f"default: that of the trajectory, or {DEFAULT_DURATION:g}")
    return motion


def motion_from_arguments(args: argparse.Namespace, dyn: Dynamics) -> Trajectory:
    """The trajectory that the options describe."""
    robot, kind = dyn.robot, args.trajectory
    if Path(kind).suffix == ".csv":
        return Waypoints.from_csv(kind, robot.joint_names)
    if kind not in KINDS:
        raise ValueError(f"--trajectory: '{kind}' is none of {', '.join(KINDS)} and no "
                         ".csv file")
    start = start_from_arguments(args, robot)
    duration = args.duration or DEFAULT_DURATION
    if kind == "sinusoidal":
        return Sinusoidal(start, one_or_each(args.amplitude), one_or_each(args.frequency),
                          duration=duration)
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


def joint_values(option: str, values: list[float], robot: Robot) -> np.ndarray:
    """The values (n,) of an option, one for each joint."""
    if len(values) != robot.n:
        raise ValueError(f"{option} needs {robot.n} values, for {', '.join(robot.joint_names)}; "
                         f"not {len(values)}")
    return np.array(values)


def one_or_each(values: list[float]) -> Any:
    """One value for all joints, or one for each."""
    return values[0] if len(values) == 1 else values
