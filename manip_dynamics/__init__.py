"""manip_dynamics: from a URDF to the fewest-operations dynamics of that one robot."""

from . import control, simulation
from .control.linearization import Linearization, linearize
from .control.momentum_observer import MomentumObserver
from .dynamics import Dynamics
from .model.bundled import bundled_robots
from .model.errors import ModelError
from .model.inertia import Body
from .model.loading import ModelWarning, load_robot
from .model.robot import Robot
from .simulation.simulator import SimulationError, Simulator

__all__ = ["Body", "Dynamics", "Linearization", "ModelError", "ModelWarning", "MomentumObserver",
           "Robot", "SimulationError", "Simulator", "bundled_robots", "control", "linearize",
           "load_robot", "simulation"]
