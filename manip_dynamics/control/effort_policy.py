"""Which efforts the dynamics node sends, and when it sends none. No ROS in here.

    feedforward            a reference gives the efforts of its motion
    computed_torque        a reference and a fresh joint state give the efforts that correct it
    gravity_compensation   a joint state gives the efforts that hold the arm there

In the first two modes, while no reference has come for `reference_timeout`, joint states are
answered with gravity compensation. Without fresh joint states either, nothing is answered: an old
effort is never left standing as if it were new.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..dynamics import TERMS, Dynamics
from .controllers import computed_torque, feedforward, gravity_compensation

Array = np.ndarray

NOT_FINITE = "the result is not finite: the numbers are too large"

MODES = ("feedforward", "computed_torque", "gravity_compensation")


@dataclass(frozen=True)
class Policy:
    """The settings of the efforts; replaced as a whole when one of them changes.

    kp in 1/s^2 and kd in 1/s: one value, or one for each joint in the model's order.
    """

    mode: str = "feedforward"
    terms: Sequence[str] = TERMS
    algorithm: str = "auto"
    kp: Sequence[float] = (100.0,)
    kd: Sequence[float] = (20.0,)
    reference_timeout: float = 0.1  # s
    clamp_to_limits: bool = False

    def __post_init__(self) -> None:
        if set(self.terms) == set(TERMS):  # in the usual order the compiled kernel serves them
            object.__setattr__(self, "terms", TERMS)

    def check_against(self, dyn: Dynamics) -> None:
        """Raise ValueError if the gains do not fit the joints of the arm."""
        for name, gains in (("kp", self.kp), ("kd", self.kd)):
            if len(gains) not in (1, dyn.n):
                raise ValueError(f"{name} must have 1 value, or {dyn.n}, one for each joint; "
                                 f"not {len(gains)}")


class EffortSource:
    """Answers references and joint states with efforts (n,), or with None.

    Times are in s on any clock that does not run backwards for long: what lies in the future
    counts as old.
    """

    def __init__(
        self, dyn: Dynamics, policy: Policy, predecessor: EffortSource | None = None
    ) -> None:
        """A predecessor for the same joints hands over what it has heard."""
        policy.check_against(dyn)
        self.dyn = dyn
        self.policy = policy
        self._kp, self._kd = np.array(policy.kp), np.array(policy.kd)
        self._reference_time = self._state_time = float("-inf")
        self._q = self._qd = np.zeros(dyn.n)
        self._limits = dyn.robot.max_effort
        self.saturations = 0
        if predecessor is not None and predecessor.dyn.robot.joint_names == dyn.robot.joint_names:
            self._reference_time = predecessor._reference_time
            self._state_time = predecessor._state_time
            self._q, self._qd = predecessor._q, predecessor._qd
            self.saturations = predecessor.saturations

    def on_reference(self, q: Array, qd: Array, qdd: Array, now: float) -> Array | None:
        """Answer a reference motion; ValueError, and it does not count, if nobody can."""
        efforts = self._efforts_of(q, qd, qdd, now)
        self._reference_time = now
        return efforts

    def _efforts_of(self, q: Array, qd: Array, qdd: Array, now: float) -> Array | None:
        policy = self.policy
        if policy.mode == "feedforward":
            efforts = feedforward(self.dyn, (q, qd, qdd), policy.terms, policy.algorithm)
        elif policy.mode == "computed_torque" and self.has_fresh_state(now):
            efforts = computed_torque(
                self.dyn, (q, qd, qdd), self._q, self._qd, self._kp, self._kd,
                policy.terms, policy.algorithm,
            )  # fmt: skip
        else:
            return None
        return self._clamped(efforts)

    def on_state(self, q: Array, qd: Array, now: float) -> Array | None:
        """Answer a joint state."""
        self._q, self._qd, self._state_time = q, qd, now
        if self.policy.mode != "gravity_compensation" and self.has_fresh_reference(now):
            return None
        return self._clamped(gravity_compensation(self.dyn, q, self.policy.terms))

    def has_fresh_reference(self, now: float) -> bool:
        """Whether a reference came within the timeout."""
        return 0.0 <= self.reference_age(now) <= self.policy.reference_timeout

    def has_fresh_state(self, now: float) -> bool:
        """Whether a joint state came within the timeout."""
        return 0.0 <= self.state_age(now) <= self.policy.reference_timeout

    def reference_age(self, now: float) -> float:
        """Seconds since the last reference; infinite if there was none."""
        return now - self._reference_time

    def state_age(self, now: float) -> float:
        """Seconds since the last joint state; infinite if there was none."""
        return now - self._state_time

    def _clamped(self, efforts: Array) -> Array:
        if not math.isfinite(sum(efforts.tolist())) and not np.isfinite(efforts).all():
            raise ValueError(NOT_FINITE)
        if not self.policy.clamp_to_limits:
            return efforts
        if (abs(efforts) > self._limits).any():
            self.saturations += 1
            return np.clip(efforts, -self._limits, self._limits)
        return efforts
