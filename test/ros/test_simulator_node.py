"""The simulator node: commands by name and by index, and its services."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from node_process import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray
from std_srvs.srv import SetBool, Trigger

import manip_dynamics as md
from manip_dynamics.simulation.simulator import Simulator
from manip_dynamics_msgs.srv import SetState

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
START = [0.1, -0.4, 0.3, 0.5, -0.2, 0.7]
EFFORTS = [1.0, 2.0, -3.0, 0.1, 0.2, -0.3]


@pytest.fixture(scope="module")
def node():
    with running(
        "simulator_node", robot="stanford_arm", initial_positions=START, command_timeout=1000.0
    ) as process:
        yield process
        assert process.is_alive(), process.output


@pytest.fixture
def paused(node, client: Client):
    """A client of the paused simulator at t = 0, with the list of joint states it publishes."""
    client.states = client.collect(JointState, "joint_states")
    client.call(SetBool, "simulator/set_paused", data=True)
    client.call(Trigger, "simulator/reset")
    client.spin_until(lambda: client.states, "the state after the reset")
    return client


def state_after(client: Client, kind: type, service: str, **fields) -> JointState:
    """The state that a service brings about: older ones may still be waiting to be read."""
    before = client.node.get_clock().now().nanoseconds * 1e-9
    answer = client.call(kind, f"simulator/{service}", **fields)
    assert answer.success, answer.message

    def newest() -> JointState | None:
        return next((s for s in client.states if seconds(s.header.stamp) >= before), None)

    return client.spin_until(newest, f"the state after {service}")


def step(client: Client) -> JointState:
    client.states.clear()
    return state_after(client, Trigger, "step")


def expected_after_a_step(efforts) -> np.ndarray:
    simulator = Simulator(DYN)
    simulator.reset(START)
    simulator.step(efforts)
    return simulator.qd


def step_under_command(client: Client) -> JointState:
    """Step until a command that was published has arrived: topics are not ordered with services."""
    return client.spin_until(
        lambda: (state := step(client)) and any(state.effort) and state, "the command to act"
    )


def seconds(stamp) -> float:
    return stamp.sec + stamp.nanosec * 1e-9


def test_a_step_is_one_dt_of_forward_dynamics(paused):
    state = step(paused)
    assert list(state.name) == JOINTS
    np.testing.assert_allclose(state.velocity, expected_after_a_step([0.0] * 6), rtol=1e-12)


def test_efforts_by_index(paused):
    publisher = paused.publisher(Float64MultiArray, "simulator/commands")
    paused.keep_sending(publisher, Float64MultiArray(data=EFFORTS))
    assert list(step_under_command(paused).effort) == EFFORTS


def test_efforts_by_name_in_any_order(paused):
    publisher = paused.publisher(JointState, "simulator/effort")
    paused.keep_sending(publisher, JointState(name=JOINTS[::-1], effort=EFFORTS[::-1]))
    assert list(step_under_command(paused).effort) == EFFORTS


def test_set_state_by_name(paused):
    positions, velocities = [1.0] + [0.0] * 5, [0.0] * 5 + [2.0]
    state = state_after(
        paused, SetState, "set_state", joint_names=JOINTS[::-1], positions=positions,
        velocities=velocities,
    )  # fmt: skip
    assert list(state.position) == positions[::-1]
    assert list(state.velocity) == velocities[::-1]


def test_a_reset_takes_the_command_back_and_goes_to_the_initial_positions(paused):
    publisher = paused.publisher(Float64MultiArray, "simulator/commands")
    sending = paused.keep_sending(publisher, Float64MultiArray(data=EFFORTS))
    step_under_command(paused)
    sending.cancel()

    def taken_back() -> JointState | None:  # a last command may come after the reset
        state = state_after(paused, Trigger, "reset")
        return state if not any(state.effort) and not any(step(paused).effort) else None

    state = paused.spin_until(taken_back, "a reset that stays")
    assert list(state.position) == START
    assert not any(state.velocity)


def test_while_paused_it_stands_still(paused):
    before = list(step(paused).position)
    reports = paused.collect(DiagnosticArray, "/diagnostics")
    report = paused.next_from_now(reports, "a report").status[0]
    assert (report.level, report.message) == (DiagnosticStatus.OK, "paused")
    paused.states.clear()
    paused.next_from_now(reports, "another report")
    assert not paused.states
    assert paused.call(SetBool, "simulator/set_paused", data=False).message == "running"
    state = paused.next_from_now(paused.states, "a state in motion")
    assert list(state.position) != before


def test_the_energy_is_that_of_the_state(paused):
    energies = paused.collect(Float64, "simulator/energy")
    simulator = Simulator(DYN)

    def energy_of_the_step() -> bool:
        state = step(paused)
        simulator.reset(state.position, state.velocity)
        return any(abs(e.data - simulator.energy()) < 1e-9 for e in energies)

    paused.spin_until(energy_of_the_step, "the energy of a state")


def test_a_step_while_running_is_refused(paused):
    paused.call(SetBool, "simulator/set_paused", data=False)
    answer = paused.call(Trigger, "simulator/step")
    assert not answer.success
    assert "pause it first" in answer.message


