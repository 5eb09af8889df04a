"""The time loop in Python, for any integrator and for continuous control."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..dynamics import Dynamics
from ..model.robot import Robot
from .integrators import Integrator, StepFailed
from .joints import JointPhysics

Array = np.ndarray
Controller = Callable[[float, Array, Array], Array]  # time, q (n,), qd (n,) to efforts (n,)

# A motion in which a revolute joint turns further in one step counts as diverged.
LARGEST_TURN = math.pi  # rad


class Diverged(ArithmeticError):
    """The motion diverged at `state` (2n,), after `done` good steps.

    `joint` (an index) and `reason` are given if the state itself does not show the cause.
    """

    def __init__(self, state: Array, joint: int | None = None, reason: str = "") -> None:
        super().__init__(reason)
        self.state, self.joint, self.reason = state, joint, reason
        self.done = 0


class Loop(Protocol):
    """Advances a state (2n,), positions and velocities, by steps of fixed length."""

    def restart(self) -> None:
        """Forget earlier steps, because the state has jumped."""

    def advance(self, time: float, state: Array, tau: Array | None, steps: int, every: int = 1,
                phase: int = 0, kept: Array | None = None) -> None:
        """Advance `state` in place by so many steps from `time`, s; raise Diverged if that fails.

        tau: efforts (1, n) held throughout, or (steps, n); None: those of the controller.
        every, phase, kept: the state is written to the rows of `kept` (N, 2n), in order, after
            each step k = 1, 2, .. for which phase + k is a multiple of `every`.
        """


class PythonLoop:
    """The general loop.

    fastest: velocities (n,) beyond which the motion counts as diverged, rad/s or m/s.
    dt: time step, s, divided into `substeps` integration steps.
    """

    def __init__(self, dyn: Dynamics, joints: JointPhysics, integrator: Integrator,
                 controller: Controller | None, fastest: Array, dt: float, substeps: int) -> None:
        self._dyn, self._joints, self._integrator = dyn, joints, integrator
        self._controller = controller
        self._n, self._dt, self._substeps = dyn.robot.n, dt, substeps
        self._fastest = fastest
        self.restart()

    def restart(self) -> None:
        self._integrator.restart()
        self._held: Array | None = None

    def advance(self, time: float, state: Array, tau: Array | None, steps: int, every: int = 1,
                phase: int = 0, kept: Array | None = None) -> None:
        rows = iter(() if kept is None else kept)
        # An overflow ends in Diverged; numpy need not warn of it.
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(steps):
                if tau is not None:
                    self._hold(tau[min(k, len(tau) - 1)], lasting=len(tau) == 1)
                try:
                    state[:] = self._step(time + k * self._dt, state)
                except Diverged as diverged:
                    diverged.done = k
                    raise
                if kept is not None and (phase + k + 1) % every == 0:
                    next(rows)[:] = state

    def _hold(self, tau: Array, lasting: bool) -> None:
        if self._held is None or not np.array_equal(tau, self._held):
            self._held = tau.copy()
            self._integrator.restart(math.inf if lasting else self._dt)

    def _step(self, time: float, state: Array) -> Array:
        h = self._dt / self._substeps
        for i in range(self._substeps):
            try:
                state = self._integrator.step(self._derivative, time + i * h, state, h)
            except StepFailed as failed:
                qdd = self._derivative(time + i * h, state)[self._n :]
                raise Diverged(state, int(np.argmax(abs(qdd))), "its acceleration changes faster "
                               "than the integrator can follow") from failed
            if not (abs(state[self._n :]) < self._fastest).all() or not np.isfinite(state).all():
                raise Diverged(state)
        return state

    def _derivative(self, time: float, state: Array) -> Array:
        if not np.isfinite(state).all():
            raise Diverged(state)
        q, qd = state[: self._n], state[self._n :]
        if self._held is not None:
            tau = self._held
        else:
            assert self._controller is not None
            tau = self._controller(time, q, qd)
        try:
            return np.concatenate([qd, self._accelerations(q, qd, tau)])
        except (ValueError, np.linalg.LinAlgError) as error:
            raise Diverged(state) from error

    def _accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        efforts = self._joints.efforts(tau, q, qd)
        if self._joints.adds_inertia:
            inertia = self._dyn.mass_matrix(q) + np.diag(self._joints.added_inertia)
            return np.linalg.solve(inertia, efforts - self._dyn.bias(q, qd))
        return self._dyn.forward_dynamics(q, qd, efforts, friction=False)


def fastest_velocities(robot: Robot, step: float) -> Array:
    """Velocities (n,) beyond which a motion with this step, s, counts as diverged; rad/s or m/s."""
    turning = [joint.revolute for joint in robot.joints]
    return np.where(turning, LARGEST_TURN / step, math.inf)
