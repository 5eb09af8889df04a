"""The dynamics node under a lifecycle manager."""

import time

import pytest
from geometry_msgs.msg import Inertia, Vector3
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from node_process import Client, running
from sensor_msgs.msg import JointState

import manip_dynamics as md
from manip_dynamics.nodes.services import CLEANED_UP, NO_MODEL
from manip_dynamics_msgs.srv import MassMatrix, SetPayload


def joint_state(seconds: int) -> JointState:
    message = JointState(name=["joint1", "joint2"], position=[0.0, 0.0])
    message.header.stamp.sec = seconds
    return message


def answers(efforts: list[JointState], seconds: int) -> list[JointState]:
    """The efforts that answer the joint states with this stamp: they carry the same."""
    return [effort for effort in efforts if effort.header.stamp.sec == seconds]


GOALS = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
    Transition.TRANSITION_UNCONFIGURED_SHUTDOWN: State.PRIMARY_STATE_FINALIZED,
    Transition.TRANSITION_ACTIVE_SHUTDOWN: State.PRIMARY_STATE_FINALIZED,
}


def change(client: Client, transition: int) -> bool:
    """Ask for a transition. If it took long and was asked for twice, the second is too late."""
    request = Transition(id=transition)
    answer = client.call(ChangeState, "dynamics/change_state", transition=request)
    return answer.success or state_of(client) == GOALS[transition]


def state_of(client: Client) -> int:
    return client.call(GetState, "dynamics/get_state").current_state.id


def test_it_starts_by_itself_unless_told_otherwise(client):
    with running("dynamics_node", robot="planar_2r"):
        assert state_of(client) == State.PRIMARY_STATE_ACTIVE


def test_the_whole_life(client):
    with running("dynamics_node", robot="planar_2r", mode="gravity_compensation", autostart=False):
        assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
        efforts = client.collect(JointState, "dynamics/feedforward")
        for while_inactive, while_active in ((1, 2), (3, 4)):  # stamps of the states sent
            assert change(client, Transition.TRANSITION_CONFIGURE)
            # Services answer as soon as there is a model; efforts flow only when active.
            assert client.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0, 0.0]).success
            states = client.publisher(JointState, "joint_states")
            for _ in range(5):
                states.publish(joint_state(while_inactive))
                assert state_of(client) == State.PRIMARY_STATE_INACTIVE
            assert not answers(efforts, while_inactive)

            assert change(client, Transition.TRANSITION_ACTIVATE)

            def answered(states=states, stamp=while_active):
                states.publish(joint_state(stamp))
                return answers(efforts, stamp)

            client.spin_until(answered, "efforts")
            assert change(client, Transition.TRANSITION_DEACTIVATE)
            assert change(client, Transition.TRANSITION_CLEANUP)
            assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
            client.spin_until(
                lambda: not client.node.count_publishers("/dynamics/feedforward"), "the cleanup"
            )
            client.node.destroy_publisher(states)
        assert change(client, Transition.TRANSITION_UNCONFIGURED_SHUTDOWN)


def test_nothing_is_published_after_the_shutdown_of_an_active_node(client):
    with running("dynamics_node", robot="planar_2r", mode="gravity_compensation"):
        efforts = client.collect(JointState, "dynamics/feedforward")
        states = client.publisher(JointState, "joint_states")
        client.keep_sending(states, joint_state(1), period=0.01)
        client.next(efforts, "efforts")
        assert change(client, Transition.TRANSITION_ACTIVE_SHUTDOWN)
        client.spin_until(
            lambda: not client.node.count_publishers("/dynamics/feedforward"), "the shutdown"
        )
        assert state_of(client) == State.PRIMARY_STATE_FINALIZED


def test_it_is_cleaned_up_and_configured_again_while_messages_stream_in(client):
    with running("dynamics_node", robot="planar_2r", mode="gravity_compensation") as node:
        efforts = client.collect(JointState, "dynamics/feedforward")
        states = client.publisher(JointState, "joint_states")
        client.keep_sending(states, joint_state(1), period=0.001)
        for _ in range(10):
            for transition in (
                Transition.TRANSITION_DEACTIVATE,
                Transition.TRANSITION_CLEANUP,
                Transition.TRANSITION_CONFIGURE,
                Transition.TRANSITION_ACTIVATE,
            ):
                assert change(client, transition), node.output
            client.next(efforts, "efforts again")


def test_a_payload_that_is_ready_after_the_cleanup_is_refused(client):
    with running("dynamics_node", robot="planar_2r") as node:
        assert change(client, Transition.TRANSITION_DEACTIVATE)
        impossible = Inertia(m=-1.0)  # once there and back, so that the next request is not lost
        assert not client.call(SetPayload, "dynamics/set_payload", payload=impossible).success
        # A mass nobody had before, so that it is compiled first.
        payload = Inertia(m=1.0 + time.time() % 1.0, com=Vector3(x=0.1))
        service = client.service(SetPayload, "dynamics/set_payload")
        loading = service.call_async(SetPayload.Request(payload=payload))
        assert change(client, Transition.TRANSITION_CLEANUP)
        answer = client.spin_until(lambda: loading.done() and loading.result(), "the answer")
        # The machine may have been busy with other things until the payload was ready.
        assert answer.success or answer.message in (CLEANED_UP, NO_MODEL)
        assert change(client, Transition.TRANSITION_CONFIGURE), node.output
        answer = client.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0, 0.0])
        unloaded = md.Dynamics(md.load_robot("planar_2r")).mass_matrix([0.0, 0.0])
        assert list(answer.mass_matrix) == pytest.approx(list(unloaded.ravel()))


def test_a_robot_that_cannot_be_loaded_leaves_it_unconfigured(client):
    with running("dynamics_node", robot="no_such_robot", autostart=False) as node:
        assert not change(client, Transition.TRANSITION_CONFIGURE)
        assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
        assert "robot refused: 'no_such_robot' is neither" in node.output
