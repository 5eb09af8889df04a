"""Which joint axes are parallel, coaxial, or meet in a point, as Theorem 1 of Lin & Fang needs.

None of this changes with q: rotation about an axis keeps other axes parallel to it, or passing
through a point on it. So the arm is examined at q = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.linalg import norm

from .chain import Chain, Vector
from .pose import HERE, Pose, chained
from .tolerances import AXIS_ROUNDING


class AxisStructure(NamedTuple):
    """The joint axes as Theorem 1 needs them; joints counted from 0."""

    r: int
    s: int
    u: tuple[Vector, ...]
    sigma: tuple[bool, ...]
    delta: tuple[bool, ...]
    pivot: tuple[float, ...]  # z_i coordinate of O_i from the fixed point of a weightless wrist


def axis_structure(chain: Chain) -> AxisStructure:
    """r, s, u_r, sigma and delta of Theorem 1."""
    joints, n = chain.joints, chain.n
    frames = chained(HERE, [Pose.of(joint.placement_at_zero) for joint in joints])[1:]
    rotations, origins = [f.rotation for f in frames], [f.translation for f in frames]
    axes = [rotation[:, 2] for rotation in rotations]
    length = sum(abs(joint.a) + abs(joint.d) for joint in joints)
    gravity = np.array(chain.gravity, float)
    weightless = not gravity.any()

    revolute = [i for i in range(n) if joints[i].revolute]
    r = revolute[0] if revolute else n
    u_r = axes[r] if revolute else np.zeros(3)
    parallel = [norm(np.cross(axis, u_r)) <= AXIS_ROUNDING for axis in axes]
    s = next((i for i in revolute if not parallel[i]), n)

    def coaxial(m: int, i: int) -> bool:
        return bool(norm(np.cross(origins[i] - origins[m], u_r)) <= AXIS_ROUNDING * length)

    vertical = norm(np.cross(gravity, u_r)) <= AXIS_ROUNDING * norm(gravity)
    sigma, delta, pivot = [False] * n, [False] * n, [0.0] * n
    for i in range(r, n):
        if i < s:
            # "u_m is zero or parallel to u_r" must mean s, from O_m to O_i
            stays = all(parallel[:i]) and all(coaxial(m, i) for m in revolute if m < i)
            sigma[i] = not joints[i].revolute and not parallel[i]
            delta[i] = joints[i].revolute and not (vertical and stays)
        else:
            delta[i] = joints[i].revolute
    # Without gravity, if axes 1 to i are revolute and meet in one point, link i rotates about a
    # fixed point and its first moment has no effect (not in the paper).
    wrist = weightless and not any(delta[:s]) and all(joint.revolute for joint in joints[:s])
    for i in range(s, n):
        arm = origins[i] - origins[s - 1]
        wrist = wrist and joints[i].revolute and bool(
            norm(np.cross(arm, axes[i])) <= AXIS_ROUNDING * length)
        if wrist:
            delta[i], pivot[i] = False, float(arm @ axes[i])

    u = [_axis_in_frame(rotations[i], u_r) if r <= i < s else (0.0, 0.0, 0.0) for i in range(n)]
    return AxisStructure(r, s, tuple(u), tuple(sigma), tuple(delta), tuple(pivot))


def _axis_in_frame(rotation: np.ndarray, axis: np.ndarray) -> Vector:
    """R^T u, with 0 and +-1 exact."""
    x, y, z = (float(np.round(c)) if abs(c - np.round(c)) <= AXIS_ROUNDING else float(c)
               for c in rotation.T @ axis)
    return x, y, z
