"""From the tree of a URDF to the chain of an arm: the moving links, lumped, in modified DH."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from urdf_parser_py import urdf as urdf_parser

from .chain import Chain, Friction, Joint
from .errors import ModelError
from .inertia import Body, combined, without_rounding
from .mdh import Axis, Row, frames_from_axes, straightened, table_from_frames
from .pose import HERE, Pose, chained
from .remarks import Remarks
from .robot import Deviation, link_of, placement_of
from .tree import (
    Tree,
    copied_joint,
    joint_axis,
    joint_pose,
    locked_pose,
    locked_position,
    origin_pose,
)
from .urdf import MOVABLE, Description
from .wording import option

FARTHEST_CENTRE = 3.0  # sizes of a link: no link has its centre of mass beyond
SMALLEST_LINK = 0.2  # of the reach of the arm: what a link may measure in any case
LEAST_MASS = 1e-3  # kg, of an arm whose links themselves have no <inertial>
LARGEST_FRICTION = 1e9  # N m, N m s/rad and the like


@dataclass(frozen=True)
class Arm:
    """What a URDF says about one serial arm."""

    chain: Chain
    deviation: Deviation


@dataclass(frozen=True)
class Segment:
    """A movable joint of the arm, the links that it carries rigidly, and where all of it is."""

    joint: urdf_parser.Joint
    frame: Pose  # the URDF joint frame in the base link at q = 0
    exact_frame: Pose  # the same without snapping
    links: list[tuple[str, Pose, Pose]]  # names and poses in the base link, snapped and exact


@dataclass(frozen=True)
class Reading:
    """How a URDF is to be read."""

    gravity: np.ndarray  # (3,) in the base link, m/s^2
    positions: Mapping[str, float]  # of joints beside the arm
    inertia_check: str  # "warn" or "error"
    parallel_tolerance: float  # rad


def extract_arm(description: Description, tree: Tree, base: str, tip: str, reading: Reading,
                remarks: Remarks) -> Arm:
    """The arm between two links; everything that hangs on it is part of it."""
    path = tree.path(base, tip)
    for joint in path:
        _check_joint_type(joint, path)
    moving = [joint for joint in path if joint.type != "fixed"]
    if not moving:
        raise ModelError(f"there is no movable joint between base link '{base}' and "
                         f"tip link '{tip}'")
    _check_positions(tree, reading.positions, moving)

    _remark_on_copies(tree, path, reading.positions, remarks)
    segments, tip_pose, exact_tip_pose = _segments(tree, path, reading.positions, remarks)
    frames = frames_from_axes(straightened([
        Axis(s.joint.name, s.frame, s.frame.rotation @ joint_axis(s.joint)) for s in segments],
        remarks, reading.parallel_tolerance))
    rows = table_from_frames(frames)
    joints = tuple(_chain_joint(s.joint, row, description.gear_ratios, remarks)
                   for s, row in zip(segments, rows))
    bodies = _CarriedBodies(description, tree, reading.inertia_check, remarks)
    links = tuple(link_of(body) for body in bodies.of(segments, frames))
    first, last = frames[0], frames[-1]
    tip_in_last = last.inverse() @ tip_pose
    chain = Chain(
        joints, links,
        gravity=_plain(first.rotation.T @ reading.gravity),
        base=placement_of(without_rounding(first.rotation), without_rounding(first.translation)),
        tip=placement_of(without_rounding(tip_in_last.rotation),
                         without_rounding(tip_in_last.translation)),
    )
    tabled = chained(first, [Pose.of(joint.placement_at_zero) for joint in joints[1:]])
    poses = [*zip(tabled, frames), (tip_pose, exact_tip_pose), *_moved_by_snapping(tree, segments)]
    axes = [(frame.rotation[:, 2], s.exact_frame.rotation @ joint_axis(s.joint, snap=False))
            for s, frame in zip(segments, frames)]
    return Arm(chain, _deviation(poses, axes))


def _check_joint_type(joint: urdf_parser.Joint, path: list) -> None:
    place = path.index(joint)
    follows = any(each.type != "fixed" for each in path[place + 1:])
    other = option("base", joint.child) if follows else option("tip", joint.parent)
    without = f"without it: {other}"
    if joint.mimic is not None:
        raise ModelError(f"joint '{joint.name}' mimics joint '{joint.mimic.joint}': a coupled "
                         f"joint inside the arm is not supported; take the arm {without}")
    if joint.type in ("planar", "floating"):
        raise ModelError(f"joint '{joint.name}' is {joint.type}: only revolute, continuous, "
                         "prismatic and fixed joints can be part of a serial arm; take the arm "
                         f"{without}")


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
    tree: Tree, path: list, positions: Mapping[str, float], remarks: Remarks
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
                position = locked_position(tree, side, positions)
                if side.type in MOVABLE and (position or side.name not in remarks.told):
                    remarks.add(f"not part of the arm, held at {position:g}", side.name)
                pending.append((side.child, link_pose @ locked_pose(side, position),
                                exact_pose @ locked_pose(side, position, snap=False)))
    return segments, pose, exact


def _remark_on_copies(tree: Tree, path: list, positions: Mapping[str, float],
                      remarks: Remarks) -> None:
    """A joint beside the arm that moves with one of the arm cannot really be held."""
    arm = {joint.name for joint in path}
    for joint in tree.joints.values():
        original = copied_joint(tree, joint)
        if joint.name not in arm and original is not joint and original.name in arm:
            position = locked_position(tree, joint, positions)
            remarks.told.add(joint.name)
            remarks.add(f"copies joint '{original.name}' of the arm, but is held at {position:g}; "
                        "efforts are those of an arm on which it does not move", joint.name)


class _CarriedBodies:
    """What the joints of an arm carry, each as one body; and what is odd about it."""

    def __init__(self, description: Description, tree: Tree, inertia_check: str,
                 remarks: Remarks) -> None:
        self.rounding, self.tree = description.inertia_rounding, tree
        self.strict, self.remarks = inertia_check == "error", remarks

    def of(self, segments: Sequence[Segment], frames: Sequence[Pose]) -> list[Body]:
        """The bodies in the modified DH frames."""
        self._require_masses(segments)
        self.reach = sum(float(np.linalg.norm(b.frame.translation - a.frame.translation))
                         for a, b in zip(segments, segments[1:]))
        return [self._carried(segment, frame) for segment, frame in zip(segments, frames)]

    def _require_masses(self, segments: Sequence[Segment]) -> None:
        """ModelError if nothing but a frame to grasp with, of some milligrams, has a mass."""
        carried = [self.tree.links[name] for segment in segments for name, *_ in segment.links]
        masses = [link.inertial.mass or 0.0 for link in carried if link.inertial is not None]
        own = (self.tree.links[segment.joint.child] for segment in segments)
        if not any(link.inertial for link in own) and sum(masses) < LEAST_MASS:
            raise ModelError("no link that the arm moves has an <inertial>: without masses there "
                             "are no dynamics")

    def _carried(self, segment: Segment, frame: Pose) -> Body:
        """All that a joint carries rigidly, as one body in its modified DH frame."""
        to_frame = frame.inverse()
        bodies = []
        for name, pose, _ in segment.links:
            body = self._link_body(self.tree.links[name])
            if body is not None:
                place = to_frame @ pose
                bodies.append(body.moved(without_rounding(place.rotation),
                                         without_rounding(place.translation)))
        if not bodies:
            self._complain(f"moved by joint '{segment.joint.name}', but without <inertial>",
                           segment.joint.child, "taken as massless")
        elif not any(body.mass for body in bodies):
            self.remarks.add("a link that moves has the mass 0", segment.joint.child)
        return combined(bodies)

    def _link_body(self, link: urdf_parser.Link) -> Body | None:
        """The body of a link in the link's own frame, checked."""
        inertial = link.inertial
        if inertial is None:
            return None
        if inertial.mass is None:
            raise ModelError(f"link '{link.name}': its <mass> has no value")
        if inertial.inertia is None:
            self._complain("an <inertial> without <inertia>", link.name, "taken as a point mass")
        tensor = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia.to_matrix()
        body = Body.create(float(inertial.mass), inertia=np.array(tensor, float))
        unusable = body.unusable()
        if unusable:
            raise ModelError(f"link '{link.name}': {unusable}")
        for broken in body.violations(self.rounding.get(link.name, 0.0)):
            self._complain(f"link '{link.name}': {broken}")
        centre = _inertial_pose(link)
        self._look_at_centre(link, body, float(np.linalg.norm(centre.translation)))
        return body.moved(centre.rotation, centre.translation)

    def _look_at_centre(self, link: urdf_parser.Link, body: Body, distance: float) -> None:
        """A centre of mass far outside of its link is a wrong unit or frame, and no small error."""
        joints = [float(np.linalg.norm(joint_pose(joint).translation))
                  for joint in self.tree.below[link.name]]
        rod = math.sqrt(12 * np.abs(body.inertia).max() / body.mass) if body.mass > 0 else 0.0
        size = max(*joints, rod, SMALLEST_LINK * self.reach, 0.0)
        if body.mass > 0 and self.reach > 0 and distance > FARTHEST_CENTRE * size:
            self.remarks.add(f"link '{link.name}': its centre of mass is {distance:.3g} m from its "
                             f"origin, though the link seems to measure {size:.2g} m")

    def _complain(self, problem: str, link: str = "", assumed: str = "") -> None:
        if self.strict:
            where = f"link '{link}': " if link else ""
            raise ModelError(f"{where}{problem} ({option('inertia_check', 'warn')} accepts it)")
        self.remarks.add(f"{problem}; {assumed}" if assumed else problem, link)


