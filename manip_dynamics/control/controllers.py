"""Control laws as small functions on Dynamics: states in, efforts out.

All arrays are (n,) or (N, n), in the order of `dyn.robot.joint_names`. The Dynamics of a law is
the controller's idea of the arm; the arm that a Simulator moves may be another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics import TERMS, Dynamics
from .trajectories import Trajectory

Array = np.ndarray

LAWS = ("feedforward", "computed_torque", "pd_gravity", "gravity_compensation")


def feedforward(
    dyn: Dynamics, reference: tuple[Array, Array, Array], terms: Iterable[str] = TERMS,
    algorithm: str = "auto",
) -> Array:
    """Return the efforts of the reference motion (q, qd, qdd) itself; no feedback."""
    return dyn.inverse_dynamics(*reference, algorithm=algorithm, terms=terms)


def computed_torque(
    dyn: Dynamics, reference: tuple[Array, Array, Array], q: Array, qd: Array, kp: Any, kd: Any,
    terms: Iterable[str] = TERMS, algorithm: str = "auto",
) -> Array:
    """Linearise the arm by its own dynamics: errors then decay as e'' + kd e' + kp e = 0.

    kp in 1/s^2 and kd in 1/s, scalars or one for each joint.
    """
    q_ref, qd_ref, qdd_ref = reference
    demanded = qdd_ref + kp * (q_ref - q) + kd * (qd_ref - qd)
    return dyn.inverse_dynamics(q, qd, demanded, algorithm=algorithm, terms=terms)


def gravity_compensation(dyn: Dynamics, q: Array, terms: Iterable[str] = TERMS) -> Array:
    """Return the efforts that hold the arm at q; zero where `terms` leaves gravity out."""
    return dyn.gravity(q) if "gravity" in tuple(terms) else np.zeros_like(np.asarray(q, float))


def pd_gravity(
    dyn: Dynamics, reference: tuple[Array, Array, Array], q: Array, qd: Array, kp: Any, kd: Any,
) -> Array:
    """Springs and dampers to the reference, and the efforts that hold the arm at q.

    kp in N m/rad (N/m) and kd in N m s/rad (N s/m), scalars or one for each joint.
    """
    q_ref, qd_ref, _ = reference
    return kp * (q_ref - q) + kd * (qd_ref - qd) + dyn.gravity(q)


@dataclass(frozen=True)
class Follow:
    """A law of LAWS that follows a trajectory: a controller for `Simulator`.

    model: what the controller takes the arm for.
    kp, kd: gains in the units of the law, scalars or (n,).
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
            gains = np.asarray(getattr(self, name), float)
            if gains.shape not in ((), (self.model.robot.n,)):
                raise ValueError(f"{name} must be one value, or {self.model.robot.n}, one for "
                                 f"each joint; not {gains.size}")
            object.__setattr__(self, name, gains)

    def __call__(self, time: float, q: Array, qd: Array) -> Array:
        reference = self.trajectory(time)
        if self.law == "feedforward":
            return feedforward(self.model, reference)
        if self.law == "computed_torque":
            return computed_torque(self.model, reference, q, qd, self.kp, self.kd)
        if self.law == "pd_gravity":
            return pd_gravity(self.model, reference, q, qd, self.kp, self.kd)
        return gravity_compensation(self.model, q)
