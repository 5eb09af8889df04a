"""`manip_dynamics <verb>`: the verbs are the modules of this package that VERBS names.

A verb is a module with `SUMMARY` (one line), `EXAMPLE` (one command), `add_arguments(parser)` and
`run(args) -> int`, which returns the exit code. A ValueError (such as ModelError), OSError or
ImportError is reported in one line, with exit code 2.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from manip_dynamics.model.wording import messages_for

from .completion import answer_shell

VERBS: tuple[str, ...] = (
    "info", "convert", "counts", "codegen", "simulate", "example", "play", "call", "completion")

FIRST_STEPS = """\
first steps:
  manip_dynamics info stanford_arm               a bundled robot, or the path to your URDF
  manip_dynamics simulate planar_2r --plot fall.png
  manip_dynamics codegen my_arm.urdf -o my_arm_c

Options and an example of each verb: manip_dynamics <verb> --help
Errors are reported in one line on stderr, with exit code 2."""


class Parser(argparse.ArgumentParser):
    """Reports errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def installed_version() -> str:
    """The version in the metadata of the installed package."""
    try:
        return version("manip_dynamics")
    except PackageNotFoundError:
        return "not installed, version unknown"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    parser = Parser(
        prog="manip_dynamics",
        description="Dynamics of a serial arm from its URDF.",
        epilog=FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {installed_version()}")
    verbs = parser.add_subparsers(title="verbs", dest="verb", metavar="<verb>", required=True)
    for name in VERBS:
        module = importlib.import_module(f".{name}", __package__)
        verb = verbs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"example:\n  {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(verb)
        verb.set_defaults(run=module.run, parser=verb)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    parser = build_parser()
    answer_shell(parser)
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        parser.print_help()
        return 2
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        with messages_for("command line"):
            return args.run(args)
    except (ValueError, OSError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader (`| head`) has closed the pipe; do not let the flush at exit fail.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"manip_dynamics {args.verb}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
