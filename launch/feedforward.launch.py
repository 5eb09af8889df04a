"""Run the dynamics node with the driver of a real arm.

    ros2 launch manip_dynamics feedforward.launch.py commands:=/effort_controller/commands
    ros2 launch manip_dynamics feedforward.launch.py robot:=/path/arm.urdf namespace:=left

The driver publishes `joint_states` and applies the efforts from `dynamics/feedforward` (by name) or
`commands` (by index). Without `robot`, the URDF is read from the topic `robot_description`.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from manip_dynamics.control.effort_policy import MODES

ARGUMENTS = (
    DeclareLaunchArgument(
        "robot",
        default_value="",
        description="bundled robot or path of a URDF file; empty: use the topic robot_description",
    ),
    DeclareLaunchArgument("namespace", default_value="", description="ROS namespace of the node"),
    DeclareLaunchArgument(
        "mode",
        default_value="feedforward",
        choices=list(MODES),
        description="how efforts are computed",
    ),
    DeclareLaunchArgument(
        "terms",
        default_value="inertia,coriolis,gravity,friction",
        description="terms of the efforts; leave out what the driver compensates itself",
    ),
    DeclareLaunchArgument(
        "commands",
        default_value="dynamics/commands",
        description="effort topic of a ros2_control forward command controller",
    ),
    DeclareLaunchArgument(
        "params_file", default_value="", description="YAML file with additional parameters"
    ),
)


def actions(context: LaunchContext) -> list:
    """Return the node configured by the launch arguments."""
    value = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    chosen = {
        "robot": value["robot"],
        "mode": value["mode"],
        "terms": value["terms"].replace(" ", "").split(","),
    }
    return [
        Node(
            package="manip_dynamics",
            executable="dynamics_node",
            namespace=value["namespace"],
            parameters=[*([value["params_file"]] if value["params_file"] else []), chosen],
            remappings=[("dynamics/commands", value["commands"])],
            output="screen",
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Return the description for `ros2 launch`."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=actions)])
