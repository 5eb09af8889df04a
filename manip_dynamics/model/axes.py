"""Which joint axes are parallel, coaxial, or meet in a point: what Theorem 1 of Lin & Fang asks.

Nothing here changes with q: turning about an axis keeps the others parallel to it, or through a
point of it, as they were. So the arm is looked at where q = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .chain import Chain, Vector
from .pose import HERE, Pose, chained

# Two axes whose directions differ by less than this angle (rad), or whose distance is less than
# this fraction of the arm's length, are parallel or coaxial: the difference is the rounding of a
# product of rotations. Nearly parallel axes were snapped before, when the model was read, and
# taking rounding for a real difference would only cost some superfluous parameters.
AXIS_ROUNDING = 1e-12


class AxisStructure(NamedTuple):
    """What Theorem 1 asks about the axes; joints counted from 0."""

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
    parallel = [_norm(_cross(axis, u_r)) <= AXIS_ROUNDING for axis in axes]
    s = next((i for i in revolute if not parallel[i]), n)

    def coaxial(m: int, i: int) -> bool:
        return _norm(_cross(origins[i] - origins[m], u_r)) <= AXIS_ROUNDING * length

    vertical = _norm(_cross(gravity, u_r)) <= AXIS_ROUNDING * _norm(gravity)
    sigma, delta, pivot = [False] * n, [False] * n, [0.0] * n
    for i in range(r, n):
        if i < s:
            # "u_m is zero or parallel to u_r": what is meant is s from O_m to O_i
            stays = all(parallel[:i]) and all(coaxial(m, i) for m in revolute if m < i)
            sigma[i] = not joints[i].revolute and not parallel[i]
            delta[i] = joints[i].revolute and not (vertical and stays)
        else:
            delta[i] = joints[i].revolute
    # Without gravity, and where the axes 1..i are revolute and meet in one point, link i turns
    # about a fixed point and its first moment has no effect (not in the paper).
    wrist = weightless and not any(delta[:s]) and all(joint.revolute for joint in joints[:s])
    for i in range(s, n):
        arm = origins[i] - origins[s - 1]
        wrist = wrist and joints[i].revolute and bool(
            _norm(_cross(arm, axes[i])) <= AXIS_ROUNDING * length)
        if wrist:
            delta[i], pivot[i] = False, float(arm @ axes[i])

    u = [_axis_in_frame(rotations[i], u_r) if r <= i < s else (0.0, 0.0, 0.0) for i in range(n)]
    return AxisStructure(r, s, tuple(u), tuple(sigma), tuple(delta), tuple(pivot))


def _axis_in_frame(rotation: np.ndarray, axis: np.ndarray) -> Vector:
    """R^T u, with 0 and +-1 exact."""
    x, y, z = (float(np.round(c)) if abs(c - np.round(c)) <= AXIS_ROUNDING else float(c)
               for c in rotation.T @ axis)
    return x, y, z


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def _norm(v: np.ndarray) -> float:
    return float(np.sqrt(v @ v))
