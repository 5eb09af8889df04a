"""Feedforward efforts for a real arm: the dynamics node beside a driver.

    ros2 launch manip_dynamics feedforward.launch.py commands:=/effort_controller/commands
    ros2 launch manip_dynamics feedforward.launch.py robot:=/path/arm.urdf namespace:=left

The driver publishes `joint_states` and takes the efforts, from `dynamics/feedforward` by name or
from `commands` by index. Without `robot`, the URDF comes from the topic `robot_description`.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

ARGUMENTS = (
    DeclareLaunchArgument(
        "robot",
        default_value="",
        description="bundled robot or path of a URDF file; empty: the topic robot_description",
    ),
    DeclareLaunchArgument("namespace", default_value="", description="of the node and its topics"),
    DeclareLaunchArgument(
        "mode",
        default_value="feedforward",
        choices=["feedforward", "computed_torque", "gravity_compensation"],
        description="what the dynamics node answers",
    ),
    DeclareLaunchArgument(
        "terms",
        default_value="inertia,coriolis,gravity,friction",
        description="terms of the efforts; leave out what the driver compensates by itself",
    ),
    DeclareLaunchArgument(
        "commands",
        default_value="dynamics/commands",
        description="topic of the efforts for a ros2_control forward command controller",
    ),
    DeclareLaunchArgument(
        "params_file", default_value="", description="YAML file with further parameters"
    ),
)


def actions(context: LaunchContext) -> list:
    """Return the node for the values of the arguments."""
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
    """Return the description that `ros2 launch` runs."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=actions)])
