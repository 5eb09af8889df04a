"""Robot: one serial arm, immutable, with everything that follows from its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import degrees, nan
from numbers import Real
from typing import Any

import numpy as np

from .chain import Chain, Joint, Link, Matrix, MomentLink, Placement, RigidLink, Vector
from .errors import ModelError
from .inertia import Body, combined, without_rounding
from .mlc import PARAMETERS_PER_LINK, MinimalCombinations, minimal_combinations

LARGEST_GRAVITY = 1e6  # m/s^2; products with the largest masses are finite
LARGEST_ROTOR = 1e6  # kg m^2
LARGEST_GEAR_RATIO = 1e6


@dataclass(frozen=True)
class Deviation:
    """The largest change that snapping made to a joint axis, link frame or inertial frame at q = 0:
    rad and m."""

    angle: float = 0.0
    length: float = 0.0

    def __str__(self) -> str:
        return f"{self.angle:.2g} rad, {self.length:.2g} m"


@dataclass(frozen=True)
class MDHTable:
    """The modified DH table at q = 0; prints as the papers print it, angles in degrees."""

    joints: tuple[Joint, ...]

    @property
    def alpha(self) -> tuple[float, ...]:
        return tuple(joint.alpha for joint in self.joints)

    @property
    def a(self) -> tuple[float, ...]:
        return tuple(joint.a for joint in self.joints)

    @property
    def theta(self) -> tuple[float, ...]:
        return tuple(joint.theta for joint in self.joints)

    @property
    def d(self) -> tuple[float, ...]:
        return tuple(joint.d for joint in self.joints)

    @property
    def kind(self) -> tuple[str, ...]:
        return tuple(joint.kind for joint in self.joints)

    @property
    def offset(self) -> tuple[float, ...]:
        return tuple(joint.offset for joint in self.joints)

    def __iter__(self) -> Iterator[Joint]:
        return iter(self.joints)

    def __len__(self) -> int:
        return len(self.joints)

    def __str__(self) -> str:
        width = max([5, *(len(joint.name) for joint in self.joints)])
        lines = [f"{'i':>2}  {'joint':<{width}}  {'kind':<9}  {'alpha':>10}  {'a':>10}"
                 f"  {'theta':>14}  {'d':>14}",
                 f"{'':>2}  {'':<{width}}  {'':<9}  {'deg':>10}  {'m':>10}"
                 f"  {'deg':>14}  {'m':>14}"]
        for i, joint in enumerate(self.joints, 1):
            theta, d = f"{degrees(joint.theta):.6g}", f"{joint.d:.6g}"
            if joint.revolute:
                theta = f"q{i} {_signed(theta)}"
            else:
                d = f"q{i} {_signed(d)}"
            lines.append(f"{i:>2}  {joint.name:<{width}}  {joint.kind:<9}"
                         f"  {degrees(joint.alpha):>10.6g}  {joint.a:>10.6g}"
                         f"  {theta:>14}  {d:>14}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Robot:
    """A serial arm read from a URDF. Arrays are in the order of `joint_names`."""

    name: str
    urdf: str  # the text it was read from
    base: str  # base link
    tip: str  # tip link
    base_gravity: Vector  # m/s^2, in the base link
    bare_chain: Chain  # without the payload
    payload: Body | None = field(default=None, compare=False)  # in the tip frame; `chain` has it
    mdh_deviation: Deviation = Deviation()
    warnings: tuple[str, ...] = ()
    chain: Chain = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "chain", _loaded(self.bare_chain, self.payload))

    def __repr__(self) -> str:
        return f"<Robot '{self.name}': {self.n} joints from '{self.base}' to '{self.tip}'>"

    @property
    def payload_parameters(self) -> np.ndarray:
        """The payload as the kernels take it, (10,): m, m c, J about O_n, in the last DH frame."""
        if self.payload is None:
            return np.zeros(PARAMETERS_PER_LINK)
        tip = self.bare_chain.tip
        return np.array(link_of(self.payload.moved(
            np.array(tip.rotation), np.array(tip.translation))).parameters)

    @property
    def n(self) -> int:
        return self.chain.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.chain.joints)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Limits, friction and drives, joint by joint."""
        return self.chain.joints

    @property
    def lower(self) -> np.ndarray:
        """Lower position limits (n,), rad or m; -inf where there is none."""
        return np.array([joint.lower for joint in self.joints])

    @property
    def upper(self) -> np.ndarray:
        """Upper position limits (n,), rad or m; inf where there is none."""
        return np.array([joint.upper for joint in self.joints])

    @property
    def max_velocity(self) -> np.ndarray:
        """Velocity limits (n,), rad/s or m/s; inf where there is none."""
        return np.array([joint.max_velocity for joint in self.joints])

    @property
    def max_effort(self) -> np.ndarray:
        """Effort limits (n,), N m or N; inf where there is none."""
        return np.array([joint.max_effort for joint in self.joints])

    @property
    def links(self) -> tuple[Link, ...]:
        """Mass, centre of mass and inertia of every link in its modified DH frame."""
        return self.chain.links

    @property
    def has_moment_links(self) -> bool:
        """Whether the links are known by their moments alone (see `with_mlc`)."""
        return any(isinstance(link, MomentLink) for link in self.links)

    @property
    def mdh(self) -> MDHTable:
        return MDHTable(self.chain.joints)

    @cached_property
    def mlc(self) -> MinimalCombinations:
        """The minimal linear combinations of inertia parameters (Lin & Fang 1999)."""
        return minimal_combinations(self.chain)

    def with_payload(self, payload: Body | float | Sequence | Mapping | None) -> Robot:
        """The same arm with another payload (in the tip frame) in place of the present one.

        A body, a point mass in kg, a tuple (mass, com, inertia), the same as a mapping, or None.
        """
        return replace(self, payload=as_payload(payload))

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """The same arm where gravity (m/s^2, in the base link) is another."""
        field = as_gravity(gravity)
        turned = np.array(self.bare_chain.base.rotation).T @ field
        robot = replace(self, base_gravity=_vector(field), bare_chain=replace(
            self.bare_chain, gravity=_vector(without_rounding(turned))))
        if self.has_moment_links and not set(robot.mlc.names) <= set(self.mlc.names):
            missing = [name for name in robot.mlc.names if name not in self.mlc.names]
            raise ModelError("this arm is known by its MLCs alone, and under another gravity its "
                             f"efforts depend on {', '.join(missing)} too, which are not known")
        return robot

    def with_mlc(self, values: Sequence[float] | np.ndarray) -> Robot:
        """The same arm with other values (p,) of `robot.mlc`, e.g. identified ones.

        Its links are known by their moments alone; a present payload becomes part of them.
        """
        given = np.array(values, float)
        if given.shape != self.mlc.values.shape or not np.isfinite(given).all():
            raise ModelError(f"values must be {len(self.mlc.values)} finite numbers, one for each "
                             f"MLC ({', '.join(self.mlc.names[:3])}, ...), not {values}")
        return replace(self, bare_chain=self.mlc.with_values(given).chain, payload=None)

    def with_drives(
        self,
        rotor_inertia: Mapping[str, float] | None = None,
        gear_ratio: Mapping[str, float] | None = None,
    ) -> Robot:
        """The same arm with these motors, by joint name; joints not named keep theirs."""
        changes: dict[str, dict[str, Any]] = {name: {} for name in self.joint_names}
        for what, values in (("rotor_inertia", rotor_inertia), ("gear_ratio", gear_ratio)):
            if not isinstance(values or {}, Mapping):
                raise ModelError(f"{what} is given by joint name, like "
                                 f"{{'{self.joint_names[0]}': 1.0}}, not as {values}")
            for joint, value in (values or {}).items():
                if joint not in changes:
                    raise ModelError(f"{what}: the arm has no joint '{joint}'; its joints are "
                                     f"{', '.join(self.joint_names)}")
                changes[joint][what] = checked_drive(what, joint, value)
        joints = tuple(replace(joint, **changes[joint.name]) for joint in self.chain.joints)
        return replace(self, bare_chain=replace(self.bare_chain, joints=joints))


