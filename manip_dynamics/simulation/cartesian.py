"""A straight line of the tip, and the joint motion that makes it: Angeles, Ma & Rojas 1989, ex. 2.

    f(q) = x(t),   qd = J^-1 xd,   qdd = J^-1 (xdd - Jdot qd)                        (Tsai 9.172)

The positions are found by Newton's method, so that the motion is exact at every instant and not
only where it was tabulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms import kinematics
from ..model.robot import Robot
from .trajectories import Motion, Trajectory, polynomial, quintic_coefficients

Array = np.ndarray

ALL_COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
MOST_ITERATIONS = 50
ACCURACY = 1e-12  # of the pose, m and rad; Newton's method passes from 1e-8 to rounding
LONGEST_MOVE = 0.3  # of a joint in one iteration, rad or m
KNOTS = 101
WORST_CONDITION = 1e8  # of the Jacobian


class CartesianLine(Trajectory):
    """The tip moves from `start` by `displacement`, keeping its orientation, at rest at the ends.

    robot: an arm with as many joints as `components` are asked for.
    start: pose of the tip in the base link, 4 x 4 (m).
    displacement: in the base link, (3,), m.
    guess: joint positions (n,) near those of the start; they select the branch.
    components: what of the pose is followed: x, y, z and the rotations about those axes.
    """

    def __init__(self, robot: Robot, start: Any, displacement: Any, duration: float, guess: Any,
                 components: Sequence[str] = ALL_COMPONENTS) -> None:
        if len(components) != robot.n:
            raise ValueError(f"{robot.name} has {robot.n} joints, so that {robot.n} components "
                             f"of a pose can be followed, not {len(components)}: choose "
                             f"components among {', '.join(ALL_COMPONENTS)}")
        unknown = set(components) - set(ALL_COMPONENTS)
        if unknown:
            raise ValueError(f"components: {', '.join(sorted(unknown))} is none of "
                             f"{', '.join(ALL_COMPONENTS)}")
        self._chain = robot.chain
        self._rows = [ALL_COMPONENTS.index(name) for name in components]
        self.start, self.displacement = np.array(start, float), np.array(displacement, float)
        if self.start.shape != (4, 4) or self.displacement.shape != (3,):
            raise ValueError("start must be a 4 x 4 pose and displacement have 3 components")
        if not duration > 0:
            raise ValueError(f"duration must be positive, not {duration}")
        self.n, self.duration = robot.n, float(duration)
        self._knots = np.empty((KNOTS, self.n))
        q = np.array(guess, float)
        for k, t in enumerate(np.linspace(0.0, self.duration, KNOTS)):
            q = self._knots[k] = self._solved(np.array([t]), q[None])[0]

    def _motion(self, t: Array) -> Motion:
        nearest = np.rint(t / self.duration * (KNOTS - 1)).astype(int)
        q = self._solved(t, self._knots[nearest])
        _, xd, xdd = self._line(t)
        J = self._jacobian(q)
        qd = _solve(J, xd[:, self._rows])
        drift = _stacked(kinematics.jacobian_rate_times_velocity(
            self._chain, list(q.T), list(qd.T)), len(t))
        qdd = _solve(J, (xdd - drift)[:, self._rows])
        return q, qd, qdd

    def _line(self, t: Array) -> Motion:
        """Position (N, 3), and velocity and acceleration (N, 6) of the tip."""
        s, ds, dds = polynomial(quintic_coefficients(0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
                                t[:, None] / self.duration)
        way = np.concatenate([self.displacement, np.zeros(3)])
        return (self.start[:3, 3] + s * self.displacement, ds / self.duration * way,
                dds / self.duration**2 * way)

    def _solved(self, t: Array, q: Array) -> Array:
        """Joint positions (N, n) at instants (N,), from a guess near them."""
        position, _, _ = self._line(t)
        for _ in range(MOST_ITERATIONS):
            rotation, tip = kinematics.tip_pose(
                self._chain, kinematics.link_poses(self._chain, list(q.T)))
            here = _stacked([list(row) for row in rotation], len(t))
            error = np.concatenate([position - _stacked(tip, len(t)),
                                    _rotation_vector(here, self.start[:3, :3])], 1)[:, self._rows]
            if abs(error).max() < ACCURACY:
                return q
            J = self._jacobian(q)
            if np.linalg.cond(J).max() > WORST_CONDITION:
                break
            step = _solve(J, error)
            longest = abs(step).max(1, keepdims=True)
            q = q + step * np.minimum(1.0, LONGEST_MOVE / np.maximum(longest, LONGEST_MOVE))
        worst = int(np.argmax(abs(error).max(1)))
        raise ValueError(f"no joint positions found for the tip at t = {t[worst]:.4g} s, "
                         f"position {np.round(position[worst], 4).tolist()} m: the line leaves "
                         "the reach of the arm or passes a singular position, or the guess is "
                         "too far away")

    def _jacobian(self, q: Array) -> Array:
        return _stacked(kinematics.jacobian(self._chain, list(q.T)), len(q))[:, self._rows]


def _rotation_vector(here: Array, there: Array) -> Array:
    """Axis times angle of the rotation from `here` (N, 3, 3) to `there` (3, 3), (N, 3)."""
    axis = sum(np.cross(here[:, :, i], there[:, i]) for i in range(3)) / 2
    sine, cosine = np.linalg.norm(axis, axis=1), ((here * there).sum((1, 2)) - 1.0) / 2
    axis[(sine < 1e-9) & (cosine < 0.0)] = (1e-9, 0.0, 0.0)  # half a turn has no axis: take one
    return axis * (np.arctan2(sine, cosine) / np.maximum(sine, 1e-300))[:, None]


def _stacked(values: Any, count: int) -> Array:
    """Nested lists of scalars and (N,) arrays as one array (N, ...)."""
    if isinstance(values, (list, tuple)):
        return np.stack([_stacked(value, count) for value in values], 1)
    return np.broadcast_to(np.asarray(values, float), (count,))


def _solve(matrix: Array, rhs: Array) -> Array:
    return np.linalg.solve(matrix, rhs[..., None])[..., 0]
