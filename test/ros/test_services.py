"""The services of the dynamics node: by name, in any order, and never the end of the node."""

from functools import partial

import numpy as np
import pytest
from geometry_msgs.msg import Inertia, Vector3, Wrench
from node_process import Client, running
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics_msgs.srv import (
    DynamicTerms,
    ForwardDynamics,
    GetModel,
    InverseDynamics,
    MassMatrix,
    SetPayload,
    TaskSpaceDynamics,
    TrajectoryEfforts,
)

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
N = len(JOINTS)
RNG = np.random.default_rng(1)
# Another order of the same operations, or another kernel, may round differently.
close = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-9)
Q, QD, QDD, TAU = RNG.uniform(-1, 1, (4, N))
SHUFFLED = [3, 0, 5, 1, 4, 2]


@pytest.fixture(scope="module")
def node():
    with running("dynamics_node", robot="stanford_arm") as process:
        yield process
        assert process.is_alive(), process.output


@pytest.fixture(scope="module")
def ask(node):
    """Call a service of the node: ask(kind, name, **fields)."""
    client = Client()
    yield lambda kind, name, **fields: client.call(kind, f"dynamics/{name}", **fields)
    client.close()


def shuffled(values):
    return [float(values[i]) for i in SHUFFLED]


NAMES = [JOINTS[i] for i in SHUFFLED]


def test_inverse_dynamics_in_the_order_of_the_request(ask):
    answer = ask(
        InverseDynamics, "inverse_dynamics", joint_names=NAMES, positions=shuffled(Q),
        velocities=shuffled(QD), accelerations=shuffled(QDD),
    )  # fmt: skip
    assert answer.success, answer.message
    assert list(answer.joint_names) == NAMES
    close(answer.efforts, shuffled(DYN.inverse_dynamics(Q, QD, QDD)))


def test_inverse_dynamics_of_chosen_terms(ask):
    answer = ask(InverseDynamics, "inverse_dynamics", positions=Q.tolist(), terms=["gravity"])
    close(answer.efforts, DYN.gravity(Q))


def test_mass_matrix_rows_and_columns_follow_the_request(ask):
    answer = ask(MassMatrix, "mass_matrix", joint_names=NAMES, positions=shuffled(Q))
    expected = DYN.mass_matrix(Q)[np.ix_(SHUFFLED, SHUFFLED)]
    close(np.reshape(answer.mass_matrix, (N, N)), expected)


def test_forward_dynamics_undoes_inverse_dynamics(ask):
    forces = DYN.inverse_dynamics(Q, QD, QDD)
    answer = ask(
        ForwardDynamics, "forward_dynamics", joint_names=NAMES, positions=shuffled(Q),
        velocities=shuffled(QD), efforts=shuffled(forces),
    )  # fmt: skip
    close(answer.accelerations, shuffled(QDD))


def test_dynamic_terms_add_up_to_the_inverse_dynamics(ask):
    terms = ask(DynamicTerms, "dynamic_terms", positions=Q.tolist(), velocities=QD.tolist())
    total = np.reshape(terms.mass_matrix, (N, N)) @ QDD + terms.coriolis + terms.gravity
    total += terms.friction
    close(total, DYN.inverse_dynamics(Q, QD, QDD))


def test_a_wrench_at_the_tip_acts_through_the_jacobian(ask):
    force, torque = Vector3(x=1.0, y=-2.0, z=3.0), Vector3(x=0.1, y=0.2, z=-0.3)
    answer = ask(
        InverseDynamics, "inverse_dynamics", positions=Q.tolist(),
        tip_wrench=Wrench(force=force, torque=torque),
    )  # fmt: skip
    close(answer.efforts, DYN.gravity(Q) - DYN.jacobian(Q).T @ [1.0, -2.0, 3.0, 0.1, 0.2, -0.3])


def test_task_space_dynamics_with_the_columns_of_the_request(ask):
    answer = ask(
        TaskSpaceDynamics, "task_space_dynamics", joint_names=NAMES, positions=shuffled(Q),
        velocities=shuffled(QD),
    )  # fmt: skip
    assert answer.success, answer.message
    terms = DYN.task_space(Q, QD)
    close(np.reshape(answer.inertia, (6, 6)), terms.inertia)
    close(answer.coriolis, terms.coriolis)
    close(answer.gravity, terms.gravity)
    close(np.reshape(answer.jacobian, (6, N)), terms.jacobian[:, SHUFFLED])
    assert answer.condition_number == pytest.approx(terms.condition_number)


def test_task_space_dynamics_at_a_singular_posture_is_refused(ask):
    stretched = [0.0] * N
    answer = ask(TaskSpaceDynamics, "task_space_dynamics", positions=stretched)
    assert not answer.success
    assert "the Jacobian is singular here" in answer.message


