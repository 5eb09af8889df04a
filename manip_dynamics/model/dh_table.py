"""Robots as papers print them: a DH table with masses, as YAML.

    name: my_arm
    convention: modified        # T = Rot(x,alpha) Trans(x,a) Rot(z,theta) Trans(z,d); or standard
    angles: degrees             # or radians
    joints:
      - {name: waist, kind: revolute, alpha: 0, a: 0, theta: 0, d: 0.4,
         mass: 9.0, com: [0, 0, -0.1], inertia: [0.02, 0.01, 0.01],
         lower: -160, upper: 160, velocity: 2.0, effort: 100, damping: 0.1, friction: 0.5}

`theta` of a revolute joint and `d` of a prismatic one are the values at q = 0. `inertia` is about
the centre of mass in the link frame of the convention: the diagonal, or xx, xy, xz, yy, yz, zz.
`velocity` is per second in the unit of `angles`. Everything but `kind` has a default. `base`,
frame 0 in the base link, and `tip`, the tip in the last frame of a modified table, may be given as
[x, y, z] or [x, y, z, roll, pitch, yaw], m and rad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import yaml

from .chain import Chain, Friction, Joint, Placement
from .errors import ModelError
from .inertia import Body, link_of
from .mdh import rotation_from_rpy, rpy_from_rotation
from .pose import HERE, Pose
from .robot import Robot

_NUMBERS = ("alpha", "a", "theta", "d", "mass", "lower", "upper", "velocity", "effort", "damping",
            "friction")
_ROW = ("alpha", "theta", "a", "d", "name", "kind", "mass", "com", "inertia", "lower", "upper",
        "velocity", "effort", "damping", "friction")
_KINDS = {"r": "revolute", "revolute": "revolute", "p": "prismatic", "prismatic": "prismatic"}

LARGEST_TABLE = 200_000  # characters; PyYAML reads about 100,000 a second
DEEPEST_NESTING = 8  # a table needs three
LARGEST_NUMBER = 1e9  # in any unit of a table


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which can expand without limit, deep nesting, and duplicate keys."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise ModelError("the DH table has a YAML alias (*name); write the values out")
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise ModelError(f"the DH table is nested more than {DEEPEST_NESTING} deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict:
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise ModelError(f"the DH table has '{key}' twice in one mapping")
        return super().construct_mapping(node, deep)


@dataclass(frozen=True)
class Table:
    """A robot read from a DH table, in modified DH."""

    name: str
    chain: Chain


def read_table(text: str) -> Table:
    """Read a DH table; ModelError says which row is wrong."""
    if len(text) > LARGEST_TABLE:
        raise ModelError(f"the DH table has {len(text):,} characters; at most {LARGEST_TABLE:,} "
                         "are read")
    try:
        data = yaml.load(text, _PlainLoader)
    except ModelError:
        raise
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none, and the like
        raise ModelError(f"the DH table is not valid YAML: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("joints"), list):
        raise ModelError("a DH table is a mapping with a list of `joints`")
    _refuse_unknown(data, ("name", "convention", "angles", "joints", "base", "tip"), "the DH table")
    convention = data.get("convention", "modified")
    unit = data.get("angles", "radians")
    if convention not in ("modified", "standard"):
        raise ModelError(f"convention must be modified or standard, not '{convention}'")
    if unit not in ("degrees", "radians"):
        raise ModelError(f"angles must be degrees or radians, not '{unit}'")
    if not data["joints"]:
        raise ModelError("the DH table has no joint")
    to_radians = math.pi / 180 if unit == "degrees" else 1.0
    rows = [_row(row, i, to_radians) for i, row in enumerate(data["joints"], 1)]
    if convention == "standard":
        if "tip" in data:
            raise ModelError("the tip of a standard DH table is its last frame; remove `tip`")
        chain = _from_standard(rows)
    else:
        chain = Chain(tuple(joint for joint, _ in rows), tuple(link_of(body) for _, body in rows),
                      tip=_pose(data.get("tip"), "tip"))
    return Table(_name(data.get("name", "robot"), "the DH table"),
                 replace(chain, base=_pose(data.get("base"), "base")))


def write_table(robot: Robot) -> str:
    """The modified DH table of a robot as YAML that `read_table` reads; angles in radians."""
    rows = []
    for joint, link in zip(robot.chain.joints, robot.chain.rigid_links):
        com, ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = link.com, link.inertia
        row: dict[str, Any] = {"name": joint.name, "kind": joint.kind, "alpha": joint.alpha,
                               "a": joint.a, "theta": joint.theta, "d": joint.d,
                               "mass": link.mass, "com": list(com),
                               "inertia": [xx, xy, xz, yy, yz, zz]}
        limits = {"lower": joint.lower, "upper": joint.upper, "velocity": joint.max_velocity,
                  "effort": joint.max_effort, "damping": joint.friction.viscous,
                  "friction": joint.friction.coulomb}
        row.update((key, value) for key, value in limits.items()
                   if math.isfinite(value) and (value != 0.0 or key in ("lower", "upper")))
        rows.append(row)
    data = {"name": robot.name, "convention": "modified", "angles": "radians",
            "base": _six_numbers(robot.chain.base), "joints": rows,
            "tip": _six_numbers(robot.chain.tip)}
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=100)


def _row(row: Any, i: int, to_radians: float) -> tuple[Joint, Body]:
    where = f"joint {i} of the DH table"
    if not isinstance(row, dict):
        raise ModelError(f"{where} is not a mapping")
    _refuse_unknown(row, _ROW, where)
    kind = _KINDS.get(str(row.get("kind", "")).lower())
    if kind is None:
        raise ModelError(f"{where}: kind must be revolute or prismatic, not '{row.get('kind')}'")
    angular = ("alpha", "theta") + (("lower", "upper", "velocity") if kind == "revolute" else ())
    name = _name(row.get("name", f"joint{i}"), where)
    values: dict[str, Any] = {
        key: _number(row[key], f"{where}: {key}") * (to_radians if key in angular else 1.0)
        for key in _NUMBERS if key in row}
    if ("lower" in row) != ("upper" in row):  # URDF would take the other one for 0
        raise ModelError(f"{where}: lower and upper limits belong together; give both or none")
    body = _body(row, values.pop("mass", 0.0), where)
    friction = Friction(values.pop("damping", 0.0), values.pop("friction", 0.0))
    velocity, effort = (values.pop(key, math.inf) for key in ("velocity", "effort"))
    return Joint(kind, name=name, friction=friction, max_velocity=velocity, max_effort=effort,
                 **values), body


def _body(row: dict[str, Any], mass: float, where: str) -> Body:
    com = _numbers(row.get("com", (0.0, 0.0, 0.0)), 3, f"{where}: com")
    entries = row.get("inertia", (0.0, 0.0, 0.0))
    if isinstance(entries, (list, tuple)) and len(entries) == 3:
        xx, yy, zz = _numbers(entries, 3, f"{where}: inertia")
        xy = xz = yz = 0.0
    else:
        xx, xy, xz, yy, yz, zz = _numbers(entries, 6, f"{where}: inertia (3 or 6)")
    body = Body.create(mass, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    broken = [problem for problem in body.violations() if "triangle" not in problem]
    if broken:
        raise ModelError(f"{where}: {'; '.join(broken)}")
    return body


def _name(value: Any, where: str) -> str:
    if not str(value).isprintable():  # XML has no place for control characters
        raise ModelError(f"{where}: the name {_shown(value)} has characters that cannot be printed")
    return str(value)


def _numbers(values: Any, count: int, what: str) -> list[float]:
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ModelError(f"{what} must be {count} finite numbers, not {_shown(values)}")
    return [_number(value, what) for value in values]


def _number(value: Any, what: str) -> float:
    """A finite number of plausible size."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ModelError(f"{what} must be a finite number, not {_shown(value)}")
    if abs(number) > LARGEST_NUMBER:
        raise ModelError(f"{what} is {number:g}, which exceeds {LARGEST_NUMBER:g}")
    return number


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _pose(values: Any, what: str) -> Placement:
    if values is None:
        return Placement()
    count = 6 if isinstance(values, (list, tuple)) and len(values) == 6 else 3
    numbers = _numbers(values, count, f"{what} (3 or 6)") + [0.0, 0.0, 0.0]
    return Pose(rotation_from_rpy(numbers[3:6], snap=False), np.array(numbers[:3])).placement()


def _six_numbers(pose: Placement) -> list[float]:
    return [*pose.translation, *(x + 0.0 for x in rpy_from_rotation(pose.rotation))]


def _from_standard(rows: list[tuple[Joint, Body]]) -> Chain:
    """Standard DH: Rot(z,theta) Trans(z,d) Trans(x,a) Rot(x,alpha), frame i at the end of link i.

    alpha and a move to the next row; link i is expressed in the frame at its beginning.
    """
    joints, links = [], []
    end = HERE
    twist, length = 0.0, 0.0  # alpha and a of the previous row
    for joint, body in rows:
        joints.append(replace(joint, alpha=twist, a=length))
        twist, length = joint.alpha, joint.a
        end = Pose(rotation_from_rpy((twist, 0.0, 0.0), snap=False), np.array([length, 0.0, 0.0]))
        links.append(link_of(body.moved(end.rotation, end.translation)))
    return Chain(tuple(joints), tuple(links), tip=end.placement())


def _refuse_unknown(given: dict, known: tuple[str, ...], where: str) -> None:
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise ModelError(f"{where} has unknown entries {', '.join(unknown)}; "
                         f"known are {', '.join(known)}")
