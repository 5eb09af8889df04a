"""Joint motions as functions of time: `q, qd, qdd = trajectory(t)`.

Before its start and after its end a trajectory is at rest. Positions are in rad or m, velocities
and accelerations per s and s^2.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

Array = np.ndarray
Motion = tuple[Array, Array, Array]  # positions, velocities, accelerations


class Trajectory(ABC):
    """A motion of `n` joints from t = 0 to `duration` s."""

    n: int
    duration: float

    def __call__(self, t: Any) -> Motion:
        """Return q, qd and qdd at time t in s: each (n,) for a scalar, (N, n) for t (N,)."""
        t = np.asarray(t, float)
        inside = np.clip(t, 0.0, self.duration)
        q, qd, qdd = self._motion(inside.reshape(-1))
        moves = (inside == t).reshape(-1, 1)
        shape = (*t.shape, self.n)
        return q.reshape(shape), (qd * moves).reshape(shape), (qdd * moves).reshape(shape)

    @abstractmethod
    def _motion(self, t: Array) -> Motion:
        """Return q, qd, qdd, each (N, n), at times t (N,) between 0 and duration."""


class Cycloidal(Trajectory):
    """q = start + rate (t - sin(B t) / B), B = 2 pi / duration: Angeles, Ma & Rojas 1989, ex. 1.

    Velocity and acceleration are zero at both ends.

    start: positions (n,). rate: mean velocities, (n,) or a scalar. duration: s.
    """

    def __init__(self, start: Any, rate: Any, duration: float) -> None:
        self.start, self.rate = _vectors(start=start, rate=rate)
        self.n, self.duration = len(self.start), positive("duration", duration)

    def _motion(self, t: Array) -> Motion:
        B = 2.0 * math.pi / self.duration
        t = t[:, None]
        return (self.start + self.rate * (t - np.sin(B * t) / B),
                self.rate * (1.0 - np.cos(B * t)), self.rate * B * np.sin(B * t))


class Quintic(Trajectory):
    """A quintic polynomial between two states.

    start, end: positions, (n,); `end` may be a scalar. duration: s.
    start_velocity, end_velocity, start_acceleration, end_acceleration: scalars or (n,).
    """

    def __init__(self, start: Any, end: Any, duration: float, start_velocity: Any = 0.0,
                 end_velocity: Any = 0.0, start_acceleration: Any = 0.0,
                 end_acceleration: Any = 0.0) -> None:
        begin, finish, v0, v1, a0, a1 = _vectors(
            start=start, end=end, start_velocity=start_velocity, end_velocity=end_velocity,
            start_acceleration=start_acceleration, end_acceleration=end_acceleration)
        self.n, self.duration = len(begin), positive("duration", duration)
        T = self.duration
        self._coefficients = quintic_coefficients(begin, finish, v0 * T, v1 * T, a0 * T * T,
                                                  a1 * T * T)

    def _motion(self, t: Array) -> Motion:
        q, dq, ddq = polynomial(self._coefficients, t[:, None] / self.duration)
        return q, dq / self.duration, ddq / self.duration**2


class Trapezoidal(Trajectory):
    """A trapezoidal velocity profile: constant acceleration, velocity and deceleration.

    All joints start and stop together; the slowest reaches its velocity or acceleration limit.

    start, end: positions, (n,); `end` may be a scalar.
    max_velocity, max_acceleration: limits; scalars or (n,).
    """

    def __init__(self, start: Any, end: Any, max_velocity: Any, max_acceleration: Any) -> None:
        self.start, self.end, velocity, acceleration = _vectors(
            start=start, end=end, max_velocity=max_velocity, max_acceleration=max_acceleration)
        if not ((velocity > 0).all() and (acceleration > 0).all()):
            raise ValueError("max_velocity and max_acceleration must be positive")
        self.n = len(self.start)
        # Limits of the path parameter s, which goes from 0 to 1 for all joints.
        way = np.maximum(abs(self.end - self.start), 1e-300)
        rate, self._acceleration = float(min(velocity / way)), float(min(acceleration / way))
        if not (self.end - self.start).any():
            rate = self._acceleration = 1.0
        self._rate = min(rate, math.sqrt(self._acceleration))  # a triangle if too short
        self._ramp = self._rate / self._acceleration
        self.duration = 1.0 / self._rate + self._ramp

    def _motion(self, t: Array) -> Motion:
        left = self.duration - t
        speeds_up, brakes = t < self._ramp, left < self._ramp
        s = np.select([speeds_up, brakes],
                      [self._acceleration * t**2 / 2, 1.0 - self._acceleration * left**2 / 2],
                      self._rate * (t - self._ramp / 2))
        ds = np.select([speeds_up, brakes], [self._acceleration * t, self._acceleration * left],
                       self._rate)
        dds = np.select([speeds_up, brakes], [self._acceleration, -self._acceleration], 0.0)
        way = self.end - self.start
        return self.start + s[:, None] * way, ds[:, None] * way, dds[:, None] * way


class Sinusoidal(Trajectory):
    """q = center + amplitude sin(2 pi frequency t + phase).

    center: positions (n,). amplitude: rad or m. frequency: Hz. phase: rad; scalars or (n,).
    """

    def __init__(self, center: Any, amplitude: Any, frequency: Any, phase: Any = 0.0,
                 duration: float = math.inf) -> None:
        self.center, self.amplitude, self.frequency, self.phase = _vectors(
            center=center, amplitude=amplitude, frequency=frequency, phase=phase)
        self.n, self.duration = len(self.center), positive("duration", duration)

    def _motion(self, t: Array) -> Motion:
        omega = 2.0 * math.pi * self.frequency
        angle = omega * t[:, None] + self.phase
        sine, cosine = self.amplitude * np.sin(angle), self.amplitude * np.cos(angle)
        return self.center + sine, omega * cosine, -(omega**2) * sine


def quintic_coefficients(q0: Any, q1: Any, v0: Any, v1: Any, a0: Any, a1: Any) -> list:
    """Return c_0 .. c_5 of the polynomial of s in 0 .. 1 with these values at its ends."""
    way, dv, da = q1 - q0 - v0 - a0 / 2, v1 - v0 - a0, a1 - a0
    return [q0, v0, a0 / 2, 10 * way - 4 * dv + da / 2, -15 * way + 7 * dv - da,
            6 * way - 3 * dv + da / 2]


def polynomial(c: list, s: Any) -> Motion:
    """Return sum c_k s^k and its first two derivatives."""
    value: Any = 0.0
    first: Any = 0.0
    second: Any = 0.0
    for coefficient in reversed(c):  # Horner
        second = second * s + 2.0 * first
        first = first * s + value
        value = value * s + coefficient
    return value, first, second


def _vectors(**arguments: Any) -> list[Array]:
    """Return the arguments as (n,); the first must be (n,), scalars are repeated."""
    vectors: list[Array] = []
    for name, value in arguments.items():
        array = np.array(value, float)
        if not vectors and array.ndim != 1:
            raise ValueError(f"{name} must have one value for each joint")
        shape = vectors[0].shape if vectors else array.shape
        if array.shape not in ((), shape):
            raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} contains NaN or infinity")
        vectors.append(np.broadcast_to(array, shape).copy())
    return vectors


def positive(name: str, value: float) -> float:
    """Return `value` if it is positive; else raise ValueError."""
    if not value > 0:
        raise ValueError(f"{name} must be positive, not {value}")
    return float(value)
