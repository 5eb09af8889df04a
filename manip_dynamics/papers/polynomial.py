"""Operation counts as exact polynomials in the number of joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

LARGEST_DENOMINATOR = 12  # of a coefficient


@dataclass(frozen=True)
class Polynomial:
    """Coefficients from the highest power down, e.g. (10.5, 38.5, -85)."""

    coefficients: tuple[Fraction, ...]

    @staticmethod
    def of(*coefficients: float | Fraction) -> Polynomial:
        return Polynomial(tuple(Fraction(c) for c in coefficients))

    def __call__(self, n: int) -> int:
        """The count for n joints; ValueError if it is not an integer."""
        value = self.value(n)
        if value.denominator != 1:
            raise ValueError(f"{self} is not an integer for n = {n}")
        return int(value)

    def value(self, n: int) -> Fraction:
        return reduce(lambda value, coefficient: value * n + coefficient, self.coefficients)

    def __str__(self) -> str:
        degree = len(self.coefficients) - 1
        text = ""
        for power, c in zip(range(degree, -1, -1), self.coefficients):
            if c:
                sign = "-" if c < 0 else "+" if text else ""
                factor = "" if abs(c) == 1 and power else _number(abs(c))
                variable = {0: "", 1: "n"}.get(power, f"n^{power}")
                term = " ".join(part for part in (factor, variable) if part)
                text += f" {sign} {term}" if text else f"{sign}{term}"
        return text or "0"


def fit(counts: Mapping[int, int], degree: int = 2) -> Polynomial | None:
    """The polynomial through all counts, except perhaps those of the smallest n; None if none is.

    Short arms save operations that a formula for all n does not show, so the formula is taken from
    the largest n, and it must hold exactly for at least two more.
    """
    n = sorted(counts)[-degree - 3:]
    if len(n) < degree + 3:
        return None
    coefficients = np.polyfit(n, [counts[m] for m in n], degree)
    exact = [Fraction(c).limit_denominator(LARGEST_DENOMINATOR) for c in coefficients]
    while len(exact) > 1 and not exact[0]:
        del exact[0]
    polynomial = Polynomial(tuple(exact))
    return polynomial if all(polynomial.value(m) == counts[m] for m in n) else None


def _number(value: Fraction) -> str:
    return str(value) if value.denominator not in (1, 2) else f"{float(value):g}"
