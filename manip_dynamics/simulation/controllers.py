"""Control laws as small functions on Dynamics: states in, efforts out.

All arrays are (n,) or (N, n), in the order of `dyn.robot.joint_names`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..dynamics import TERMS, Dynamics

Array = np.ndarray


def feedforward(
    dyn: Dynamics, reference: tuple[Array, Array, Array], terms: Iterable[str] = TERMS,
    algorithm: str = "auto",
) -> Array:
    """Return the efforts of the reference motion (q, qd, qdd) itself; no feedback."""
    return dyn.inverse_dynamics(*reference, algorithm=algorithm, terms=terms)


def computed_torque(
    dyn: Dynamics, reference: tuple[Array, Array, Array], q: Array, qd: Array, kp: Any, kd: Any,
    terms: Iterable[str] = TERMS, algorithm: str = "auto",
) -> Array:
    """Linearise the arm by its own dynamics: errors then decay as e'' + kd e' + kp e = 0.

    kp in 1/s^2 and kd in 1/s, scalars or one for each joint.
    """
    q_ref, qd_ref, qdd_ref = reference
    demanded = qdd_ref + kp * (q_ref - q) + kd * (qd_ref - qd)
    return dyn.inverse_dynamics(q, qd, demanded, algorithm=algorithm, terms=terms)


def gravity_compensation(dyn: Dynamics, q: Array, terms: Iterable[str] = TERMS) -> Array:
    """Return the efforts that hold the arm at q; zero where `terms` leaves gravity out."""
    return dyn.gravity(q) if "gravity" in tuple(terms) else np.zeros_like(np.asarray(q, float))
