"""Control laws: small functions of a Dynamics, a reference and a state that return efforts.

q, qd, a reference (q, qd, qdd) and the efforts, N m or N, are (n,) or (N, n) in the order of
`dyn.robot.joint_names`. `dyn` is the controller's model of the arm; the arm that a Simulator
moves may differ from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics import TERMS, Dynamics
from .trajectories import Motion, Trajectory

Array = np.ndarray

LAWS = ("feedforward", "computed_torque", "pd_gravity", "gravity_compensation")


def feedforward(
    dyn: Dynamics, reference: Motion, terms: Iterable[str] = TERMS, algorithm: str = "auto",
) -> Array:
    """Return the inverse dynamics of the reference; open loop.

    terms, algorithm: as in `Dynamics.inverse_dynamics`, here and below.
    """
    return dyn.inverse_dynamics(*reference, algorithm=algorithm, terms=terms)


def computed_torque(
    dyn: Dynamics, reference: Motion, q: Array, qd: Array, kp: Any, kd: Any,
    terms: Iterable[str] = TERMS, algorithm: str = "auto",
) -> Array:
    """Linearise the arm by feedback: errors decay as e'' + kd e' + kp e = 0.

    kp, kd: gains, 1/s^2 and 1/s; scalars or (n,).
    """
    q_ref, qd_ref, qdd_ref = reference
    demanded = qdd_ref + kp * (q_ref - q) + kd * (qd_ref - qd)
    return dyn.inverse_dynamics(q, qd, demanded, algorithm=algorithm, terms=terms)


def gravity_compensation(dyn: Dynamics, q: Array, terms: Iterable[str] = TERMS) -> Array:
    """Return the efforts that balance gravity at q; zero if `terms` leaves gravity out."""
    return dyn.gravity(q) if "gravity" in tuple(terms) else np.zeros_like(np.asarray(q, float))


def pd_gravity(
    dyn: Dynamics, reference: Motion, q: Array, qd: Array, kp: Any, kd: Any,
) -> Array:
    """PD control towards the reference with gravity compensation at q.

    kp, kd: gains, N m/rad and N m s/rad (prismatic: N/m and N s/m); scalars or (n,).
    """
    q_ref, qd_ref, _ = reference
    return kp * (q_ref - q) + kd * (qd_ref - qd) + dyn.gravity(q)


@dataclass(frozen=True)
class Follow:
    """A controller for `Simulator` that follows a trajectory.

    law: one of LAWS.
    model: the controller's model of the arm.
    trajectory: the reference, of n joints.
    kp, kd: gains in the units of the law; scalars or (n,).
    """

    law: str
    model: Dynamics
    trajectory: Trajectory
    kp: Any = 100.0
    kd: Any = 20.0

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise ValueError(f"law must be one of {', '.join(LAWS)}, not {self.law!r}")
        if self.trajectory.n != self.model.robot.n:
            raise ValueError(f"the trajectory is for {self.trajectory.n} joints; "
                             f"{self.model.robot.name} has {self.model.robot.n}")
        for name in ("kp", "kd"):
            gains = per_joint(name, getattr(self, name), self.model.robot.n)
            object.__setattr__(self, name, gains)

    def __call__(self, time: float, q: Array, qd: Array) -> Array:
        """Efforts (n,) at `time` in s, in the state q (n,), qd (n,)."""
        reference = self.trajectory(time)
        if self.law == "feedforward":
            return feedforward(self.model, reference)
        if self.law == "computed_torque":
            return computed_torque(self.model, reference, q, qd, self.kp, self.kd)
        if self.law == "pd_gravity":
            return pd_gravity(self.model, reference, q, qd, self.kp, self.kd)
        return gravity_compensation(self.model, q)


def per_joint(name: str, values: Any, n: int) -> Array:
    """Return `values`, one for all joints or one for each, as an array (n,).

    name: of the setting, for the ValueError if the number of values is another.
    """
    array = np.array(values, float)
    if array.shape not in ((), (1,), (n,)):
        raise ValueError(f"{name} must have 1 or {n} values (one per joint), not {array.size}")
    return np.broadcast_to(array, n).copy()
