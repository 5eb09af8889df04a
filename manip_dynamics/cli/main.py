"""`manip_dynamics <verb>`: the verbs are the modules of this package that VERBS names.

A verb is a module with `SUMMARY` (one line), `EXAMPLE` (one command), `add_arguments(parser)` and
`run(args) -> int`, the exit code. A ValueError or a ModelError becomes one line and exit code 2.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

VERBS: tuple[str, ...] = ("info", "convert", "counts", "codegen", "simulate", "example")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    parser = argparse.ArgumentParser(
        prog="manip_dynamics",
        description="The dynamics of a serial arm, from its URDF.",
        epilog="Each verb has an example: manip_dynamics <verb> --help",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="<verb>", required=True)
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
        verb.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    args = build_parser().parse_args(arguments)
    try:
        return args.run(args)
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader (`| head`) has seen enough; Python must not complain when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"manip_dynamics {args.verb}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
