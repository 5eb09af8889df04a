"""Rigid bodies: mass, centre of mass and inertia tensor; change of frame, union and checks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .chain import RigidLink, as_matrix, as_vector
from .errors import ModelError
from .tolerances import ASYMMETRY, NOTHING, TENSOR_ROUNDING, without_rounding

# No moving part exceeds these, and products of such numbers are finite.
LARGEST_MASS = 1e9  # kg
LARGEST_LENGTH = 1e6  # m
LARGEST_INERTIA = 1e18  # kg m^2


@dataclass(frozen=True)
class Body:
    """A rigid body in some frame: mass (kg), centre of mass (m), inertia about it (kg m^2)."""

    mass: float
    com: np.ndarray  # (3,)
    inertia: np.ndarray  # (3, 3), about the centre of mass

    @staticmethod
    def create(mass: float, com=(0.0, 0.0, 0.0), inertia=None) -> Body:
        """From plain numbers; `inertia` is a 3 x 3 tensor, or its diagonal, default zero."""
        try:
            mass, centre = float(mass), np.array(com, float)
            tensor = np.zeros((3, 3)) if inertia is None else np.array(inertia, float)
        except (TypeError, ValueError, OverflowError):
            raise ModelError("mass, com and inertia of a body must be numbers, not "
                             f"{mass!r}, {com!r} and {inertia!r}") from None
        if tensor.shape == (3,):
            tensor = np.diag(tensor)
        if centre.shape != (3,) or tensor.shape != (3, 3):
            raise ModelError("a body needs a centre of mass with 3 entries and an inertia tensor "
                             f"with 3 x 3, not {centre.shape} and {tensor.shape}")
        if np.isfinite(tensor).all() and not (
                np.abs(tensor - tensor.T) <= ASYMMETRY * np.abs(tensor)).all():
            raise ModelError("the inertia tensor of a body must be symmetric")
        centre, tensor = (without_rounding(x, NOTHING, 1.0) for x in (centre, tensor))
        return Body(0.0 if abs(mass) < NOTHING else mass, centre, tensor)

    def moved(self, rotation: np.ndarray, translation: np.ndarray) -> Body:
        """The same body in a frame in which its own frame has this pose."""
        return Body(
            self.mass,
            without_rounding(rotation @ self.com + translation),
            without_rounding(rotation @ self.inertia @ rotation.T),
        )

    def unusable(self) -> str:
        """Why this body cannot be used, in words; "" if it can."""
        for what, value, most, unit in (("mass", self.mass, LARGEST_MASS, "kg"),
                                        ("centre of mass", self.com, LARGEST_LENGTH, "m"),
                                        ("inertia tensor", self.inertia, LARGEST_INERTIA,
                                         "kg m^2")):
            if not np.isfinite(value).all():
                return f"{what} is {value}, which is not finite"
            if np.abs(value).max() > most:
                return f"{what} exceeds the largest allowed, {most:g} {unit}"
        return f"mass is negative ({self.mass:g} kg)" if self.mass < 0 else ""

    def violations(self, rounding: float = 0.0) -> list[str]:
        """The physical conditions that this body violates, in words; empty if it is sound.

        rounding: uncertainty of the moments of inertia due to their printed digits, kg m^2.
        """
        unusable = self.unusable()
        if unusable:
            return [unusable]
        broken = []
        small, middle, large = np.linalg.eigvalsh(self.inertia)
        slack = TENSOR_ROUNDING * max(abs(small), abs(large)) + rounding
        moments = f"principal moments {small:.6g}, {middle:.6g}, {large:.6g} kg m^2"
        if small < -slack:
            broken.append(f"inertia is not positive semidefinite ({moments})")
        elif small + middle < large - slack:
            broken.append(f"inertia breaks the triangle inequality ({moments})")
        return broken


def combined(bodies: Iterable[Body | RigidLink]) -> Body:
    """Several bodies in one frame, rigidly joined."""
    parts = [Body(body.mass, np.array(body.com), np.array(body.inertia)) for body in bodies
             if body.mass != 0.0 or np.any(body.inertia)]
    if not parts:
        return Body(0.0, np.zeros(3), np.zeros((3, 3)))
    if len(parts) == 1:
        return parts[0]
    mass = math.fsum(body.mass for body in parts)
    moment = np.sum([body.mass * body.com for body in parts], axis=0)
    com = moment / mass if mass > 0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for body in parts:
        r = body.com - com
        inertia += body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Body(mass, without_rounding(com), without_rounding(inertia))


def link_of(body: Body) -> RigidLink:
    """A body in frame i as the link that the algorithms use."""
    return RigidLink(body.mass, as_vector(body.com), as_matrix(body.inertia))
