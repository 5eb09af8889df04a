"""A serial arm in modified Denavit-Hartenberg form, as plain floats.

    T(i-1 -> i) = Rot(x, alpha_i) Trans(x, a_i) Rot(z, theta_i) Trans(z, d_i)

Frame i is fixed to link i and its z axis is the axis of joint i ("normal driving-axis"
coordinates of Lin & Fang 1999). This is all that the algorithms know about a robot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import ModelError
from .tolerances import RIGHT_ANGLE_ROUNDING

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def as_vector(values: Iterable[float]) -> Vector:
    """Three plain floats, without negative zeros."""
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)


def as_matrix(rows: Iterable[Iterable[float]]) -> Matrix:
    x, y, z = map(as_vector, rows)
    return (x, y, z)


def cos_sin(angle: float) -> tuple[float, float]:
    """cos and sin of a constant angle, exact at multiples of 90 degrees."""
    quarter_turns = round(angle / (math.pi / 2))
    if abs(angle - quarter_turns * (math.pi / 2)) <= RIGHT_ANGLE_ROUNDING * max(1.0, abs(angle)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter_turns % 4]
    return math.cos(angle), math.sin(angle)


class Placement(NamedTuple):
    """A rigid transform: `rotation` (rows) and `translation` (m) of a child frame."""

    rotation: Matrix = IDENTITY
    translation: Vector = ZERO


@dataclass(frozen=True)
class Friction:
    """Friction of one joint, in N m or N, as the actuator feels it (algorithms/friction.py)."""

    viscous: float = 0.0  # per rad/s or m/s
    coulomb: float = 0.0
    offset: float = 0.0  # an effort that is always there
    load: float = 0.0  # Coulomb friction per effort that the joint transmits, below 1
    width: float = 0.0  # rad/s or m/s: Coulomb friction changes its sign over this velocity

    def __bool__(self) -> bool:
        return bool(self.viscous or self.coulomb or self.offset or self.load)


@dataclass(frozen=True)
class Joint:
    """Joint i, which carries link i, and its modified DH parameters.

    `theta` and `d` are the values at q = 0: a revolute joint turns by theta + q, a prismatic
    one slides by d + q. Angles in rad, lengths in m.
    """

    kind: str  # "revolute" or "prismatic"
    alpha: float = 0.0
    a: float = 0.0
    theta: float = 0.0
    d: float = 0.0
    name: str = ""
    lower: float = -math.inf  # position limits, rad or m
    upper: float = math.inf
    max_velocity: float = math.inf  # rad/s or m/s
    max_effort: float = math.inf  # N m or N
    friction: Friction = Friction()
    rotor_inertia: float = 0.0  # of the motor, about its own axis, kg m^2
    gear_ratio: float = 1.0  # motor turns per joint turn (rad of motor per m if prismatic)
    rotor_axis: Vector | None = None  # unit vector in frame i-1, whose link carries the motor;
    # None: the motor's axis is parallel to the joint's
    cos_alpha: float = field(init=False, repr=False, compare=False)
    sin_alpha: float = field(init=False, repr=False, compare=False)
    cos_theta: float = field(init=False, repr=False, compare=False)
    sin_theta: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise ModelError(f"joint '{self.name}': kind must be revolute or prismatic, "
                             f"not '{self.kind}'")
        for angle in ("alpha", "theta"):
            cosine, sine = cos_sin(getattr(self, angle))
            object.__setattr__(self, f"cos_{angle}", cosine)
            object.__setattr__(self, f"sin_{angle}", sine)

    @property
    def damping(self) -> float:
        """Viscous friction, N m s/rad or N s/m."""
        return self.friction.viscous

    @property
    def revolute(self) -> bool:
        return self.kind == "revolute"

    @property
    def placement_at_zero(self) -> Placement:
        """Frame i in frame i-1 at q = 0."""
        C, S, ca, sa = self.cos_theta, self.sin_theta, self.cos_alpha, self.sin_alpha
        return Placement(((C, -S, 0.0), (ca * S, ca * C, -sa), (sa * S, sa * C, ca)),
                         (self.a, -self.d * sa, self.d * ca))

    @property
    def offset(self) -> float:
        """The modified DH variable at q = 0: theta of a revolute joint, d of a prismatic one."""
        return self.theta if self.revolute else self.d


class Link:
    """A link by its moments about O_i, in frame i: all that most algorithms ask for."""

    mass: float  # kg
    first_moment: Vector  # m c: mass times position of the centre of mass, kg m
    origin_inertia: Matrix  # J: inertia tensor about O_i, kg m^2

    @property
    def parameters(self) -> tuple[float, ...]:
        """The ten natural parameters m, mx, my, mz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.origin_inertia
        return (self.mass, *self.first_moment, xx, xy, xz, yy, yz, zz)


