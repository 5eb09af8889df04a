"""Potential energy of an arm in the field of gravity.

    V = - sum_i  g . (m_i p_i + R_i m_i c_i)

with the pose (R_i, p_i) of link i. V is zero for mass at the height of the base link.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain

from .kinematics import link_poses
from .vectors import Scalar, dot, matvec


def potential_energy(chain: Chain, q: Sequence[Scalar]) -> Scalar:
    """V, J."""
    gravity = matvec(chain.base.rotation, chain.gravity)  # in the base link
    energy: Scalar = 0.0
    for link, (rotation, position) in zip(chain.links, link_poses(chain, q)):
        energy = energy - link.mass * dot(gravity, position)
        energy = energy - dot(gravity, matvec(rotation, link.first_moment))
    return energy
