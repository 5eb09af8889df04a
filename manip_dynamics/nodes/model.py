"""The model a node works with, and the parameters that say which one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..dynamics import Dynamics
from ..model.errors import ModelError
from ..model.loading import ModelWarning, load_robot
from ..model.mdh import PARALLEL
from ..model.robot import Robot
from ..model.wording import messages_for
from .joint_order import JointOrder
from .parameters import Setting, read

SETTINGS = (
    Setting("robot", "", "Bundled robot (stanford_arm, ...) or path of a URDF file"),
    Setting(
        "robot_description",
        "",
        "URDF text. Without it and without `robot`, the topic robot_description is waited for",
    ),
    Setting("base", "", "Link the arm stands on; empty: the root of the URDF"),
    Setting("tip", "", "Link at the end of the arm; empty: the end of the longest arm, before its "
            "gripper"),
    Setting("gravity", [0.0, 0.0, -9.81], "Acceleration of gravity in the base link, m/s^2"),
    Setting(
        "inertia_check",
        "warn",
        "What to do with inertias that no rigid body can have",
        choices=("error", "warn"),
    ),
    Setting(
        "parallel_tolerance",
        PARALLEL,
        "Joint axes this near to parallel (rad) are taken as parallel, where modified DH "
        "parameters would lose precision",
    ),
    Setting(
        "locked_joints",
        Parameter.Type.STRING_ARRAY,
        "Movable joints beside the arm that are held elsewhere than at 0",
    ),
    Setting(
        "locked_positions", Parameter.Type.DOUBLE_ARRAY, "Where locked_joints are held; rad or m"
    ),
    Setting(
        "rotor_inertia",
        Parameter.Type.DOUBLE_ARRAY,
        "Inertia of each motor about its axis, kg m^2, in the order of `joints`",
    ),
    Setting(
        "gear_ratio",
        Parameter.Type.DOUBLE_ARRAY,
        "Turns of each motor per turn of its joint, in the order of `joints`",
    ),
    Setting(
        "joints",
        Parameter.Type.STRING_ARRAY,
        "Order of the joints in ~/commands and in parameters; not set: from the base to the tip",
    ),
)


@dataclass(frozen=True)
class Model:
    """A robot's dynamics and its joints by name; replaced as a whole, never changed."""

    dyn: Dynamics
    order: JointOrder = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", JointOrder(self.robot.joint_names))

    @property
    def robot(self) -> Robot:
        """The robot this is the dynamics of."""
        return self.dyn.robot


def load_model(node: Node, source: str, present: Model | None = None) -> Model:
    """Build the model from a bundled name, a path or URDF text and the node's parameters.

    present: the model that serves meanwhile, undisturbed by the compiler.
    Raises ModelError. What the model remarks about the description goes to the node's log.
    """
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
    joints = read(node, "joints", []) or robot.joint_names
    robot = robot.with_drives(**{
        what: _by_name(what, joints, values)
        for what in ("rotor_inertia", "gear_ratio")
        if (values := read(node, what))
    })
    return Model(present.dyn.with_robot(robot) if present else Dynamics(robot))


def _by_name(what: str, joints: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    if len(values) != len(joints):
        raise ModelError(f"{what} has {len(values)} values for {len(joints)} joints")
    return dict(zip(joints, values))


def configured_source(node: Node) -> str:
    """Return the robot that the parameters name; empty if it comes over the topic."""
    description = read(node, "robot_description")
    return urdf_text(description) if description else read(node, "robot")


def urdf_text(description: str) -> str:
    """Return a robot_description, which is the text itself: no name, no path of a file."""
    if "<" not in description:
        raise ModelError(
            "robot_description must be the text of a URDF; names and paths go to `robot`"
        )
    return description
