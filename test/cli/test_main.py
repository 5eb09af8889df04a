"""`manip_dynamics` itself: help, version, errors, completion."""

import argparse
import shlex
import shutil
import subprocess
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


def complete(shell: str, line: str, folder: Path, capsys) -> list[str]:
    """Return what the shell offers at the end of a line."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    words = line.split(" ")
    # What a shell does when the Tab key is pressed; arrays of zsh begin at 0 with KSH_ARRAYS.
    press_tab = f"""
{'setopt KSH_ARRAYS; autoload -U compinit && compinit -u' if shell == 'zsh' else ''}
{script}
COMP_WORDS=({' '.join(map(shlex.quote, words))})
COMP_CWORD={len(words) - 1}
_manip_dynamics
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    result = subprocess.run([shell, "-c", press_tab], cwd=folder, capture_output=True, text=True,
                            check=True)
    assert result.stderr == ""
    # zsh leaves out by itself what does not begin like the word before the cursor.
    return [word for word in result.stdout.split() if shell == "bash" or word.startswith(words[-1])]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_of_verbs_options_choices_robots_and_files(shell, tmp_path, capsys):
    (tmp_path / "scale.urdf").touch()

    def offers(line: str) -> list[str]:
        return complete(shell, f"manip_dynamics {line}", tmp_path, capsys)

    assert offers("co") == [verb for verb in VERBS if verb.startswith("co")]
    assert offers("info sca") == ["scara", "scale.urdf"]
    assert offers("info ") == [*md.bundled_robots(), "scale.urdf"]
    assert offers("info --j") == ["--json"]
    assert offers("info scara --inertia-check ") == ["error", "warn"]
    assert offers("info scara --payload ") == []
    assert offers("codegen scara -o sc") == ["scale.urdf"]
    assert offers("counts --table lin-f") == ["lin-fang-6", "lin-fang-7", "lin-fang-8"]
    assert offers("completion ") == ["bash", "zsh"]


def test_completion_knows_every_option_of_every_verb(capsys):
    main(["completion", "bash"])
    script = capsys.readouterr().out
    (verbs,) = (action for action in build_parser()._actions
                if isinstance(action, argparse._SubParsersAction))
    for name, parser in verbs.choices.items():
        (line,) = (line for line in script.splitlines() if line.startswith(f"    {name}) "))
        known = line.partition("options='")[2].partition("'")[0].split()
        assert known == list(parser._option_string_actions)
