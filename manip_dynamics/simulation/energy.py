"""Energy of an arm: what the laws of conservation are checked with.

    T = qd^T M(q) qd / 2        V = - sum_i  g . (m_i p_i + R_i m_i c_i)

with the pose (R_i, p_i) of link i. V is zero where the mass is at the height of the base link.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.kinematics import link_poses
from ..algorithms.vectors import dot, matvec
from ..dynamics import Dynamics

Array = np.ndarray


def kinetic_energy(dyn: Dynamics, q: Any, qd: Any) -> Array:
    """T of links and rotors, J; (...,) for (..., n)."""
    qd = np.asarray(qd, float)
    return np.einsum("...i,...ij,...j->...", qd, dyn.mass_matrix(q), qd) / 2


def potential_energy(dyn: Dynamics, q: Any) -> Array:
    """V in the field of gravity, J; (...,) for (..., n)."""
    q = np.asarray(q, float)
    robot = dyn.robot
    energy = np.zeros(q.shape[:-1])
    poses = link_poses(robot.chain, list(np.moveaxis(q, -1, 0)))
    for link, (rotation, position) in zip(robot.links, poses):
        energy = energy - link.mass * dot(robot.base_gravity, position)
        energy = energy - dot(robot.base_gravity, matvec(rotation, link.first_moment))
    return energy
