"""The services of the dynamics node: by name, in any order, and never the end of the node."""

import numpy as np
import pytest
from geometry_msgs.msg import Vector3, Wrench
from node_process import Client, running
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics_msgs.srv import (
    DynamicTerms,
    ForwardDynamics,
    InverseDynamics,
    MassMatrix,
    TrajectoryEfforts,
)

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
N = len(JOINTS)
RNG = np.random.default_rng(1)
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
    np.testing.assert_allclose(answer.efforts, shuffled(DYN.inverse_dynamics(Q, QD, QDD)))


def test_inverse_dynamics_of_chosen_terms(ask):
    answer = ask(InverseDynamics, "inverse_dynamics", positions=Q.tolist(), terms=["gravity"])
    np.testing.assert_allclose(answer.efforts, DYN.gravity(Q))


def test_mass_matrix_rows_and_columns_follow_the_request(ask):
    answer = ask(MassMatrix, "mass_matrix", joint_names=NAMES, positions=shuffled(Q))
    expected = DYN.mass_matrix(Q)[np.ix_(SHUFFLED, SHUFFLED)]
    np.testing.assert_allclose(np.reshape(answer.mass_matrix, (N, N)), expected)


def test_forward_dynamics_undoes_inverse_dynamics(ask):
    forces = DYN.inverse_dynamics(Q, QD, QDD)
    answer = ask(
        ForwardDynamics, "forward_dynamics", joint_names=NAMES, positions=shuffled(Q),
        velocities=shuffled(QD), efforts=shuffled(forces),
    )  # fmt: skip
    np.testing.assert_allclose(answer.accelerations, shuffled(QDD), atol=1e-9)


def test_dynamic_terms_add_up_to_the_inverse_dynamics(ask):
    terms = ask(DynamicTerms, "dynamic_terms", positions=Q.tolist(), velocities=QD.tolist())
    total = np.reshape(terms.mass_matrix, (N, N)) @ QDD + terms.coriolis + terms.gravity
    total += terms.friction
    np.testing.assert_allclose(total, DYN.inverse_dynamics(Q, QD, QDD), atol=1e-9)


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
        np.testing.assert_allclose(point.effort, shuffled(DYN.inverse_dynamics(q, v, a)))


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
