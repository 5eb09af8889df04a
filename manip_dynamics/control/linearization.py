"""The dynamics linearized about a state.

    d/dt (q, qd) = f(q, qd, tau)      delta x' = A delta x + B delta tau,    x = (q, qd)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..dynamics import Dynamics

Array = np.ndarray


class Linearization(NamedTuple):
    """A (2n, 2n) and B (2n, n) for the state (q, qd); (N, ...) for N states."""

    A: Array
    B: Array


def linearize(dyn: Dynamics, q: Any, qd: Any, tau: Any, tip_wrench: Any = None) -> Linearization:
    """Linearize the state equation about (q, qd) and the efforts tau.

    Parameters
    ----------
    dyn : Dynamics
    q, qd, tau : (n,) or (N, n)
        Positions, velocities and efforts, SI units.
    tip_wrench : (6,), optional
        Force and moment on the tip, in the base link.
    """
    slopes = dyn.forward_dynamics_derivatives(q, qd, tau, tip_wrench=tip_wrench)
    zero = np.zeros_like(slopes.dq)
    identity = zero + np.eye(dyn.n)
    return Linearization(np.block([[zero, identity], [slopes.dq, slopes.dqd]]),
                         np.concatenate([zero, slopes.dtau], -2))
