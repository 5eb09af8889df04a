"""Modified DH parameters of arbitrary joint axes, by common normals.

Frame i has z_i on joint axis i and x_i on the common normal from axis i to axis i+1; frame 0
coincides with frame 1 at q = 0. Where the normal leaves a choice (parallel axes: the origin;
coaxial axes and the last joint: also x; any axes: the sign of x) the URDF joint frame decides,
so a URDF written from a modified DH table gives that table back.

The common normal of two axes that a rounded angle (1.5708) makes almost parallel is very far away.
Therefore angles are snapped to multiples of 90 degrees, and lengths to zero, within SNAP_ANGLE and
SNAP_LENGTH; the caller measures the deviation. Beyond that, almost parallel axes are kept as they
are if the normal is near enough for double precision. Otherwise axes within PARALLEL of each other
are made parallel, with a remark, and others are an error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .chain import cos_sin
from .errors import ModelError
from .pose import Pose
from .remarks import Remarks
from .tolerances import (
    FARTHEST_NORMAL,
    GIMBAL_LOCK,
    PARALLEL,
    SNAP_ANGLE,
    SNAP_LENGTH,
    without_rounding,
)
from .wording import option


@dataclass(frozen=True)
class JointAxis:
    """A joint axis in the base link at q = 0: the URDF joint frame and a unit vector along it."""

    name: str
    frame: Pose
    direction: np.ndarray  # (3,) unit vector

    @property
    def origin(self) -> np.ndarray:
        return self.frame.translation


@dataclass(frozen=True)
class Row:
    """One row of the modified DH table at q = 0, rad and m."""

    alpha: float
    a: float
    theta: float
    d: float


def snap_angle(angle: float) -> float:
    """The nearest multiple of 90 degrees if it is within SNAP_ANGLE, else the angle."""
    multiple = round(angle / (math.pi / 2)) * (math.pi / 2)
    return multiple if abs(angle - multiple) <= SNAP_ANGLE else angle


def snap_unit(vector: np.ndarray) -> np.ndarray:
    """A unit vector with components within SNAP_ANGLE of zero set to zero."""
    snapped = without_rounding(vector, SNAP_ANGLE, 1.0)
    return snapped / np.linalg.norm(snapped)


def rotation_from_rpy(rpy: Sequence[float], snap: bool = True) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll) of URDF, with right angles exact."""
    (cr, sr), (cp, sp), (cy, sy) = (cos_sin(snap_angle(x) if snap else x) for x in rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])


def rpy_from_rotation(rotation) -> tuple[float, float, float]:
    """Roll, pitch, yaw of URDF: rotation = Rz(yaw) Ry(pitch) Rx(roll)."""
    (r00, _, _), (r10, r11, r12), (r20, r21, r22) = rotation
    level = math.hypot(r00, r10)
    pitch = math.atan2(-r20, level)
    if level < GIMBAL_LOCK:
        return math.atan2(-r12, r11), pitch, 0.0
    return math.atan2(r21, r22), pitch, math.atan2(r10, r00)


def straightened(axes: Sequence[JointAxis], remarks: Remarks,
                 tolerance: float = PARALLEL) -> list[JointAxis]:
    """The axes, each made parallel to the previous one if it nearly is and has to be."""
    straight = list(axes[:1])
    for axis in axes[1:]:
        before = straight[-1]
        _, sine, along = _normal(before, axis)
        if SNAP_ANGLE < sine <= tolerance and abs(along) > _farthest(axes):
            remarks.add(f"the axes of joints '{before.name}' and '{axis.name}' are {sine:.2e} rad "
                        "from parallel and are taken as parallel")
            sense = 1.0 if before.direction @ axis.direction > 0 else -1.0
            axis = JointAxis(axis.name, axis.frame, sense * before.direction)
        straight.append(axis)
    return straight


def _farthest(axes: Sequence[JointAxis]) -> float:
    """The largest distance to a common normal that leaves enough precision, m."""
    size = max(float(np.linalg.norm(axis.origin - axes[0].origin)) for axis in axes)
    return FARTHEST_NORMAL * max(size, 0.1)


