"""Dynamics: the one object users work with. Numpy in, numpy out, one state or many.

    tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) - J(q)^T w

with w the wrench (force, moment) that the environment applies to the tip, expressed in the base
link at the tip origin. M and C include the rotors if the robot has any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .algorithms import kinematics, newton_euler, regressor, rotor
from .algorithms.energy import potential_energy
from .algorithms.friction import net_efforts
from .algorithms.task_space import task_space_terms
from .codegen import arguments, kernels
from .codegen.quantities import DYNAMICS, LOADED, PAYLOAD, QUANTITIES, without_gravity
from .codegen.references import INVERSE_DYNAMICS, MASS_MATRIX
from .codegen.results import (
    PARTS,
    Energy,
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    Load,
    TaskSpace,
    in_parts,
)
from .model.robot import Robot

TERMS = ("inertia", "coriolis", "gravity", "friction")

# The inertia at the tip grows with the square of the Jacobian's condition number: beyond this value
# double precision has no correct digits left.
SINGULAR = 1e8

Array = np.ndarray


# Quantities that depend on payload and gravity: the one to run instead, and its inputs set to 0.
_WHERE_LOADED: dict[str, tuple[str, tuple[str, ...]]] = {
    **{quantity.unloaded: (quantity.name, ()) for quantity in QUANTITIES.values()
       if quantity.name.endswith(LOADED) and quantity.library},
    "weightless_inverse_dynamics": (f"rigid_inverse_dynamics{LOADED}", ()),
    "bias": (f"rigid_inverse_dynamics{LOADED}", ("qdd",)),
    "gravity": (f"rigid_inverse_dynamics{LOADED}", ("qd", "qdd")),
}


class Dynamics:
    """The dynamics of one robot.

    Positions in rad or m, velocities and accelerations per s and s^2, efforts in N m or N, all in
    the order of `robot.joint_names`. Every argument is (n,) for one state or (N, n) for many; the
    result has the same leading axis. `out` is an array for the result; `threads` is the number of
    threads that share a batch. Wrong shapes, NaN and infinities raise ValueError.

    backend: "c" is compiled for this robot, "python" needs no compiler, "auto" takes what works.
    """

    def __init__(self, robot: Robot, backend: str = "auto") -> None:
        self._set_up(robot, backend, kernels.load(robot.bare_chain, backend, robot.name))

    def _set_up(self, robot: Robot, backend: str, compiled: kernels.Kernels) -> None:
        self.robot = robot
        self.n: int = robot.n
        self._wanted_backend = backend
        self._compiled = compiled
        self._load: Load | None = None
        if robot.payload is not None or robot.bare_chain.gravity != compiled.chain.gravity:
            self._load = Load(robot.payload_parameters, np.array(robot.bare_chain.gravity))
        self._kernels: dict[str, kernels.Kernel] = {}
        self._lengths = {"q": self.n, "qd": self.n, "qdd": self.n, "tau": self.n, "w": self.n,
                         "tip_wrench": 6}
        for name in _SERVED_AT_ONCE if self._load is None else _LOADED_AT_ONCE:
            self._shorten(name)

    def _shorten(self, name: str) -> None:
        """Replace the method of a quantity by its compiled form: a Python wrapper would take as
        long as the kernel itself."""
        quantity, zeros = (name, ()) if self._load is None else _WHERE_LOADED.get(name, (name, ()))
        if not zeros:
            parts = PARTS.get(name)
            self.__dict__[name] = self._compiled.entry(
                quantity, getattr(type(self), name).__get__(self), self._bound(quantity), parts)

    def _bound(self, quantity: str) -> Sequence[Array]:
        return self._load if self._load is not None and quantity.endswith(LOADED) else ()

    def __repr__(self) -> str:
        how = "compiled" if self.backend == "c" else "in Python"
        return f"<Dynamics of '{self.robot.name}': {self.n} joints, {how}>"

    @property
    def backend(self) -> str:
        """The backend in use: "c" or "python"."""
        return self._compiled.backend

    def with_robot(self, robot: Robot) -> Dynamics:
        """The dynamics of another robot; this object stays usable.

        If only payload or gravity differ, kernels are compiled at most once. A child process does
        it, so that other threads of this one, such as a control loop, keep running.
        """
        mine, other = self._compiled.chain, robot.bare_chain
        if other is mine or replace(other, gravity=mine.gravity) == mine:
            if robot.payload is not None or other.gravity != mine.gravity:
                self._compiled.prepare(PAYLOAD)
            dyn = object.__new__(Dynamics)
            dyn._set_up(robot, self._wanted_backend, self._compiled)
            return dyn
        if self.backend == "c":
            kernels.compile_in_child(robot.bare_chain)
        return Dynamics(robot, self._wanted_backend)

    def with_payload(self, payload: Any) -> Dynamics:
        """The same arm with another payload (see `Robot.with_payload`); only the first compiles."""
        return self.with_robot(self.robot.with_payload(payload))

    def with_gravity(self, gravity: Sequence[float]) -> Dynamics:
        """The same arm in another gravity (3,), m/s^2 in the base link; as `with_payload`."""
        return self.with_robot(self.robot.with_gravity(gravity))

    def __reduce__(self) -> tuple:
        return Dynamics, (self.robot, self._wanted_backend)

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, algorithm: str = "auto", tip_wrench: Any = None,
        terms: Iterable[str] = TERMS, out: Array | None = None, threads: int = 1,
    ) -> Array:
        """Joint efforts (n,) that produce the accelerations qdd.

        algorithm: "auto", the cheapest for this robot, or one of INVERSE_DYNAMICS by name.
        tip_wrench: force and moment (6,) on the tip, in the base link at the tip origin.
        terms: which of inertia, coriolis, gravity and friction to include.
        """
        included = _included(terms)
        function = _algorithm(algorithm, INVERSE_DYNAMICS)
        q, qd, qdd = self._states(q=q, qd=qd, qdd=qdd)
        if function is None and tip_wrench is None and len(included) == len(TERMS):
            return self._run("inverse_dynamics", (q, qd, qdd), out, threads)

        moving = qd if "coriolis" in included else np.zeros_like(qd)
        accelerating = qdd if "inertia" in included else np.zeros_like(qdd)
        tip = 0.0 if tip_wrench is None else self._tip_efforts(q, tip_wrench)
        rigid = partial(self._rigid_efforts, function, threads)
        tau = rigid("gravity" in included, q, moving, accelerating) - tip
        if "friction" in included and self.robot.chain.has_friction:
            if self.robot.chain.has_load_friction:  # it depends on all the joints transmit
                load = rigid(True, q, qd, qdd) - tip
                tau += self._run("friction_under_load", (qd, load), None, threads)
            else:
                tau += self._run("friction", (qd,), None, threads)
        return arguments.copied(tau, out)

    def mass_matrix(self, q: Any, algorithm: str = "auto", out: Array | None = None,
                    threads: int = 1) -> Array:
        """M(q), (n, n), including rotor inertia.

        algorithm: "auto", the cheapest for this robot, or one of MASS_MATRIX by name.
        """
        function = _algorithm(algorithm, MASS_MATRIX)
        (q,) = self._states(q=q)
        if function is None:
            return self._run("mass_matrix", (q,), out, threads)
        matrix = _evaluated(function, self.robot.chain, (q,), (self.n, self.n))
        if self.robot.chain.has_rotors:
            matrix += _evaluated(rotor.mass_matrix, self.robot.chain, (q,), (self.n, self.n))
        return arguments.copied(matrix, out)

    def bias(self, q: Any, qd: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Coriolis, centrifugal and gravity efforts (n,), without friction."""
        return self._run("bias", self._states(q=q, qd=qd), out, threads)

    def gravity(self, q: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Efforts (n,) that hold the arm against gravity."""
        return self._run("gravity", self._states(q=q), out, threads)

    def friction(self, qd: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Friction efforts (n,), without the part that depends on the load of a joint."""
        return self._run("friction", self._states(qd=qd), out, threads)

    def inverse_dynamics_derivatives(
        self, q: Any, qd: Any, qdd: Any, tip_wrench: Any = None, out: Array | None = None,
        threads: int = 1,
    ) -> InverseDynamicsDerivatives:
        """Derivatives (n, n) of the efforts with respect to q, qd and qdd: row i is effort i.

        The slope of Coulomb friction is taken as 0, ignoring its jump. out: (n, 3n), for all three.
        """
        q, qd, qdd = self._states(q=q, qd=qd, qdd=qdd)
        rows = self._run("inverse_dynamics_derivatives", (q, qd, qdd), out, threads)
        if tip_wrench is not None:
            rows[..., :self.n] -= self._tip_slope(q, tip_wrench)
        return in_parts(InverseDynamicsDerivatives, rows)

    def forward_dynamics_derivatives(
        self, q: Any, qd: Any, tau: Any, tip_wrench: Any = None, out: Array | None = None,
        threads: int = 1,
    ) -> ForwardDynamicsDerivatives:
        """Derivatives (n, n) of the accelerations with respect to q, qd and tau.

        out: (n, 3n), for all three.
        """
        q, qd, tau = self._states(q=q, qd=qd, tau=tau)
        slope = None
        if tip_wrench is not None:
            slope, tau = self._tip_slope(q, tip_wrench), tau + self._tip_efforts(q, tip_wrench)
        rows = self._run("forward_dynamics_derivatives", (q, qd, tau), out, threads)
        if slope is not None:
            rows[..., :self.n] += rows[..., 2 * self.n:] @ slope
        return in_parts(ForwardDynamicsDerivatives, rows)

    def inverse_dynamics_vjp(self, q: Any, qd: Any, qdd: Any, w: Any, out: Array | None = None,
                             threads: int = 1) -> Array:
        """w^T d tau / d(q, qd, qdd), (3n,): the gradient of w . tau."""
        return self._run("inverse_dynamics_vjp", self._states(q=q, qd=qd, qdd=qdd, w=w), out,
                         threads)

    def mass_matrix_inverse(self, q: Any, out: Array | None = None, threads: int = 1) -> Array:
        """M(q)^-1, (n, n)."""
        return self._run("mass_matrix_inverse", self._states(q=q), out, threads)

    def coriolis_matrix(self, q: Any, qd: Any, out: Array | None = None,
                        threads: int = 1) -> Array:
        """C(q, qd), (n, n), with C qd the Coriolis efforts and dM/dt - 2 C skew-symmetric."""
        return self._run("coriolis_matrix", self._states(q=q, qd=qd), out, threads)

    def forward_dynamics(self, q: Any, qd: Any, tau: Any, tip_wrench: Any = None,
                         friction: bool = True, out: Array | None = None,
                         threads: int = 1) -> Array:
        """Accelerations (n,) caused by the efforts tau and the tip wrench (6,).

        friction: False if friction has already been subtracted from tau.
        """
        q, qd, tau = self._states(q=q, qd=qd, tau=tau)
        rigid = not friction and self.robot.chain.has_friction
        if tip_wrench is not None:
            if friction and self.robot.chain.has_load_friction:
                tau = _evaluated(net_efforts, self.robot.chain, (qd, tau), (self.n,))
                rigid = True
            tau = tau + self._tip_efforts(q, tip_wrench)
        return self._run("rigid_forward_dynamics" if rigid else "forward_dynamics", (q, qd, tau),
                         out, threads)

    def jacobian(self, q: Any, out: Array | None = None, threads: int = 1) -> Array:
        """J(q), (6, n): linear, then angular velocity of the tip, in the base link."""
        return self._run("jacobian", self._states(q=q), out, threads)

    def forward_kinematics(self, q: Any, out: Array | None = None, threads: int = 1) -> Array:
        """Pose of the tip in the base link, (4, 4)."""
        return self._run("forward_kinematics", self._states(q=q), out, threads)

    def regressor(self, q: Any, qd: Any, qdd: Any) -> Array:
        """Y (n, p) with Y @ robot.mlc.values = rigid-body efforts, without rotors or friction."""
        states = self._states(q=q, qd=qd, qdd=qdd)
        combinations = self.robot.mlc
        return _evaluated(regressor.regressor, combinations, states,
                          (self.n, len(combinations.values)))

    def reaction_wrenches(self, q: Any, qd: Any, qdd: Any, tip_wrench: Any = None) -> Array:
        """Force and moment (n, 6) that link i-1 exerts on link i, at O_i in frame i (Tsai 9.7)."""
        states = self._states(q=q, qd=qd, qdd=qdd)
        if tip_wrench is not None:
            states = [*states, self._wrench(tip_wrench, states[0])]
        return _evaluated(newton_euler.reaction_wrenches, self.robot.chain, states, (self.n, 6))

    def task_space(self, q: Any, qd: Any) -> TaskSpace:
        """Inertia, velocity and gravity terms at the tip (Tsai 9.10), for six joints or more.

        If the Jacobian is singular, the tip cannot accelerate in every direction and its inertia
        is infinite; this raises ValueError.
        """
        q, qd = self._states(q=q, qd=qd)
        jacobian = self.jacobian(q)
        values = np.linalg.svd(jacobian, compute_uv=False)
        with np.errstate(divide="ignore"):
            condition = values[..., 0] / values[..., -1] if self.n >= 6 else np.full(
                values.shape[:-1], np.inf)
        worst = np.max(condition, initial=0.0)
        if worst > SINGULAR:
            why = (f"an arm with {self.n} joints cannot move its tip in all six directions"
                   if self.n < 6 else
                   f"the Jacobian is singular here (condition number {worst:.1e})")
            raise ValueError(f"task_space: {why}")
        rest = np.zeros_like(q)
        coriolis = self._run("weightless_inverse_dynamics", (q, qd, rest), None, 1)
        rate = _evaluated(kinematics.jacobian_rate_times_velocity, self.robot.chain, (q, qd), (6,))
        columns = (self.mass_matrix(q), coriolis, self.gravity(q), jacobian, rate)
        terms = task_space_terms(*(
            arguments.last_axes_first(array, q.ndim - 1) for array in columns))
        shapes = ((6, 6), (6,), (6,))
        inertia, velocity, gravity = (arguments.stacked(part, q.shape[:-1], shape)
                                      for part, shape in zip(terms, shapes))
        return TaskSpace(inertia, velocity, gravity, jacobian, condition)

    def energy(self, q: Any, qd: Any) -> Energy:
        """Kinetic and potential energy, J."""
        q, qd = self._states(q=q, qd=qd)
        kinetic = np.einsum("...i,...ij,...j->...", qd, self.mass_matrix(q), qd) / 2
        return Energy(kinetic, _evaluated(potential_energy, self.robot.chain, (q,), ()))

    def operation_counts(self) -> Mapping[str, dict[str, int]]:
        """Multiplications, additions, divisions and sincos of every compiled quantity."""
        return self._compiled.counts()

    def kernel_address(self, quantity: str) -> int | None:
        """Address of a quantity's C function (codegen/quantities.py), for other compiled code.

        Its arguments are the inputs and the result, `double *` each. None without C; valid as long
        as this object lives. Names of quantities that take payload and gravity end with `LOADED`;
        these take the vectors of `load` after the other inputs.
        """
        return self._compiled.address(quantity)

    @property
    def load(self) -> Load | None:
        """Payload and gravity, if they differ from those the kernels are compiled for."""
        return self._load

    def _states(self, **values: Any) -> list[Array]:
        return arguments.states(self._lengths, self.robot.joint_names, **values)

    def _run(self, quantity: str, inputs: Any, out: Array | None, threads: int) -> Array:
        name, shape = quantity, self._compiled.signatures[quantity].shape
        if self._load is not None:
            name, zeros = _WHERE_LOADED.get(quantity, (quantity, ()))
            inputs = [*inputs, *[np.zeros_like(inputs[0])] * len(zeros)]
        kernel = self._kernels.get(quantity)
        if kernel is None:
            bound = self._bound(name)
            if bound and quantity == "weightless_inverse_dynamics":
                bound = (bound[0], np.zeros(3))
            kernel = self._kernels[quantity] = self._compiled.kernel(name, bound)
            if hasattr(type(self), quantity):
                self._shorten(quantity)
        return arguments.run(kernel, inputs, shape, out, threads)

    def _rigid_efforts(self, algorithm: Callable | None, threads: int, weight: bool, q: Array,
                       qd: Array, qdd: Array) -> Array:
        """Efforts of links and rotors, without friction."""
        chain = self.robot.chain
        if algorithm is None:
            tau = self._run("weightless_inverse_dynamics", (q, qd, qdd), None, threads)
            return tau + self._run("gravity", (q,), None, threads) if weight else tau
        tau = _evaluated(algorithm, chain if weight else without_gravity(chain), (q, qd, qdd),
                         (self.n,))
        if chain.has_rotors:
            tau += _evaluated(rotor.inverse_dynamics, chain, (q, qd, qdd), (self.n,))
        return tau

    def _tip_slope(self, q: Array, tip_wrench: Any) -> Array:
        if self.robot.chain.has_load_friction:
            raise ValueError("tip_wrench: no derivatives where friction depends on the load")
        return self._run("tip_efforts_derivatives", (q, self._wrench(tip_wrench, q)), None, 1)

    def _tip_efforts(self, q: Array, tip_wrench: Any) -> Array:
        return self._run("tip_efforts", (q, self._wrench(tip_wrench, q)), None, 1)

    def _wrench(self, tip_wrench: Any, q: Array) -> Array:
        """The wrench as (6,), or one per state."""
        (wrench,) = self._states(tip_wrench=tip_wrench)
        if wrench.ndim < q.ndim:
            wrench = np.tile(wrench, (len(q), 1))
        if wrench.shape[:-1] != q.shape[:-1]:
            raise ValueError(f"tip_wrench has shape {wrench.shape}, which does not fit q with "
                             f"shape {q.shape}")
        return wrench


# Methods that have their compiled form from the start; others get it on their first call.
_SERVED_AT_ONCE = tuple(name for name, quantity in QUANTITIES.items()
                        if quantity.library == DYNAMICS and hasattr(Dynamics, name))
_LOADED_AT_ONCE = tuple(name for name in _SERVED_AT_ONCE if name + LOADED in QUANTITIES)


def _included(terms: Iterable[str]) -> frozenset[str]:
    included = frozenset([terms] if isinstance(terms, str) else terms)
    for term in sorted(included - set(TERMS)):
        raise ValueError(f"terms: unknown term {term!r}; choose among {', '.join(TERMS)}")
    return included


def _algorithm(name: str, known: Mapping[str, Callable]) -> Callable | None:
    if name == "auto":
        return None
    if name not in known:
        raise ValueError(f"algorithm must be one of {', '.join(('auto', *known))}, not {name!r}")
    return known[name]


def _evaluated(function: Callable, model: Any, states: Iterable[Array],
               shape: tuple[int, ...]) -> Array:
    """Evaluate a generic algorithm on arrays."""
    return arguments.evaluated(partial(function, model), list(states), shape)
