"""Shell completion by argcomplete, which reads verbs, options and choices off the parser."""

from __future__ import annotations

import argparse
import os
from typing import Any

from manip_dynamics.model.bundled import bundled_robots

SUMMARY = "print a script that completes verbs, options and robots in a shell"
EXAMPLE = "source <(manip_dynamics completion bash)      # a line for ~/.bashrc"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh"))


def run(args: argparse.Namespace) -> int:
    try:
        from argcomplete import shellcode
    except ImportError:
        raise ValueError("completion needs argcomplete: python3 -m pip install argcomplete"
                         ) from None
    print(shellcode(["manip_dynamics"], shell=args.shell, complete_arguments=["-o", "nospace"]))
    return 0


def answer_shell(parser: argparse.ArgumentParser) -> None:
    """Print completions and exit if a shell asks for them, as argcomplete's script does."""
    if "_ARGCOMPLETE" in os.environ:
        from argcomplete import autocomplete

        files: Any = _files
        autocomplete(parser, always_complete_options=False, default_completer=files)


def robots_and_files(prefix: str, **context: Any) -> list[str]:
    """What the argument `robot` may be: a bundled robot or a file."""
    return [*bundled_robots(), *_files(prefix, **context)]


def _files(prefix: str, action: argparse.Action, **_: Any) -> list[str]:
    from argcomplete.completers import FilesCompleter

    return [] if action.type in (int, float) else FilesCompleter()(prefix)
