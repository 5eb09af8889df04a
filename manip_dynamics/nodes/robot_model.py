"""The robot model of a node, and the parameters that define it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..dynamics import Dynamics
from ..model.errors import ModelError
from ..model.loading import ModelWarning, load_robot
from ..model.robot import Robot
from ..model.tolerances import PARALLEL
from ..model.wording import messages_for
from .joint_order import ModelJoints
from .parameters import Setting, read

SETTINGS = (
    Setting("robot", "", "Bundled robot (stanford_arm, ...) or path of a URDF file"),
    Setting("robot_description", "", "URDF text; if neither this nor `robot` is set, it is taken "
            "from the topic robot_description"),
    Setting("base", "", "Base link of the arm; empty: the root of the URDF"),
    Setting("tip", "", "Tip link of the arm; empty: the end of the longest arm, without gripper"),
    Setting("gravity", [0.0, 0.0, -9.81], "Gravitational acceleration in the base link, m/s^2"),
    Setting("inertia_check", "warn", "What to do about physically impossible inertias",
            choices=("error", "warn")),
    Setting("parallel_tolerance", PARALLEL, "Joint axes within this angle, rad, count as parallel; "
            "modified DH parameters would lose precision"),
    Setting("locked_joints", Parameter.Type.STRING_ARRAY,
            "Movable joints outside the arm that are locked at positions other than 0"),
    Setting("locked_positions", Parameter.Type.DOUBLE_ARRAY,
            "Positions of locked_joints, rad or m"),
    Setting("rotor_inertia", Parameter.Type.DOUBLE_ARRAY,
            "Inertia of each motor about its axis, kg m^2, in the order of `joints`"),
    Setting("gear_ratio", Parameter.Type.DOUBLE_ARRAY,
            "Motor turns per turn of the joint, in the order of `joints`"),
    Setting("joints", Parameter.Type.STRING_ARRAY,
            "Joint order of ~/commands and of array parameters; if not set: from base to tip"),
)


class RobotModel:
    """The dynamics of a robot with its joint orders. Never modified, only replaced as a whole."""

    def __init__(self, dyn: Dynamics, command_order: Sequence[str] = ()) -> None:
        """command_order: joint names in the order of ~/commands; empty: the model's order."""
        self.dyn = dyn
        self.joints = ModelJoints(dyn.robot.joint_names)
        self.command_order = self.joints.mapping(command_order)

    @property
    def robot(self) -> Robot:
        """The robot of the dynamics."""
        return self.dyn.robot

    def with_robot(self, robot: Robot) -> RobotModel:
        """Return the model of a robot with the same joints; compiles without blocking this one."""
        return RobotModel(self.dyn.with_robot(robot), self.command_order.names)


def load_model(node: Node, source: str, present: RobotModel | None = None) -> RobotModel:
    """Build the model from a bundled name, a path or URDF text and the node's parameters.

    present: the model in use; it keeps running at full speed while the new one is compiled.
    Raises ValueError (ModelError). Warnings about the robot go to the node's log.
    """
    joints = read(node, "joints", [])
    with warnings.catch_warnings(), messages_for("ros"):
        warnings.simplefilter("ignore", ModelWarning)
        robot = load_robot(
            source,
            base=read(node, "base") or None,
            tip=read(node, "tip") or None,
            gravity=read(node, "gravity"),
            inertia_check=read(node, "inertia_check"),
            joint_positions=_by_name(
                "locked_positions", read(node, "locked_joints", []),
                read(node, "locked_positions", []),
            ),
            parallel_tolerance=read(node, "parallel_tolerance"),
        )
    for remark in robot.warnings:
        node.get_logger().warning(remark)
    robot = robot.with_drives(**{
        name: _by_name(name, joints or robot.joint_names, values)
        for name in ("rotor_inertia", "gear_ratio")
        if (values := read(node, name))
    })
    return RobotModel(present.dyn.with_robot(robot) if present else Dynamics(robot), joints)


def _by_name(parameter: str, joints: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    if len(values) != len(joints):
        raise ModelError(f"{parameter} has {len(values)} values for {len(joints)} joints")
    return dict(zip(joints, values))


def configured_source(node: Node) -> str:
    """Return the robot named by the parameters; empty if it is to come from the topic."""
    description = read(node, "robot_description")
    return require_urdf(description) if description else read(node, "robot")


def require_urdf(description: str) -> str:
    """Return a robot_description; raise ModelError if it is a name or a path and no URDF text."""
    if "<" not in description:
        raise ModelError(
            "robot_description must be the text of a URDF; use `robot` for names and paths"
        )
    return description
