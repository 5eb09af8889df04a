"""External joint efforts without force sensors: the momentum observer of De Luca and Mattone 2003.

    p = M qd        p' = tau + C^T qd - g - friction + tau_ext
    r = K (p - p(0) - integral of (tau + C^T qd - g - friction + r))

r tracks tau_ext with time constant 1 / K, using only positions, velocities and motor efforts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import Dynamics

Array = np.ndarray


class MomentumObserver:
    """Estimates external joint efforts, sample by sample.

    Parameters
    ----------
    dyn : Dynamics
        The arm, including its known payload.
    gain : float or (n,)
        K, 1/s: the estimate follows a push with time constant 1 / K.
    """

    def __init__(self, dyn: Dynamics, gain: Any = 50.0) -> None:
        self.gain = np.broadcast_to(np.asarray(gain, float), (dyn.n,))
        if not (np.isfinite(self.gain) & (self.gain > 0.0)).all():
            raise ValueError(f"gain must be positive, not {gain}")
        self.dyn = dyn
        self.reset()

    def reset(self) -> None:
        """Start over and forget all earlier samples."""
        self.external_efforts: Array = np.zeros(self.dyn.n)
        self._time: float | None = None
        self._explained: Array = np.zeros(self.dyn.n)
        self._drift: Array = self._explained

    def update(self, time: float, q: Array, qd: Array, tau: Array) -> Array:
        """External joint efforts (n,), N m or N, after a sample.

        Parameters
        ----------
        time : float
            Time of the sample, s.
        q, qd : (n,)
            Positions and velocities at this time.
        tau : (n,)
            Motor efforts since the previous sample.
        """
        momentum = self.dyn.mass_matrix(q) @ qd
        drift = qd @ self.dyn.coriolis_matrix(q, qd) - self.dyn.gravity(q) - self.dyn.friction(qd)
        if self._time is None or time < self._time:  # the clock was set back
            self._explained = momentum
        else:
            step = time - self._time
            # The drift is averaged over both samples, r is implicit: stable for any step size.
            self._explained = self._explained + step * (tau + (drift + self._drift) / 2.0)
            self.external_efforts = self.gain * (momentum - self._explained) / (
                1.0 + self.gain * step)
            self._explained = self._explained + step * self.external_efforts
        self._time, self._drift = time, drift
        return self.external_efforts
