"""Options of the verbs that load a robot."""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from manip_dynamics.model.loading import ModelWarning, load_robot
from manip_dynamics.model.robot import Robot
from manip_dynamics.model.tolerances import PARALLEL

from .completion import robots_and_files

GRAVITY = (0.0, 0.0, -9.81)


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the robot and the options for loading it."""
    robot = parser.add_argument("robot", help="bundled name, URDF file, or DH table (.yaml)")
    robot.completer = robots_and_files  # type: ignore[attr-defined]
    parser.add_argument("--base", help="base link (default: the root)")
    parser.add_argument("--tip", help="tip link (default: the end of the longest arm, without "
                                      "its gripper)")
    parser.add_argument("--gravity", nargs=3, type=float, default=GRAVITY,
                        metavar=("X", "Y", "Z"),
                        help="gravity in the base frame, m/s^2 (default 0 0 -9.81)")
    parser.add_argument("--payload", type=float, metavar="KG",
                        help="point mass at the tip")
    parser.add_argument("--inertia-check", choices=("error", "warn"), default="warn",
                        help="reject or only report physically impossible inertias (default: warn)")
    parser.add_argument("--parallel-tolerance", type=float, default=PARALLEL, metavar="RAD",
                        help="treat joint axes within this angle as parallel where modified DH "
                             "parameters would lose precision (default %(default)g)")
    parser.add_argument("--lock", action="append", default=[], metavar="JOINT=POSITION",
                        help="position of a movable joint outside the arm (default 0)")
    parser.add_argument("--rotor-inertia", nargs="+", type=float, metavar="J",
                        help="inertia of each rotor about its axis, kg m^2, from base to tip")
    parser.add_argument("--gear-ratio", nargs="+", type=float, metavar="N",
                        help="motor turns per joint turn (or radians per metre), from base to tip")


def robot_from_arguments(args: argparse.Namespace) -> Robot:
    """Load the robot that the options describe; its warnings go to stderr."""
    positions = {}
    for item in args.lock:
        joint, _, position = item.partition("=")
        try:
            positions[joint] = float(position)
        except ValueError:
            raise ValueError(f"--lock must be JOINT=POSITION, not '{item}'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load_robot(args.robot, base=args.base, tip=args.tip, gravity=args.gravity,
                           payload=args.payload, inertia_check=args.inertia_check,
                           joint_positions=positions, parallel_tolerance=args.parallel_tolerance)
    robot = robot.with_drives(*(
        dict(zip(robot.joint_names, joint_values(option, values, robot))) if values else None
        for option, values in (("--rotor-inertia", args.rotor_inertia),
                               ("--gear-ratio", args.gear_ratio))))
    for warning in robot.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return robot


def joint_values(option: str, values: list[float], robot: Robot) -> np.ndarray:
    """The values (n,) of an option, one per joint."""
    if len(values) != robot.n:
        raise ValueError(f"{option} needs {robot.n} values, for {', '.join(robot.joint_names)}; "
                         f"got {len(values)}")
    return np.array(values)
