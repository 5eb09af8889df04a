"""`manip_dynamics info` and `convert`, as a person runs them."""

import json

import pytest
from oracle import assert_close

import manip_dynamics as md
from manip_dynamics.cli.main import main


def test_info_shows_the_tables(capsys):
    assert main(["info", "stanford_arm"]) == 0
    text = capsys.readouterr().out
    assert "stanford_arm: 6 joints from 'base_link' to 'link6', moving mass 21.1 kg" in text
    assert "Minimal linear combinations: 33, 13 nonzero" in text
    assert "U11-U22_4" in text


def test_info_warns_about_what_was_not_taken_literally(capsys):
    assert main(["info", "puma560"]) == 0
    assert "warning: link 'link3': inertia breaks the triangle" in capsys.readouterr().err


def test_info_for_a_program(capsys):
    assert main(["info", "scara", "--json", "--payload", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [joint["kind"] for joint in data["joints"]] == ["revolute", "revolute", "prismatic"]
    assert data["links"][2]["mass"] == 4.0
    assert len(data["mlc"]) == 5


@pytest.mark.parametrize("arguments", [["info", "terminator"], ["info", "scara", "--lock", "a"],
                                       ["convert", "scara", "-o", "out.urdf"],
                                       ["convert", "scara", "--rotor-inertia", "1", "1", "1"],
                                       ["convert", "scara", "--gravity", "0", "0", "1"]])
def test_an_error_is_one_line_and_exit_code_2(arguments, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"manip_dynamics {arguments[0]}: ")
    assert error.count("\n") == 1


def test_a_table_becomes_a_urdf_and_a_table_again(tmp_path, capsys):
    table, urdf, again = (tmp_path / name for name in ("arm.yaml", "arm.urdf", "again.yaml"))
    table.write_text("""
name: elbow
angles: degrees
joints:
  - {kind: R, d: 0.3, mass: 2, com: [0, 0, 0.1], inertia: [0.1, 0.1, 0.05]}
  - {kind: R, alpha: 90, a: 0.1, theta: 30, mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.05]}
""")
    assert main(["convert", str(table), "--payload", "2"]) == 2
    assert "--payload cannot change it" in capsys.readouterr().err
    assert main(["convert", str(table), "-o", str(urdf)]) == 0
    assert main(["convert", str(urdf), "-o", str(again)]) == 0
    assert "elbow, 2 joints" in capsys.readouterr().out
    first, second = md.load_robot(urdf), md.load_robot(again)
    assert_close(first.mdh.theta, second.mdh.theta)
    assert_close(first.mdh.alpha, second.mdh.alpha)
    assert first.chain.base.translation == second.chain.base.translation == (0.0, 0.0, 0.3)
