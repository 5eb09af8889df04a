"""Robot: one serial arm, immutable, with everything that follows from its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import degrees, nan
from numbers import Real
from typing import Any

import numpy as np

from .chain import Chain, Joint, Link, MomentLink, Vector, as_vector
from .errors import ModelError
from .inertia import Body, combined, link_of
from .mlc import PARAMETERS_PER_LINK, MinimalCombinations, minimal_combinations
from .shapes import LinkBody
from .text_table import text_table
from .tolerances import without_rounding

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


def _column(name: str) -> property:
    return property(lambda table: tuple(getattr(joint, name) for joint in table.joints))


@dataclass(frozen=True)
class MDHTable:
    """The modified DH table at q = 0; prints as the papers print it, angles in degrees."""

    joints: tuple[Joint, ...]

    alpha, a, theta, d, kind, offset = map(
        _column, ("alpha", "a", "theta", "d", "kind", "offset"))

    def __iter__(self) -> Iterator[Joint]:
        return iter(self.joints)

    def __len__(self) -> int:
        return len(self.joints)

    def __str__(self) -> str:
        rows: list[list[object]] = [["i", "joint", "kind", "alpha", "a", "theta", "d"],
                                    ["", "", "", "deg", "m", "deg", "m"]]
        for i, joint in enumerate(self.joints, 1):
            theta, d = f"{degrees(joint.theta):.6g}", f"{joint.d:.6g}"
            if joint.revolute:
                theta = f"q{i} {_signed(theta)}".rstrip()
            else:
                d = f"q{i} {_signed(d)}".rstrip()
            rows.append([i, joint.name, joint.kind, degrees(joint.alpha), joint.a, theta, d])
        return text_table(rows, left=(1, 2), number=".6g")


@dataclass(frozen=True)
class Robot:
    """A serial arm of n joints, immutable. Arrays are in the order of `joint_names`; SI units, rad.

    Attributes
    ----------
    name, base, tip : str
        Of the robot, its base link and its tip link.
    urdf : str
        The text that the robot was read from; made from the table if that was a DH table.
    base_gravity : (3,)
        Gravitational acceleration in the base link, m/s^2.
    bare_chain : Chain
        The arm in modified DH form, without the payload.
    payload : Body or None
        In the tip frame.
    mdh_deviation : Deviation
        The largest change that snapping rounded angles and lengths has made.
    warnings : tuple of str
        What was not taken literally.
    bodies : tuple of LinkBody
        The URDF links of the arm and its base, with their shapes.
    """

    name: str
    urdf: str
    base: str
    tip: str
    base_gravity: Vector
    bare_chain: Chain
    payload: Body | None = field(default=None, compare=False)
    mdh_deviation: Deviation = Deviation()
    warnings: tuple[str, ...] = ()
    bodies: tuple[LinkBody, ...] = field(default=(), repr=False, compare=False)
    _carried: tuple[float, ...] = field(init=False, repr=False)  # robots are compared by it

    def __post_init__(self) -> None:
        carried: tuple[float, ...] = (0.0,) * PARAMETERS_PER_LINK
        if self.payload is not None:
            tip = self.bare_chain.tip
            carried = link_of(self.payload.moved(
                np.array(tip.rotation), np.array(tip.translation))).parameters
        object.__setattr__(self, "_carried", carried)

    def __repr__(self) -> str:
        return f"<Robot '{self.name}': {self.n} joints from '{self.base}' to '{self.tip}'>"

    @cached_property
    def chain(self) -> Chain:
        """The arm in modified DH form, with the payload."""
        return _loaded(self.bare_chain, self.payload)

    @property
    def payload_parameters(self) -> np.ndarray:
        """The payload as the kernels take it, (10,): m, m c, J about O_n, in the last DH frame."""
        return np.array(self._carried)

    @property
    def n(self) -> int:
        return self.bare_chain.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Modified DH parameters, limits, friction and drives, joint by joint."""
        return self.bare_chain.joints

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
        """Inertial parameters of every link, in its modified DH frame."""
        return self.chain.links

    @property
    def has_moment_links(self) -> bool:
        """Whether only the moments of the links are known, as after `with_mlc`."""
        return any(isinstance(link, MomentLink) for link in self.links)

    @property
    def mdh(self) -> MDHTable:
        return MDHTable(self.chain.joints)

    @cached_property
    def mlc(self) -> MinimalCombinations:
        """The minimal linear combinations of inertia parameters (Lin & Fang 1999)."""
        return minimal_combinations(self.chain)

    def with_payload(self, payload: Body | float | Sequence | Mapping | None) -> Robot:
        """The same arm with another payload, which replaces the present one.

        Parameters
        ----------
        payload : float, (mass, com, inertia), mapping, Body or None
            In the tip frame: kg, m, kg m^2 about the centre of mass; a number is a point mass.

        Raises
        ------
        ModelError
            If no rigid body can have these values.
        """
        return replace(self, payload=as_payload(payload))

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """The same arm with another gravitational acceleration, (3,), m/s^2, in the base link.

        Raises
        ------
        ModelError
            If only the MLCs are known, and with this gravity they do not determine the dynamics.
        """
        field = as_gravity(gravity)
        turned = np.array(self.bare_chain.base.rotation).T @ field
        robot = replace(self, base_gravity=as_vector(field), bare_chain=replace(
            self.bare_chain, gravity=as_vector(without_rounding(turned))))
        if self.has_moment_links and not set(robot.mlc.names) <= set(self.mlc.names):
            missing = [name for name in robot.mlc.names if name not in self.mlc.names]
            raise ModelError("only the MLCs of this arm are known, and with this gravity its "
                             f"efforts also depend on {', '.join(missing)}")
        return robot

    def with_mlc(self, values: Sequence[float] | np.ndarray) -> Robot:
        """The same arm with other values, (p,), of `robot.mlc`, e.g. identified ones.

        Only the moments of its links are known; a present payload becomes part of them.
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
        """The same arm with other motors; joints that are not named keep theirs.

        Parameters
        ----------
        rotor_inertia : mapping of str to float, optional
            By joint name, about the motor's axis, kg m^2.
        gear_ratio : mapping of str to float, optional
            By joint name, turns of the motor per turn of the joint (rad/m if prismatic).
        """
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
        joints = tuple(replace(joint, **changes[joint.name]) for joint in self.joints)
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
        raise ModelError(f"gravity exceeds {LARGEST_GRAVITY:g} m/s^2: {gravity}")
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


def _loaded(chain: Chain, payload: Body | None) -> Chain:
    if payload is None or chain.n == 0:
        return chain
    *others, last = chain.links
    carried = payload.moved(np.array(chain.tip.rotation), np.array(chain.tip.translation))
    loaded: Link
    if isinstance(last, MomentLink):
        loaded = last.plus(link_of(carried))
    else:
        loaded = link_of(combined([chain.rigid_links[-1], carried]))
    return replace(chain, links=(*others, loaded))


def _signed(number: str) -> str:
    return "" if float(number) == 0.0 else f"- {number[1:]}" if number[0] == "-" else f"+ {number}"
