"""All thresholds: when numbers count as zero, axes as parallel, angles as right angles.

Exact zeros matter: the code generator leaves out the terms that they multiply.
"""

from __future__ import annotations

import numpy as np

# Reading a robot description.
SNAP_ANGLE = 2e-5  # rad: 6.2832 for 2 pi is off by 1.5e-5, and calibrated robots deviate by more
SNAP_LENGTH = 1e-6  # m: such an angle times the offsets of an arm; below machining tolerances
PARALLEL = 1e-4  # rad: axes meant to be parallel; over 1 m they diverge by 0.1 mm
# Inertia about an origin L arm lengths away loses a factor L^2 of precision: 4e6 * 2e-16 = 1e-9.
FARTHEST_NORMAL = 2e3  # arm lengths
GIMBAL_LOCK = 1e-9  # cos(pitch) of RPY angles: below it, roll and yaw turn about the same axis
TENSOR_ROUNDING = 1e-6  # of the largest principal moment: published tensors have few digits
ASYMMETRY = 1e-12  # of an entry of an inertia tensor: its mirror image, computed in another order
NOTHING = 1e-30  # kg, m or kg m^2: products of anything smaller could underflow

# Rounding of double precision.
RIGHT_ANGLE_ROUNDING = 1e-14  # rad, relative above 1 rad: several quarter turns, added up
PRODUCT_ROUNDING = 8 * float(np.finfo(float).eps)  # of the largest entry: a product of rotations
AXIS_ROUNDING = 1e-12  # rad, or of the arm's length: axes of chained rotations. Near-parallel axes
# were snapped before; rounding taken for a real angle would only add superfluous parameters.
SNAPPING_ROUNDING = 1e-12  # rad or m: poses computed in two ways, with and without snapping
MLC_ROUNDING = 1e-14  # of the largest entry of the same kind at a joint: sums along the chain
TURNED_ROUNDING = 1e-14  # of the largest entry: moments in a frame turned by a computed angle
SUM_ROUNDING = 1e-15  # of the summands: a sum of two moments of inertia less a third


def without_rounding(values, tolerance: float = PRODUCT_ROUNDING, scale=None) -> np.ndarray:
    """The values, with zeros for those within `tolerance` times `scale` (default: the largest)."""
    size = np.abs(values)
    limit = tolerance * (size.max(initial=0.0) if scale is None else scale)
    return np.where(size <= limit, 0.0, values)
