"""Every input of both nodes is refused with the reason when it is no good, and does no harm."""

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Inertia, Vector3
from node_process import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics_msgs import srv

JOINTS = list(md.load_robot("stanford_arm").joint_names)
NAN, INFINITE = float("nan"), float("inf")

# What a message says of the joints, and what the answer says of it.
WRONG_VALUES = {
    "too short": ([0.0] * 5, " has 5 values, but there are 6 joints"),
    "too long": ([0.0] * 7, " has 7 values, but there are 6 joints"),
    "empty": ([], " has 0 values, but there are 6 joints"),
    "huge": ([0.0] * 100_000, " has 100000 values, but there are 6 joints"),
    "not a number": ([0.0] * 5 + [NAN], " of joint 'joint6' is nan"),
    "infinite": ([INFINITE] + [0.0] * 5, " of joint 'joint1' is inf"),
}
WRONG_NAMES = {
    "partial": (JOINTS[:5], "missing joint 'joint6'; every joint must be named, or none"),
    "unknown": ([*JOINTS[:5], "wheel"], "unknown joint 'wheel'; the model has joint1, joint2"),
    "duplicated": ([*JOINTS[:5], "joint1"], "joint 'joint1' is named twice"),
    "nameless": ([""] * 6, "unknown joint ''"),
    "many": (["x"] * 100_000, "unknown joint 'x'"),
}


def trajectory(names: list[str], values: list[float]) -> JointTrajectory:
    points = [JointTrajectoryPoint(positions=values)]
    return JointTrajectory(joint_names=names, points=points)


SERVICES = {
    "dynamics/inverse_dynamics": srv.InverseDynamics,
    "dynamics/mass_matrix": srv.MassMatrix,
    "dynamics/forward_dynamics": srv.ForwardDynamics,
    "dynamics/dynamic_terms": srv.DynamicTerms,
    "dynamics/task_space_dynamics": srv.TaskSpaceDynamics,
    "dynamics/trajectory_efforts": srv.TrajectoryEfforts,
    "simulator/set_state": srv.SetState,
}


def request(service: str, names: list[str], positions: list[float]):
    kind = SERVICES[service]
    if kind is srv.TrajectoryEfforts:
        return kind.Request(trajectory=trajectory(names, positions))
    return kind.Request(joint_names=names, positions=positions)


# Topic -> the message for joint names and values, and the field that a reason names.
TOPICS = {
    "dynamics/reference": (trajectory, "positions"),
    "simulator/effort": (
        lambda names, values: JointState(name=names, effort=values), "effort",
    ),
    "simulator/commands": (lambda _, values: Float64MultiArray(data=values), "data"),
}  # fmt: skip


@pytest.fixture(scope="module")
def nodes():
    with (
        running("dynamics_node", robot="stanford_arm") as dynamics,
        running("simulator_node", robot="stanford_arm") as simulator,
    ):
        yield
        assert "Traceback" not in dynamics.output + simulator.output


@pytest.fixture(scope="module")
def user(nodes):
    client = Client()
    client.reports = client.collect(DiagnosticArray, "/diagnostics")
    yield client
    client.close()


@pytest.mark.parametrize("wrong", WRONG_VALUES)
@pytest.mark.parametrize("service", SERVICES)
def test_a_service_refuses_values(user, service, wrong):
    values, reason = WRONG_VALUES[wrong]
    answer = user.request(SERVICES[service], service, request(service, [], values))
    assert not answer.success
    assert f"positions{reason}" in answer.message


@pytest.mark.parametrize("wrong", WRONG_NAMES)
@pytest.mark.parametrize("service", SERVICES)
def test_a_service_refuses_names(user, service, wrong):
    names, reason = WRONG_NAMES[wrong]
    answer = user.request(SERVICES[service], service, request(service, names, [0.0] * 6))
    assert not answer.success
    assert reason in answer.message


@pytest.mark.parametrize("field", ["velocities", "accelerations", "efforts"])
@pytest.mark.parametrize("wrong", [wrong for wrong in WRONG_VALUES if wrong != "empty"])
def test_every_other_array_of_a_request_is_checked_too(user, field, wrong):
    values, reason = WRONG_VALUES[wrong]  # not an empty one: that means zero
    asked = 0
    for service, kind in SERVICES.items():
        if field in kind.Request.get_fields_and_field_types():
            fields = {"positions": [0.5] * 6, field: values}
            answer = user.call(kind, service, **fields)
            assert not answer.success
            assert answer.message == f"{field}{reason}"
            asked += 1
    assert asked


@pytest.mark.parametrize("body", [
    Inertia(m=NAN), Inertia(m=INFINITE), Inertia(m=-1.0), Inertia(m=1.0, com=Vector3(x=NAN)),
    Inertia(m=1.0, ixx=NAN), Inertia(m=1.0, ixx=-1.0), Inertia(ixx=1.0, iyy=1.0, izz=5.0),
])  # fmt: skip
def test_a_payload_that_no_body_can_be_is_refused(user, body):
    answer = user.call(srv.SetPayload, "dynamics/set_payload", payload=body)
    assert not answer.success
    assert answer.message


@pytest.mark.parametrize("service", SERVICES)
def test_a_result_beyond_all_numbers_is_not_given_as_one(user, service):
    """Finite in, and either finite out or refused."""
    answer = user.request(
        SERVICES[service], service, request(service, [], [0.5, 0.5, 1e308, 0.5, 0.5, 0.5])
    )
    if answer.success:
        assert "inf" not in str(answer)
        assert "nan" not in str(answer)
    else:
        assert answer.message


def expect_refusal(user: Client, topic: str, message, reason: str) -> None:
    """Send a message until its node reports why it is no good."""
    node, name = topic.split("/")
    publisher = user.publisher(type(message), topic)
    sending = user.keep_sending(publisher, message)

    def said(report: DiagnosticArray) -> bool:
        figures = {figure.key: figure.value for figure in report.status[0].values}
        return report.status[0].name.startswith(f"{node}:") and figures.get(
            "last refused", ""
        ).startswith(f"{name}: {reason}")

    user.next(user.reports, f"the refusal '{reason}'", said)
    sending.cancel()
    user.node.destroy_timer(sending)
    user.node.destroy_publisher(publisher)


@pytest.mark.parametrize("wrong", WRONG_VALUES)
@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_refuses_values(user, topic, wrong):
    values, reason = WRONG_VALUES[wrong]
    message, field = TOPICS[topic]
    expect_refusal(user, topic, message([], values), f"{field}{reason}")


@pytest.mark.parametrize("wrong", WRONG_NAMES)
@pytest.mark.parametrize("topic", ["dynamics/reference", "simulator/effort"])
def test_a_topic_refuses_names(user, topic, wrong):
    names, reason = WRONG_NAMES[wrong]
    message, _ = TOPICS[topic]
    expect_refusal(user, topic, message(names, [0.0] * 6), reason)
