"""Joint motion for a straight line of the tip: Angeles, Ma & Rojas 1989, example 2.

    f(q) = x(t),   qd = J^-1 xd,   qdd = J^-1 (xdd - Jdot qd)                        (Tsai 9.172)

Newton's method solves for the positions at every instant asked for, so the motion is exact there
and not interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..algorithms import kinematics
from ..dynamics import Dynamics
from .trajectories import Motion, Trajectory, polynomial, positive, quintic_coefficients

Array = np.ndarray

ALL_COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
REST_TO_REST = quintic_coefficients(0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
MOST_ITERATIONS = 50
CLOSE = 1e-8  # last Newton step, rad or m; the error left is about its square
LONGEST_MOVE = 0.3  # of a joint in one iteration, rad or m
KNOTS = 101  # solved in advance; a spline through them gives the initial guesses


class CartesianLine(Trajectory):
    """Move the tip from `start` by `displacement` at constant orientation, from rest to rest.

    dyn: an arm with as many joints as there are `components`.
    start: pose of the tip in the base link, (4, 4), m.
    displacement: in the base link, (3,), m.
    duration: s.
    guess: joint positions (n,) near the start; they select the branch of the inverse kinematics.
    components: parts of the pose to control: x, y, z and the rotations about those axes.
    """

    def __init__(self, dyn: Dynamics, start: Any, displacement: Any, duration: float, guess: Any,
                 components: Sequence[str] = ALL_COMPONENTS) -> None:
        if len(components) != dyn.n:
            raise ValueError(f"{dyn.robot.name} has {dyn.n} joints, so that {dyn.n} components "
                             f"of the pose can be controlled, not {len(components)}; choose from "
                             f"{', '.join(ALL_COMPONENTS)}")
        unknown = set(components) - set(ALL_COMPONENTS)
        if unknown:
            raise ValueError(f"components: {', '.join(sorted(unknown))} is none of "
                             f"{', '.join(ALL_COMPONENTS)}")
        self._dyn = dyn
        self._rows = [ALL_COMPONENTS.index(name) for name in components]
        self.start, self.displacement = np.array(start, float), np.array(displacement, float)
        if self.start.shape != (4, 4) or self.displacement.shape != (3,):
            raise ValueError("start must be a 4 x 4 pose and displacement have 3 components")
        self.n, self.duration = dyn.n, positive("duration", duration)
        from scipy.interpolate import CubicHermiteSpline  # here: importing it takes long

        # Between the knots the guess is so good that one or two iterations suffice.
        times = np.linspace(0.0, self.duration, KNOTS)
        knots = np.empty((KNOTS, self.n))
        q = np.array(guess, float)[None]
        for k, t in enumerate(times):
            q = knots[k : k + 1] = self._solved(np.array([t]), q)
        rates = _solve(self._jacobian(knots), self._line(times)[1][:, self._rows])
        self._guess = CubicHermiteSpline(times, knots, rates)

    def _motion(self, t: Array) -> Motion:
        q = self._solved(t, self._guess(t))
        _, xd, xdd = self._line(t)
        J = self._jacobian(q)
        qd = _solve(J, xd[:, self._rows])
        qdd = _solve(J, (xdd - self._drift(q, qd))[:, self._rows])
        return q, qd, qdd

    def _line(self, t: Array) -> Motion:
        """Return position (N, 3), velocity (N, 6) and acceleration (N, 6) of the tip."""
        s, ds, dds = polynomial(REST_TO_REST, t[:, None] / self.duration)
        way = np.concatenate([self.displacement, np.zeros(3)])
        return (self.start[:3, 3] + s * self.displacement, ds / self.duration * way,
                dds / self.duration**2 * way)

    def _solved(self, t: Array, q: Array) -> Array:
        """Return joint positions (N, n) at times (N,), from initial guesses (N, n)."""
        position, _, _ = self._line(t)
        with suppress(np.linalg.LinAlgError):
            for _ in range(MOST_ITERATIONS):
                pose = self._dyn.forward_kinematics(q)
                turn = _rotation_vector(pose[:, :3, :3], self.start[:3, :3])
                error = np.concatenate([position - pose[:, :3, 3], turn], 1)[:, self._rows]
                step = _solve(self._jacobian(q), error)
                length = abs(step).max(1, keepdims=True)
                q = q + step * (LONGEST_MOVE / np.maximum(length, LONGEST_MOVE))
                if length.max() < CLOSE:
                    return q
        worst = int(np.argmax(abs(error).max(1)))
        raise ValueError(f"no joint positions found for the tip at t = {t[worst]:.4g} s, "
                         f"position {np.round(position[worst], 4).tolist()} m: the line leaves "
                         "the workspace or passes a singular configuration, or the guess is too "
                         "far off")

    def _jacobian(self, q: Array) -> Array:
        return self._dyn.jacobian(q)[:, self._rows]

    def _drift(self, q: Array, qd: Array) -> Array:
        """Return Jdot qd, (N, 6)."""
        # For a single state, Python floats are faster than arrays.
        columns = [x[0].tolist() if len(x) == 1 else list(x.T) for x in (q, qd)]
        drift = kinematics.jacobian_rate_times_velocity(self._dyn.robot.chain, *columns)
        return np.stack([np.broadcast_to(x, len(q)) for x in drift], 1)


def _rotation_vector(here: Array, there: Array) -> Array:
    """Return axis times angle (N, 3) of the rotation from `here` (N, 3, 3) to `there` (3, 3)."""
    axis = sum(np.cross(here[:, :, i], there[:, i]) for i in range(3)) / 2
    sine, cosine = np.linalg.norm(axis, axis=1), ((here * there).sum((1, 2)) - 1.0) / 2
    axis[(sine < 1e-9) & (cosine < 0.0)] = (1e-9, 0.0, 0.0)  # half a turn: any axis will do
    return axis * (np.arctan2(sine, cosine) / np.maximum(sine, 1e-300))[:, None]


def _solve(matrix: Array, rhs: Array) -> Array:
    return np.linalg.solve(matrix, rhs[..., None])[..., 0]
