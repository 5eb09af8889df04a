"""Motion of a robot in time: integrators, the simulator, controllers. No ROS."""
