"""Every algorithm of the package with its arguments, for tests that hold for all of them.

A new algorithm is one more line here. Functions take a chain and the arguments named after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from manip_dynamics.algorithms import (
    formulation1,
    formulation2,
    kane,
    newton_euler,
    newton_euler_mlc,
)
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.model.sliding import merge_parallel_offsets


class Algorithm(NamedTuple):
    """A function of a chain and of some of q, qd, qdd, tau."""

    function: Callable
    arguments: tuple[str, ...]


def from_mlc(function: Callable) -> Callable:
    """A function of MLCs as a function of a chain."""
    return lambda chain, *state: function(minimal_combinations(chain), *state)


def from_virtual_links(function: Callable) -> Callable:
    """The same function on the virtual links that stand for the MLCs."""
    return lambda chain, *state: function(minimal_combinations(chain).chain, *state)


def from_slid_frames(function: Callable) -> Callable:
    """The same function on virtual links in frames slid along their axes, basis "Sigma33"."""
    def run(chain, *state):
        mlc = minimal_combinations(merge_parallel_offsets(chain))
        return function(mlc.virtual_chain("Sigma33"), *state)
    return run


MASS_MATRICES = {
    "formulation 1": formulation1.mass_matrix,
    "formulation 1 from MLCs": from_mlc(formulation1.mass_matrix_mlc),
    "formulation 1 on virtual links": from_virtual_links(formulation1.mass_matrix),
    "formulation 2": formulation2.mass_matrix,
    "formulation 2 from MLCs": from_mlc(formulation2.mass_matrix_mlc),
    "formulation 2 on virtual links": from_virtual_links(formulation2.mass_matrix),
}
INVERSE_DYNAMICS = {
    "Kane": kane.inverse_dynamics,
    "Newton-Euler": newton_euler.inverse_dynamics,
    "Newton-Euler on virtual links": from_virtual_links(newton_euler.inverse_dynamics),
    "short Newton-Euler on real links": newton_euler_mlc.inverse_dynamics,
    "short Newton-Euler on virtual links": from_virtual_links(newton_euler_mlc.inverse_dynamics),
    "short Newton-Euler in slid frames": from_slid_frames(newton_euler_mlc.inverse_dynamics),
}
BIASES = {
    "bias": newton_euler_mlc.bias,
    "bias on virtual links": from_virtual_links(newton_euler_mlc.bias),
    "bias in slid frames": from_slid_frames(newton_euler_mlc.bias),
}
GRAVITIES = {
    "gravity": newton_euler_mlc.gravity,
    "gravity on virtual links": from_virtual_links(newton_euler_mlc.gravity),
    "gravity in slid frames": from_slid_frames(newton_euler_mlc.gravity),
}

ALGORITHMS = {
    **{name: Algorithm(f, ("q",)) for name, f in MASS_MATRICES.items()},
    **{name: Algorithm(f, ("q", "qd", "qdd")) for name, f in INVERSE_DYNAMICS.items()},
    **{name: Algorithm(f, ("q", "qd")) for name, f in BIASES.items()},
    **{name: Algorithm(f, ("q",)) for name, f in GRAVITIES.items()},
}
