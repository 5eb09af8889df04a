"""An arm that follows a trajectory, from beginning to end in one call."""

from __future__ import annotations

from typing import Any

from ..control.controllers import Follow
from ..control.trajectories import Trajectory
from ..dynamics import Dynamics
from ..model.robot import Robot
from .history import History
from .simulator import Simulator


def track(
    plant: Robot, trajectory: Trajectory, law: str = "computed_torque",
    model: Robot | None = None, *, kp: Any = 100.0, kd: Any = 20.0, duration: float | None = None,
    every: int = 1, **options: Any,
) -> History:
    """Let `plant` follow a trajectory under a control law that takes it for `model`.

    plant, model: two robots, e.g. one with and one without a payload; the same by default.
    law, kp, kd: see `controllers.Follow`.
    duration: s; that of the trajectory by default.
    options: dt, integrator, limits, control_period and all else that `Simulator` takes.
    """
    dyn = Dynamics(plant)
    believed = dyn if model is None or model is plant else Dynamics(model)
    if believed.robot.joint_names != plant.joint_names:
        raise ValueError(f"the model has joints {', '.join(believed.robot.joint_names)}, "
                         f"the plant {', '.join(plant.joint_names)}")
    simulator = Simulator(dyn, controller=Follow(law, believed, trajectory, kp, kd), **options)
    q, qd, _ = trajectory(0.0)
    simulator.reset(q, qd)
    return simulator.run(trajectory.duration if duration is None else duration, every=every)
