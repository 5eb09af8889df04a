"""Integrators by name."""

from .adams_bashforth import AdamsBashforth4
from .adaptive import DormandPrince853, LivermoreSolver
from .base import Integrator, StepFailed
from .euler import SemiImplicitEuler
from .runge_kutta import RungeKutta4

__all__ = ["INTEGRATORS", "AdamsBashforth4", "DormandPrince853", "Integrator", "LivermoreSolver",
           "RungeKutta4", "SemiImplicitEuler", "StepFailed"]

INTEGRATORS: dict[str, type[Integrator]] = {
    "rk4": RungeKutta4,
    "ab4": AdamsBashforth4,
    "semi_implicit_euler": SemiImplicitEuler,
    "dop853": DormandPrince853,
    "lsoda": LivermoreSolver,
}
