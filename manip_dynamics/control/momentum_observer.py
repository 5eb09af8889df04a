"""External joint efforts without force sensors: the momentum observer of De Luca and Mattone 2003.

    p = M qd        p' = tau + C^T qd - g - friction + tau_ext
    r = K (p - p(0) - integral of (tau + C^T qd - g - friction + r))

r follows tau_ext with the lag 1 / K, from positions, velocities and motor efforts alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import Dynamics

Array = np.ndarray


class MomentumObserver:
    """What the environment does to the joints, from one sample to the next.

    Parameters
    ----------
    dyn : Dynamics
        The arm with the payload that it is known to carry.
    gain : float or (n,)
        K, 1/s: the estimate follows a push with the time constant 1 / K.
    """

    def __init__(self, dyn: Dynamics, gain: Any = 50.0) -> None:
        self.gain = np.broadcast_to(np.asarray(gain, float), (dyn.n,))
        if not (np.isfinite(self.gain) & (self.gain > 0.0)).all():
            raise ValueError(f"gain must be positive, not {gain}")
        self.dyn = dyn
        self.reset()

    def reset(self) -> None:
        """Begin anew: nothing is known of what came before."""
        self.external_efforts: Array = np.zeros(self.dyn.n)
        self._time: float | None = None
        self._explained: Array = np.zeros(self.dyn.n)
        self._drift: Array = self._explained

    def update(self, time: float, q: Array, qd: Array, tau: Array) -> Array:
        """External joint efforts (n,), N m or N, after a sample.

        Parameters
        ----------
        time : float
            Of the sample, s.
        q, qd : (n,)
            Positions and velocities at this time.
        tau : (n,)
            Motor efforts since the sample before.
        """
        momentum = self.dyn.mass_matrix(q) @ qd
        drift = qd @ self.dyn.coriolis_matrix(q, qd) - self.dyn.gravity(q) - self.dyn.friction(qd)
        if self._time is None or time < self._time:  # the clock was set back
            self._explained = momentum
        else:
            step = time - self._time
            # The mean of both samples; r is taken at the end: stable for steps of any size.
            self._explained = self._explained + step * (tau + (drift + self._drift) / 2.0)
            self.external_efforts = self.gain * (momentum - self._explained) / (
                1.0 + self.gain * step)
            self._explained = self._explained + step * self.external_efforts
        self._time, self._drift = time, drift
        return self.external_efforts
