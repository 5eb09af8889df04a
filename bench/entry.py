"""What is measured: one way in which one library computes one quantity."""

from __future__ import annotations

import timeit
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

INVERSE_DYNAMICS, MASS_MATRIX, FORWARD_DYNAMICS = QUANTITIES = (
    "inverse dynamics", "mass matrix", "forward dynamics",
)  # fmt: skip
CALL, BATCH = KINDS = ("call", "batch")


@dataclass(frozen=True)
class Code:
    """Python code as a user would write it, timed inline: a function around it would cost, too."""

    text: str  # the statements that are timed
    answer: str  # the expression of their result, one state or one state per row
    names: dict[str, Any]  # the global names of both
    states: int = 1  # answered by one run of the statements
    evaluations: int = 1  # for each of them; the time of one of these is measured

    def timer(self) -> timeit.Timer:
        """A timer of the statements, in processor time: what others take meanwhile is not counted.

        It counts all threads, so nobody gains by having more than one.
        """
        return timeit.Timer(self.text, timer=process_time, globals=self.names)

    def run(self) -> np.ndarray:
        """Run the statements once and return what they computed."""
        scope = {**self.names, "np": np}
        exec(self.text, scope)
        return np.array(eval(self.answer, scope), float)


@dataclass(frozen=True)
class Entry:
    """One line of a table, for one quantity."""

    library: str
    form: str  # how the library is used
    kind: str  # CALL or BATCH
    quantity: str
    code: Code = field(repr=False)

    @property
    def title(self) -> str:
        return f"{self.library}, {self.form}" if self.form else self.library

