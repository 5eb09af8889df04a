"""Match joints by name, never by index: arrays in any joint order to model order and back."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray

REMEMBERED = 4  # mappings: each stream repeats the joint names of its first message


class JointMapping:
    """Maps between the joint order of a message and that of the model (`to_model`, `from_model`).

    names: joint names of the message. They include every joint of the model, once; the arrays of
        the message have one entry for each of them.
    """

    def __init__(self, names: Sequence[str], model_names: Sequence[str]) -> None:
        self.names = list(names)
        self.has_others = len(self.names) > len(model_names)
        index = {name: k for k, name in enumerate(self.names)}
        # Entry i of a model array is entry _to_model[i] of the message; _from_model is the inverse.
        self._to_model = np.array([index[name] for name in model_names], dtype=int)
        self._from_model = np.argsort(self._to_model)
        self._is_identity = self.names == list(model_names)

    def to_model(self, field: str, values: Sequence[float], empty_is_zero: bool = False) -> Array:
        """Return the values of a message field in model order (n,).

        Raises ValueError that names the field if there are too few or too many values, or the
        joint if one is not finite. This is the only check of what a message contains.
        """
        if empty_is_zero and len(values) == 0:
            return np.zeros(len(self._to_model))
        if len(values) != len(self.names):
            raise ValueError(
                f"{field} has {len(values)} values, but there are {len(self.names)} joints"
            )
        vector = np.array(values, dtype=float)
        if not self._is_identity:
            vector = vector[self._to_model]
        # A sum is the fastest check of a few numbers: finite only if all of them are.
        if not math.isfinite(sum(values)) and not np.isfinite(vector).all():
            bad = int(np.argmin(np.isfinite(vector)))
            raise ValueError(
                f"{field} of joint '{self.names[self._to_model[bad]]}' is {vector[bad]}"
            )
        return vector

    def state(self, message: Any) -> tuple[Array, Array]:
        """Return positions and velocities of a message in model order; velocities may be empty."""
        return (
            self.to_model("positions", message.positions),
            self.to_model("velocities", message.velocities, empty_is_zero=True),
        )

    def motion(self, message: Any) -> tuple[Array, Array, Array]:
        """Return the state and the accelerations, which may be empty."""
        q, qd = self.state(message)
        return q, qd, self.to_model("accelerations", message.accelerations, empty_is_zero=True)

    def from_model(self, values: Array) -> array:
        """Return values (n,) in the joint order of the message, as a field takes them fastest."""
        return _field(values if self._is_identity else values[self._from_model])

    def matrix_from_model(self, matrix: Array) -> array:
        """Return a matrix (n, n) in the joint order of the message, row-major."""
        return _field(matrix[np.ix_(self._from_model, self._from_model)])

    def columns_from_model(self, matrix: Array) -> array:
        """Return a matrix (m, n), one column per joint, in the order of the message, row-major."""
        return _field(matrix[:, self._from_model])


def _field(values: Array) -> array:
    return array("d", values.tobytes())  # row-major, whatever the layout in memory


class ModelJoints:
    """The joint names of a model, and the mappings from other orders to theirs."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.identity = JointMapping(self.names, self.names)
        # The latest first. Replaced as a whole, as several threads use it.
        self._recent: tuple[JointMapping, ...] = (self.identity,)

    def mapping(self, names: Sequence[str]) -> JointMapping:
        """Return the mapping from an order of all joints; no names mean the model's order.

        Raises ValueError for an unknown, repeated or missing joint.
        """
        if not names:
            return self.identity
        mapping = self._find(names)
        return self._new(names, names) if mapping is None or mapping.has_others else mapping

    def mapping_among_others(self, names: Sequence[str]) -> JointMapping | None:
        """Return the mapping from names that may include other joints, such as a gripper's.

        None if they include no joint of the model: the message is about something else.
        Raises ValueError for a repeated or missing joint.
        """
        mapping = self._find(names)
        if mapping is None and (known := [name for name in names if name in self.names]):
            return self._new(names, known)
        return mapping

    def _find(self, names: Sequence[str]) -> JointMapping | None:
        for mapping in self._recent:
            if names == mapping.names:
                return mapping
        return None

    def _new(self, names: Sequence[str], known: Sequence[str]) -> JointMapping:
        for name in known:
            if name not in self.names:
                raise ValueError(
                    f"unknown joint '{name[:80]}'; the model has {', '.join(self.names)}"
                )
        for name in self.names:
            if known.count(name) > 1:
                raise ValueError(f"joint '{name}' is named twice")
        for name in self.names:
            if name not in known:
                raise ValueError(f"missing joint '{name}'; every joint must be named, or none")
        mapping = JointMapping(names, self.names)
        self._recent = (mapping, *self._recent[: REMEMBERED - 1])
        return mapping
