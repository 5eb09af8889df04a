"""The simulator node: its pace, its clock, and what it does without a command."""

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from node_process import PATIENCE, running
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

import manip_dynamics as md
from manip_dynamics.simulation.simulator import Simulator

DYN = md.Dynamics(md.load_robot("stanford_arm"))
START = [0.1, -0.4, 0.3, 0.5, -0.2, 0.7]
EFFORTS = [1.0, 2.0, -3.0, 0.1, 0.2, -0.3]


def seconds(stamp) -> float:
    return stamp.sec + stamp.nanosec * 1e-9


def test_it_falls_in_real_time_and_stamps_each_state_with_the_moment_it_belongs_to(client):
    fall = Simulator(DYN)
    fall.reset(START)
    time_of = {tuple(fall.q): 0.0}
    for _ in range(3000):
        fall.step([0.0] * 6)
        time_of[tuple(fall.q)] = fall.time
    moments: list[tuple[float, float]] = []

    def on_state(state: JointState) -> None:
        if (key := tuple(state.position)) in time_of:
            moments.append((seconds(state.header.stamp), time_of[key]))

    with running("simulator_node", robot="stanford_arm", initial_positions=START):
        client.node.create_subscription(JointState, "joint_states", on_state, 1000)

        def has_fallen() -> bool:
            if len(moments) < 250 and (not moments or moments[-1][1] > 2.0):
                # Seen too late, or not enough of it: once more from the beginning.
                moments.clear()
                assert client.call(Trigger, "simulator/reset").success
            return len(moments) >= 250

        client.spin_until(has_fallen, "half a second of states in a row")
    stamped, simulated = np.diff(moments, axis=0).T
    assert (stamped > 0.0).all()
    # The pace is given up and taken up anew where the machine leaves the node aside for long.
    assert np.mean(abs(stamped - simulated) < 2e-5) > 0.9


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


def test_without_a_command_it_can_hold_the_arm_instead(client):
    with running(
        "simulator_node", robot="stanford_arm", initial_positions=START,
        without_command="gravity_compensation",
    ):  # fmt: skip
        states = client.collect(JointState, "joint_states")
        reports = client.collect(DiagnosticArray, "/diagnostics")
        status = client.next(reports, "a report").status[0]
        assert status.message == "no fresh command: gravity compensation"
        assert status.level == DiagnosticStatus.WARN
        state = client.next(states, "a joint state")
        np.testing.assert_allclose(state.position, START, atol=1e-6)
        np.testing.assert_allclose(state.effort, DYN.gravity(START), atol=1e-4)


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
        refused = client.call(SetBool, "simulator/set_paused", data=False)
        assert "stopped until ~/reset or ~/set_state" in refused.message

        def runs_again() -> bool:  # a last command may come after the reset
            assert client.call(Trigger, "simulator/reset").success
            report = client.next_from_now(reports, "a report").status[0]
            return "blew up" not in report.message

        client.spin_until(runs_again, "motion after the reset")
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
