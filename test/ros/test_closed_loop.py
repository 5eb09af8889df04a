"""Both nodes as processes of their own, working together over DDS."""

import numpy as np
import pytest
from node_process import running
from sensor_msgs.msg import JointState

import manip_dynamics as md
from manip_dynamics_msgs.srv import InverseDynamics, MassMatrix

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
POSTURE = [0.1, -0.4, 0.3, 0.5, -0.2, 0.7]


def test_services_answer_and_gravity_compensation_holds_the_simulated_arm(client):
    with (
        running("dynamics_node", robot="stanford_arm", mode="gravity_compensation"),
        running(
            "simulator_node", "-r", "simulator/commands:=dynamics/commands",
            robot="stanford_arm", initial_positions=POSTURE, without_command="gravity_compensation",
        ),
    ):  # fmt: skip
        answer = client.call(
            InverseDynamics, "dynamics/inverse_dynamics", positions=POSTURE, velocities=[0.1] * 6
        )
        assert answer.success, answer.message
        assert answer.joint_names == JOINTS
        np.testing.assert_allclose(
            answer.efforts, DYN.inverse_dynamics(POSTURE, [0.1] * 6, [0.0] * 6), rtol=1e-9
        )

        answer = client.call(MassMatrix, "dynamics/mass_matrix", positions=POSTURE)
        assert answer.success, answer.message
        np.testing.assert_allclose(
            np.reshape(answer.mass_matrix, (6, 6)), DYN.mass_matrix(POSTURE), rtol=1e-9
        )

        efforts = client.collect(JointState, "dynamics/feedforward")
        states = client.collect(JointState, "joint_states")
        state = client.next(states, "a joint state")
        effort = client.next(efforts, "efforts of the dynamics node")
        assert list(state.name) == JOINTS
        np.testing.assert_allclose(state.position, POSTURE, atol=1e-3)
        np.testing.assert_allclose(effort.effort, DYN.gravity(POSTURE), atol=1e-2)
        # What the simulator reports as acting is what the other node has sent.
        acting = client.next(states, "the efforts in joint_states", lambda s: any(s.effort))
        np.testing.assert_allclose(acting.effort, effort.effort, atol=1e-2)


def test_two_robots_run_side_by_side_in_their_namespaces(client):
    with (
        running("dynamics_node", "-r", "__ns:=/left", robot="stanford_arm"),
        running("dynamics_node", "-r", "__ns:=/right", robot="planar_2r"),
    ):
        left = client.call(MassMatrix, "/left/dynamics/mass_matrix", positions=[0.0] * 6)
        right = client.call(MassMatrix, "/right/dynamics/mass_matrix", positions=[0.0] * 2)
        assert (len(left.mass_matrix), len(right.mass_matrix)) == (36, 4)


@pytest.mark.parametrize("executable", ["dynamics_node", "simulator_node"])
def test_a_robot_that_is_not_there_ends_the_start_with_a_sentence(executable):
    with running(executable, robot="no_such_robot") as node:
        assert node.process.wait(20) == 1
        assert "'no_such_robot' is neither a bundled robot (" in node.output
        assert "Traceback" not in node.output
