"""What real files have and a dynamics package must not mind, each on a small URDF of our own."""

import re
import warnings

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.cli.main import main
from manip_dynamics.model.wording import messages_for

URDF = """<robot name="plain">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="3"/>
  </joint>
</robot>"""
LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="3"/>'


def quietly(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(text, **options)


PLAIN = quietly(URDF)

# What is changed in the file, and what is told about it; "" if nothing need be told.
HARMLESS = {
    "a comment about xacro": (
        '<link name="base"/>', '<!-- Original xacro: https://x/y --><link name="base"/>', ""),
    "a left-over namespace": (
        'name="plain"', 'name="plain" xmlns:xacro="http://www.ros.org/wiki/xacro"', ""),
    "an unused property": (
        'name="plain">', 'name="plain" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:property name="pi" value="${3.14}"/>', ""),
    "a call that no macro answers": (
        'name="plain">', 'name="plain" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:camera/>', "calls of undefined xacro macros are ignored: 'camera'"),
    "a prefix that is not declared": (
        "</robot>", "<gazebo><sensor:camera name='c'/></gazebo></robot>", ""),
    "a prefixed attribute": ('<link name="upper">', '<link name="upper" foo:bar="1">', ""),
    "a reduction that is a word": (
        "</robot>", '<transmission name="t"><joint name="elbow"/><actuator name="m">'
        "<mechanicalReduction>reduction</mechanicalReduction></actuator></transmission></robot>",
        "mechanical reduction 'reduction' is not a finite nonzero number; not used: 'elbow'"),
    "a reduction of zero": (
        "</robot>", '<transmission name="t"><joint name="elbow"><mechanical_reduction>0'
        "</mechanical_reduction></joint></transmission></robot>",
        "'0' is not a finite nonzero number"),
    "limits the wrong way round": (
        LIMIT, LIMIT.replace('"-1"', '"2"'),
        "lower position limit 2 is not below the upper one, 1"),
    "a negative effort": (LIMIT, LIMIT.replace('"9"', '"-1"'), "effort limit is negative"),
    "no effort": (LIMIT, LIMIT.replace('effort="9"', ""),
                  "the effort limit is 0, taken as unlimited: 'shoulder', 'elbow'"),
    "an effort that is a word": (LIMIT, LIMIT.replace('"9"', '"much"'),
                                 "whose effort is not a number, ignored"),
    "a second origin": ('<origin xyz="0.3 0 0"/>', '<origin xyz="0.3 0 0"/><origin xyz="9 9 9"/>',
                        "more than one <origin>; only the first is used: 'elbow'"),
    "a second inertial": (
        "</inertial></link>\n  <joint", '</inertial><inertial><mass value="99"/></inertial></link>'
        "\n  <joint", "more than one <inertial>; only the first is used: 'lower'"),
    "a second mass": ('<mass value="1"/>', '<mass value="1"/><mass value="99"/>',
                      "more than one <mass>; only the first is used: 'lower'"),
    "a second parent": ('<parent link="upper"/>', '<parent link="upper"/><parent link="upper"/>',
                        "more than one <parent>"),
    "a link twice": ('<link name="base"/>', '<link name="base"/><link name="base"/>',
                     "a link is defined twice: 'base'"),
    "white space before the declaration": ("<robot", '\n\n<?xml version="1.0"?>\n<robot', ""),
    "no name": ('<robot name="plain">', "<robot>", "<robot> has no name"),
    "another default namespace": ("<robot", '<robot xmlns="http://drake.mit.edu"', ""),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_dynamics_does_not_need_never_refuses(case):
    old, new, told = HARMLESS[case]
    assert old in URDF
    robot = quietly(URDF.replace(old, new, 2 if old == LIMIT else 1))
    np.testing.assert_array_equal([link.parameters for link in robot.links],
                                  [link.parameters for link in PLAIN.links])
    assert robot.mdh.a == PLAIN.mdh.a
    if told:
        assert any(re.search(told, text) for text in robot.warnings), robot.warnings
    else:
        assert robot.warnings == ()


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "utf-16", "windows-1252", "utf-8"])
def test_files_are_read_in_the_encoding_that_they_declare(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + URDF.replace("plain", "Käthe")
    path = tmp_path / "arm.urdf"
    path.write_bytes(text.encode(encoding))
    assert quietly(path).name == "Käthe"
    assert quietly(text).name == "Käthe"  # text is decoded already, whatever it declares


def test_rounded_digits_are_no_violation():
    rounded = URDF.replace('ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"',
                           'ixx="1e-08" ixy="0" ixz="0" iyy="1e-08" iyz="0" izz="3e-08"')
    assert quietly(rounded, inertia_check="error").warnings == ()
    impossible = rounded.replace("3e-08", "3.00e-08").replace("1e-08", "1.00e-08")
    assert "triangle inequality" in quietly(impossible).warnings[0]
    with pytest.raises(md.ModelError, match='inertia_check="warn" accepts it'):
        quietly(impossible, inertia_check="error")


def test_suspicious_data_are_told():
    far = quietly(URDF.replace('<origin xyz="0.1 0 0"/><mass value="2"/>',
                               '<origin xyz="1.4 0 0"/><mass value="2"/>'))
    assert any("link 'upper': its centre of mass is 1.4 m from its origin" in text
               for text in far.warnings)
    massless = quietly(URDF.replace('<mass value="2"/>', '<mass value="0"/>').replace(
        'ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"',
        'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"', 1))
    assert any("a moving link has zero mass: 'upper'" in text for text in massless.warnings)


def test_remarks_of_one_kind_are_one_warning():
    with pytest.warns(md.ModelWarning) as caught:
        robot = md.load_robot(URDF.replace(LIMIT, '<limit effort="0" velocity="0"/>'))
    assert sorted(str(warning.message) for warning in caught) == sorted(robot.warnings)
    assert robot.warnings == (
        "no position limits in a <limit>, taken as unlimited: 'shoulder', 'elbow'",
        "the velocity limit is 0, taken as unlimited: 'shoulder', 'elbow'",
        "the effort limit is 0, taken as unlimited: 'shoulder', 'elbow'")


def test_the_command_line_speaks_of_its_options(tmp_path, capsys):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace('izz="0.02"', 'izz="0.20"'))
    assert main(["info", str(path), "--inertia-check", "error"]) == 2
    assert "(--inertia-check warn accepts it)" in capsys.readouterr().err
    assert main(["info", str(path)]) == 0
    assert capsys.readouterr().err.count("triangle inequality") == 2
    with pytest.raises(md.ModelError, match='inertia_check="warn"'):  # and Python of its own
        quietly(path, inertia_check="error")


def test_nodes_speak_of_their_parameters():
    with messages_for("ros"), pytest.raises(md.ModelError, match="inertia_check:=warn accepts it"):
        quietly(URDF.replace('izz="0.02"', 'izz="0.20"'), inertia_check="error")


def test_info_shows_where_base_and_tip_are(tmp_path, capsys):
    path = tmp_path / "table.yaml"
    path.write_text("name: arm\nbase: [0, 0, 0.4]\ntip: [0, 0, 0.25]\n"
                    "joints: [{kind: R, mass: 1, inertia: [1, 1, 1]}]\n")
    assert main(["info", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "frame 0 in 'base_link':  x 0, y 0, z 0.4 m" in shown
    assert "in frame 1:  x 0, y 0, z 0.25 m" in shown