def _normal(axis: JointAxis, following: JointAxis) -> tuple[np.ndarray, float, float]:
    """Common normal of two axes, the sine of their angle, and where the normal meets the first, m.

    Parallel axes: zero, zero (or below SNAP_ANGLE) and zero.
    """
    normal = np.cross(axis.direction, following.direction)
    sine = float(np.linalg.norm(normal))
    if sine <= SNAP_ANGLE:
        return normal, sine, 0.0
    between = following.origin - axis.origin
    along = float(np.cross(between, following.direction) @ normal) / sine**2
    return normal / sine, sine, along


def frames_from_axes(axes: Sequence[JointAxis]) -> list[Pose]:
    """Frames 1 .. n in the base link at q = 0, by common normals."""
    farthest = _farthest(axes)
    frames = []
    for i, axis in enumerate(axes):
        z = axis.direction
        if i + 1 < len(axes):
            x, origin = _common_normal(axis, axes[i + 1], farthest)
        else:
            x, origin = _preferred_x(axis), axis.origin
        frames.append(Pose(np.column_stack([x, np.cross(z, x), z]), origin))
    return frames


def table_from_frames(frames: Sequence[Pose]) -> list[Row]:
    """One row for each frame, seen from the previous one; the first is all zero."""
    rows = [Row(0.0, 0.0, 0.0, 0.0)] if frames else []
    for previous, frame in zip(frames, frames[1:]):
        x0, z0 = previous.rotation[:, 0], previous.rotation[:, 2]
        x1, z1 = frame.rotation[:, 0], frame.rotation[:, 2]
        step = frame.translation - previous.translation
        alpha = snap_angle(math.atan2(np.cross(z0, z1) @ x0, z0 @ z1))
        theta = snap_angle(math.atan2(np.cross(x0, x1) @ z1, x0 @ x1))
        a, d = without_rounding([step @ x0, step @ z1], SNAP_LENGTH, 1.0).tolist()
        rows.append(Row(_principal(alpha), a, _principal(theta), d))
    return rows


def _principal(angle: float) -> float:
    """+pi for -pi and 0 for -0: one number for one angle."""
    return math.pi if angle == -math.pi else angle + 0.0


def _preferred_x(axis: JointAxis) -> np.ndarray:
    """The URDF frame's x (or z, if the joint turns about x) made perpendicular to the axis."""
    for column in (0, 2):
        candidate = axis.frame.rotation[:, column]
        across = candidate - (candidate @ axis.direction) * axis.direction
        length = np.linalg.norm(across)
        if length > 0.5:
            return across / length
    raise AssertionError("two perpendicular vectors cannot both be along one axis")


def _common_normal(axis: JointAxis, following: JointAxis,
                   farthest: float) -> tuple[np.ndarray, np.ndarray]:
    """x_i and O_i from axis i and axis i+1."""
    z, between = axis.direction, following.origin - axis.origin
    x, sine, along = _normal(axis, following)
    if sine <= SNAP_ANGLE:  # parallel
        across = between - (between @ z) * z
        distance = np.linalg.norm(across)
        x = _preferred_x(axis) if distance <= SNAP_LENGTH else across / distance
        return _with_sense(x, axis, float(across @ x)), axis.origin
    if abs(along) > farthest:
        angle = math.asin(min(1.0, sine))
        raise ModelError(
            f"the axes of joints '{axis.name}' and '{following.name}' are almost parallel "
            f"({angle:.2e} rad), so their common normal is {abs(along):.0f} m away and modified DH "
            "parameters would lose precision; if they are meant to be parallel, write their angles "
            "with at least 6 digits (1.570796), or treat them as parallel: "
            f"{option('parallel_tolerance', float(f'{1.1 * angle:.1e}'))}")
    return _with_sense(x, axis, float(between @ x)), axis.origin + along * z


def _with_sense(x: np.ndarray, axis: JointAxis, a: float) -> np.ndarray:
    """x or -x: along the x of the URDF joint frame or, if perpendicular to it, so that a > 0."""
    agreement = float(x @ _preferred_x(axis))
    if abs(agreement) > SNAP_ANGLE:
        return x if agreement > 0 else -x
    return -x if a < 0 else x
