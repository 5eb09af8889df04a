"""The tree of links and joints of a URDF, and where they are."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import cache

import numpy as np
from urdf_parser_py import urdf as urdf_parser

from .errors import ModelError
from .inertia import LARGEST_LENGTH
from .mdh import rotation_from_rpy, snap_unit
from .pose import Pose
from .wording import listed


class Tree:
    """Links by name, the joint above each link, and the joints below it; constant poses."""

    def __init__(self, robot: urdf_parser.Robot) -> None:
        self.links: dict[str, urdf_parser.Link] = {link.name: link for link in robot.links}
        self.joints: dict[str, urdf_parser.Joint] = {joint.name: joint for joint in robot.joints}
        self.above: dict[str, urdf_parser.Joint] = {}
        self.below: dict[str, list[urdf_parser.Joint]] = {name: [] for name in self.links}
        if not self.links:
            raise ModelError("the URDF has no link")
        for joint in robot.joints:
            self._hang(joint)
        self.root = self._find_root()
        # Evaluated once per joint, however many arms are tried.
        self.pose, self.axis = cache(joint_pose), cache(joint_axis)
        self.held_pose = cache(self._held_pose)

    def _hang(self, joint: urdf_parser.Joint) -> None:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link is None:
                raise ModelError(f"joint '{joint.name}' does not name its {role} link")
            if link not in self.links:
                raise ModelError(f"joint '{joint.name}': its {role} link '{link}' does not exist")
        if joint.child in self.above:
            raise ModelError(
                f"link '{joint.child}' is the child of two joints, "
                f"'{self.above[joint.child].name}' and '{joint.name}': a closed kinematic loop "
                "is not a serial arm")
        self.above[joint.child] = joint
        self.below[joint.parent].append(joint)

    def _find_root(self) -> str:
        roots = [name for name in self.links if name not in self.above]
        if len(roots) > 1:
            raise ModelError("the URDF has several root links, "
                             f"{listed(roots)}: connect them by joints")
        if not roots:
            raise ModelError("the URDF has no root link: its joints form a closed loop")
        reached, pending = {roots[0]}, [roots[0]]
        while pending:
            children = [joint.child for joint in self.below[pending.pop()]]
            reached.update(children)
            pending.extend(children)
        if len(reached) < len(self.links):
            loop = [name for name in self.links if name not in reached]
            raise ModelError(f"{'link' if len(loop) == 1 else 'links'} {listed(loop)} "
                             f"{'forms' if len(loop) == 1 else 'form'} a closed kinematic loop")
        return roots[0]

    def path(self, base: str, tip: str) -> list[urdf_parser.Joint]:
        """The joints from link `base` to link `tip`."""
        for role, link in (("base", base), ("tip", tip)):
            if link not in self.links:
                raise ModelError(f"{role} link '{link}' does not exist; the links are "
                                 f"{listed(list(self.links))}")
        joints: list[urdf_parser.Joint] = []
        link = tip
        while link != base:
            if link not in self.above:
                raise ModelError(f"tip link '{tip}' is not below base link '{base}'")
            joints.append(self.above[link])
            link = joints[-1].parent
        return joints[::-1]

    def _held_pose(self, joint: urdf_parser.Joint, position: float, snap: bool = True) -> Pose:
        """The child link in the parent link, with the joint held at a position."""
        pose = self.pose(joint, snap)
        if joint.type in ("revolute", "continuous") and position != 0.0:
            x, y, z = self.axis(joint, snap)
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            turn = np.eye(3) + np.sin(position) * cross + (1 - np.cos(position)) * cross @ cross
            return pose @ Pose(turn, np.zeros(3))
        if joint.type == "prismatic" and position != 0.0:
            return pose @ Pose(np.eye(3), position * self.axis(joint, snap))
        return pose

    def held_position(self, joint: urdf_parser.Joint, positions: Mapping[str, float]) -> float:
        """Where a joint outside the arm is held; a mimic joint follows the one it copies."""
        factor, position, original = self._original(joint, positions)
        return position + factor * float(positions.get(original.name, 0.0))

    def copied_joint(self, joint: urdf_parser.Joint) -> urdf_parser.Joint:
        """The joint that a chain of mimic joints ends at; the joint itself if it copies none."""
        return self._original(joint)[2]

    def _original(self, joint: urdf_parser.Joint, given: Container[str] = ()
                  ) -> tuple[float, float, urdf_parser.Joint]:
        """Multiplier, offset and the joint that a joint copies, itself or over those not given."""
        factor, offset = 1.0, 0.0
        for _ in self.joints:  # mimic joints may form a loop
            if joint.name in given or joint.mimic is None:
                break
            offset += factor * (joint.mimic.offset or 0.0)
            factor *= 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
            joint = self.joints[joint.mimic.joint]
        return factor, offset, joint


def origin_pose(origin: urdf_parser.Pose | None, owner: str, snap: bool = True) -> Pose:
    """The pose that an <origin> states; an error names its `owner`."""
    xyz = (0.0, 0.0, 0.0) if origin is None or origin.xyz is None else origin.xyz
    rpy = (0.0, 0.0, 0.0) if origin is None or origin.rpy is None else origin.rpy
    if not np.isfinite([*rpy, *xyz]).all():
        raise ModelError(f"{owner}: its <origin> has an entry that is not finite")
    if np.abs(xyz).max() > LARGEST_LENGTH or np.abs(rpy).max() > LARGEST_LENGTH:
        raise ModelError(f"{owner}: its <origin> has an entry that exceeds {LARGEST_LENGTH:g}")
    return Pose(rotation_from_rpy(rpy, snap), np.array(xyz, float))


def joint_pose(joint: urdf_parser.Joint, snap: bool = True) -> Pose:
    """The URDF joint frame in the parent link at q = 0."""
    return origin_pose(joint.origin, f"joint '{joint.name}'", snap)


def joint_axis(joint: urdf_parser.Joint, snap: bool = True) -> np.ndarray:
    """Unit vector of the axis in the joint frame."""
    given = np.array(joint.axis if joint.axis is not None else (1.0, 0.0, 0.0), float)
    largest = np.abs(given).max()
    if not np.isfinite(largest) or largest == 0.0:
        raise ModelError(f"joint '{joint.name}': its axis {given.tolist()} has no direction")
    axis = given / largest
    axis = axis / np.linalg.norm(axis)
    return snap_unit(axis) if snap else axis
