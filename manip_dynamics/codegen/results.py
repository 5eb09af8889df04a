"""What `Dynamics` returns besides plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class TaskSpace:
    """Task-space dynamics at the tip: inertia @ xdd + coriolis + gravity = wrench (Tsai 9.10)."""

    inertia: Array  # (6, 6): kg, kg m, kg m^2
    coriolis: Array  # (6,)
    gravity: Array  # (6,)
    jacobian: Array  # (6, n)
    condition_number: Array | float  # of the Jacobian


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of the efforts, (n, n) or (N, n, n) each; views of one array."""

    dq: Array  # N m/rad etc.
    dqd: Array
    dqdd: Array  # the mass matrix; not symmetric with load-dependent friction


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of the accelerations, (n, n) or (N, n, n) each; views of one array."""

    dq: Array
    dqd: Array
    dtau: Array  # without friction, the inverse of the mass matrix


class Load(NamedTuple):
    """The arm's payload and gravity, as inputs of the kernels."""

    payload: Array  # (10,): Robot.payload_parameters
    gravity: Array  # (3,), in frame 0


class Energy(NamedTuple):
    """Energy of an arm, J; () or (N,)."""

    kinetic: Array  # of links and rotors
    potential: Array  # of gravity; 0 with the centre of mass level with the base link


# Result types of the quantities that are returned in parts.
PARTS: dict[str, type] = {
    "inverse_dynamics_derivatives": InverseDynamicsDerivatives,
    "forward_dynamics_derivatives": ForwardDynamicsDerivatives,
}


def in_parts(kind: type, rows: Array) -> Any:
    """Split the columns into three parts of equal width."""
    return kind(*np.split(rows, 3, axis=-1))
