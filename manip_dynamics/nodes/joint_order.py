"""Joints are matched by name, never by index: arrays of any order into the model's, and back."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import numpy as np

from ..control.effort_policy import NOT_FINITE

Array = np.ndarray


class Arrangement:
    """One order in which somebody names all joints of the model, e.g. that of a request."""

    def __init__(self, names: Sequence[str], model_names: Sequence[str]) -> None:
        self.names = list(names)
        self._size = len(self.names)
        place = {name: index for index, name in enumerate(self.names)}
        # Entry i of the model's array is entry _from[i] of theirs, and the other way round.
        self._from = np.array([place[name] for name in model_names], dtype=int)
        self._back = np.argsort(self._from)
        self._same = self.names == list(model_names)

    def to_model(self, field: str, values: Sequence[float], empty_is_zero: bool = False) -> Array:
        """Check `values`, which arrived in the message field `field`; return them in model order.

        An array that is longer than the model's belongs to an order with foreign joints.
        """
        if empty_is_zero and len(values) == 0:
            return np.zeros(len(self._from))
        if len(values) != self._size:
            raise ValueError(
                f"{field} has {len(values)} values, but there are {self._size} joints"
            )
        vector = np.array(values, dtype=float)
        if not self._same:
            vector = vector[self._from]
        # The sum is finite only if all values are, and is the quickest look at a few of them.
        if not math.isfinite(sum(values)) and not np.isfinite(vector).all():
            worst = int(np.argmin(np.isfinite(vector)))
            raise ValueError(
                f"{field} of joint '{self.names[self._from[worst]]}' is {vector[worst]}"
            )
        return vector

    def from_model(self, values: Array) -> array:
        """Return an array (n,) of the model in this order, as a message field takes it fastest.

        This one and the next two raise ValueError where the numbers of a request were so large
        that those of the answer are not finite.
        """
        return _field(values if self._same else values[self._back])

    def matrix_from_model(self, matrix: Array) -> array:
        """Return a matrix (n, n) of the model in this order, row by row."""
        if not self._same:
            matrix = matrix[np.ix_(self._back, self._back)]
        return _field(matrix)

    def columns_from_model(self, matrix: Array) -> array:
        """Return a matrix (m, n) whose columns are the model's joints, row by row."""
        if not self._same:
            matrix = matrix[:, self._back]
        return _field(matrix)


def _field(values: Array) -> array:
    """A result as a field of a message, row by row."""
    field = array("d", values.tobytes())  # in C order, whatever the order in memory
    if not math.isfinite(sum(field)) and not np.isfinite(values).all():
        raise ValueError(NOT_FINITE)
    return field


class JointOrder:
    """The joints of one model. Remembers the last arrangements, as streams repeat theirs."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.own = Arrangement(self.names, self.names)
        self._last_complete = self._last_containing = self.own

    def complete(self, names: Sequence[str]) -> Arrangement:
        """Return the arrangement that names every joint of the model once; none means its own.

        Raises ValueError for an unknown, doubled or missing joint.
        """
        if not names or names == self.own.names:
            return self.own
        last = self._last_complete  # held: another thread may put its own in the place
        if names != last.names:
            self._check(names)
            last = self._last_complete = Arrangement(names, self.names)
        return last

    def containing(self, names: Sequence[str]) -> Arrangement | None:
        """Return the arrangement that has the model's joints among others (a gripper's, say).

        None if no joint of the model is named: the message is not about this arm.
        Raises ValueError if only some of them are, or one is named twice.
        """
        last = self._last_containing
        if names == last.names:
            return last
        known = [name for name in names if name in self.names]
        if not known:
            return None
        self._check(known)
        last = self._last_containing = Arrangement(names, self.names)
        return last

    def _check(self, names: Sequence[str]) -> None:
        seen: set[str] = set()
        for name in names:
            if name not in self.names:
                raise ValueError(
                    f"unknown joint '{name[:80]}'; the model has {', '.join(self.names)}"
                )
            if name in seen:
                raise ValueError(f"joint '{name}' is named twice")
            seen.add(name)
        missing = [name for name in self.names if name not in seen]
        if missing:
            raise ValueError(f"missing joint '{missing[0]}'; every joint must be named, or none")
