"""The model that the parameters describe: drives, held joints, and refusals in a sentence."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from node_process import PATIENCE, NodeProcess, running

import manip_dynamics as md
from manip_dynamics_msgs.srv import MassMatrix

PUMA = Path(__file__).parents[2] / "config" / "puma560.yaml"


def test_the_puma_of_its_parameter_file_has_its_drives(client):
    values = yaml.safe_load(PUMA.read_text())["/**/dynamics"]["ros__parameters"]
    bare = md.load_robot("puma560", inertia_check="warn")
    names = bare.joint_names
    robot = bare.with_drives(dict(zip(names, values["rotor_inertia"])),
                             dict(zip(names, values["gear_ratio"])))
    expected = md.Dynamics(robot).mass_matrix(np.zeros(6))
    at_joints = np.diag(expected - md.Dynamics(bare).mass_matrix(np.zeros(6)))
    assert at_joints[:3] == pytest.approx([1.14, 4.71, 0.827], rel=0.02)  # as measured
    with running("dynamics_node", "--params-file", str(PUMA)):
        answer = client.call(MassMatrix, "/dynamics/mass_matrix", positions=[0.0] * 6)
    assert answer.success, answer.message
    assert np.reshape(answer.mass_matrix, (6, 6)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("parameters", "sentence"), [
    ({"rotor_inertia": "[0.1, 0.2]"}, "rotor_inertia has 2 values for 6 joints"),
    ({"gear_ratio": "[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]"}, "gear_ratio of joint 'joint1'"),
    ({"locked_joints": "[wrist]", "locked_positions": "[0.1]"}, "no joint 'wrist'"),
    ({"inertia_check": "never"}, "inertia_check must be one of"),
])
def test_parameters_that_do_not_fit_end_the_start_with_a_sentence(parameters, sentence):
    node = NodeProcess("dynamics_node", robot="stanford_arm", **parameters)
    assert node.process.wait(PATIENCE) == 1
    assert sentence in node.output
    assert "Traceback" not in node.output


@pytest.mark.parametrize("arguments", [
    ("-p", "robot"), ("--params-file", "/no/such/file.yaml"), ("--params-file", __file__),
])
def test_arguments_that_ros_cannot_read_end_the_start_with_a_sentence(arguments):
    node = NodeProcess("dynamics_node", *arguments)
    assert node.process.wait(PATIENCE) == 1
    assert "Couldn't parse" in node.output
    assert "Traceback" not in node.output
