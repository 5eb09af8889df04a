"""Simulate an arm that follows a trajectory, in one call."""

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
    every: int = 1, progress: bool = False, **options: Any,
) -> History:
    """Simulate `plant` under a control law that follows a trajectory using `model`.

    plant, model: robots with the same joints, e.g. with and without a payload; `model` defaults
        to `plant`.
    law, kp, kd: the control law and its gains, scalars or (n,); see `Follow`.
    duration: s, default that of the trajectory.
    every, progress: see `Simulator.run`.
    options: dt, integrator, limits, control_period and the other arguments of `Simulator`.

    Returns the motion from trajectory(0); `history.error` is the tracking error, rad or m.
    """
    dyn = Dynamics(plant)
    believed = dyn if model is None or model is plant else Dynamics(model)
    if believed.robot.joint_names != plant.joint_names:
        raise ValueError(f"the model has joints {', '.join(believed.robot.joint_names)}, but "
                         f"the plant has {', '.join(plant.joint_names)}")
    simulator = Simulator(dyn, controller=Follow(law, believed, trajectory, kp, kd), **options)
    q, qd, _ = trajectory(0.0)
    simulator.reset(q, qd)
    return simulator.run(trajectory.duration if duration is None else duration, every=every,
                         progress=progress)