def _inertial_pose(link: urdf_parser.Link, snap: bool = True) -> Pose:
    return origin_pose(link.inertial.origin, f"the <inertial> of link '{link.name}'", snap)


def _chain_joint(
    joint: urdf_parser.Joint, row: Row, gear_ratios: Mapping[str, float], remarks: Remarks
) -> Joint:
    """The joint with its row of the modified DH table, its limits and its friction."""
    lower, upper, velocity, effort = -math.inf, math.inf, math.inf, math.inf
    limit = joint.limit
    if limit is not None:
        lowest, highest = limit.lower or 0.0, limit.upper or 0.0
        if joint.type == "continuous":
            pass
        elif lowest == highest == 0.0:
            remarks.add("no position limits in a <limit>, taken as unlimited", joint.name)
        elif lowest >= highest:
            remarks.add(f"the lower position limit {lowest:g} is not below the upper one, "
                        f"{highest:g}; taken as unlimited", joint.name)
        else:
            lower, upper = lowest, highest
        velocity = _limit("velocity", limit.velocity, joint.name, remarks)
        effort = _limit("effort", limit.effort, joint.name, remarks)
    friction = Friction()
    if joint.dynamics is not None:
        friction = Friction(joint.dynamics.damping or 0.0, joint.dynamics.friction or 0.0)
        if not (0 <= friction.viscous <= LARGEST_FRICTION
                and 0 <= friction.coulomb <= LARGEST_FRICTION):
            raise ModelError(f"joint '{joint.name}': damping {friction.viscous:g} and friction "
                             f"{friction.coulomb:g} must be finite and not negative")
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        alpha=row.alpha, a=row.a, theta=row.theta, d=row.d, name=joint.name,
        lower=lower, upper=upper, max_velocity=velocity, max_effort=effort,
        friction=friction, gear_ratio=gear_ratios.get(joint.name, 1.0),
    )


def _limit(what: str, value: float, joint: str, remarks: Remarks) -> float:
    if value > 0.0:
        return float(value)
    how = "0" if value == 0.0 else "negative"
    remarks.add(f"the {what} limit is {how}, taken as unlimited", joint)
    return math.inf


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
