"""Services answer every request: with finite results, or with the reason why there are none."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="services are those of a ROS node")
srv = pytest.importorskip("manip_dynamics_msgs.srv", reason="the interfaces are not built")

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics.nodes.robot_model import RobotModel
from manip_dynamics.nodes.services import NO_MODEL, SERVICES, answer

MODEL = RobotModel(md.Dynamics(md.load_robot("stanford_arm")))


def answered(response, **results):
    """The answer of a service that computes these results."""

    def compute(model, request, response):
        for name, value in results.items():
            setattr(response, name, value)

    return answer(compute, MODEL, None, response)


def test_large_results_are_given():
    response = answered(srv.InverseDynamics.Response(), efforts=[1e308] * 3)  # their sum: infinite
    assert response.success
    assert list(response.efforts) == [1e308] * 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_result_that_is_not_finite_is_no_answer(bad):
    trajectory = JointTrajectory(points=[JointTrajectoryPoint(effort=[0.0, bad, 0.0])])
    for response in (
        answered(srv.InverseDynamics.Response(), efforts=[0.0, bad, 0.0]),
        answered(srv.MassMatrix.Response(), mass_matrix=np.diag([0.0, bad, 0.0]).ravel()),
        answered(srv.TaskSpaceDynamics.Response(), condition_number=bad),
        answered(srv.TrajectoryEfforts.Response(), trajectory=trajectory),
    ):
        assert response.message.startswith("the result is not finite")
        assert response == type(response)(success=False, message=response.message)


def test_terms_that_overflow_are_no_answer():
    kind, compute = SERVICES["dynamic_terms"]
    request = kind.Request(positions=[0.5] * 6, velocities=[1e308] * 6)
    response = answer(compute, MODEL, request, kind.Response())
    assert (response.success, response.message[:24]) == (False, "the result is not finite")
    assert not response.mass_matrix  # which is finite, but belongs to a failed request


def test_without_a_model_nothing_is_computed():
    response = answer(SERVICES["mass_matrix"][1], None, None, srv.MassMatrix.Response())
    assert (response.success, response.message) == (False, NO_MODEL)
