"""`manip_dynamics` itself: help, version, errors, completion."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import manip_dynamics as md
from manip_dynamics.cli.main import VERBS, build_parser, main

ROOT = Path(__file__).resolve().parents[2]
SHELLS = [pytest.param(name, marks=pytest.mark.skipif(
    not shutil.which(name), reason=f"{name} is not installed")) for name in ("bash", "zsh")]


def printed(capsys, *arguments: str) -> str:
    """Return what --help or --version prints; both end the program."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    return capsys.readouterr().out


def test_help_names_every_verb_in_lines_that_fit(capsys):
    text = printed(capsys, "--help")
    for verb in VERBS:
        assert f"\n    {verb}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_without_a_verb_it_says_how_it_is_used(capsys):
    assert main([]) == 2
    assert "first steps:" in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_the_example_of_a_verb_is_a_command_that_can_be_parsed(capsys, verb):
    text = printed(capsys, verb, "--help")
    line = text.partition("example:\n")[2].splitlines()[0]
    assert line.strip().startswith(("manip_dynamics", "source <(manip_dynamics"))
    command = line.partition("manip_dynamics ")[2].partition("&&")[0].partition(")")[0]
    args = build_parser().parse_args(shlex.split(command, comments=True))
    assert args.verb == verb


def test_version_is_that_of_the_package(capsys):
    version = ElementTree.parse(ROOT / "package.xml").findtext("version")
    answer = printed(capsys, "--version")
    if "not installed" in answer:
        pytest.skip("the package is not installed; script/test does it")
    assert answer == f"manip_dynamics {version}\n"


@pytest.mark.parametrize("arguments", [["inf"], ["info"], ["info", "scara", "--gravity", "down"],
                                       ["counts", "--what"], ["completion", "fish"]])
def test_a_wrong_command_is_one_line_with_a_hint(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("manip_dynamics")
    assert error.endswith("--help\n")


@pytest.fixture
def complete(tmp_path, capsys):
    """A function that returns what a shell offers at the end of a line."""
    program = tmp_path / "bin" / "manip_dynamics"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m manip_dynamics "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "scale.urdf").touch()

    def complete(shell: str, line: str) -> list[str]:
        assert main(["completion", shell]) == 0
        result = subprocess.run(
            [shell, "-c", PRESS_TAB[shell].format(script=capsys.readouterr().out,
                                                  line=shlex.quote(f"manip_dynamics {line}"))],
            cwd=folder, env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True)
        assert result.stderr == ""
        return result.stdout.split()

    return complete


# What a shell does when the Tab key is pressed. zsh gets `word:meaning`.
PRESS_TAB = {
    "bash": """
{script}
COMP_LINE={line}
COMP_POINT=${{#COMP_LINE}}
_python_argcomplete manip_dynamics
printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "zsh": """
autoload -U compinit && compinit -D -u
{script}
words=(manip_dynamics) BUFFER={line}
CURSOR=${{#BUFFER}}
_describe() {{ print -l -- "${{(P@)2%%:*}}"; }}
_python_argcomplete
""",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_of_verbs_options_choices_robots_and_files(shell, complete):
    def offers(line: str) -> list[str]:
        return complete(shell, line)

    assert sorted(offers("co")) == sorted(verb for verb in VERBS if verb.startswith("co"))
    assert offers("info sca") == ["scara", "scale.urdf"]
    assert offers("info ") == [*md.bundled_robots(), "scale.urdf"]
    assert offers("info --j") == ["--json"]
    assert offers("info scara --inertia-check ") == ["error", "warn"]
    assert offers("info scara --payload ") == []
    assert offers("codegen scara -o sc") == ["scale.urdf"]
    assert offers("counts --table lin-f") == ["lin-fang-6", "lin-fang-7", "lin-fang-8"]
    assert offers("completion ") == ["bash", "zsh"]


@pytest.mark.parametrize("verb", VERBS)
def test_completion_knows_every_option_of_every_verb(verb, complete):
    (verbs,) = (action for action in build_parser()._actions
                if isinstance(action, argparse._SubParsersAction))
    assert set(complete("bash", f"{verb} -")) == set(verbs.choices[verb]._option_string_actions)


def test_without_argcomplete_completion_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == ("manip_dynamics completion: completion needs argcomplete: "
                                       "python3 -m pip install argcomplete\n")
    assert main(["info", "scara"]) == 0
