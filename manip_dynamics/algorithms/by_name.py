"""Algorithms that users can choose by name: reference implementations, for cross-checking and
teaching."""

from __future__ import annotations

from collections.abc import Callable

from . import (
    formulation1,
    formulation2,
    formulation3,
    formulation4,
    formulation5,
    kane,
    lagrange,
    lin1991,
    meeting_frame,
    newton_euler,
    newton_euler_mlc,
    uicker_kahn,
    walker_orin,
)

INVERSE_DYNAMICS: dict[str, Callable] = {
    "kane": kane.inverse_dynamics,
    "newton_euler": newton_euler.inverse_dynamics,
    "newton_euler_mlc": newton_euler_mlc.inverse_dynamics,
    "lagrange": lagrange.inverse_dynamics,
}
MASS_MATRIX: dict[str, Callable] = {
    "formulation1": formulation1.mass_matrix,
    "formulation2": formulation2.mass_matrix,
    "formulation3": formulation3.mass_matrix,
    "formulation4": formulation4.mass_matrix,
    "formulation5": formulation5.mass_matrix,
    "meeting_frame": meeting_frame.mass_matrix,
    "walker_orin": walker_orin.mass_matrix,
    "lin1991": lin1991.mass_matrix,
    "lagrange": lagrange.mass_matrix,
    "uicker_kahn": uicker_kahn.mass_matrix,
}
