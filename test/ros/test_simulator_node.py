"""The simulator node: pace, commands by name and by index, and its services."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from node_process import PATIENCE, Client, running
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
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


def step(client: Client) -> JointState:
    client.states.clear()
    answer = client.call(Trigger, "simulator/step")
    assert answer.success, answer.message
    return client.spin_until(lambda: client.states, "the state after the step")[-1]


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


def test_it_falls_in_real_time_and_stamps_each_state_with_the_moment_it_belongs_to(client):
    fall = Simulator(DYN)
    fall.reset(START)
    time_of = {tuple(fall.q): 0.0}
    for _ in range(600):
        fall.step([0.0] * 6)
        time_of[tuple(fall.q)] = fall.time
    with running("simulator_node", robot="stanford_arm", initial_positions=START):
        states = client.collect(JointState, "joint_states")
        client.next(states, "a joint state")
        client.call(Trigger, "simulator/reset")
        states.clear()
        client.spin_until(lambda: len(states) > 250, "half a second of states")
    assert list(states[0].name) == JOINTS
    moments = [
        (seconds(state.header.stamp), time_of[key])
        for state in states
        if (key := tuple(state.position)) in time_of
    ]
    stamped, simulated = np.diff(moments, axis=0).T
    assert (stamped > 0.0).all()
    # The pace is given up and taken up anew where the machine leaves the node aside for long.
    assert np.mean(abs(stamped - simulated) < 2e-5) > 0.9


def test_a_step_is_one_dt_of_forward_dynamics(paused):
    state = step(paused)
    np.testing.assert_allclose(state.velocity, expected_after_a_step([0.0] * 6), rtol=1e-12)


def test_efforts_by_index(paused):
    publisher = paused.publisher(Float64MultiArray, "simulator/commands")
    paused.keep_sending(publisher, Float64MultiArray(data=EFFORTS))
    assert list(step_under_command(paused).effort) == EFFORTS


def test_efforts_by_name_in_any_order(paused):
    publisher = paused.publisher(JointState, "simulator/effort")
    paused.keep_sending(publisher, JointState(name=JOINTS[::-1], effort=EFFORTS[::-1]))
    assert list(step_under_command(paused).effort) == EFFORTS


def test_set_state_by_name_and_its_refusals(paused):
    answer = paused.call(
        SetState, "simulator/set_state", joint_names=JOINTS[::-1], positions=[1.0] + [0.0] * 5
    )
    assert answer.success, answer.message
    state = paused.spin_until(lambda: paused.states and paused.states[-1], "the new state")
    assert list(state.position) == [0.0] * 5 + [1.0]
    refused = paused.call(SetState, "simulator/set_state", positions=[float("nan")] * 6)
    assert not refused.success
    assert refused.message == "positions of joint 'joint1' is nan"


def test_a_step_while_running_is_refused(paused):
    paused.call(SetBool, "simulator/set_paused", data=False)
    answer = paused.call(Trigger, "simulator/step")
    assert not answer.success
    assert "pause it first" in answer.message


def test_wrong_commands_are_refused_and_reported(client):
    with running("simulator_node", robot="stanford_arm", command_timeout=0.2) as node:
        reports = client.collect(DiagnosticArray, "/diagnostics")
        publisher = client.publisher(Float64MultiArray, "simulator/commands")
        client.keep_sending(publisher, Float64MultiArray(data=[0.0] * 5))

        def last_refused(report) -> str:
            return {v.key: v.value for v in report.status[0].values}.get("last refused", "")

        report = client.next(reports, "a report of the refusal", last_refused)
        assert last_refused(report) == "commands: data has 5 values, but there are 6 joints"
        assert node.is_alive()


def test_without_a_fresh_command_zero_effort_acts_and_an_error_is_reported(client):
    with running("simulator_node", robot="stanford_arm", command_timeout=0.2):
        states = client.collect(JointState, "joint_states")
        reports = client.collect(DiagnosticArray, "/diagnostics")
        publisher = client.publisher(Float64MultiArray, "simulator/commands")
        command = client.keep_sending(publisher, Float64MultiArray(data=EFFORTS))
        client.next(states, "the command to act", lambda s: list(s.effort) == EFFORTS)
        command.cancel()
        client.next(states, "the command to lapse", lambda s: not any(s.effort))
        report = client.next(
            reports, "a report", lambda r: r.status[0].message == "no fresh command: zero effort"
        )
        assert report.status[0].level == DiagnosticStatus.ERROR


def test_it_runs_faster_than_real_time_with_its_own_clock(client):
    with running(
        "simulator_node", robot="planar_2r", real_time_factor=0.0, publish_clock=True, dt=0.002
    ):
        clock = client.collect(Clock, "/clock")
        states = client.collect(JointState, "joint_states")
        client.next(clock, "simulated time", lambda c: c.clock.sec >= 1)
        state = client.next(states, "a joint state", lambda s: len(s.name) == 2)
        assert state.header.stamp.sec >= 1
        assert state.header.stamp.sec < 1_000_000


def test_a_publish_rate_beyond_the_steps_gives_one_state_for_each_step(client):
    with running(
        "simulator_node", "-r", "__ns:=/two", robot="planar_2r", real_time_factor=0.0,
        publish_clock=True, dt=0.01, publish_rate=1000.0,
    ):  # fmt: skip
        states = client.collect(JointState, "two/joint_states", 1000)
        client.spin_until(lambda: len(states) > 20, "states")
    steps = np.diff([seconds(state.header.stamp) for state in states])
    np.testing.assert_allclose(steps / 0.01, np.round(steps / 0.01), atol=1e-6)
    assert (steps > 0.0).all()


def test_a_blow_up_stops_the_motion_until_reset(client):
    with running(
        "simulator_node", robot="stanford_arm", dt=0.5, publish_rate=2.0, real_time_factor=0.0,
        command_timeout=1e6,
    ) as node:  # fmt: skip
        reports = client.collect(DiagnosticArray, "/diagnostics")
        publisher = client.publisher(Float64MultiArray, "simulator/commands")
        command = client.keep_sending(publisher, Float64MultiArray(data=[1e6] * 6))
        report = client.next(
            reports, "the failure", lambda r: "blew up" in r.status[0].message
        )
        command.cancel()
        assert report.status[0].level == DiagnosticStatus.ERROR
        assert client.call(Trigger, "simulator/reset").success
        assert node.is_alive()


def test_an_arm_starts_within_its_limits_and_not_outside(client):
    states = client.collect(JointState, "joint_states")
    with running("simulator_node", robot="scara", initial_positions=[-0.1]):
        state = client.next(states, "a joint state", lambda s: len(s.name) == 3)
        assert state.position[2] > -0.01  # the third joint slides from 0 to 0.35 m
    with running("simulator_node", robot="scara", initial_positions=[0.0, 0.0, -0.2]) as node:
        node.may_end()
        assert node.process.wait(PATIENCE) != 0
        assert "joint 'joint3' cannot start at -0.2, outside its limits" in node.output
