"""From the tree of a URDF to a serial arm: links lumped per moving joint, in modified DH."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real

import numpy as np
from urdf_parser_py import urdf as urdf_parser

from .chain import Chain, Friction, Joint, as_vector
from .errors import ModelError
from .inertia import Body, combined, link_of
from .mdh import JointAxis, Row, frames_from_axes, straightened, table_from_frames
from .pose import HERE, Pose, chained
from .remarks import Remarks
from .robot import Deviation
from .shapes import LinkBody, shapes_by_link
from .tolerances import SNAPPING_ROUNDING, without_rounding
from .tree import Tree, origin_pose
from .urdf import MOVABLE, Description
from .wording import option

FARTHEST_CENTRE = 3.0  # link sizes: largest plausible distance of a centre of mass
SMALLEST_LINK = 0.2  # of the reach of the arm: lower bound of the size of a link
LEAST_MASS = 1e-3  # kg, of an arm whose moving links have no <inertial> of their own
LARGEST_FRICTION = 1e9  # N m, N m s/rad and the like


@dataclass(frozen=True)
class CarriedLink:
    """A URDF link that is fixed to a moving link or to the base."""

    name: str
    pose: Pose  # in the base link at q = 0
    exact_pose: Pose  # the same without snapping


@dataclass(frozen=True)
class Segment:
    """A movable joint of the arm and the links that it carries rigidly."""

    joint: urdf_parser.Joint
    links: list[CarriedLink]  # the joint's child first

    @property
    def frame(self) -> Pose:
        """The URDF joint frame, which is that of its child, in the base link at q = 0."""
        return self.links[0].pose


@dataclass(frozen=True)
class Inertial:
    """The inertial parameters of a URDF link and any problems with them."""

    body: Body  # in the frame of the link
    pose: Pose  # of the <inertial> in the link
    exact_pose: Pose  # the same without snapping
    size: float  # m, of the link as its joints and its inertia suggest
    problems: tuple[tuple[str, ...], ...]  # as `_complain` takes them


@dataclass(frozen=True)
class SerialArm:
    """The arm between two links of a URDF."""

    chain: Chain
    segments: list[Segment]
    frames: list[Pose]  # modified DH frames 1 to n in the base link at q = 0
    tip: CarriedLink


@dataclass
class ArmReader:
    """Extracts arms from one description; each link and joint is evaluated only once."""

    description: Description
    tree: Tree
    gravity: np.ndarray  # (3,) in the base link, m/s^2
    positions: Mapping[str, float]  # of held joints, by name
    inertia_check: str  # "warn" or "error"
    parallel_tolerance: float  # rad

    def __post_init__(self) -> None:
        self._inertial = cache(self._inertial_of)

    def extract(self, base: str, tip: str, remarks: Remarks) -> SerialArm:
        """The arm between two links, with everything that is attached to it."""
        path = self.tree.path(base, tip)
        for joint in path:
            _check_joint_type(joint, path)
        moving = [joint for joint in path if joint.type != "fixed"]
        if not moving:
            raise ModelError(f"there is no movable joint between base link '{base}' and "
                             f"tip link '{tip}'")
        self._check_positions(moving)
        self._remark_on_copies(path, remarks)
        segments, tip_link = self._segments(path, remarks)
        frames = frames_from_axes(straightened([
            JointAxis(s.joint.name, s.frame, s.frame.rotation @ self.tree.axis(s.joint))
            for s in segments], remarks, self.parallel_tolerance))
        ratios = self.description.gear_ratios
        joints = tuple(_chain_joint(s.joint, row, ratios.get(s.joint.name, 1.0), remarks)
                       for s, row in zip(segments, table_from_frames(frames)))
        bodies = self._bodies(segments, frames, remarks)
        first, last = frames[0], frames[-1]
        chain = Chain(
            joints, tuple(link_of(body) for body in bodies),
            gravity=as_vector(without_rounding(first.rotation.T @ self.gravity)),
            base=first.rounded().placement(),
            tip=(last.inverse() @ tip_link.pose).rounded().placement(),
        )
        return SerialArm(chain, segments, frames, tip_link)

    def deviation(self, arm: SerialArm) -> Deviation:
        """The largest angle and distance by which snapping moved a frame or an axis."""
        steps = [Pose.of(joint.placement_at_zero) for joint in arm.chain.joints[1:]]
        tabled = chained(arm.frames[0], steps)
        poses = [*zip(tabled, arm.frames), (arm.tip.pose, arm.tip.exact_pose)]
        for segment in arm.segments:
            for link in segment.links:
                poses.append((link.pose, link.exact_pose))
                inertial = self._inertial(link.name)
                if inertial is not None:
                    poses.append((link.pose @ inertial.pose, link.exact_pose @ inertial.exact_pose))
        # |R - S| (Frobenius) is sqrt(8) sin(angle / 2)
        angle = max(np.linalg.norm(a.rotation - b.rotation) / math.sqrt(2) for a, b in poses)
        length = max(np.linalg.norm(a.translation - b.translation) for a, b in poses)
        tilt = max(np.linalg.norm(frame.rotation[:, 2] - s.links[0].exact_pose.rotation
                                  @ self.tree.axis(s.joint, snap=False))
                   for s, frame in zip(arm.segments, arm.frames))
        return Deviation(*without_rounding([max(angle, tilt), length],
                                           SNAPPING_ROUNDING, 1.0).tolist())

    def shapes(self, arm: SerialArm, base: str) -> tuple[LinkBody, ...]:
        """The links of the arm and of its base, with their shapes."""
        shapes = shapes_by_link(self.description.document)
        moved = {link.name for segment in arm.segments for link in segment.links}
        links = [(0, link.name, link.pose) for link in self._hanging_on(
            CarriedLink(base, HERE, HERE), moved, lenient=True)]
        for i, (segment, frame) in enumerate(zip(arm.segments, arm.frames), 1):
            links += [(i, link.name, (frame.inverse() @ link.pose).rounded())
                      for link in segment.links]
        return tuple(LinkBody(name, i, pose.placement(), *shapes.get(name, ((), ())))
                     for i, name, pose in links)

    def _check_positions(self, moving: list) -> None:
        arm = {joint.name for joint in moving}
        for name, value in self.positions.items():
            if name not in self.tree.joints:
                raise ModelError(f"joint_positions: the URDF has no joint '{name}'")
            if name in arm:
                raise ModelError(f"joint_positions: joint '{name}' is part of the arm and moves")
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ModelError(f"joint_positions: the position of joint '{name}' is {value!r}, "
                                 "not a finite number")

    def _remark_on_copies(self, path: list, remarks: Remarks) -> None:
        """A held joint that mimics a joint of the arm moves in reality."""
        arm = {joint.name for joint in path}
        for joint in self.tree.joints.values():
            original = self.tree.copied_joint(joint)
            if joint.name not in arm and original is not joint and original.name in arm:
                position = self.tree.held_position(joint, self.positions)
                remarks.reported.add(joint.name)
                remarks.add(f"mimics joint '{original.name}' of the arm, but is held at "
                            f"{position:g}; the computed efforts ignore its motion",
                            joint.name)

    def _segments(self, path: list, remarks: Remarks) -> tuple[list[Segment], CarriedLink]:
        """The movable joints of the path with the links that each carries; and the tip."""
        segments: list[Segment] = []
        pose, exact = HERE, HERE
        on_path = {joint.child for joint in path}
        for joint in path:
            pose = pose @ self.tree.pose(joint)
            exact = exact @ self.tree.pose(joint, snap=False)
            if joint.type != "fixed":
                segments.append(Segment(joint, []))
            if segments:  # before the first one it is the base, whose mass does not matter
                segments[-1].links.extend(self._hanging_on(
                    CarriedLink(joint.child, pose, exact), on_path, remarks))
        return segments, CarriedLink(path[-1].child, pose, exact)

    def _hanging_on(self, link: CarriedLink, excluded: set[str], remarks: Remarks | None = None,
                    lenient: bool = False) -> Iterator[CarriedLink]:
        """A link and all that is attached to it, without `excluded` links and beyond them.

        lenient: leave out what has no possible pose, instead of raising ModelError.
        """
        pending = [link]
        while pending:
            link = pending.pop()
            yield link
            for side in self.tree.below[link.name]:
                if side.child in excluded:
                    continue
                position = self.tree.held_position(side, self.positions)
                if remarks and side.type in MOVABLE and (
                        position or side.name not in remarks.reported):
                    remarks.add(f"not part of the arm, held at {position:g}", side.name)
                try:
                    pending.append(CarriedLink(
                        side.child, link.pose @ self.tree.held_pose(side, position),
                        link.exact_pose @ self.tree.held_pose(side, position, snap=False)))
                except ModelError:
                    if not lenient:
                        raise

    def _bodies(self, segments: Sequence[Segment], frames: Sequence[Pose],
                remarks: Remarks) -> list[Body]:
        """The bodies that the joints carry, in the modified DH frames."""
        carried = [self.tree.links[link.name] for s in segments for link in s.links]
        masses = [link.inertial.mass or 0.0 for link in carried if link.inertial is not None]
        own = (self.tree.links[segment.joint.child] for segment in segments)
        # A tip frame of some milligrams does not count.
        if not any(link.inertial for link in own) and sum(masses) < LEAST_MASS:
            raise ModelError("no moving link of the arm has an <inertial>: without masses there "
                             "are no dynamics")
        reach = sum(float(np.linalg.norm(b.frame.translation - a.frame.translation))
                    for a, b in zip(segments, segments[1:]))
        return [self._carried(s, frame, reach, remarks) for s, frame in zip(segments, frames)]

    def _carried(self, segment: Segment, frame: Pose, reach: float, remarks: Remarks) -> Body:
        """All that a joint carries rigidly, as one body in its modified DH frame."""
        to_frame = frame.inverse()
        bodies = []
        for link in segment.links:
            inertial = self._inertial(link.name)
            if inertial is not None:
                for problem in inertial.problems:
                    self._complain(remarks, *problem)
                self._check_centre(link.name, inertial, reach, remarks)
                place = (to_frame @ link.pose).rounded()
                bodies.append(inertial.body.moved(place.rotation, place.translation))
        if not bodies:
            self._complain(remarks, f"moved by joint '{segment.joint.name}', but without "
                           "<inertial>", segment.joint.child, "taken as massless")
        elif not any(body.mass for body in bodies):
            remarks.add("a moving link has zero mass", segment.joint.child)
        return combined(bodies)

    def _inertial_of(self, name: str) -> Inertial | None:
        """The <inertial> of a link, checked."""
        inertial = self.tree.links[name].inertial
        if inertial is None:
            return None
        if inertial.mass is None:
            raise ModelError(f"link '{name}': its <mass> has no value")
        problems: list[tuple[str, ...]] = []
        if inertial.inertia is None:
            problems.append(("an <inertial> without <inertia>", name, "taken as a point mass"))
        tensor = None if inertial.inertia is None else inertial.inertia.to_matrix()
        body = Body.create(float(inertial.mass), inertia=tensor)
        unusable = body.unusable()
        if unusable:
            raise ModelError(f"link '{name}': {unusable}")
        rounding = self.description.inertia_rounding.get(name, 0.0)
        problems += [(f"link '{name}': {broken}",) for broken in body.violations(rounding)]
        pose, exact_pose = (origin_pose(inertial.origin, f"the <inertial> of link '{name}'", snap)
                            for snap in (True, False))
        rod = math.sqrt(12 * np.abs(body.inertia).max() / body.mass) if body.mass > 0 else 0.0
        size = max([rod, *(float(np.linalg.norm(self.tree.pose(joint).translation))
                           for joint in self.tree.below[name])])
        return Inertial(body.moved(pose.rotation, pose.translation), pose, exact_pose, size,
                        tuple(problems))

    def _check_centre(self, name: str, inertial: Inertial, reach: float, remarks: Remarks) -> None:
        """A centre of mass far outside its link indicates a wrong unit or frame."""
        distance = float(np.linalg.norm(inertial.pose.translation))
        size = max(inertial.size, SMALLEST_LINK * reach)
        if inertial.body.mass > 0 and reach > 0 and distance > FARTHEST_CENTRE * size:
            remarks.add(f"link '{name}': its centre of mass is {distance:.3g} m from its "
                        f"origin, although the link measures only about {size:.2g} m")

    def _complain(self, remarks: Remarks, problem: str, link: str = "", assumed: str = "") -> None:
        if self.inertia_check == "error":
            where = f"link '{link}': " if link else ""
            raise ModelError(f"{where}{problem} ({option('inertia_check', 'warn')} accepts it)")
        remarks.add(f"{problem}; {assumed}" if assumed else problem, link)


def _check_joint_type(joint: urdf_parser.Joint, path: list) -> None:
    place = path.index(joint)
    follows = any(each.type != "fixed" for each in path[place + 1:])
    other = option("base", joint.child) if follows else option("tip", joint.parent)
    without = f"without it: {other}"
    if joint.mimic is not None:
        raise ModelError(f"joint '{joint.name}' mimics joint '{joint.mimic.joint}': a coupled "
                         f"joint inside the arm is not supported; use the arm {without}")
    if joint.type in ("planar", "floating"):
        raise ModelError(f"joint '{joint.name}' is {joint.type}: only revolute, continuous, "
                         "prismatic and fixed joints can be part of a serial arm; use the arm "
                         f"{without}")


def _chain_joint(
    joint: urdf_parser.Joint, row: Row, gear_ratio: float, remarks: Remarks
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
        friction=friction, gear_ratio=gear_ratio,
    )


def _limit(what: str, value: float, joint: str, remarks: Remarks) -> float:
    if value > 0.0:
        return float(value)
    how = "0" if value == 0.0 else "negative"
    remarks.add(f"the {what} limit is {how}, taken as unlimited", joint)
    return math.inf
