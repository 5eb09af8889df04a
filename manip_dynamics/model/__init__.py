"""What the robot is: URDF -> chain -> modified DH and inertia -> minimal linear combinations."""
