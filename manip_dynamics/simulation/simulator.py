"""Simulator: the motion of one arm, by integrating its forward dynamics."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

import numpy as np

from ..codegen.toolchain import NoCompiler
from ..dynamics import Dynamics
from .compiled_loop import METHODS, CompiledLoop
from .history import History
from .integrators import INTEGRATORS, Integrator
from .joints import JointPhysics
from .loop import Controller, Diverged, Loop, PythonLoop, fastest_velocities
from .record import Record
from .step_plan import plan_steps

Array = np.ndarray

# Steps per call of the compiled loop; Ctrl-C and the progress bar are served in between.
STEPS_AT_ONCE = 20_000
# A stop that is penetrated by more than this many times its softness would catapult the arm.
DEEPEST_START = 5.0


class SimulationError(ArithmeticError):
    """The motion diverged at `time` (s), first at `joint` (its name); `history` is up to then."""

    def __init__(self, message: str, time: float, joint: str, history: History) -> None:
        super().__init__(message)
        self.time, self.joint, self.history = time, joint, history


class Simulator:
    """The state of one arm, advanced by `step` and `run`.

    Arrays are in the order of `dyn.robot.joint_names`. Attributes: `dyn`, `dt` and `controller` as
    given, `joints` with the friction and stops in effect, `substeps` per dt.

    dyn: the plant; the model of a controller may differ from it.
    dt: time step, s.
    integrator: a name from INTEGRATORS, or an Integrator.
    controller: function of (time, q (n,), qd (n,)) that returns the efforts (n,), N m or N; with
        an attribute `trajectory`, the history contains its positions as the reference.
    limits: whether to apply effort limits and joint stops.
    control_period: sampling period of the controller, s, a multiple of dt; its efforts are held
        in between. None: continuous control, evaluated at every stage of the integrator.
    stop_damping: damping of the joint stops, s/rad or s/m; 0: elastic stops (see `JointPhysics`).
    joints: friction and stops to use instead of those that `plan_steps` chooses for dt.
    """

    def __init__(
        self, dyn: Dynamics, dt: float = 1e-3, integrator: str | Integrator = "rk4",
        controller: Controller | None = None, limits: bool = True, *,
        control_period: float | None = None, stop_damping: float = 0.0,
        joints: JointPhysics | None = None,
    ) -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise ValueError(f"dt must be a positive number of seconds, not {dt}")
        if not (np.isfinite(stop_damping) and stop_damping >= 0):
            raise ValueError(f"stop_damping must be finite and not negative, not {stop_damping}")
        if isinstance(integrator, str):
            if integrator not in INTEGRATORS:
                raise ValueError(
                    f"integrator must be one of {', '.join(INTEGRATORS)}, not {integrator!r}")
            integrator = INTEGRATORS[integrator]()
        self.dyn, self.dt, self.controller = dyn, float(dt), controller
        self._hold_steps = 0 if control_period is None else self._steps_between(control_period)
        plan = plan_steps(dyn, self.dt, type(integrator), limits, stop_damping)
        self.joints = joints or plan.joints
        self.substeps = 1 if joints else plan.substeps
        self._fastest = fastest_velocities(dyn.robot, self.dt / self.substeps)
        self._loop = self._fastest_loop(integrator)
        self.reset()

    def _fastest_loop(self, integrator: Integrator) -> Loop:
        continuous_control = self.controller is not None and self._hold_steps == 0
        if self.dyn.backend == "c" and type(integrator) in METHODS and not continuous_control:
            with suppress(NoCompiler):
                return CompiledLoop(self.dyn, self.joints, type(integrator), self._fastest,
                                    self.dt, self.substeps)
        return PythonLoop(self.dyn, self.joints, integrator, self._controlled_efforts,
                          self._fastest, self.dt, self.substeps)

    # ---- state -------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Present positions (n,), rad or m; a copy."""
        return self._state[: self.dyn.robot.n].copy()

    @property
    def qd(self) -> Array:
        """Present velocities (n,), rad/s or m/s; a copy."""
        return self._state[self.dyn.robot.n :].copy()

    @property
    def time(self) -> float:
        """Time since the last reset, s."""
        return self._steps * self.dt  # summing dt would accumulate rounding errors

    @property
    def home(self) -> Array:
        """The positions (n,) nearest to zero within the joint limits, rad or m."""
        return np.clip(0.0, self.joints.lower, self.joints.upper)

    def reset(self, q: Any = None, qd: Any = None) -> None:
        """Restart at time 0 from q (n,), default `home`, and qd (n,), default 0."""
        self.set_state(q, qd)
        self._steps = 0

    def set_state(self, q: Any = None, qd: Any = None) -> None:
        """Set the state to q (n,), default `home`, and qd (n,), default 0; the time is kept.

        Raises ValueError if q is far beyond a joint limit.
        """
        q = self.home if q is None else self._vector("q", q)
        outside = np.maximum(self.joints.lower - q, q - self.joints.upper)
        deep = outside > DEEPEST_START * self.joints.stop_softness
        if deep.any():
            j = int(np.argmax(deep))
            raise ValueError(f"q: joint '{self.dyn.robot.joint_names[j]}' cannot start at "
                             f"{q[j]:g}, outside its limits {self.joints.lower[j]:g} to "
                             f"{self.joints.upper[j]:g} (limits=False or --no-limits ignores "
                             "them)")
        self._state = np.concatenate([q, self._vector("qd", qd)])
        self._held: Array | None = None  # efforts of a sampled controller
        self._held_until = 0  # the step at which it is called next
        self._loop.restart()

    def energy(self, q: Any = None, qd: Any = None) -> Array:
        """Kinetic energy plus potential energy of gravity and stops, J.

        A scalar for the present state or q, qd (n,); (N,) for (N, n), e.g. those of a History.
        """
        q = self.q if q is None else np.asarray(q, float)
        qd = self.qd if qd is None else np.asarray(qd, float)
        added = (self.joints.added_inertia * qd**2).sum(-1) / 2
        return sum(self.dyn.energy(q, qd)) + added + self.joints.stop_energy(q)

    # ---- motion ------------------------------------------------------------------------------

    def step(self, tau: Any = None) -> None:
        """Advance by dt under the efforts tau (n,), N m or N, default 0, or the controller."""
        given = self._given_efforts(tau, 1)
        record = Record(self._state, 1, 1)
        try:
            self._advance(given, record)
        except Diverged as diverged:
            raise self._error(diverged, record, given) from None

    def run(self, duration: float, tau: Any = None, every: int = 1, *,
            progress: bool = False) -> History:
        """Advance by `duration` s, rounded to whole steps, and return the motion.

        tau: efforts (n,), or (steps, n) with one row per step, N m or N; default 0. Not allowed
            with a controller.
        every: record every so many steps; the first and the last state are always recorded.
        progress: show a progress bar on stderr if it is a terminal and the run takes a while.

        Raises SimulationError, with the history so far, if the motion diverges.
        """
        if not (np.isfinite(duration) and duration >= 0):
            raise ValueError(f"duration must be a number of seconds, not {duration}")
        if every < 1:
            raise ValueError(f"every must be a positive number of steps, not {every}")
        steps = round(duration / self.dt)
        given = self._given_efforts(tau, steps)
        record = Record(self._state, steps, every)
        try:
            with _progress_bar(steps * self.dt) if progress else nullcontext() as bar:
                while record.done < steps:
                    self._advance(given, record)
                    if bar is not None:
                        bar.update(record.done * self.dt - bar.n)
            return self._history(record, given, self._acting_efforts(given, record))
        except Diverged as diverged:
            raise self._error(diverged, record, given) from None

    def _advance(self, given: Array | None, record: Record) -> None:
        """Advance by as many steps as one call of the loop can do."""
        count = record.steps - record.done
        if given is not None:
            count = min(count, STEPS_AT_ONCE)
            held: Array | None = given if len(given) == 1 else given[record.done :][:count]
        else:
            count = min(count, record.every - record.phase)
            tau = self._acting_efforts(given, record)
            if record.phase == 0:
                record.keep_efforts(tau)
            if self._hold_steps:
                count = min(count, self._hold_steps - self._steps % self._hold_steps)
            held = tau[None] if self._hold_steps else None
        try:
            self._loop.advance(self.time, self._state, held, count, record.every, record.phase,
                               record.to_fill)
        except Diverged as diverged:
            count = diverged.done
            raise
        finally:
            self._steps += count
            record.done += count

    # ---- efforts -----------------------------------------------------------------------------

    def _given_efforts(self, tau: Any, steps: int) -> Array | None:
        """The argument tau as (1, n) or (steps, n); None with a controller."""
        n = self.dyn.robot.n
        if self.controller is not None:
            if tau is not None:
                raise ValueError("tau cannot be given: this simulator has a controller")
            return None
        if np.ndim(tau) < 2:
            return self._vector("tau", tau)[None]
        rows = np.array(tau, float)
        if rows.shape != (steps, n):
            raise ValueError(f"tau must have shape ({n},) or ({steps}, {n}), not {rows.shape}")
        if not np.isfinite(rows).all():
            raise ValueError("tau contains NaN or infinity")
        return rows if steps else np.zeros((1, n))

    def _acting_efforts(self, given: Array | None, record: Record) -> Array:
        """The efforts (n,) commanded now."""
        if given is not None:
            return given[min(record.done, len(given) - 1)]
        if self._hold_steps == 0:
            return self._controlled_efforts(self.time, self.q, self.qd)
        if self._held is None or self._steps >= self._held_until:
            self._held = self._controlled_efforts(self.time, self.q, self.qd)
            self._held_until = self._steps + self._hold_steps - self._steps % self._hold_steps
        return self._held

    def _controlled_efforts(self, time: float, q: Array, qd: Array) -> Array:
        assert self.controller is not None
        tau = np.asarray(self.controller(time, q, qd), float)
        if tau.shape != q.shape:
            raise ValueError(f"the controller must return shape {q.shape}, not {tau.shape}")
        if not np.isfinite(tau).all():
            joint = int(np.argmin(np.isfinite(tau)))
            raise Diverged(self._state, joint, f"the controller returned {tau[joint]}")
        return tau

    # ---- results -----------------------------------------------------------------------------

    def _history(self, record: Record, given: Array | None, last_tau: Any) -> History:
        robot = self.dyn.robot
        steps, states, efforts = record.finished(self._state, last_tau)
        if given is not None:
            efforts = given[np.minimum(steps, len(given) - 1)]
        t = (self._steps - record.done + steps) * self.dt
        trajectory = getattr(self.controller, "trajectory", None)
        return History(
            robot.joint_names, robot.mdh.kind, t, states[:, : robot.n], states[:, robot.n :],
            self.joints.motor_efforts(efforts), None if trajectory is None else trajectory(t)[0])

    def _error(self, diverged: Diverged, record: Record, given: Array | None) -> SimulationError:
        """The time, joint and cause, with the history so far."""
        joint, reason = diverged.joint, diverged.reason
        if joint is None:
            speed = abs(diverged.state[self.dyn.robot.n :]) / self._fastest
            lost = ~np.isfinite(diverged.state).reshape(2, -1).all(0)
            joint = int(np.argmax(np.where(lost, np.inf, speed)))
            unit = "rad/s" if self.dyn.robot.joints[joint].revolute else "m/s"
            symptom = (f"it moves at {diverged.state[self.dyn.robot.n + joint]:.3g} {unit}"
                       if not lost[joint] else "its state is no longer finite")
            reason = (f"{symptom}; a smaller dt than {self.dt:g} s"
                      f"{' or lower gains' if self.controller else ''} may help")
        name = self.dyn.robot.joint_names[joint]
        history = self._history(record, given, np.nan)
        return SimulationError(f"the motion blew up at t = {self.time:.6g} s, joint '{name}': "
                               f"{reason}", self.time, name, history)

    def _steps_between(self, control_period: float) -> int:
        steps = round(control_period / self.dt) if np.isfinite(control_period) else 0
        if steps < 1 or abs(steps * self.dt - control_period) > 1e-6 * control_period:
            raise ValueError(f"control_period must be a multiple of dt = {self.dt:g} s, "
                             f"not {control_period:g}")
        return steps

    def _vector(self, name: str, values: Any) -> Array:
        n = self.dyn.robot.n
        vector = np.zeros(n) if values is None else np.array(values, float)
        if vector.shape != (n,):
            raise ValueError(f"{name} must have shape ({n},), not {vector.shape}")
        if not np.isfinite(vector).all():
            raise ValueError(f"{name} contains NaN or infinity")
        return vector


def _progress_bar(duration: float) -> Any:
    from tqdm import tqdm

    return tqdm(total=duration, delay=1.0, leave=False, disable=None, bar_format=(
        "simulating {percentage:3.0f}%|{bar}| t = {n:.4g} of {total:.4g} s, {remaining} left"))
