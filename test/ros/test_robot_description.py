"""The robot arrives over a topic, changes, and is never replaced by garbage."""

import re
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Inertia
from node_process import Client, running
from std_msgs.msg import String

import manip_dynamics as md
from manip_dynamics.nodes.streams import LATCHED
from manip_dynamics_msgs.srv import GetModel, MassMatrix, SetPayload

PLANAR, STANFORD = (md.load_robot(name).urdf for name in ("planar_2r", "stanford_arm"))


class Publisher(Client):
    """What a robot_state_publisher does, as far as the description is concerned."""

    def __init__(self) -> None:
        super().__init__("description_publisher")
        self.reports = self.collect(DiagnosticArray, "/diagnostics")
        self._descriptions = self.node.create_publisher(String, "robot_description", LATCHED)

    def describe(self, text: str) -> None:
        self._descriptions.publish(String(data=text))

    def joints(self) -> int:
        model = self.call(GetModel, "dynamics/get_model")
        return len(model.joint_names) if model.success else 0

    def wait_for_joints(self, number: int) -> None:
        self.spin_until(lambda: self.joints() == number, f"a model with {number} joints")


@pytest.fixture
def publisher():
    publisher = Publisher()
    yield publisher
    publisher.close()


def test_it_waits_for_a_description_and_says_so(publisher):
    with running("dynamics_node"):
        answer = publisher.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0])
        assert not answer.success
        assert answer.message.startswith("there is no robot model yet")
        assert not publisher.call(SetPayload, "dynamics/set_payload").success
        status = publisher.next(publisher.reports, "a report").status[0]
        assert (status.level, status.message) == (
            DiagnosticStatus.WARN, "waiting for robot_description",
        )  # fmt: skip
        publisher.describe(PLANAR)
        publisher.wait_for_joints(2)


def test_a_description_from_before_its_start_reaches_it(publisher):
    publisher.describe(STANFORD)
    with running("dynamics_node"):
        publisher.wait_for_joints(6)


@pytest.mark.parametrize(
    "garbage",
    ["", "garbage", "<robot", "<robot name='empty'/>", "\x00", "<a>" * 10_000, "stanford_arm"],
    ids=["empty", "word", "cut off", "no links", "zero byte", "deep", "a name is no description"],
)
def test_garbage_is_refused_and_the_old_model_stays(publisher, garbage):
    publisher.describe(PLANAR)
    with running("dynamics_node") as node:
        publisher.wait_for_joints(2)
        publisher.describe(garbage)
        publisher.next(
            publisher.reports, "the refusal",
            lambda report: report.status[0].level == DiagnosticStatus.ERROR
            and report.status[0].message.startswith("robot refused: "),
        )  # fmt: skip
        assert publisher.joints() == 2
        # The description of the model that has stayed is no error ...
        publisher.describe(PLANAR)
        publisher.next(publisher.reports, "the end of the error", is_not_refused)
        # ... and another one is taken.
        publisher.describe(STANFORD)
        publisher.wait_for_joints(6)
        assert node.is_alive()


def is_not_refused(report: DiagnosticArray) -> bool:
    return "refused" not in report.status[0].message


def test_a_robot_that_the_parameters_do_not_fit_is_refused(publisher):
    publisher.describe(PLANAR)
    with running("dynamics_node", kp=[1.0, 2.0]):
        publisher.wait_for_joints(2)
        publisher.describe(STANFORD)
        reason = "robot refused: kp must have 1 or 6 values (one per joint), not 2"
        publisher.next(
            publisher.reports, "the refusal", lambda r: r.status[0].message == reason
        )
        assert publisher.joints() == 2


def test_the_last_of_many_descriptions_is_the_one_that_stays(publisher):
    publisher.describe(PLANAR)
    with running("dynamics_node"):
        publisher.wait_for_joints(2)
        # The first of these takes the longest; the last one is that of the present model.
        for description in (never_seen(STANFORD), "garbage", STANFORD, PLANAR):
            publisher.describe(description)
        # What is asked of the model from now on is done after them.
        publisher.call(SetPayload, "dynamics/set_payload")
        publisher.wait_for_joints(2)
        publisher.next_from_now(publisher.reports, "a report", is_not_refused)


def test_a_payload_is_carried_by_the_robot_that_was_described_before(publisher):
    publisher.describe(PLANAR)
    with running("dynamics_node"):
        publisher.wait_for_joints(2)
        described = never_seen(STANFORD)
        publisher.describe(described)
        robot = md.load_robot(described)
        expected = md.Dynamics(robot.with_payload(2.0)).mass_matrix([0.1] * 6)

        def carried() -> bool:  # the description may arrive after the request
            loaded = publisher.call(SetPayload, "dynamics/set_payload", payload=Inertia(m=2.0))
            assert loaded.success, loaded.message
            answer = publisher.call(MassMatrix, "dynamics/mass_matrix", positions=[0.1] * 6)
            return answer.success and np.allclose(answer.mass_matrix, expected.ravel())

        publisher.spin_until(carried, "the payload on the new robot")


def never_seen(urdf: str) -> str:
    """The same robot with a mass that nothing was compiled for yet."""
    return re.sub(r'mass value="[^"]*"', f'mass value="{5.0 + time.time() % 1.0}"', urdf, count=1)


def test_a_new_description_replaces_the_model_and_its_payload(publisher):
    publisher.describe(PLANAR)
    with running("dynamics_node"):
        publisher.wait_for_joints(2)
        publisher.describe(STANFORD)
        publisher.wait_for_joints(6)
        answer = publisher.call(MassMatrix, "dynamics/mass_matrix", positions=[0.1] * 6)
        expected = md.Dynamics(md.load_robot("stanford_arm")).mass_matrix([0.1] * 6)
        np.testing.assert_allclose(np.reshape(answer.mass_matrix, (6, 6)), expected, atol=1e-9)
