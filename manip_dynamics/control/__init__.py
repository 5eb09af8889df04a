"""Trajectories, controllers, and the effort policy of the dynamics node. No ROS, no simulator."""

from .cartesian import CartesianLine
from .controllers import Follow
from .trajectories import Cycloidal, Quintic, Sinusoidal, Trajectory, Trapezoidal
from .waypoints import Waypoints

__all__ = ["CartesianLine", "Cycloidal", "Follow", "Quintic", "Sinusoidal", "Trajectory",
           "Trapezoidal", "Waypoints"]
