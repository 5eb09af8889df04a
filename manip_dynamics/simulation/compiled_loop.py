"""The time loop in C, for fixed-step integrators and efforts that are held during each step."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import resources

import numpy as np

from ..codegen import toolchain
from ..codegen.quantities import LOADED
from ..dynamics import Dynamics
from .integrators import AdamsBashforth4, Integrator, RungeKutta4, SemiImplicitEuler
from .joints import JointPhysics
from .loop import Diverged

Array = np.ndarray

METHODS: tuple[type[Integrator], ...] = (RungeKutta4, AdamsBashforth4, SemiImplicitEuler)


class CompiledLoop:
    """Advances a state (2n,) as `PythonLoop` does, about 100 times faster.

    Raises NoCompiler if a kernel of `dyn` that it calls is not compiled.
    """

    def __init__(self, dyn: Dynamics, joints: JointPhysics, method: type[Integrator],
                 fastest: Array, dt: float, substeps: int) -> None:
        self._dyn = dyn  # keeps the kernels loaded
        kernels = {field: dyn.kernel_address(name) for field, name in (
            _KERNELS if dyn.load is None else _LOADED_KERNELS).items()}
        if None in [address for name, address in kernels.items()
                    if name != "net_efforts" or joints.has_friction]:
            raise toolchain.NoCompiler("a kernel that the loop calls is not compiled")
        self._library, structure = _library(dyn.n, dyn.load is not None)
        addresses = {} if dyn.load is None else {
            name: array.ctypes.data for name, array in dyn.load._asdict().items()}
        self._simulation = structure(
            **kernels, **addresses, method=METHODS.index(method), substeps=substeps,
            has_friction=joints.has_friction,
            adds_inertia=joints.adds_inertia, h=dt / substeps, fastest=tuple(fastest),
            **{name: tuple(getattr(joints, name)) for name in _JOINT_FIELDS})

    def restart(self) -> None:
        self._simulation.remembered = 0

    def advance(self, time: float, state: Array, tau: Array | None, steps: int, every: int = 1,
                phase: int = 0, kept: Array | None = None) -> None:
        assert tau is not None
        tau = np.ascontiguousarray(tau)  # a controller may return any view
        done = self._library.advance(
            self._simulation, state.ctypes.data, tau.ctypes.data, len(tau), steps, every, phase,
            None if kept is None else kept.ctypes.data)
        if done < steps:
            diverged = Diverged(np.array(self._simulation.lost))
            diverged.done = done
            raise diverged


# Members of `struct simulation` and the quantities that they call.
_KERNELS = {name: name for name in ("rigid_forward_dynamics", "mass_matrix", "bias", "net_efforts")}
_LOADED_KERNELS = {
    "rigid_forward_dynamics": f"rigid_forward_dynamics{LOADED}",
    "mass_matrix": f"mass_matrix{LOADED}",
    "bias": f"rigid_inverse_dynamics{LOADED}",
    "net_efforts": "net_efforts",
}
_JOINT_FIELDS = ("friction_velocity", "max_effort", "lower", "upper",
                 "stop_stiffness", "stop_softness", "stop_damping", "added_inertia")


@cache
def _library(n: int, loaded: bool) -> tuple[ctypes.CDLL, type[ctypes.Structure]]:
    """c/loop.c compiled for n joints, and its `struct simulation`."""
    source = resources.files(__package__).joinpath("c/loop.c").read_text()
    sources = [f"#define N {n}", *(["#define LOADED"] if loaded else []), source]
    library = toolchain.load(toolchain.library("simulation_loop", sources, sources))
    vector = ctypes.c_double * n

    class Simulation(ctypes.Structure):
        _fields_ = [
            *((name, ctypes.c_void_p) for name in (*_KERNELS, "payload", "gravity")),
            *((name, ctypes.c_int64)
              for name in ("method", "substeps", "has_friction", "adds_inertia")),
            ("h", ctypes.c_double),
            *((name, vector) for name in (*_JOINT_FIELDS, "fastest", "held")),
            ("remembered", ctypes.c_int64),
            ("earlier", ctypes.c_double * (6 * n)),
            ("lost", ctypes.c_double * (2 * n)),
        ]

    library.advance.argtypes = [
        ctypes.POINTER(Simulation), ctypes.c_void_p, ctypes.c_void_p,
        *[ctypes.c_int64] * 4, ctypes.c_void_p]
    library.advance.restype = ctypes.c_int64
    return library, Simulation
