"""What is measured: one library computing one quantity in one form."""

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
    """Python code as a user would write it, timed inline without a function call around it."""

    text: str  # the statements to time
    answer: str  # the expression of their result, for one state or one state per row
    names: dict[str, Any]  # the globals of both
    states: int = 1  # per run of the statements
    evaluations: int = 1  # per state; times are given for one evaluation

    def timer(self) -> timeit.Timer:
        """A timer of the statements in processor time, which excludes other processes.

        It includes all threads, so multithreading is no advantage.
        """
        return timeit.Timer(self.text, timer=process_time, globals=self.names)

    def run(self) -> np.ndarray:
        """Run the statements once and return what they computed."""
        scope = {**self.names, "np": np}
        exec(self.text, scope)
        return np.array(eval(self.answer, scope), float)


@dataclass(frozen=True)
class Entry:
    """One cell of a table."""

    library: str
    form: str  # how the library is called
    kind: str  # CALL or BATCH
    quantity: str
    code: Code = field(repr=False)

    @property
    def title(self) -> str:
        return f"{self.library}, {self.form}" if self.form else self.library

