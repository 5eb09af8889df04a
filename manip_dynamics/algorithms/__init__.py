"""The papers, one algorithm per file, over generic scalars: no ROS, no input or output."""
