"""References and joint states in, efforts out, in real processes."""

from contextlib import contextmanager

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from node_process import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
Q, QD, QDD = np.random.default_rng(2).uniform(-1, 1, (3, 6))
REVERSED = JOINTS[::-1]
MOTION = DYN.inverse_dynamics(Q, QD, QDD)


def reference(names=(), positions=Q, velocities=QD, accelerations=QDD) -> JointTrajectory:
    point = JointTrajectoryPoint(
        positions=positions, velocities=velocities, accelerations=accelerations
    )
    return JointTrajectory(joint_names=list(names), points=[point])


class Driver(Client):
    """What a controller and a driver do: send references and states, listen to efforts."""

    def __init__(self, namespace: str = "") -> None:
        super().__init__("driver")
        self.efforts = self.collect(JointState, f"{namespace}/dynamics/feedforward")
        self.commands = self.collect(Float64MultiArray, f"{namespace}/dynamics/commands")
        self.reports = self.collect(DiagnosticArray, "/diagnostics")
        self.references = self.publisher(JointTrajectory, f"{namespace}/dynamics/reference")
        self.states = self.publisher(JointState, f"{namespace}/joint_states")

    def expect(self, efforts, *messages) -> JointState:
        """Send the messages again and again until the answer has these efforts."""

        def expected_answer():
            for message in messages:
                is_reference = isinstance(message, JointTrajectory)
                (self.references if is_reference else self.states).publish(message)
            answers = (a for a in self.efforts if np.allclose(a.effort, efforts, 1e-9, 1e-9))
            return next(answers, None)

        self.efforts.clear()
        return self.spin_until(expected_answer, f"the efforts {efforts}")

    def report(self, suits=lambda status: True) -> DiagnosticStatus:
        """The next report that suits; what came before it has been read by then."""
        report = self.next_from_now(self.reports, "a report", lambda r: suits(r.status[0]))
        return report.status[0]

    def expect_refusal(self, reason: str, message) -> None:
        """Send a message that is no good until /diagnostics says why it was refused."""
        publisher = self.references if isinstance(message, JointTrajectory) else self.states

        def refused():
            publisher.publish(message)
            reasons = (figures(r.status[0]).get("last refused", "") for r in self.reports)
            return any(said.startswith(reason) for said in reasons)

        self.reports.clear()
        self.spin_until(refused, f"the refusal '{reason}'")


def figures(status: DiagnosticStatus) -> dict[str, str]:
    return {value.key: value.value for value in status.values}


def state(names=JOINTS, position=Q, velocity=QD) -> JointState:
    return JointState(name=list(names), position=position, velocity=velocity)


@pytest.fixture(scope="module")
def node():
    with running("dynamics_node", robot="stanford_arm") as process:
        yield process
        assert process.is_alive(), process.output


@pytest.fixture(scope="module")
def driver(node):
    driver = Driver()
    yield driver
    driver.close()


def test_a_reference_is_answered_by_name_and_in_command_order(driver):
    message = reference(REVERSED, Q[::-1], QD[::-1], QDD[::-1])
    message.header.stamp.sec, message.header.stamp.nanosec = 12, 34
    answer = driver.expect(MOTION, message)
    assert list(answer.name) == JOINTS
    assert (answer.header.stamp.sec, answer.header.stamp.nanosec) == (12, 34)
    commands = driver.spin_until(lambda: driver.commands, "commands")[-1]
    np.testing.assert_allclose(commands.data, MOTION, rtol=1e-9)


