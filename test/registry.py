"""Every algorithm of the package with its arguments, for tests that hold for all of them.

A new algorithm is one more line here. Functions take a chain and the arguments named after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from manip_dynamics.algorithms import (
    articulated_body,
    formulation1,
    formulation2,
    formulation3,
    formulation4,
    formulation5,
    forward_dynamics,
    friction,
    kane,
    kinematics,
    lagrange,
    lin1991,
    meeting_frame,
    newton_euler,
    newton_euler_mlc,
    regressor,
    rotor,
    uicker_kahn,
    walker_orin,
)
from manip_dynamics.algorithms.task_space import task_space_terms
from manip_dynamics.model.chain import Friction
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
    "formulation 3": formulation3.mass_matrix,
    "formulation 3 on virtual links": from_virtual_links(formulation3.mass_matrix),
    "formulation 4": formulation4.mass_matrix,
    "formulation 4 on virtual links": from_virtual_links(formulation4.mass_matrix),
    "formulation 5": formulation5.mass_matrix,
    "formulation 5 on virtual links": from_virtual_links(formulation5.mass_matrix),
    "meeting frame": meeting_frame.mass_matrix,
    "meeting frame on virtual links": from_virtual_links(meeting_frame.mass_matrix),
    "meeting frame 1": lambda chain, q: meeting_frame.mass_matrix(chain, q, 1),
    "meeting frame n": lambda chain, q: meeting_frame.mass_matrix(chain, q, chain.n),
    "Walker-Orin": walker_orin.mass_matrix,
    "Lin 1991": lin1991.mass_matrix,
    "Lagrange": lagrange.mass_matrix,
    "Uicker-Kahn": uicker_kahn.mass_matrix,
}
INVERSE_DYNAMICS = {
    "Kane": kane.inverse_dynamics,
    "Newton-Euler": newton_euler.inverse_dynamics,
    "Newton-Euler on virtual links": from_virtual_links(newton_euler.inverse_dynamics),
    "short Newton-Euler on real links": newton_euler_mlc.inverse_dynamics,
    "short Newton-Euler on virtual links": from_virtual_links(newton_euler_mlc.inverse_dynamics),
    "short Newton-Euler in slid frames": from_slid_frames(newton_euler_mlc.inverse_dynamics),
    "Lagrange": lagrange.inverse_dynamics,
}
BIASES = {
    "short Newton-Euler": newton_euler_mlc.bias,
    "short Newton-Euler on virtual links": from_virtual_links(newton_euler_mlc.bias),
    "short Newton-Euler in slid frames": from_slid_frames(newton_euler_mlc.bias),
    "Newton-Euler": newton_euler.bias,
    "Lin 1991": lin1991.bias,
}
GRAVITIES = {
    "first moments": newton_euler_mlc.gravity,
    "first moments of virtual links": from_virtual_links(newton_euler_mlc.gravity),
    "first moments in slid frames": from_slid_frames(newton_euler_mlc.gravity),
    "Lagrange": lagrange.gravity,
}
FORWARD_DYNAMICS = {
    "articulated bodies": articulated_body.forward_dynamics,
    "LDL^T": forward_dynamics.forward_dynamics,
}


def with_rotors(function: Callable) -> Callable:
    """A contribution of rotors, on the same arm with a rotor at every joint."""
    def run(chain, *state):
        joints = (replace(joint, rotor_inertia=1e-3, gear_ratio=50.0) for joint in chain.joints)
        return function(replace(chain, joints=tuple(joints)), *state)
    return run


def with_friction(chain, qd):
    joints = (replace(joint, friction=Friction(0.3, 0.2)) for joint in chain.joints)
    return friction.friction(replace(chain, joints=tuple(joints)), qd)


def task_space(chain, q, qd):
    """Terms for as many rows of the tip velocity as there are joints."""
    J = kinematics.jacobian(chain, q)
    Jdot_qd = kinematics.jacobian_rate_times_velocity(chain, q, qd)
    M, V, G = (lagrange.mass_matrix(chain, q), lagrange.velocity_terms(chain, q, qd),
               lagrange.gravity(chain, q))
    return task_space_terms(M, V, G, J[:chain.n], Jdot_qd[:chain.n])


OTHERS = {
    "regressor": (from_mlc(regressor.regressor), ("q", "qd", "qdd")),
    "reaction wrenches": (newton_euler.reaction_wrenches, ("q", "qd", "qdd")),
    "velocity coefficients": (lin1991.velocity_coefficients, ("q",)),
    "forward kinematics": (kinematics.forward_kinematics, ("q",)),
    "link placements": (kinematics.link_placements, ("q",)),
    "Jacobian": (kinematics.jacobian, ("q",)),
    "Jacobian rate": (kinematics.jacobian_rate, ("q", "qd")),
    "Jacobian rate times velocity": (kinematics.jacobian_rate_times_velocity, ("q", "qd")),
    "task space": (task_space, ("q", "qd")),
    "rotor inverse dynamics": (with_rotors(rotor.inverse_dynamics), ("q", "qd", "qdd")),
    "rotor mass matrix": (with_rotors(rotor.mass_matrix), ("q",)),
    "friction": (with_friction, ("qd",)),
}

ALGORITHMS = {
    **{f"M: {name}": Algorithm(f, ("q",)) for name, f in MASS_MATRICES.items()},
    **{f"tau: {name}": Algorithm(f, ("q", "qd", "qdd")) for name, f in INVERSE_DYNAMICS.items()},
    **{f"b: {name}": Algorithm(f, ("q", "qd")) for name, f in BIASES.items()},
    **{f"g: {name}": Algorithm(f, ("q",)) for name, f in GRAVITIES.items()},
    **{f"qdd: {name}": Algorithm(f, ("q", "qd", "tau")) for name, f in FORWARD_DYNAMICS.items()},
    **{name: Algorithm(f, arguments) for name, (f, arguments) in OTHERS.items()},
}
