"""Write a chain as URDF, with simple shapes for viewers.

The link frames are the modified DH frames, so reading the URDF gives the table back.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from .chain import Chain, Joint, Placement, RigidLink
from .dh_table import Table
from .mdh import rpy_from_rotation
from .pose import Pose

_PAINTS = {"frame_grey": "0.35 0.35 0.38 1", "arm_orange": "0.90 0.45 0.10 1",
           "arm_white": "0.85 0.85 0.85 1"}


def urdf_of_table(table: Table) -> str:
    """URDF text: base_link, link1 .. linkn, and tip where the table has one."""
    return text_of(document_of_table(table))


def text_of(document: Element) -> str:
    ElementTree.indent(document)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(document, encoding="unicode") + "\n"


def document_of_table(table: Table) -> Element:
    """The same as an XML document."""
    chain = table.chain
    thickness = _thickness(chain)
    robot = Element("robot", name=table.name)
    for paint, rgba in _PAINTS.items():
        SubElement(SubElement(robot, "material", name=paint), "color", rgba=rgba)
    poses = [joint.placement_at_zero for joint in chain.joints]
    if chain.base != Placement():
        poses[0] = (Pose.of(chain.base) @ Pose.of(poses[0])).rounded().placement()
    base = SubElement(robot, "link", name="base_link")
    _draw_rod(base, poses[0].translation, 1.5 * thickness, "frame_grey")
    parent = "base_link"
    for i, (joint, link) in enumerate(zip(chain.joints, chain.rigid_links), 1):
        name = f"link{i}"
        _write_joint(robot, joint, poses[i - 1], parent, name)
        element = SubElement(robot, "link", name=name)
        _write_inertial(element, link)
        paint = "arm_orange" if i % 2 else "arm_white"
        _draw_hub(element, joint, thickness, paint)
        end = poses[i].translation if i < chain.n else chain.tip.translation
        _draw_rod(element, end, thickness, paint)
        parent = name
    if chain.tip != Placement():
        name = "tip_joint"
        while name in {joint.name for joint in chain.joints}:
            name += "_"
        tip = SubElement(robot, "joint", name=name, type="fixed")
        _write_origin(tip, chain.tip)
        SubElement(tip, "parent", link=parent)
        SubElement(tip, "child", link="tip")
        SubElement(robot, "link", name="tip")
    return robot


def _write_joint(robot: Element, joint: Joint, pose: Placement, parent: str, child: str) -> None:
    unlimited = math.isinf(joint.lower) and math.isinf(joint.upper)
    kind = "continuous" if joint.revolute and unlimited else joint.kind
    element = SubElement(robot, "joint", name=joint.name, type=kind)
    _write_origin(element, pose)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    SubElement(element, "axis", xyz="0 0 1")
    if joint.friction:
        SubElement(element, "dynamics", damping=_number(joint.friction.viscous),
                   friction=_number(joint.friction.coulomb))
    limits = {"lower": joint.lower, "upper": joint.upper,
              "velocity": joint.max_velocity, "effort": joint.max_effort}
    stated = {key: _number(value) for key, value in limits.items() if math.isfinite(value)}
    if stated:  # URDF requires both of these; 0 stands for "not stated"
        stated = {"velocity": "0", "effort": "0", **stated}
        SubElement(element, "limit", stated)


def _write_inertial(element: Element, link: RigidLink) -> None:
    inertial = SubElement(element, "inertial")
    com, ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = link.com, link.inertia
    SubElement(inertial, "origin", xyz=_numbers(com), rpy="0 0 0")
    SubElement(inertial, "mass", value=_number(link.mass))
    SubElement(inertial, "inertia", ixx=_number(xx), ixy=_number(xy), ixz=_number(xz),
               iyy=_number(yy), iyz=_number(yz), izz=_number(zz))


def _write_origin(element: Element, pose: Placement) -> None:
    SubElement(element, "origin", xyz=_numbers(pose.translation),
               rpy=_numbers(rpy_from_rotation(pose.rotation)))


def _thickness(chain: Chain) -> float:
    """Radius of the drawn rods: a fraction of the longest offset."""
    longest = max((math.hypot(joint.a, joint.d) for joint in chain.joints), default=0.0)
    return 0.06 * max(longest, 0.03)


def _draw_hub(element: Element, joint: Joint, radius: float, paint: str) -> None:
    """The joint: a short cylinder along its axis or, if prismatic, a box and the rail behind it."""
    if joint.revolute:
        _draw(element, paint, "cylinder", radius=(1.4 * radius,), length=(3 * radius,))
        return
    _draw(element, paint, "box", size=(2.4 * radius, 2.4 * radius, 4 * radius))
    if math.isfinite(joint.lower + joint.upper):  # long enough to reach the parent everywhere
        for limit in (joint.upper, joint.lower):
            _draw_rod(element, (0.0, 0.0, -(joint.d + limit)), 0.6 * radius, paint)


def _draw_rod(element: Element, end, radius: float, paint: str) -> None:
    """A cylinder from the origin of the link to `end`."""
    vector = np.array(end, float)
    length = float(np.linalg.norm(vector))
    if length < radius:
        return
    x, y, z = vector / length
    _draw(element, paint, "cylinder", vector / 2,
          (0.0, math.atan2(math.hypot(x, y), z), math.atan2(y, x)),
          radius=(radius,), length=(length,))


def _draw(element: Element, paint: str, kind: str, xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0),
          **size: tuple[float, ...]) -> None:
    visual = SubElement(element, "visual")
    SubElement(visual, "origin", xyz=_numbers(xyz), rpy=_numbers(rpy))
    SubElement(SubElement(visual, "geometry"), kind,
               {key: _numbers(values) for key, values in size.items()})
    SubElement(visual, "material", name=paint)


def _number(value: float) -> str:
    """The shortest text that reads back as the same double."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _numbers(values) -> str:
    return " ".join(_number(float(value) + 0.0) for value in values)