def test_get_model_tells_the_joints_and_the_parameters(ask):
    model = ask(GetModel, "get_model")
    assert list(model.joint_names) == JOINTS
    assert list(model.joint_kinds) == list(DYN.robot.mdh.kind)
    close([model.alpha, model.a, model.theta, model.d],
          [DYN.robot.mdh.alpha, DYN.robot.mdh.a, DYN.robot.mdh.theta, DYN.robot.mdh.d])
    assert list(model.mlc_names) == list(DYN.robot.mlc.names)
    close(model.mlc_values, DYN.robot.mlc.values)
    assert "inverse_dynamics: " in model.operation_counts


def test_a_payload_is_carried_until_it_is_put_down(ask):
    payload = Inertia(m=2.0, com=Vector3(z=0.1), ixx=0.01, iyy=0.01, izz=0.01)
    assert ask(SetPayload, "set_payload", payload=payload).success
    loaded = DYN.with_robot(DYN.robot.with_payload((2.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))))
    close(ask(InverseDynamics, "inverse_dynamics", positions=Q.tolist()).efforts, loaded.gravity(Q))
    assert ask(SetPayload, "set_payload").success
    close(ask(InverseDynamics, "inverse_dynamics", positions=Q.tolist()).efforts, DYN.gravity(Q))


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (Inertia(m=-1.0), "mass is negative"),
        (Inertia(m=1.0, ixx=-1.0), "payload: "),
        (Inertia(m=float("nan")), "mass is nan"),
    ],
)
def test_an_impossible_payload_is_refused_and_the_old_one_stays(ask, payload, message):
    answer = ask(SetPayload, "set_payload", payload=payload)
    assert not answer.success
    assert message in answer.message
    close(ask(InverseDynamics, "inverse_dynamics", positions=Q.tolist()).efforts, DYN.gravity(Q))


def test_trajectory_efforts_fill_every_point(ask):
    states = RNG.uniform(-1, 1, (20, 3, N))
    points = [
        JointTrajectoryPoint(
            positions=shuffled(q), velocities=shuffled(v), accelerations=shuffled(a)
        )
        for q, v, a in states
    ]
    answer = ask(
        TrajectoryEfforts, "trajectory_efforts",
        trajectory=JointTrajectory(joint_names=NAMES, points=points),
    )  # fmt: skip
    assert answer.success, answer.message
    assert len(answer.trajectory.points) == 20
    for point, (q, v, a) in zip(answer.trajectory.points, states):
        close(point.effort, shuffled(DYN.inverse_dynamics(q, v, a)))


def test_trajectory_efforts_say_which_point_is_wrong(ask):
    points = [JointTrajectoryPoint(positions=[0.0] * N), JointTrajectoryPoint(positions=[0.0])]
    answer = ask(
        TrajectoryEfforts, "trajectory_efforts", trajectory=JointTrajectory(points=points)
    )
    assert not answer.success
    assert answer.message == "point 1: positions has 1 values, but there are 6 joints"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"positions": []}, "positions has 0 values"),
        ({"positions": [0.0] * 5}, "positions has 5 values, but there are 6 joints"),
        ({"positions": [0.0] * 100_000}, "positions has 100000 values"),
        ({"positions": [0.0] * 6, "velocities": [0.0] * 7}, "velocities has 7 values"),
        ({"positions": [0.0] * 5 + [float("nan")]}, "positions of joint 'joint6' is nan"),
        ({"positions": [float("-inf")] + [0.0] * 5}, "positions of joint 'joint1' is -inf"),
        ({"joint_names": JOINTS[:5] + ["gripper"]}, "unknown joint 'gripper'"),
        ({"joint_names": JOINTS[:5] + JOINTS[:1]}, "joint 'joint1' is named twice"),
        ({"joint_names": JOINTS[:5]}, "missing joint 'joint6'"),
        ({"joint_names": [""] * 6}, "unknown joint ''"),
        ({"joint_names": ["x"] * 100_000}, "unknown joint 'x'"),
        ({"algorithm": "magic"}, "magic"),
        ({"terms": ["gravity", "magic"]}, "unknown term 'magic'"),
        ({"tip_wrench": Wrench(force=Vector3(x=float("nan")))}, "tip_wrench"),
    ],
)
def test_a_request_that_cannot_be_served_is_answered_with_the_reason(ask, node, fields, message):
    answer = ask(InverseDynamics, "inverse_dynamics", **{"positions": [0.0] * 6, **fields})
    assert not answer.success
    assert message in answer.message
    assert not answer.efforts
    assert node.is_alive()


def test_huge_but_finite_numbers_do_not_end_the_node(ask, node):
    answer = ask(
        InverseDynamics, "inverse_dynamics", positions=[0.0] * 6, velocities=[1e308] * 6
    )
    assert not answer.success or len(answer.efforts) == 6
    assert ask(MassMatrix, "mass_matrix", positions=[0.0] * 6).success
