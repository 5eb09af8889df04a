"""The options of every verb that reads a robot."""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from manip_dynamics.model.loading import ModelWarning, load_robot
from manip_dynamics.model.mdh import PARALLEL
from manip_dynamics.model.robot import Robot

GRAVITY = (0.0, 0.0, -9.81)
DRIVES = (
    ("--rotor-inertia", "J", "of each motor about its axis, kg m^2, from the base to the tip"),
    ("--gear-ratio", "N", "turns of each motor per turn of its joint"),
)


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """The robot and how to cut it out of its URDF."""
    parser.add_argument("robot", help="bundled name, URDF file, or DH table (.yaml)")
    parser.add_argument("--base", help="base link (default: the root)")
    parser.add_argument("--tip", help="tip link (default: end of the longest arm, before its "
                                      "gripper)")
    parser.add_argument("--gravity", nargs=3, type=float, default=GRAVITY,
                        metavar=("X", "Y", "Z"), help="m/s^2 in the base link (default 0 0 -9.81)")
    parser.add_argument("--payload", type=float, metavar="KG", help="point mass at the tip")
    parser.add_argument("--inertia-check", choices=("error", "warn"), default="warn",
                        help="what to do about inertias that no rigid body has (default: warn)")
    parser.add_argument("--parallel-tolerance", type=float, default=PARALLEL, metavar="RAD",
                        help="joint axes this near to parallel are taken as parallel, where "
                             "modified DH parameters would lose precision (default %(default)g)")
    parser.add_argument("--lock", action="append", default=[], metavar="JOINT=POSITION",
                        help="where a movable joint beside the arm is held (default 0)")
    for option, unit, meaning in DRIVES:
        parser.add_argument(option, nargs="+", type=float, metavar=unit, help=meaning)


def robot_from_arguments(args: argparse.Namespace) -> Robot:
    """The robot that the options describe; what was not taken literally goes to stderr."""
    positions = {}
    for item in args.lock:
        joint, _, position = item.partition("=")
        try:
            positions[joint] = float(position)
        except ValueError:
            raise ValueError(f"--lock wants JOINT=POSITION, not '{item}'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load_robot(args.robot, base=args.base, tip=args.tip, gravity=args.gravity,
                           payload=args.payload, inertia_check=args.inertia_check,
                           joint_positions=positions, parallel_tolerance=args.parallel_tolerance)
    robot = robot.with_drives(*(
        dict(zip(robot.joint_names, joint_values(option, values, robot)))
        if (values := getattr(args, option[2:].replace("-", "_"))) else None
        for option, *_ in DRIVES))
    for warning in robot.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return robot


def joint_values(option: str, values: list[float], robot: Robot) -> np.ndarray:
    """The values (n,) of an option, one for each joint."""
    if len(values) != robot.n:
        raise ValueError(f"{option} needs {robot.n} values, for {', '.join(robot.joint_names)}; "
                         f"not {len(values)}")
    return np.array(values)
