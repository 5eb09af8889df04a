"""Motions of an arm integrated on Pinocchio's forward dynamics by scipy, as the oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from oracle import pinocchio_model
from scipy.integrate import solve_ivp

from manip_dynamics.model.robot import Robot


def pinocchio_motion(
    robot: Robot, q: np.ndarray, qd: np.ndarray, duration: float,
    tau: Callable[[float, np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """(q, qd) (2n,) after `duration` s under efforts tau(t, q, qd), to about 1e-11."""
    import pinocchio as pin

    model, data = pinocchio_model(robot.chain)
    n = robot.n
    zero = np.zeros(n)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, qd = y[:n], y[n:]
        effort = zero if tau is None else tau(t, q, qd)
        return np.concatenate([qd, pin.aba(model, data, q, qd, effort)])

    start = np.concatenate([q, qd])
    solution = solve_ivp(rate, (0.0, duration), start, "DOP853", rtol=1e-12, atol=1e-13)
    return solution.y[:, -1]
