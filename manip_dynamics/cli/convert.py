"""A paper's DH table becomes a URDF in one line, and a URDF a table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from manip_dynamics.model.dh_table import write_table
from manip_dynamics.model.loading import urdf_text

from .robot_options import GRAVITY, add_robot_arguments, robot_from_arguments

SUMMARY = "convert a DH table (.yaml) to URDF, or a URDF to a modified DH table"
EXAMPLE = "manip_dynamics convert my_arm.yaml -o my_arm.urdf"

_TABLES = (".yaml", ".yml")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("-o", "--output", type=Path,
                        help="file to write (default: standard output); its ending, .urdf or "
                             ".yaml, must be the other form")


def run(args: argparse.Namespace) -> int:
    from_table = Path(args.robot).suffix in _TABLES
    if args.output is not None and from_table == (args.output.suffix in _TABLES):
        wanted = ".urdf: a table becomes a URDF" if from_table else ".yaml: a URDF becomes a table"
        raise ValueError(f"'{args.output}' must end in {wanted}")
    if args.rotor_inertia or args.gear_ratio:
        raise ValueError("neither a URDF nor a table holds motors: --rotor-inertia and "
                         "--gear-ratio cannot go into the file")
    unused = [f"--{option}" for option in ("base", "tip", "payload", "lock")
              if from_table and getattr(args, option)]
    if unused:
        raise ValueError(f"a table is written as it is: {', '.join(unused)} cannot change it")
    if tuple(args.gravity) != GRAVITY:
        raise ValueError("neither a URDF nor a table says where gravity points; --gravity "
                         "belongs to the verbs that compute efforts")
    robot = robot_from_arguments(args)  # also for a table: what is written can be loaded
    text = urdf_text(args.robot) if from_table else write_table(robot)
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text, encoding="utf-8")
        print(f"{args.output}: {robot.name}, {robot.n} joints")
    return 0
