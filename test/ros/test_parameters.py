"""Parameters: described, checked, live where that is safe."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from node_process import PATIENCE, Client, running
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParameters
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics.nodes.dynamics_node import SETTINGS as DYNAMICS_SETTINGS
from manip_dynamics.nodes.simulator_node import SETTINGS as SIMULATOR_SETTINGS

TYPES = {bool: 1, float: 3, str: 4, "[float]": 8, "[str]": 9}
FIELDS = {1: "bool_value", 3: "double_value", 4: "string_value", 8: "double_array_value",
          9: "string_array_value"}  # fmt: skip


@pytest.fixture(scope="module")
def nodes():
    with (
        running("dynamics_node", robot="stanford_arm", mode="gravity_compensation"),
        running("simulator_node", robot="stanford_arm"),
    ):
        yield


@pytest.fixture(scope="module")
def user(nodes):
    client = Client()
    yield client
    client.close()


def value_of(python_value) -> ParameterValue:
    if python_value is None:
        return ParameterValue()  # not set: takes the parameter away
    is_list = isinstance(python_value, list)
    kind = type(python_value[0] if is_list else python_value)
    number = TYPES[f"[{kind.__name__}]" if is_list else kind]
    value = ParameterValue(type=number)
    setattr(value, FIELDS[number], python_value)
    return value


def set_parameter(user: Client, node: str, name: str, value):
    parameter = Parameter(name=name, value=value_of(value))
    answer = user.call(SetParameters, f"{node}/set_parameters", parameters=[parameter])
    return answer.results[0]


@pytest.mark.parametrize(
    ("node", "settings"), [("dynamics", DYNAMICS_SETTINGS), ("simulator", SIMULATOR_SETTINGS)]
)
def test_every_parameter_is_described(user, node, settings):
    names = [setting.name for setting in settings]
    listed = user.call(ListParameters, f"{node}/list_parameters").result.names
    assert set(names) - {s.name for s in settings if not s.is_set_by_default} <= set(listed)
    described = user.call(DescribeParameters, f"{node}/describe_parameters", names=names)
    for setting, descriptor in zip(settings, described.descriptors):
        assert descriptor.description
        assert descriptor.read_only == (not setting.live)


@pytest.mark.parametrize(
    ("node", "name", "value", "reason"),
    [
        ("dynamics", "mode", "magic", "mode must be one of feedforward, computed_torque, gravity"),
        ("dynamics", "terms", ["gravity", "magic"], "terms must be one of inertia"),
        ("dynamics", "kp", [1.0, 2.0], "kp must have 1 or 6 values (one per joint), not 2"),
        ("dynamics", "kp", [float("nan")], "kp must be finite"),
        ("dynamics", "kd", [-1.0], "kd must be in 0 .. 1e+09, not -1"),
        ("dynamics", "kp", "fast", "Wrong parameter type"),
        ("dynamics", "reference_timeout", 0.0, "reference_timeout"),
        ("dynamics", "reference_timeout", None, "undeclared"),
        ("dynamics", "robot", "puma560", "read-only"),
        ("dynamics", "gravity", [0.0, 0.0, 0.0], "read-only"),
        ("simulator", "dt", 0.5, "read-only"),
        ("simulator", "without_command", "magic", "without_command must be one of zero_effort"),
        ("simulator", "command_timeout", float("nan"), "command_timeout"),
    ],
)
def test_a_wrong_value_is_refused_with_the_reason(user, node, name, value, reason):
    result = set_parameter(user, node, name, value)
    assert not result.successful
    assert reason in result.reason


def test_the_mode_changes_while_the_node_runs(user):
    q = np.full(6, 0.2)
    gravity = md.Dynamics(md.load_robot("stanford_arm")).gravity(q)
    efforts = user.collect(JointState, "dynamics/feedforward")
    states = user.publisher(JointState, "joint_states")
    assert set_parameter(user, "simulator", "without_command", "gravity_compensation").successful

    def expect(wanted):
        def answered():
            states.publish(
                JointState(name=[f"joint{i}" for i in range(1, 7)], position=q)
            )
            return any(np.allclose(answer.effort, wanted, atol=1e-9) for answer in efforts)

        efforts.clear()
        user.spin_until(answered, f"the efforts {wanted}")

    expect(gravity)
    assert set_parameter(user, "dynamics", "terms", ["inertia", "coriolis"]).successful
    expect(np.zeros(6))
    assert set_parameter(user, "dynamics", "terms", ["gravity"]).successful
    assert set_parameter(user, "dynamics", "mode", "computed_torque").successful
    assert set_parameter(user, "dynamics", "kp", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).successful
    expect(gravity)


def test_gains_and_timeout_change_while_the_node_runs(user):
    q, ahead, names = np.full(6, 0.2), np.full(6, 0.3), [f"joint{i}" for i in range(1, 7)]
    dyn = md.Dynamics(md.load_robot("stanford_arm"))
    efforts = user.collect(JointState, "lone/dynamics/feedforward")
    reports = user.collect(DiagnosticArray, "/diagnostics")

    def says(message):
        return lambda r: r.status[0].name.startswith("lone/") and r.status[0].message == message

    with running(
        "dynamics_node", "-r", "__ns:=/lone", robot="stanford_arm", mode="computed_torque"
    ):
        states = user.publisher(JointState, "lone/joint_states")
        references = user.publisher(JointTrajectory, "lone/dynamics/reference")
        for kp, kd in ((9.0, 6.0), (25.0, 10.0)):
            assert set_parameter(user, "lone/dynamics", "kp", [kp]).successful
            assert set_parameter(user, "lone/dynamics", "kd", [kd]).successful
            wanted = dyn.inverse_dynamics(q, 0 * q, kp * (ahead - q) + kd * 0.5)

            def answered(wanted=wanted):
                states.publish(JointState(name=names, position=q))
                point = JointTrajectoryPoint(positions=ahead, velocities=[0.5] * 6)
                references.publish(JointTrajectory(points=[point]))
                return any(np.allclose(answer.effort, wanted, atol=1e-9) for answer in efforts)

            user.spin_until(answered, f"the efforts with kp {kp} and kd {kd}")
        # What has come last is fresh for an hour, and then, at once, no longer.
        assert set_parameter(user, "lone/dynamics", "reference_timeout", 3600.0).successful
        user.next_from_now(reports, "following", says("following the reference"))
        user.next_from_now(reports, "still following", says("following the reference"))
        assert set_parameter(user, "lone/dynamics", "reference_timeout", 0.05).successful
        silence = "no fresh reference and no fresh joint_states: no efforts are published"
        user.next_from_now(reports, "no longer following", says(silence))


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"mode": "magic"}, "mode must be one of"),
        ({"kp": "[1.0, 2.0]"}, "kp must have 1 or 6 values"),
        ({"gravity": "[0.0, 1.0]"}, "gravity must be three finite numbers"),
        ({"joints": "[joint1, joint2]"}, "missing joint 'joint3'"),
        ({"tip": "nowhere"}, "nowhere"),
        ({"robot_description": "'<robot'"}, "robot refused"),
        ({"robot_description": "stanford_arm"}, "robot_description must be the text of a URDF"),
    ],
)
def test_a_wrong_value_at_the_start_ends_it_with_a_sentence(parameters, complaint):
    with running("dynamics_node", "-r", "__ns:=/wrong", robot="stanford_arm", **parameters) as node:
        node.may_end()
        assert node.process.wait(PATIENCE) == 1
        assert complaint in node.output
        assert "Traceback" not in node.output
