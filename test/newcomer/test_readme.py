"""With only the README, a newcomer gets the torques of a UR5 from Python, a service and C.

The commands and programs of the README are run as they stand there; `my_arm.urdf` is a UR5.
"""

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml
from oracle import assert_close
from readme import ROOT, block, command

UR5 = "cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"


@pytest.fixture
def desk(tmp_path) -> Path:
    """A directory that contains only my_arm.urdf."""
    text = Path(distribution("example-robot-data").locate_file(UR5)).read_text(encoding="utf-8")
    assert text.count('name="ur5"') == 1
    (tmp_path / "my_arm.urdf").write_text(text.replace('name="ur5"', 'name="my_arm"'))
    return tmp_path


def torques(urdf: Path, q, qd=None, qdd=None) -> np.ndarray:
    """The torques according to Pinocchio."""
    model = pin.buildModelFromUrdf(str(urdf))
    zero = np.zeros(model.nv)
    return pin.rnea(model, model.createData(), np.array(q, float),
                    zero if qd is None else qd, zero if qdd is None else qdd)


def run(arguments: list[str], folder: Path) -> str:
    """Run a command of the README in a directory outside the repository."""
    if arguments[0].startswith("script/"):
        arguments = [str(ROOT / arguments[0]), *arguments[1:]]
    result = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=120,
                            check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def numbers(text: str) -> np.ndarray:
    """Return the numbers of a printed array."""
    return np.array(text.replace("[", " ").replace("]", " ").split(), float)


def test_python_in_five_lines(desk):
    program = block("python", "stanford_arm").replace('"stanford_arm"', '"my_arm.urdf"')
    printed = numbers(run([sys.executable, "-c", program], desk))
    state = np.full(6, 0.1)
    expected = torques(desk / "my_arm.urdf", state, state, state)
    # As numpy prints it: eight digits.
    np.testing.assert_allclose(printed, expected, rtol=1e-6, atol=1e-6 * abs(expected).max())


def test_python_with_your_robot(desk):
    names, gravity = run([sys.executable, "-c", block("python", "my_arm.urdf")], desk).split(")")
    assert "shoulder_pan_joint" in names
    expected = torques(desk / "my_arm.urdf", np.full(6, 0.1))
    np.testing.assert_allclose(numbers(gravity), expected, rtol=1e-6,
                               atol=1e-6 * abs(expected).max())


def test_info_with_your_robot(desk):
    text = run(command("script/run manip_dynamics info"), desk)
    assert "my_arm: 6 joints" in text
    assert "wrist_3_joint" in text


def test_exported_c(desk):
    run(command("script/run manip_dynamics codegen"), desk)
    (desk / "my_program.c").write_text(block("c", "my_arm.h"))
    run(command("cc -O3"), desk)
    expected = torques(desk / "my_arm.urdf", [0.1, 0.2, 0, 0, 0, 0])
    assert_close(numbers(run(["./my_program"], desk)), expected, tolerance=1e-9)


@pytest.mark.ros
def test_service_call(desk, monkeypatch):
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    from node_process import Client, running

    import manip_dynamics_msgs.srv

    ros2, verb, package, executable, *arguments = command("ros2 run manip_dynamics")
    assert [ros2, verb, package] == ["ros2", "run", "manip_dynamics"]
    ros_args, *settings = arguments
    assert ros_args == "--ros-args"
    *_, name, kind, request = command("ros2 service call /dynamics/inverse_dynamics")
    package, folder, kind = kind.split("/")
    assert (package, folder) == ("manip_dynamics_msgs", "srv")
    fields = {key: np.array(value, float) for key, value in yaml.safe_load(request).items()}
    monkeypatch.chdir(desk)
    client = Client()
    try:
        with running(executable, *settings):
            answer = client.call(getattr(manip_dynamics_msgs.srv, kind), name, **fields)
            without_ros2 = run([*command("script/run manip_dynamics call"), "--json"], desk)
    finally:
        client.close()
    assert answer.success, answer.message
    assert answer.joint_names[0] == "shoulder_pan_joint"
    expected = torques(desk / "my_arm.urdf", fields["positions"])
    assert_close(answer.efforts, expected, tolerance=1e-9)
    assert_close(json.loads(without_ros2)["efforts"], expected, tolerance=1e-9)
