"""Poses as arrays, for composing and inverting them while a model is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .chain import Placement, as_matrix, as_vector
from .tolerances import without_rounding


@dataclass(frozen=True)
class Pose:
    """A frame seen from another: `rotation` (3, 3), columns x, y, z; `translation` (3,) in m.

    A `Placement` is the same in plain floats, as a chain keeps it.
    """

    rotation: np.ndarray
    translation: np.ndarray

    @staticmethod
    def of(placement: Placement) -> Pose:
        return Pose(np.array(placement.rotation), np.array(placement.translation))

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.rotation @ inner.rotation,
                    self.rotation @ inner.translation + self.translation)

    def inverse(self) -> Pose:
        return Pose(self.rotation.T, -(self.rotation.T @ self.translation))

    def rounded(self) -> Pose:
        """With zeros for what is only rounding."""
        return Pose(without_rounding(self.rotation), without_rounding(self.translation))

    def placement(self) -> Placement:
        return Placement(as_matrix(self.rotation), as_vector(self.translation))


HERE = Pose(np.eye(3), np.zeros(3))


def chained(start: Pose, steps: Sequence[Pose]) -> list[Pose]:
    """start, start @ steps[0], start @ steps[0] @ steps[1], ..."""
    poses = [start]
    for step in steps:
        poses.append(poses[-1] @ step)
    return poses
