"""Convert a DH table to URDF, and a URDF to a modified DH table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from manip_dynamics.model.dh_table import write_table
from manip_dynamics.model.loading import resolve_urdf

from .robot_options import GRAVITY, add_robot_arguments, robot_from_arguments

SUMMARY = "convert a DH table (.yaml) to URDF, or a URDF to a modified DH table"
EXAMPLE = "manip_dynamics convert my_arm.yaml -o my_arm.urdf"

_TABLES = (".yaml", ".yml")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("-o", "--output", type=Path,
                        help="output file, .urdf for a table or .yaml for a URDF (default: "
                             "standard output)")


def run(args: argparse.Namespace) -> int:
    from_table = Path(args.robot).suffix in _TABLES
    if args.output is not None and from_table == (args.output.suffix in _TABLES):
        raise ValueError(f"'{args.output}' must end in {'.urdf' if from_table else '.yaml'}: "
                         f"the input is a {'table' if from_table else 'URDF'}")
    if args.rotor_inertia or args.gear_ratio:
        raise ValueError("neither a URDF nor a table can store motors: remove --rotor-inertia "
                         "and --gear-ratio")
    unused = [f"--{option}" for option in ("base", "tip", "payload", "lock")
              if from_table and getattr(args, option)]
    if unused:
        raise ValueError(f"a table is converted as is: {', '.join(unused)} cannot change it")
    if tuple(args.gravity) != GRAVITY:
        raise ValueError("neither a URDF nor a table can store gravity: pass --gravity to the "
                         "verbs that compute efforts")
    robot = robot_from_arguments(args)  # for a table too: the output must load
    text = resolve_urdf(args.robot) if from_table else write_table(robot)
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text, encoding="utf-8")
        print(f"{args.output}: {robot.name}, {robot.n} joints")
    return 0
