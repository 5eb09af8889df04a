"""From the tree of a URDF to the chain of an arm: the moving links, lumped, in modified DH."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from urdf_parser_py import urdf as urdf_parser

from .chain import Chain, Joint
from .errors import ModelError
from .inertia import Body, combined, without_rounding
from .mdh import Axis, Row, frames_from_axes, table_from_frames
from .pose import HERE, Pose, chained
from .robot import Deviation, link_of, placement_of
from .tree import (
    Tree,
    joint_axis,
    joint_pose,
    locked_pose,
    locked_position,
    origin_pose,
)
from .urdf import MOVABLE


@dataclass(frozen=True)
class Arm:
    """What a URDF says about one serial arm."""

    chain: Chain
    deviation: Deviation
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Segment:
    """A movable joint of the arm, the links that it carries rigidly, and where all of it is."""

    joint: urdf_parser.Joint
    frame: Pose  # the URDF joint frame in the base link at q = 0
    exact_frame: Pose  # the same without snapping
    links: list[tuple[str, Pose, Pose]]  # names and poses in the base link, snapped and exact


def extract_arm(
    tree: Tree,
    base: str,
    tip: str,
    gravity: np.ndarray,
    positions: Mapping[str, float],
    gear_ratios: Mapping[str, float],
    inertia_check: str,
) -> Arm:
    """The arm between two links; everything that hangs on it is part of it."""
    path = tree.path(base, tip)
    for joint in path:
        _check_joint_type(joint)
    moving = [joint for joint in path if joint.type != "fixed"]
    if not moving:
        raise ModelError(f"there is no movable joint between base link '{base}' and "
                         f"tip link '{tip}'")
    _check_positions(tree, positions, moving)

    warnings: list[str] = []
    segments, tip_pose, exact_tip_pose = _segments(tree, path, positions, warnings)
    frames = frames_from_axes([
        Axis(s.joint.name, s.frame, s.frame.rotation @ joint_axis(s.joint)) for s in segments])
    rows = table_from_frames(frames)
    joints = tuple(_chain_joint(s.joint, row, gear_ratios, warnings)
                   for s, row in zip(segments, rows))
    links = tuple(link_of(_carried_body(tree, s, frame, inertia_check, warnings))
                  for s, frame in zip(segments, frames))
    first, last = frames[0], frames[-1]
    tip_in_last = last.inverse() @ tip_pose
    chain = Chain(
        joints, links,
        gravity=_plain(first.rotation.T @ gravity),
        base=placement_of(without_rounding(first.rotation), without_rounding(first.translation)),
        tip=placement_of(without_rounding(tip_in_last.rotation),
                         without_rounding(tip_in_last.translation)),
    )
    tabled = chained(first, [Pose.of(joint.placement_at_zero) for joint in joints[1:]])
    poses = [*zip(tabled, frames), (tip_pose, exact_tip_pose), *_moved_by_snapping(tree, segments)]
    axes = [(frame.rotation[:, 2], s.exact_frame.rotation @ joint_axis(s.joint, snap=False))
            for s, frame in zip(segments, frames)]
    return Arm(chain, _deviation(poses, axes), tuple(warnings))


def _check_joint_type(joint: urdf_parser.Joint) -> None:
    if joint.mimic is not None:
        raise ModelError(f"joint '{joint.name}' mimics joint '{joint.mimic.joint}': a coupled "
                         "joint inside the arm is not supported; choose base or tip so that it "
                         "is not on the chain")
    if joint.type in ("planar", "floating"):
        raise ModelError(f"joint '{joint.name}' is {joint.type}: only revolute, continuous, "
                         "prismatic and fixed joints can be part of a serial arm; choose base "
                         "or tip so that it is not on the chain")
    if joint.type not in ("revolute", "continuous", "prismatic", "fixed"):
        raise ModelError(f"joint '{joint.name}' has the unknown type '{joint.type}'")


def _check_positions(tree: Tree, positions: Mapping[str, float], moving: list) -> None:
    arm = {joint.name for joint in moving}
    for name, value in positions.items():
        if name not in tree.joints:
            raise ModelError(f"joint_positions: the URDF has no joint '{name}'")
        if name in arm:
            raise ModelError(f"joint_positions: joint '{name}' is part of the arm and moves")
        if not isinstance(value, Real) or not math.isfinite(value):
            raise ModelError(f"joint_positions: the position of joint '{name}' is {value!r}, "
                             "not a finite number")


def _segments(
    tree: Tree, path: list, positions: Mapping[str, float], warnings: list[str]
) -> tuple[list[Segment], Pose, Pose]:
    """The movable joints of the path with the links that each carries; and the tip's pose."""
    segments: list[Segment] = []
    pose, exact = HERE, HERE
    on_path = {joint.name for joint in path}
    for joint in path:
        pose, exact = pose @ joint_pose(joint), exact @ joint_pose(joint, snap=False)
        if joint.type != "fixed":
            segments.append(Segment(joint, pose, exact, []))
        if not segments:  # still the base: its mass does not matter
            continue
        pending = [(joint.child, pose, exact)]
        while pending:
            link, link_pose, exact_pose = pending.pop()
            segments[-1].links.append((link, link_pose, exact_pose))
            for side in tree.below[link]:
                if side.name in on_path:
                    continue
                if side.type in MOVABLE:
                    warnings.append(f"joint '{side.name}' is not part of the arm; it is held at "
                                    f"{locked_position(side, positions):g}")
                pending.append((side.child, link_pose @ locked_pose(side, positions),
                                exact_pose @ locked_pose(side, positions, snap=False)))
    return segments, pose, exact


