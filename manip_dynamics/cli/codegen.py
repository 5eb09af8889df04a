"""Export the dynamics of a robot as C99 that a driver can link."""

from __future__ import annotations

import argparse
from pathlib import Path

from manip_dynamics.codegen.export import EXPORTED, export

from .robot_options import add_robot_arguments, robot_from_arguments

SUMMARY = "export the dynamics of a robot as C99 without heap, globals or I/O"
EXAMPLE = "manip_dynamics codegen stanford_arm -o stanford_c && cmake -S stanford_c -B build"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR",
                        help="output directory")
    parser.add_argument("--quantities", nargs="+", default=EXPORTED, metavar="NAME",
                        help=f"functions to export (default: {' '.join(EXPORTED)})")
    parser.add_argument("--float32", action="store_true",
                        help="single precision, for processors without a double-precision FPU")


def run(args: argparse.Namespace) -> int:
    robot = robot_from_arguments(args)
    for path in export(robot, args.output, args.quantities, "float" if args.float32 else "double"):
        print(path)
    return 0
