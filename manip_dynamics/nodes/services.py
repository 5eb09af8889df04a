"""The services of the dynamics node: each function fills the response to a request.

They raise ValueError for a request that cannot be served; `answer` turns that into
`success: false` and a message.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rclpy.logging import get_logger

from manip_dynamics_msgs import srv

from ..control.effort_policy import NOT_FINITE
from ..dynamics import TERMS
from ..model.robot import Robot
from .robot_model import RobotModel

Compute = Callable[[RobotModel, Any, Any], None]

NO_MODEL = (
    "there is no robot model yet: no robot_description has arrived, or the node is not configured"
)
CLEANED_UP = "the node was cleaned up in the meantime"

MOST_TRAJECTORY_POINTS = 100_000  # in one request; more would block the node for too long


def inverse_dynamics(model: RobotModel, request: Any, response: Any) -> None:
    """Efforts of a motion."""
    joints = model.joints.mapping(request.joint_names)
    force, torque = request.tip_wrench.force, request.tip_wrench.torque
    wrench = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
    efforts = model.dyn.inverse_dynamics(
        *joints.motion(request),
        algorithm=request.algorithm or "auto",
        tip_wrench=wrench if any(wrench) else None,
        terms=request.terms or TERMS,
    )
    response.joint_names = joints.names
    response.efforts = joints.from_model(efforts)


def mass_matrix(model: RobotModel, request: Any, response: Any) -> None:
    """M(q)."""
    joints = model.joints.mapping(request.joint_names)
    q = joints.to_model("positions", request.positions)
    matrix = model.dyn.mass_matrix(q, algorithm=request.algorithm or "auto")
    response.joint_names = joints.names
    response.mass_matrix = joints.matrix_from_model(matrix)


def forward_dynamics(model: RobotModel, request: Any, response: Any) -> None:
    """Accelerations under given efforts."""
    joints = model.joints.mapping(request.joint_names)
    efforts = joints.to_model("efforts", request.efforts, empty_is_zero=True)
    accelerations = model.dyn.forward_dynamics(*joints.state(request), efforts)
    response.joint_names = joints.names
    response.accelerations = joints.from_model(accelerations)


def dynamic_terms(model: RobotModel, request: Any, response: Any) -> None:
    """M, C qd, g and friction separately."""
    joints = model.joints.mapping(request.joint_names)
    q, qd = joints.state(request)
    coriolis = model.dyn.inverse_dynamics(q, qd, np.zeros_like(q), terms=("coriolis",))
    response.joint_names = joints.names
    response.mass_matrix = joints.matrix_from_model(model.dyn.mass_matrix(q))
    response.coriolis = joints.from_model(coriolis)
    response.gravity = joints.from_model(model.dyn.gravity(q))
    response.friction = joints.from_model(model.dyn.friction(qd))


def trajectory_efforts(model: RobotModel, request: Any, response: Any) -> None:
    """Efforts at every point of a trajectory."""
    trajectory = request.trajectory
    if len(trajectory.points) > MOST_TRAJECTORY_POINTS:
        raise ValueError(
            f"the trajectory has {len(trajectory.points)} points; "
            f"at most {MOST_TRAJECTORY_POINTS} are allowed"
        )
    joints = model.joints.mapping(trajectory.joint_names)
    states = np.empty((3, len(trajectory.points), len(joints.names)))
    for k, point in enumerate(trajectory.points):
        try:
            states[:, k] = joints.motion(point)
        except ValueError as error:
            raise ValueError(f"point {k}: {error}") from None
    if trajectory.points:
        for point, efforts in zip(trajectory.points, model.dyn.inverse_dynamics(*states)):
            point.effort = joints.from_model(efforts)
    trajectory.joint_names = joints.names
    response.trajectory = trajectory


def task_space_dynamics(model: RobotModel, request: Any, response: Any) -> None:
    """The equation of motion at the tip."""
    joints = model.joints.mapping(request.joint_names)
    terms = model.dyn.task_space(*joints.state(request))
    response.inertia = terms.inertia.ravel().tolist()
    response.coriolis = terms.coriolis.tolist()
    response.gravity = terms.gravity.tolist()
    response.jacobian = joints.columns_from_model(terms.jacobian)
    response.condition_number = float(terms.condition_number)


def get_model(model: RobotModel, request: Any, response: Any) -> None:
    """Joints, modified DH table, minimal linear combinations and operation counts."""
    robot = model.robot
    response.joint_names = list(robot.joint_names)
    response.joint_kinds = list(robot.mdh.kind)
    response.alpha, response.a = list(robot.mdh.alpha), list(robot.mdh.a)
    response.theta, response.d = list(robot.mdh.theta), list(robot.mdh.d)
    response.mlc_names, response.mlc_values = list(robot.mlc.names), robot.mlc.values.tolist()
    response.operation_counts = "\n".join(
        f"{function}: " + ", ".join(f"{count} {operation}" for operation, count in counts.items())
        for function, counts in model.dyn.operation_counts().items()
    )


def robot_with_payload(robot: Robot, request: Any) -> Robot:
    """Return the robot with the payload of a SetPayload request; ModelError if it is impossible."""
    p = request.payload
    inertia = [[p.ixx, p.ixy, p.ixz], [p.ixy, p.iyy, p.iyz], [p.ixz, p.iyz, p.izz]]
    com = [p.com.x, p.com.y, p.com.z]
    is_empty = p.m == 0.0 and not np.any(inertia) and not np.any(com)
    return robot.with_payload(None if is_empty else (p.m, com, inertia))


SERVICES: dict[str, tuple[type, Compute]] = {
    "inverse_dynamics": (srv.InverseDynamics, inverse_dynamics),
    "mass_matrix": (srv.MassMatrix, mass_matrix),
    "forward_dynamics": (srv.ForwardDynamics, forward_dynamics),
    "dynamic_terms": (srv.DynamicTerms, dynamic_terms),
    "task_space_dynamics": (srv.TaskSpaceDynamics, task_space_dynamics),
    "trajectory_efforts": (srv.TrajectoryEfforts, trajectory_efforts),
    "get_model": (srv.GetModel, get_model),
}


def answer(compute: Compute, model: RobotModel | None, request: Any, response: Any) -> Any:
    """Return the response with the results, or with the reason why there are none."""
    try:
        if model is None:
            raise ValueError(NO_MODEL)
        compute(model, request, response)
        # Large numbers in a request may overflow.
        if not all(np.isfinite(numbers).all() for numbers in _results(response)):
            raise ValueError(NOT_FINITE)
    except Exception as error:
        return type(response)(message=reason(error))
    response.success = True
    return response


def _results(response: Any) -> Iterator[Any]:
    for name, kind in response.get_fields_and_field_types().items():
        if kind in ("double", "sequence<double>"):
            yield getattr(response, name)
        elif kind == "trajectory_msgs/JointTrajectory":
            yield from (point.effort for point in response.trajectory.points)


def reason(error: Exception) -> str:
    """Return the message of a ValueError; log any other, a bug, and let the node live."""
    if isinstance(error, ValueError):
        return str(error)
    trace = "".join(traceback.format_exception(error))
    get_logger("manip_dynamics").error(trace, throttle_duration_sec=1.0)
    return f"internal error: {type(error).__name__}: {error}"
