"""Operation counts as polynomials in the number of joints, exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Polynomial:
    """Coefficients from the highest power down, e.g. (10.5, 38.5, -85)."""

    coefficients: tuple[Fraction, ...]

    @staticmethod
    def of(*coefficients: float | Fraction) -> Polynomial:
        return Polynomial(tuple(Fraction(c) for c in coefficients))

    def __call__(self, n: int) -> int:
        """The count for n joints."""
        value = Fraction(0)
        for coefficient in self.coefficients:
            value = value * n + coefficient
        if value.denominator != 1:
            raise ValueError(f"{self} is not a whole number for n = {n}")
        return int(value)

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
    """The polynomial through all counts but perhaps the smallest n; None if there is none.

    Short arms save operations that a formula for all n does not see, so the formula is taken from
    the largest n and must hold at two more of them at least.
    """
    n = sorted(counts)
    if len(n) < degree + 3:
        return None
    polynomial = _through([(m, counts[m]) for m in n[-degree - 1:]])
    holds = [counts[m] == polynomial.value(m) for m in n[-degree - 3:]]
    return polynomial.as_counts() if all(holds) else None


@dataclass(frozen=True)
class _Newton:
    """A polynomial in Newton's form: divided differences at nodes."""

    nodes: tuple[int, ...]
    differences: tuple[Fraction, ...]

    def value(self, n: int) -> Fraction:
        result = Fraction(0)
        for node, difference in zip(reversed(self.nodes), reversed(self.differences)):
            result = result * (n - node) + difference
        return result

    def as_counts(self) -> Polynomial:
        coefficients = [Fraction(0)]  # from the lowest power up
        for node, difference in zip(reversed(self.nodes), reversed(self.differences)):
            shifted = [Fraction(0), *coefficients]
            coefficients = [a - node * b for a, b in zip(shifted, [*coefficients, Fraction(0)])]
            coefficients[0] += difference
        while len(coefficients) > 1 and not coefficients[-1]:
            coefficients.pop()
        return Polynomial(tuple(reversed(coefficients)))


def _through(points: list[tuple[int, int]]) -> _Newton:
    nodes = tuple(n for n, _ in points)
    table = [Fraction(value) for _, value in points]
    differences = [table[0]]
    for order in range(1, len(points)):
        table = [(table[i + 1] - table[i]) / (nodes[i + order] - nodes[i])
                 for i in range(len(table) - 1)]
        differences.append(table[0])
    return _Newton(nodes, tuple(differences))


def _number(value: Fraction) -> str:
    return str(value) if value.denominator not in (1, 2) else f"{float(value):g}"
