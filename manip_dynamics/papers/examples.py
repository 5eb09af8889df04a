"""The examples of the papers: an arm, its motion, and printed closed forms of its efforts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..control.cartesian import CartesianLine
from ..control.trajectories import Cycloidal, Quintic, Trajectory
from ..dynamics import Dynamics
from ..model.loading import ModelWarning, load_robot
from ..model.robot import Robot

Array = np.ndarray

GRAVITY = 9.81  # m/s^2


@dataclass(frozen=True)
class Example:
    """An arm and its motion.

    closed_form: the efforts (N, n), N m or N, of motions q, qd, qdd, each (N, n), if printed.
    """

    title: str
    source: str
    robot: Robot
    trajectory: Trajectory
    closed_form: Callable[[Array, Array, Array], Array] | None = None


def _published(name: str) -> Robot:
    """A bundled robot, without warnings about printed inertias that no rigid body can have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load_robot(name)


def stanford() -> Example:
    """Angeles, Ma & Rojas 1989, example 1: all joints of the Stanford arm on cycloids, 10 s."""
    start = np.array([0.0, math.pi / 2, 0.0, 0.0, 0.0, 0.0])
    rate = np.array([math.pi / 30, -math.pi / 60, -0.01, *3 * [math.pi / 30]])  # b_3 = -q_3
    return Example("Stanford arm", "Angeles, Ma & Rojas 1989, example 1, Figs 4 and 5",
                   _published("stanford_arm"), Cycloidal(start, rate, 10.0))


def six_axis(joint4: float = 39.6) -> Example:
    """Angeles, Ma & Rojas 1989, example 2: the tip on a line x = 1.33, z = 1.80 m, 1 s.

    joint4: initial angle of joint 4 in degrees, which determines the orientation of the tip; 39.6
        as printed, or 93.6, which matches the printed height. The stroke (0.5 m) and the spline
        are our choice, as the figure that shows them is lost.
    """
    robot = _published("six_axis")
    dyn = Dynamics(robot)
    angles = np.radians([0.0, 68.5, -135.0, joint4, 90.0, 90.0])
    start = dyn.forward_kinematics(angles)
    start[:3, 3] = (1.33, 0.0, 1.80)
    line = CartesianLine(dyn, start, (0.0, 0.5, 0.0), 1.0, angles)
    return Example("Six-axis arm", "Angeles, Ma & Rojas 1989, example 2, Figs 7 and 8", robot,
                   line)


def scara() -> Example:
    """Tsai, example 9.8.2: a pick-and-place motion of the SCARA arm, 1 s."""
    robot = _published("scara")
    a1, a2 = 0.4, 0.3
    m1, m2, m3 = (link.mass for link in robot.links)

    def efforts(q: Array, qd: Array, qdd: Array) -> Array:  # (9.146) to (9.148)
        c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
        inertia = (m2 / 2 + m3) * a1 * a2 * c2 + (m2 / 3 + m3) * a2**2
        tau1 = (((m1 / 3 + m2 + m3) * a1**2 + (m2 + 2 * m3) * a1 * a2 * c2
                 + (m2 / 3 + m3) * a2**2) * qdd[:, 0] + inertia * qdd[:, 1]
                - (m2 + 2 * m3) * a1 * a2 * s2 * (qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2 / 2))
        tau2 = (inertia * qdd[:, 0] + (m2 / 3 + m3) * a2**2 * qdd[:, 1]
                + (m2 / 2 + m3) * a1 * a2 * s2 * qd[:, 0] ** 2)
        return np.stack([tau1, tau2, m3 * qdd[:, 2] - m3 * GRAVITY], 1)

    return Example("SCARA arm", "Tsai, example 9.8.2, eqs (9.146) to (9.148)", robot,
                   Quintic([-0.6, 1.6, 0.05], [0.8, 0.7, 0.25], 1.0), efforts)


def planar_2r() -> Example:
    """Tsai, example 9.7.1: two rods swinging in a vertical plane, 1 s."""
    robot = _published("planar_2r")
    a1, a2 = 0.5, 0.4
    m1, m2 = (link.mass for link in robot.links)

    def efforts(q: Array, qd: Array, qdd: Array) -> Array:  # (9.73), (9.74)
        c1, c2, s2, c12 = np.cos(q[:, 0]), np.cos(q[:, 1]), np.sin(q[:, 1]), np.cos(q.sum(1))
        inertia = m2 * a1 * a2 * c2 / 2 + m2 * a2**2 / 3
        tau1 = (((m1 / 3 + m2) * a1**2 + m2 * a1 * a2 * c2 + m2 * a2**2 / 3) * qdd[:, 0]
                + inertia * qdd[:, 1]
                - m2 * a1 * a2 * s2 * (qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2 / 2)
                + GRAVITY * ((m1 / 2 + m2) * a1 * c1 + m2 * a2 * c12 / 2))
        tau2 = (inertia * qdd[:, 0] + m2 * a2**2 / 3 * qdd[:, 1]
                + m2 * a1 * a2 * s2 * qd[:, 0] ** 2 / 2 + m2 * GRAVITY * a2 * c12 / 2)
        return np.stack([tau1, tau2], 1)

    return Example("Planar 2R arm", "Tsai, example 9.7.1, eqs (9.73) and (9.74)", robot,
                   Quintic([-math.pi / 2, 0.0], [0.5, 0.9], 1.0), efforts)


EXAMPLES: dict[str, Callable[[], Example]] = {
    "stanford": stanford, "six_axis": six_axis, "scara": scara, "planar_2r": planar_2r}
