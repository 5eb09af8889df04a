"""Motion of a robot in time: integrators, the simulator, trajectories, controllers. No ROS."""

from . import controllers, examples
from .cartesian import CartesianLine
from .controllers import Follow
from .history import History
from .integrators import INTEGRATORS, Integrator
from .joints import JointPhysics
from .simulator import SimulationError, Simulator
from .tracking import track
from .trajectories import Cycloidal, Quintic, Sinusoidal, Trajectory, Trapezoidal
from .waypoints import Waypoints

__all__ = ["INTEGRATORS", "CartesianLine", "Cycloidal", "Follow", "History", "Integrator",
           "JointPhysics", "Quintic", "SimulationError", "Simulator", "Sinusoidal", "Trajectory",
           "Trapezoidal", "Waypoints", "controllers", "examples", "track"]
