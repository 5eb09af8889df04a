"""Run a simulated arm and its dynamics node in closed loop.

    ros2 launch manip_dynamics simulation.launch.py robot:=stanford_arm
    ros2 launch manip_dynamics simulation.launch.py robot:=puma560 namespace:=left rviz:=true

The dynamics node turns references on `dynamics/reference` into efforts for the simulator. If
robot_state_publisher is installed, the frames of the arm are published as well.
"""

from ament_index_python import PackageNotFoundError, get_package_prefix, get_package_share_path
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from manip_dynamics.control.effort_policy import MODES
from manip_dynamics.model.loading import resolve_urdf

SHARE = get_package_share_path("manip_dynamics")
ROBOTS = sorted(path.stem for path in (SHARE / "config").glob("*.yaml"))

ARGUMENTS = (
    DeclareLaunchArgument(
        "robot",
        default_value="stanford_arm",
        description=f"bundled robot ({', '.join(ROBOTS)}) or path of a URDF or DH table",
    ),
    DeclareLaunchArgument(
        "mode",
        default_value="computed_torque",
        choices=list(MODES),
        description="how efforts are computed",
    ),
    DeclareLaunchArgument("namespace", default_value="", description="ROS namespace of all nodes"),
    DeclareLaunchArgument(
        "params_file",
        default_value="",
        description="YAML file with parameters; default: the file of the bundled robot",
    ),
    DeclareLaunchArgument(
        "rviz", default_value="false", choices=["true", "false"], description="start rviz2"
    ),
)


def is_installed(package: str) -> bool:
    """Return whether an optional package is installed."""
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def actions(context: LaunchContext) -> list:
    """Return the nodes configured by the launch arguments."""
    value = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    namespace = value["namespace"]
    bundled = SHARE / "config" / f"{value['robot']}.yaml"
    params_file = value["params_file"] or (str(bundled) if bundled.exists() else "")
    files = [params_file] if params_file else []
    robot = {"robot": value["robot"]}
    nodes = [
        Node(
            package="manip_dynamics",
            executable="dynamics_node",
            namespace=namespace,
            parameters=[*files, robot, {"mode": value["mode"]}],
            output="screen",
        ),
        Node(
            package="manip_dynamics",
            executable="simulator_node",
            namespace=namespace,
            parameters=[*files, robot],
            remappings=[("simulator/commands", "dynamics/commands")],
            output="screen",
        ),
    ]
    if is_installed("robot_state_publisher"):
        description = resolve_urdf(value["robot"])
        nodes.append(
            Node(
                package="robot_state_publisher",
                executable="robot_state_publisher",
                namespace=namespace,
                parameters=[{"robot_description": description}],
            )
        )
    if value["rviz"] == "true":
        if is_installed("rviz2"):
            nodes.append(Node(package="rviz2", executable="rviz2", namespace=namespace))
        else:
            nodes.append(LogInfo(msg="rviz2 is not installed; continuing without it"))
    return nodes


def generate_launch_description() -> LaunchDescription:
    """Return the description for `ros2 launch`."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=actions)])
