"""Shell completion, generated from the parser itself: no list of verbs or options is kept twice."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from manip_dynamics.model.bundled import bundled_robots

SUMMARY = "print a script that completes verbs, options and robots in a shell"
EXAMPLE = "source <(manip_dynamics completion bash)      # a line for ~/.bashrc"

# zsh understands the words of bash after this.
PREAMBLES = {"bash": "", "zsh": "autoload -U +X bashcompinit && bashcompinit\n"}

SCRIPT = """\
_manip_dynamics() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local verb=${{COMP_WORDS[1]}} options='' arguments='' files=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {verbs} -- "$word"))
    return
  fi
  case "$verb" in
{cases}
  esac
  case "$verb $before" in
{values}
    *) if [ "${{word#-}}" != "$word" ]; then arguments=$options files=''; fi ;;
  esac
  COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  [ -z "$files" ] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _manip_dynamics manip_dynamics
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(PREAMBLES))


def run(args: argparse.Namespace) -> int:
    from .main import build_parser

    print(PREAMBLES[args.shell] + script(build_parser()), end="")
    return 0


def script(parser: argparse.ArgumentParser) -> str:
    """The completion of all verbs of a parser, for bash."""
    verbs = dict(_verbs(parser))
    cases = [
        f"    {name}) options={_words(_options(verb))} arguments={_words(_first_words(verb))}"
        f"{' files=yes' if _takes_robot(verb) else ''} ;;"
        for name, verb in verbs.items()
    ]
    values = [line for name, verb in verbs.items() for line in _values(name, verb)]
    return SCRIPT.format(verbs=_words([*verbs, *_options(parser)]), cases="\n".join(cases),
                         values="\n".join(values))


def _verbs(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


def _first_words(verb: argparse.ArgumentParser) -> list[str]:
    """What may stand where no option does: a bundled robot, or one of the choices."""
    words = bundled_robots() if _takes_robot(verb) else ()
    return [*words, *(str(choice) for action in verb._actions if not action.option_strings
                      for choice in action.choices or ())]


def _takes_robot(verb: argparse.ArgumentParser) -> bool:
    return any(action.dest == "robot" for action in verb._actions)


def _values(name: str, verb: argparse.ArgumentParser) -> Iterator[str]:
    """What may follow an option that takes a value: its choices, a file, or some number."""
    takers = [action for action in verb._actions if action.option_strings and action.nargs != 0]
    for action in (action for action in takers if action.choices):
        words = _words([str(choice) for choice in action.choices or ()])
        yield f"    {_pattern(name, [action])}) arguments={words} files='' ;;"
    free = [action for action in takers if not action.choices]
    for numeric, files in ((False, "yes"), (True, "''")):
        if some := [action for action in free if (action.type in (int, float)) == numeric]:
            yield f"    {_pattern(name, some)}) arguments='' files={files} ;;"


def _pattern(name: str, actions: list[argparse.Action]) -> str:
    options = [option for action in actions for option in action.option_strings]
    return "|".join(f'"{name} {option}"' for option in options)


def _words(words: list[str]) -> str:
    return shlex.quote(" ".join(words))
