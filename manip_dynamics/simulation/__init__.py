"""Simulation of one arm: integrators, the simulator and its recordings. No ROS."""

from .history import History
from .integrators import INTEGRATORS, Integrator
from .joints import JointPhysics
from .simulator import SimulationError, Simulator
from .tracking import track

__all__ = ["INTEGRATORS", "History", "Integrator", "JointPhysics", "SimulationError", "Simulator",
           "track"]