def checked_drive(what: str, joint: str, value: Any) -> float:
    """A rotor_inertia (not negative) or a gear_ratio (not zero; negative: the motor reverses)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = nan
    possible = 0 <= number <= LARGEST_ROTOR if what == "rotor_inertia" else (
        0 < abs(number) <= LARGEST_GEAR_RATIO)
    if not possible:
        raise ModelError(f"{what} of joint '{joint}' cannot be {value}")
    return number


def as_gravity(gravity: Sequence[float]) -> np.ndarray:
    """Three finite numbers, (3,)."""
    try:
        field = np.array(gravity, float)
    except (TypeError, ValueError):
        field = np.array(nan)
    if field.shape != (3,) or not np.isfinite(field).all():
        raise ModelError(f"gravity must be three finite numbers, not {gravity}")
    if np.abs(field).max() > LARGEST_GRAVITY:
        raise ModelError(f"gravity is beyond {LARGEST_GRAVITY:g} m/s^2: {gravity}")
    return field


def as_payload(payload: Body | float | Sequence | Mapping | None) -> Body | None:
    """A payload in any of the forms that `load_robot` takes, checked."""
    if payload is None:
        return None
    if isinstance(payload, Body):
        body = payload
    elif isinstance(payload, Mapping):
        unknown = set(payload) - {"mass", "com", "inertia"}
        if unknown or "mass" not in payload:
            raise ModelError("a payload is given by mass, com and inertia"
                             + (f", not {', '.join(sorted(unknown))}" if unknown else ""))
        body = Body.create(**payload)
    elif isinstance(payload, Real):
        body = Body.create(float(payload))
    elif isinstance(payload, Sequence) and not isinstance(payload, str) and 1 <= len(payload) <= 3:
        body = Body.create(*payload)
    else:
        raise ModelError(f"a payload is a mass in kg or (mass, com, inertia), not {payload!r}")
    broken = body.violations()
    if broken:
        raise ModelError(f"payload: {'; '.join(broken)}")
    return body


def link_of(body: Body) -> RigidLink:
    """A body in frame i as the link that the algorithms use."""
    return RigidLink(body.mass, _vector(body.com), _matrix(body.inertia))


def placement_of(rotation, translation) -> Placement:
    """A pose of arrays as the plain floats of a chain."""
    return Placement(_matrix(rotation), _vector(translation))


def _loaded(chain: Chain, payload: Body | None) -> Chain:
    if payload is None or chain.n == 0:
        return chain
    last = chain.links[-1]
    carried = payload.moved(np.array(chain.tip.rotation), np.array(chain.tip.translation))
    loaded: Link
    if isinstance(last, MomentLink):
        loaded = last.plus(link_of(carried))
    else:
        *_, arm = chain.rigid_links
        own = Body(arm.mass, np.array(arm.com), np.array(arm.inertia))
        loaded = link_of(combined([own, carried]))
    return replace(chain, links=(*chain.links[:-1], loaded))


def _vector(values) -> Vector:
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)


def _matrix(rows) -> Matrix:
    x, y, z = (_vector(row) for row in rows)
    return (x, y, z)


def _signed(number: str) -> str:
    return "" if float(number) == 0.0 else f"- {number[1:]}" if number[0] == "-" else f"+ {number}"
