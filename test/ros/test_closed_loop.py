"""Both nodes as processes of their own, working together over DDS."""

from contextlib import ExitStack

import numpy as np
import pytest
from node_process import PATIENCE, running
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
    robots = {"left": "stanford_arm", "right": "planar_2r"}
    states = {side: client.collect(JointState, f"/{side}/joint_states") for side in robots}
    with ExitStack() as loops:
        for side, robot in robots.items():
            namespace = ("-r", f"__ns:=/{side}")
            loop = ("-r", "simulator/commands:=dynamics/commands")
            gravity = {"robot": robot, "mode": "gravity_compensation"}
            loops.enter_context(running("dynamics_node", *namespace, **gravity))
            loops.enter_context(running("simulator_node", *namespace, *loop, robot=robot))
        for side, robot in robots.items():
            dyn = md.Dynamics(md.load_robot(robot))
            answer = client.call(
                MassMatrix, f"/{side}/dynamics/mass_matrix", positions=[0.1] * dyn.n
            )
            np.testing.assert_allclose(answer.mass_matrix, dyn.mass_matrix([0.1] * dyn.n).ravel())
            # Each loop is closed: the efforts that act are those of its own dynamics node.
            state = client.next(states[side], "acting efforts", lambda s: any(s.effort))
            assert list(state.name) == list(dyn.robot.joint_names)
            assert not {len(s.name) for s in states[side]} - {dyn.n}


@pytest.mark.parametrize("executable", ["dynamics_node", "simulator_node"])
def test_a_robot_that_is_not_there_ends_the_start_with_a_sentence(executable):
    with running(executable, robot="no_such_robot") as node:
        assert node.process.wait(PATIENCE) == 1
        assert "'no_such_robot' is neither a bundled robot (" in node.output
        assert "Traceback" not in node.output