def test_velocities_and_accelerations_may_be_left_out(driver):
    driver.expect(DYN.gravity(Q), reference(velocities=[], accelerations=[]))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (JointTrajectory(), "reference: the trajectory has no points"),
        (reference(JOINTS[:5], Q[:5], [], []), "reference: missing joint 'joint6'"),
        (reference([*JOINTS[:5], "joint1"]), "reference: joint 'joint1' is named twice"),
        (reference([*JOINTS[:5], "wheel"]), "reference: unknown joint 'wheel'"),
        (reference(positions=[]), "reference: positions has 0 values, but there are 6 joints"),
        (reference(positions=[0.0] * 100_000), "reference: positions has 100000 values"),
        (reference(positions=[np.nan] * 6), "reference: positions of joint 'joint1' is nan"),
        (reference(accelerations=[np.inf] * 6), "reference: accelerations of joint 'joint1' is"),
        (state(JOINTS[:5], Q[:5], QD[:5]), "joint_states: missing joint 'joint6'"),
        (state([*JOINTS, "joint2"], [*Q, 0.0], []), "joint_states: joint 'joint2' is named twice"),
        (reference(velocities=[1e308] * 6), "reference: the result is not finite: the numbers"),
        (state(position=[]), "joint_states: position has 0 values"),
        (state(position=[0.0] * 100_000), "joint_states: position has 100000 values"),
        (state([*JOINTS[:5], "wheel"]), "joint_states: missing joint 'joint6'"),
        (state(position=[np.nan] * 6), "joint_states: position of joint 'joint1' is nan"),
        (state(velocity=[1.0]), "joint_states: velocity has 1 values, but there are 6 joints"),
    ],
)
def test_a_message_that_is_no_good_is_refused_with_the_reason(driver, message, reason):
    driver.expect_refusal(reason, message)
    driver.expect(MOTION, reference())


def test_joints_of_others_are_no_business_of_this_arm(driver):
    before = figures(driver.report())["messages refused"]
    driver.states.publish(state(["finger"], [0.1], []))
    driver.expect(DYN.gravity(Q), state(["finger", *JOINTS], [0.1, *Q], [0.0, *QD]))
    assert figures(driver.report())["messages refused"] == before


def test_no_old_effort_stands_when_the_reference_falls_silent(driver):
    driver.expect(MOTION, reference())
    # While only joint states come, the arm is held against gravity ...
    driver.expect(DYN.gravity(Q + 0.1), state(position=Q + 0.1))
    # ... and when they stop, too, nothing is sent any more, and that is reported.
    silence = "no fresh reference and no fresh joint_states: no efforts are published"
    report = driver.report(lambda status: status.message == silence)
    assert report.level == DiagnosticStatus.ERROR
    assert float(figures(report)["reference age [s]"]) > 0.1
    assert float(figures(report)["joint_states age [s]"]) > 0.1
    driver.report()
    driver.efforts.clear()
    driver.report()
    assert not driver.efforts


def test_diagnostics_tell_rate_and_latency(driver):
    def busy(status):
        driver.references.publish(reference())
        return "efforts p99 [us]" in figures(status)

    values = figures(driver.report(busy))
    assert float(values["efforts rate [1/s]"]) > 0
    assert float(values["efforts p50 [us]"]) <= float(values["efforts p99 [us]"])
    assert values["mode"] == "feedforward"


@contextmanager
def another_node(**parameters):
    """A driver beside a node with other parameters, in a namespace of its own."""
    with running("dynamics_node", "-r", "__ns:=/other", robot="stanford_arm", **parameters):
        driver = Driver("/other")
        try:
            yield driver
        finally:
            driver.close()


def test_computed_torque_follows_the_gains():
    here, speed = Q + 0.1, QD - 0.2
    demanded = QDD + 9.0 * (Q - here) + 6.0 * (QD - speed)
    with another_node(mode="computed_torque", kp=[9.0], kd=[6.0]) as driver:
        efforts = DYN.inverse_dynamics(here, speed, demanded)
        driver.expect(efforts, state(position=here, velocity=speed), reference())


def test_efforts_can_be_cut_at_the_limits_and_partial():
    limits = np.array([joint.max_effort for joint in DYN.robot.mdh])
    with another_node(clamp_to_limits=True, terms="[inertia, gravity]") as driver:
        wanted = DYN.inverse_dynamics(Q, QD, 1e6 * QDD, terms=("inertia", "gravity"))
        efforts = np.clip(wanted, -limits, limits)
        driver.expect(efforts, reference(accelerations=1e6 * QDD))
        assert driver.report(lambda status: int(figures(status)["saturations"]) > 0)


def test_the_order_of_the_commands_can_be_chosen():
    with another_node(joints=f"[{', '.join(REVERSED)}]") as driver:
        driver.expect(MOTION, reference())
        commands = driver.spin_until(lambda: driver.commands, "commands")[-1]
        np.testing.assert_allclose(commands.data, MOTION[::-1], rtol=1e-9)
