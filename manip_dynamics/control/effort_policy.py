"""Decide which efforts the dynamics node publishes, and when it publishes none.

    feedforward            a reference gets the efforts of its motion
    computed_torque        a reference gets the efforts that correct a fresh joint state
    gravity_compensation   a joint state gets the efforts that balance gravity there

In the first two modes, joint states get gravity compensation once no reference has arrived for
`reference_timeout`. Without fresh joint states there are no efforts at all: a stale command is
never repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..dynamics import TERMS, Dynamics
from .controllers import computed_torque, feedforward, gravity_compensation, per_joint

Array = np.ndarray

NOT_FINITE = "the result is not finite: the numbers are too large"

MODES = ("feedforward", "computed_torque", "gravity_compensation")


@dataclass(frozen=True)
class Policy:
    """Settings of an EffortSource.

    mode: one of MODES.
    terms: terms of the inverse dynamics to include.
    algorithm: of the inverse dynamics; "auto" is the one with the fewest operations.
    kp, kd: gains of computed_torque, 1/s^2 and 1/s; (1,) or (n,) in model order.
    reference_timeout: age in s beyond which references and joint states are stale.
    clamp_to_limits: clamp efforts to the effort limits of the URDF.
    """

    mode: str = "feedforward"
    terms: Sequence[str] = TERMS
    algorithm: str = "auto"
    kp: Sequence[float] = (100.0,)
    kd: Sequence[float] = (20.0,)
    reference_timeout: float = 0.1
    clamp_to_limits: bool = False

    def __post_init__(self) -> None:
        if set(self.terms) == set(TERMS):  # the compiled kernel recognises the usual order
            object.__setattr__(self, "terms", TERMS)


class EffortSource:
    """Turn references and joint states, all (n,) in model order, into efforts (n,) or None.

    `now` is the time of arrival in s, on any clock. A time stamp in the future counts as stale, so
    that a clock that jumps back does no harm.
    """

    def __init__(
        self, dyn: Dynamics, policy: Policy, predecessor: EffortSource | None = None
    ) -> None:
        """Take over the last messages of a predecessor that has the same joints.

        Raises ValueError if the gains do not fit the joints of the arm.
        """
        self.dyn = dyn
        self.policy = policy
        self._kp, self._kd = per_joint("kp", policy.kp, dyn.n), per_joint("kd", policy.kd, dyn.n)
        self._reference_time = self._state_time = float("-inf")
        self._q = self._qd = np.zeros(dyn.n)
        self._limits = dyn.robot.max_effort
        self.saturations = 0  # messages answered with clamped efforts
        if predecessor is not None and predecessor.dyn.robot.joint_names == dyn.robot.joint_names:
            self._reference_time = predecessor._reference_time
            self._state_time = predecessor._state_time
            self._q, self._qd = predecessor._q, predecessor._qd
            self.saturations = predecessor.saturations

    def on_reference(self, q: Array, qd: Array, qdd: Array, now: float) -> Array | None:
        """Answer a reference. Invalid references raise ValueError and are not recorded."""
        policy = self.policy
        efforts = None
        if policy.mode == "feedforward":
            efforts = feedforward(self.dyn, (q, qd, qdd), policy.terms, policy.algorithm)
        elif policy.mode == "computed_torque" and self.has_fresh_state(now):
            efforts = computed_torque(
                self.dyn, (q, qd, qdd), self._q, self._qd, self._kp, self._kd,
                policy.terms, policy.algorithm,
            )  # fmt: skip
        if efforts is not None:
            efforts = self._limited(efforts)
        self._reference_time = now
        return efforts

    def on_state(self, q: Array, qd: Array, now: float) -> Array | None:
        """Answer a joint state."""
        self._q, self._qd, self._state_time = q, qd, now
        if self.policy.mode != "gravity_compensation" and self.has_fresh_reference(now):
            return None
        return self._limited(gravity_compensation(self.dyn, q, self.policy.terms))

    def has_fresh_reference(self, now: float) -> bool:
        """Whether a reference arrived within the timeout."""
        return 0.0 <= self.reference_age(now) <= self.policy.reference_timeout

    def has_fresh_state(self, now: float) -> bool:
        """Whether a joint state arrived within the timeout."""
        return 0.0 <= self.state_age(now) <= self.policy.reference_timeout

    def reference_age(self, now: float) -> float:
        """Seconds since the last reference; infinite if there was none."""
        return now - self._reference_time

    def state_age(self, now: float) -> float:
        """Seconds since the last joint state; infinite if there was none."""
        return now - self._state_time

    def _limited(self, efforts: Array) -> Array:
        """Refuse efforts that overflowed; clamp the others if asked to."""
        # Before clamping, which would turn infinity into a limit. A sum is the fastest check of a
        # few numbers: it is finite only if they all are, but large finite ones may overflow it.
        if not math.isfinite(sum(efforts.tolist())) and not np.isfinite(efforts).all():
            raise ValueError(NOT_FINITE)
        if self.policy.clamp_to_limits and (abs(efforts) > self._limits).any():
            self.saturations += 1
            return np.clip(efforts, -self._limits, self._limits)
        return efforts
