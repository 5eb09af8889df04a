"""The dynamics node under a lifecycle manager."""

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from node_process import Client, running
from sensor_msgs.msg import JointState

from manip_dynamics_msgs.srv import MassMatrix


def change(client: Client, transition: int) -> bool:
    request = Transition(id=transition)
    return client.call(ChangeState, "dynamics/change_state", transition=request).success


def state_of(client: Client) -> int:
    return client.call(GetState, "dynamics/get_state").current_state.id


def test_it_starts_by_itself_unless_told_otherwise(client):
    with running("dynamics_node", robot="planar_2r"):
        assert state_of(client) == State.PRIMARY_STATE_ACTIVE


def test_the_whole_life(client):
    with running("dynamics_node", robot="planar_2r", mode="gravity_compensation", autostart=False):
        assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
        efforts = client.collect(JointState, "dynamics/feedforward")
        for _ in range(2):
            assert change(client, Transition.TRANSITION_CONFIGURE)
            # Services answer as soon as there is a model; efforts flow only when active.
            assert client.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0, 0.0]).success
            states = client.publisher(JointState, "joint_states")
            message = JointState(name=["joint1", "joint2"], position=[0.0, 0.0])
            states.publish(message)
            assert state_of(client) == State.PRIMARY_STATE_INACTIVE
            assert not efforts

            assert change(client, Transition.TRANSITION_ACTIVATE)

            def answered(states=states, message=message):
                states.publish(message)
                return efforts

            client.spin_until(answered, "efforts")
            assert change(client, Transition.TRANSITION_DEACTIVATE)
            assert change(client, Transition.TRANSITION_CLEANUP)
            assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
            client.spin_until(
                lambda: not client.node.count_publishers("/dynamics/feedforward"), "the cleanup"
            )
            client.node.destroy_publisher(states)
            efforts.clear()
        assert change(client, Transition.TRANSITION_UNCONFIGURED_SHUTDOWN)


def test_a_robot_that_cannot_be_loaded_leaves_it_unconfigured(client):
    with running("dynamics_node", robot="no_such_robot", autostart=False) as node:
        assert not change(client, Transition.TRANSITION_CONFIGURE)
        assert state_of(client) == State.PRIMARY_STATE_UNCONFIGURED
        assert "robot refused: 'no_such_robot' is neither" in node.output
