"""Dynamics: the one object users hold. Numpy in, numpy out, one state or many.

    tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) - J(q)^T w

with w the wrench (force, moment) that the environment applies to the tip, expressed in the base
frame at the tip origin.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .algorithms import kane
from .model.chain import ZERO

TERMS = ("inertia", "coriolis", "gravity", "friction")

Array = np.ndarray


class Dynamics:
    """The dynamics of one robot.

    Positions in rad or m, velocities and accelerations per s and s^2, efforts in N m or N, all in
    the order of `robot.joint_names`. Every argument is (n,) for one state or (N, n) for many.
    """

    def __init__(self, robot: Any, backend: str = "auto") -> None:
        if backend not in ("auto", "c", "python"):
            raise ValueError(f"backend must be 'auto', 'c' or 'python', not {backend!r}")
        self.robot = robot
        self.n = robot.n
        self._chain = robot.chain
        self._weightless = dataclasses.replace(robot.chain, gravity=ZERO)
        joints = robot.chain.joints
        self._damping = np.array([joint.damping for joint in joints])
        self._coulomb = np.array([joint.friction for joint in joints])
        self._rotor = np.array([joint.rotor_inertia * joint.gear_ratio**2 for joint in joints])

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, algorithm: str = "auto", tip_wrench: Any = None,
        terms: Iterable[str] = TERMS, out: Array | None = None, threads: int = 1,
    ) -> Array:
        """Joint efforts that give the accelerations qdd; `terms` selects what is included."""
        terms = self._terms(terms)
        self._algorithm(algorithm, ("kane",))
        q, qd, qdd = self._states(q=q, qd=qd, qdd=qdd)
        tau = self._rigid(
            q, qd if "coriolis" in terms else np.zeros_like(qd),
            qdd if "inertia" in terms else np.zeros_like(qdd), "gravity" in terms)
        if "inertia" in terms:
            tau += self._rotor * qdd
        if "friction" in terms:
            tau += self.friction(qd)
        return self._into(out, tau)

    def mass_matrix(self, q: Any, algorithm: str = "auto", out: Array | None = None,
                    threads: int = 1) -> Array:
        """M(q), (n, n) or (N, n, n), with the rotors' inertia."""
        self._algorithm(algorithm, ("kane",))
        (q,) = self._states(q=q)
        zero = np.zeros_like(q)
        columns = [self._rigid(q, zero, zero + unit, False) for unit in np.eye(self.n)]
        return self._into(out, np.stack(columns, -1) + np.diag(self._rotor))

    def bias(self, q: Any, qd: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Coriolis, centrifugal and gravity efforts of the rigid links."""
        q, qd = self._states(q=q, qd=qd)
        return self._into(out, self._rigid(q, qd, np.zeros_like(q), True))

    def gravity(self, q: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Efforts that hold the arm against gravity."""
        (q,) = self._states(q=q)
        zero = np.zeros_like(q)
        return self._into(out, self._rigid(q, zero, zero, True))

    def friction(self, qd: Any, out: Array | None = None) -> Array:
        """Viscous and Coulomb friction efforts."""
        (qd,) = self._states(qd=qd)
        return self._into(out, self._damping * qd + self._coulomb * np.sign(qd))

    def forward_dynamics(self, q: Any, qd: Any, tau: Any, tip_wrench: Any = None,
                         out: Array | None = None, threads: int = 1) -> Array:
        """Accelerations that the efforts tau cause."""
        q, qd, tau = self._states(q=q, qd=qd, tau=tau)
        force = tau - self.bias(q, qd) - self.friction(qd)
        qdd = np.linalg.solve(self.mass_matrix(q), force[..., None])[..., 0]
        return self._into(out, qdd)

    def _rigid(self, q: Array, qd: Array, qdd: Array, gravity: bool) -> Array:
        chain = self._chain if gravity else self._weightless
        rows = kane.inverse_dynamics(chain, _columns(q), _columns(qd), _columns(qdd))
        return np.stack([np.broadcast_to(row, q.shape[:-1]) for row in rows], -1)

    def _states(self, **arrays: Any) -> list[Array]:
        checked = []
        for name, value in arrays.items():
            array = np.asarray(value, float)
            if array.ndim not in (1, 2) or array.shape[-1] != self.n:
                raise ValueError(f"{name} must have shape ({self.n},) or (N, {self.n}), "
                                 f"not {array.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} contains NaN or infinity")
            if checked and array.shape != checked[0].shape:
                first = next(iter(arrays))
                raise ValueError(f"{name} must have the shape of {first}, {checked[0].shape}, "
                                 f"not {array.shape}")
            checked.append(array)
        return checked

    def _terms(self, terms: Iterable[str]) -> frozenset[str]:
        chosen = frozenset([terms] if isinstance(terms, str) else terms)
        for term in chosen - set(TERMS):
            raise ValueError(f"terms: unknown term {term!r}; choose among {', '.join(TERMS)}")
        return chosen

    def _algorithm(self, name: str, known: tuple[str, ...]) -> Callable | None:
        if name not in ("auto", *known):
            raise ValueError(f"algorithm must be one of {', '.join(('auto', *known))}, "
                             f"not {name!r}")
        return None

    def _into(self, out: Array | None, result: Array) -> Array:
        if out is None:
            return result
        if out.shape != result.shape:
            raise ValueError(f"out must have shape {result.shape}, not {out.shape}")
        out[...] = result
        return out


def _columns(array: Array) -> list:
    """One scalar (float or array over the states) for each joint."""
    return [array[..., i] if array.ndim > 1 else float(array[i]) for i in range(array.shape[-1])]
