"""The services of the dynamics node: a request and a model in, a filled response out.

Each function raises ValueError for a request that cannot be served; `answer` turns that into
`success: false` and the words.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.logging import get_logger

from manip_dynamics_msgs import srv

from ..dynamics import TERMS
from .model import Model

Compute = Callable[[Model, Any, Any], None]

# The most points of a trajectory that are computed in one go; more would block the node too long.
MOST_TRAJECTORY_POINTS = 100_000


def inverse_dynamics(model: Model, request: Any, response: Any) -> None:
    """Efforts of a motion."""
    joints = model.order.complete(request.joint_names)
    wrench = request.tip_wrench
    tip_wrench = np.array([
        wrench.force.x, wrench.force.y, wrench.force.z,
        wrench.torque.x, wrench.torque.y, wrench.torque.z,
    ])  # fmt: skip
    efforts = model.dyn.inverse_dynamics(
        joints.to_model("positions", request.positions),
        joints.to_model("velocities", request.velocities, empty_is_zero=True),
        joints.to_model("accelerations", request.accelerations, empty_is_zero=True),
        algorithm=request.algorithm or "auto",
        tip_wrench=tip_wrench if tip_wrench.any() else None,
        terms=request.terms or TERMS,
    )
    response.joint_names = joints.names
    response.efforts = joints.from_model(efforts)


def mass_matrix(model: Model, request: Any, response: Any) -> None:
    """M(q)."""
    joints = model.order.complete(request.joint_names)
    matrix = model.dyn.mass_matrix(
        joints.to_model("positions", request.positions), algorithm=request.algorithm or "auto"
    )
    response.joint_names = joints.names
    response.mass_matrix = joints.matrix_from_model(matrix)


def forward_dynamics(model: Model, request: Any, response: Any) -> None:
    """Accelerations that efforts produce."""
    joints = model.order.complete(request.joint_names)
    accelerations = model.dyn.forward_dynamics(
        joints.to_model("positions", request.positions),
        joints.to_model("velocities", request.velocities, empty_is_zero=True),
        joints.to_model("efforts", request.efforts, empty_is_zero=True),
    )
    response.joint_names = joints.names
    response.accelerations = joints.from_model(accelerations)


def dynamic_terms(model: Model, request: Any, response: Any) -> None:
    """M, C qd, g and friction, each by itself."""
    joints = model.order.complete(request.joint_names)
    q = joints.to_model("positions", request.positions)
    qd = joints.to_model("velocities", request.velocities, empty_is_zero=True)
    gravity = model.dyn.gravity(q)
    response.joint_names = joints.names
    response.mass_matrix = joints.matrix_from_model(model.dyn.mass_matrix(q))
    response.coriolis = joints.from_model(model.dyn.bias(q, qd) - gravity)
    response.gravity = joints.from_model(gravity)
    response.friction = joints.from_model(model.dyn.friction(qd))


def trajectory_efforts(model: Model, request: Any, response: Any) -> None:
    """The efforts of all points of a trajectory."""
    trajectory = request.trajectory
    if len(trajectory.points) > MOST_TRAJECTORY_POINTS:
        raise ValueError(
            f"the trajectory has {len(trajectory.points)} points; "
            f"at most {MOST_TRAJECTORY_POINTS} are computed at once"
        )
    joints = model.order.complete(trajectory.joint_names)
    states = np.empty((3, len(trajectory.points), len(joints.names)))
    for k, point in enumerate(trajectory.points):
        try:
            states[0, k] = joints.to_model("positions", point.positions)
            states[1, k] = joints.to_model("velocities", point.velocities, empty_is_zero=True)
            states[2, k] = joints.to_model("accelerations", point.accelerations, empty_is_zero=True)
        except ValueError as error:
            raise ValueError(f"point {k}: {error}") from None
    if trajectory.points:
        for point, efforts in zip(trajectory.points, model.dyn.inverse_dynamics(*states)):
            point.effort = joints.from_model(efforts)
    trajectory.joint_names = joints.names
    response.trajectory = trajectory


SERVICES: dict[str, tuple[type, Compute]] = {
    "inverse_dynamics": (srv.InverseDynamics, inverse_dynamics),
    "mass_matrix": (srv.MassMatrix, mass_matrix),
    "forward_dynamics": (srv.ForwardDynamics, forward_dynamics),
    "dynamic_terms": (srv.DynamicTerms, dynamic_terms),
    "trajectory_efforts": (srv.TrajectoryEfforts, trajectory_efforts),
}


def answer(compute: Compute, model: Model | None, request: Any, response: Any) -> Any:
    """Fill and return the response; whatever the request was, the node lives on."""
    try:
        if model is None:
            raise ValueError("there is no robot model yet: no robot_description has arrived")
        compute(model, request, response)
        response.success = True
    except ValueError as error:
        response.message = str(error)
    except Exception as error:  # a defect of ours must not end the node of somebody's robot
        get_logger("manip_dynamics").error(traceback.format_exc())
        response.message = f"internal error: {type(error).__name__}: {error}"
    return response