@dataclass(frozen=True)
class RigidLink(Link):
    """A rigid body: mass, centre of mass, and inertia about the centre of mass, in frame i."""

    mass: float
    com: Vector  # c, m
    inertia: Matrix  # I: inertia tensor about the centre of mass, kg m^2
    first_moment: Vector = field(init=False, repr=False, compare=False)
    origin_inertia: Matrix = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        m, (x, y, z) = self.mass, self.com
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia
        jxy, jxz, jyz = xy - m * x * y, xz - m * x * z, yz - m * y * z
        object.__setattr__(self, "first_moment", (m * x, m * y, m * z))
        object.__setattr__(self, "origin_inertia", (
            (xx + m * (y * y + z * z), jxy, jxz),
            (jxy, yy + m * (x * x + z * z), jyz),
            (jxz, jyz, zz + m * (x * x + y * y))))


@dataclass(frozen=True)
class MomentLink(Link):
    """Moments that no rigid body need have: virtual links, which stand for MLCs."""

    mass: float
    first_moment: Vector
    origin_inertia: Matrix

    def plus(self, other: Link) -> MomentLink:
        """Both links, rigidly joined: moments add up."""
        x, y, z = (a + b for a, b in zip(self.first_moment, other.first_moment))
        J = [[a + b for a, b in zip(*rows)]
             for rows in zip(self.origin_inertia, other.origin_inertia)]
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = J
        return MomentLink(self.mass + other.mass, (x, y, z),
                          ((xx, xy, xz), (yx, yy, yz), (zx, zy, zz)))


@dataclass(frozen=True)
class Chain:
    """A serial arm: n joints, n links, gravity, and where it is mounted."""

    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    gravity: Vector = (0.0, 0.0, -9.81)  # in frame 0, m/s^2
    base: Placement = Placement()  # frame 0 in the base link
    tip: Placement = Placement()  # the tip frame in frame n

    def __post_init__(self) -> None:
        if len(self.joints) != len(self.links):
            raise ModelError(f"a chain needs one link per joint, not {len(self.links)} links "
                             f"for {len(self.joints)} joints")

    @property
    def n(self) -> int:
        return len(self.joints)

    @property
    def has_friction(self) -> bool:
        return any(joint.friction for joint in self.joints)

    @property
    def has_load_friction(self) -> bool:
        """Whether the friction of any joint depends on the effort that the joint transmits."""
        return any(joint.friction.load for joint in self.joints)

    @property
    def has_rotors(self) -> bool:
        """Whether any joint has a rotor with inertia."""
        return any(joint.rotor_inertia for joint in self.joints)

    @property
    def rigid_links(self) -> tuple[RigidLink, ...]:
        """The links, for algorithms that need mass centres; ModelError if they have none."""
        links = tuple(link for link in self.links if isinstance(link, RigidLink))
        if len(links) < self.n:
            raise ModelError("only the moments of this arm's links are known, not their centres "
                             "of mass; use an algorithm for moment links")
        return links