def _carried_body(
    tree: Tree, segment: Segment, frame: Pose, inertia_check: str, warnings: list[str]
) -> Body:
    """All that a joint carries rigidly, as one body in its modified DH frame."""
    to_frame = frame.inverse()
    bodies = []
    for name, pose, _ in segment.links:
        body = _link_body(tree.links[name], inertia_check, warnings)
        if body is not None:
            place = to_frame @ pose
            bodies.append(body.moved(without_rounding(place.rotation),
                                     without_rounding(place.translation)))
    if not bodies:
        _complain(f"link '{segment.joint.child}' is moved by joint '{segment.joint.name}' but "
                  "has no <inertial>", inertia_check, warnings)
    return combined(bodies)


def _link_body(
    link: urdf_parser.Link, inertia_check: str, warnings: list[str]
) -> Body | None:
    """The body of a link in the link's own frame, checked."""
    inertial = link.inertial
    if inertial is None:
        return None
    if inertial.mass is None:
        raise ModelError(f"link '{link.name}': its <mass> has no value")
    if inertial.inertia is None:
        _complain(f"link '{link.name}': its <inertial> has no <inertia>", inertia_check, warnings)
    tensor = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia.to_matrix()
    body = Body(float(inertial.mass), np.zeros(3), np.array(tensor, float))
    broken = body.violations()
    if not np.isfinite(body.mass) or not np.isfinite(body.inertia).all() or body.mass < 0:
        raise ModelError(f"link '{link.name}': {'; '.join(broken)}")
    if broken:
        _complain(f"link '{link.name}': {'; '.join(broken)}", inertia_check, warnings)
    centre = _inertial_pose(link)
    return body.moved(centre.rotation, centre.translation)


def _inertial_pose(link: urdf_parser.Link, snap: bool = True) -> Pose:
    return origin_pose(link.inertial.origin, f"the <inertial> of link '{link.name}'", snap)


def _complain(problem: str, inertia_check: str, warnings: list[str]) -> None:
    if inertia_check == "error":
        raise ModelError(f"{problem} (inertia_check=\"warn\" accepts it)")
    warnings.append(problem)


def _chain_joint(
    joint: urdf_parser.Joint, row: Row, gear_ratios: Mapping[str, float], warnings: list[str]
) -> Joint:
    """The joint with its row of the modified DH table, its limits and its friction."""
    lower, upper, velocity, effort = -math.inf, math.inf, math.inf, math.inf
    limit = joint.limit
    if limit is not None:
        given = (limit.lower or 0.0, limit.upper or 0.0, limit.velocity, limit.effort)
        if any(math.isnan(value) for value in given) or min(given[2:]) < 0 or given[0] > given[1]:
            raise ModelError(f"joint '{joint.name}': its <limit> is impossible (lower {given[0]:g},"
                             f" upper {given[1]:g}, velocity {given[2]:g}, effort {given[3]:g})")
        if joint.type != "continuous":
            if given[0] == given[1] == 0.0:
                warnings.append(f"joint '{joint.name}' has no position limits in its <limit>; "
                                "it is taken as unlimited")
            else:
                lower, upper = given[:2]
        for what, value in (("velocity", given[2]), ("effort", given[3])):
            if value == 0.0:
                warnings.append(f"joint '{joint.name}' has the {what} limit 0; it is taken as "
                                "unlimited")
        velocity, effort = given[2] or math.inf, given[3] or math.inf
    damping = friction = 0.0
    if joint.dynamics is not None:
        damping, friction = joint.dynamics.damping or 0.0, joint.dynamics.friction or 0.0
        if not (0 <= damping < math.inf and 0 <= friction < math.inf):
            raise ModelError(f"joint '{joint.name}': damping {damping:g} and friction "
                             f"{friction:g} must be finite and not negative")
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        alpha=row.alpha, a=row.a, theta=row.theta, d=row.d, name=joint.name,
        lower=lower, upper=upper, max_velocity=velocity, max_effort=effort,
        damping=damping, friction=friction, gear_ratio=gear_ratios.get(joint.name, 1.0),
    )


def _moved_by_snapping(tree: Tree, segments: list[Segment]) -> Iterator[tuple[Pose, Pose]]:
    """Link and inertial frames at q = 0 in the base link: as snapped and as stated."""
    for segment in segments:
        for name, pose, exact_pose in segment.links:
            yield pose, exact_pose
            link = tree.links[name]
            if link.inertial is not None:
                yield pose @ _inertial_pose(link), exact_pose @ _inertial_pose(link, snap=False)


def _deviation(
    poses: Sequence[tuple[Pose, Pose]], axes: Iterable[tuple[np.ndarray, np.ndarray]]
) -> Deviation:
    """The largest angle and distance between what would be one without snapping."""
    # |R - S| (Frobenius) is sqrt(8) sin(angle / 2)
    angle = max(np.linalg.norm(a.rotation - b.rotation) / math.sqrt(2) for a, b in poses)
    tilt = max(np.linalg.norm(a - b) for a, b in axes)
    length = max(np.linalg.norm(a.translation - b.translation) for a, b in poses)
    rounding = 1e-12  # of the comparison itself
    return Deviation(*(float(x) if x > rounding else 0.0 for x in (max(angle, tilt), length)))


def _plain(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in without_rounding(vector))
    return (x, y, z)
