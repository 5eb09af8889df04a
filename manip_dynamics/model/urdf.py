"""Reading URDF text with urdf_parser_py, safely, and with errors that name the element.

Errors in parts that do not affect the motion of an arm never make a file unusable: such parts are
left out, with a remark where it could matter. Of repeated elements the first counts, as in urdfdom.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from xml.etree import ElementTree
from xml.parsers import expat

from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection import core as reflection

from .errors import ModelError
from .remarks import Remarks

LARGEST_URDF = 10_000_000  # characters; the largest published robots have under one million
DEEPEST_NESTING = 100  # elements; URDF itself needs six
MOVABLE = ("revolute", "continuous", "prismatic", "planar", "floating")
JOINT_TYPES = (*MOVABLE, "fixed")

# What affects the motion of the arm: a small part of most URDFs, which are full of extensions.
_LINK_PARTS = ("inertial",)
_JOINT_PARTS = ("origin", "axis", "parent", "child", "limit", "dynamics", "mimic")
_FIXED_JOINT_PARTS = ("origin", "parent", "child")
_LIMITS = ("lower", "upper", "effort", "velocity")
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

_XACRO = ("this is a xacro file, not a URDF ({}); expand it first: "
          "xacro robot.urdf.xacro > robot.urdf")

# Raised by urdf_parser_py without a location, for malformed numbers and missing attributes.
_VAGUE_ERRORS = (AssertionError, ValueError, TypeError, AttributeError, KeyError, OverflowError)

_one_parser_at_a_time = threading.Lock()


class _Element(ElementTree.Element):
    """An element as any version of urdf_parser_py reads it; older ones were made for lxml."""

    def getchildren(self) -> list[ElementTree.Element]:
        return list(self)


@dataclass(frozen=True)
class Description:
    """A parsed URDF: what urdf_parser_py makes of it, and what it has no place for."""

    robot: urdf_parser.Robot
    gear_ratios: dict[str, float]  # by joint
    inertia_rounding: dict[str, float]  # by link: uncertainty from its printed digits, kg m^2
    document: ElementTree.Element


def parse_xml(text: str) -> ElementTree.Element:
    """The document of URDF text; ModelError says what is wrong with it.

    Prefixes stay part of the names: many files have undeclared ones, in parts not used here.
    """
    text = text.lstrip()
    if not text:
        raise ModelError("the URDF is empty")
    if len(text) > LARGEST_URDF:
        raise ModelError(f"the URDF has {len(text):,} characters; at most {LARGEST_URDF:,} are "
                         "read (meshes belong in separate files)")
    builder = ElementTree.TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST_NESTING:
            raise ModelError(f"the URDF has elements nested more than {DEEPEST_NESTING} deep")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def doctype(*_: object) -> None:
        raise ModelError("the URDF has a DOCTYPE: entities are not part of URDF and are refused, "
                         "because they can expand without limit or read other files")

    parser = expat.ParserCreate(encoding="utf-8")  # the text is decoded, whatever it declares
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ModelError(f"the URDF is not well-formed XML: {error}") from None
    except UnicodeError as error:
        raise ModelError(f"the URDF is not valid text: {error}") from None
    document = builder.close()
    if document.tag != "robot":
        raise ModelError(f"a URDF starts with <robot>, this XML starts with <{document.tag}>")
    return document


def describe(document: ElementTree.Element, remarks: Remarks) -> Description:
    """The robot of a URDF document; ModelError says what is wrong with it and where."""
    essential = _essential(document, remarks)
    _refuse_xacro(document, essential, remarks)
    unknown: list[str] = []
    with _collected_messages(unknown):
        try:
            robot = _parse(essential)
        except reflection.ParseError as error:
            raise ModelError(f"the URDF is wrong at {error.path}: {error.e}") from None
        except _VAGUE_ERRORS as error:
            reason = ("an attribute is missing" if isinstance(error, (TypeError, AttributeError))
                      else error)
            raise ModelError(f"the URDF is wrong in {_culprit(essential)}: {reason}") from None
    if unknown:
        remarks.add(f"unknown elements and attributes are ignored ({len(unknown)} times); the "
                    f"first: {unknown[0]}")
    return Description(robot, _gear_ratios(document, remarks), _inertia_rounding(essential),
                       document)


def _parse(robot: ElementTree.Element) -> urdf_parser.Robot:
    return urdf_parser.URDF.from_xml(robot, reflection.Path("robot"))


def _culprit(robot: ElementTree.Element) -> str:
    """The element that urdf_parser_py cannot read, if it does not say so itself."""
    for element in robot:
        alone = _Element("robot", robot.attrib)
        for part in element:
            alone[:] = [_Element(element.tag, element.attrib)]
            alone[0].append(part)
            try:
                _parse(alone)
            except reflection.ParseError:
                continue  # only because the other parts are missing here
            except _VAGUE_ERRORS:
                return f"<{part.tag}> of {element.tag} '{element.get('name')}'"
    return "<robot>"


def _refuse_xacro(document: ElementTree.Element, essential: ElementTree.Element,
                  remarks: Remarks) -> None:
    """ModelError if something that matters still needs to be expanded by xacro."""
    prefixes = {"xacro:"} | {name[6:] + ":" for name, value in document.attrib.items()
                             if name.startswith("xmlns:") and "xacro" in value}
    calls = [element.tag.partition(":")[2] for element in document.iter()
             if element.tag.startswith(tuple(prefixes))]
    for what in ("include", "if", "unless", "insert_block"):
        if what in calls:
            raise ModelError(_XACRO.format(f"it has <xacro:{what}>"))
    if "macro" in calls and set(calls) - {"macro", "property", "arg"}:
        raise ModelError(_XACRO.format("it defines and calls macros"))
    for element in essential.iter():
        for name, value in element.attrib.items():
            if "${" in value or "$(" in value:
                raise ModelError(_XACRO.format(f'<{element.tag} {name}="{value[:40]}">'))
    for call in calls:
        if call not in ("macro", "property", "arg"):
            remarks.add("calls of undefined xacro macros are ignored", call)


def _essential(document: ElementTree.Element, remarks: Remarks) -> ElementTree.Element:
    """Only the links and joints, each with the parts that affect the dynamics."""
    if not document.get("name"):
        remarks.add("the URDF's <robot> has no name")
    robot = _Element("robot", {"name": document.get("name") or "robot"})
    known: dict[tuple[str, str], ElementTree.Element] = {}
    joints = {joint.get("name") for joint in document.findall("joint")}
    for element in document:
        if element.tag not in ("link", "joint"):
            continue
        name = element.get("name")
        if not name:
            raise ModelError(f"the URDF has a <{element.tag}> without a name")
        parts = _LINK_PARTS if element.tag == "link" else _JOINT_PARTS
        kept = _first_of_each(element, name, remarks, parts)
        _mend(kept, joints, remarks)
        before = known.setdefault((element.tag, name), kept)
        if before is kept:
            robot.append(kept)
        elif ElementTree.tostring(before) == ElementTree.tostring(kept):
            remarks.add(f"a {element.tag} is defined twice", name)
        else:
            raise ModelError(f"the URDF has two {element.tag}s named '{name}' that differ")
    return robot


def _first_of_each(element: ElementTree.Element, owner: str, remarks: Remarks,
                   parts: Sequence[str] = ()) -> _Element:
    """An element without repeated children and foreign attributes; `parts` are kept with theirs."""
    kept = _Element(element.tag, _own_attributes(element))
    for child in element:
        if child.tag not in parts if parts else ":" in child.tag:
            continue
        if kept.find(child.tag) is not None:
            remarks.add(f"more than one <{child.tag}>; only the first is used", owner)
        else:
            kept.append(_first_of_each(child, owner, remarks) if parts
                        else _Element(child.tag, _own_attributes(child)))
    return kept


def _own_attributes(element: ElementTree.Element) -> dict[str, str]:
    """The attributes, without those of other namespaces."""
    return {name: value for name, value in element.attrib.items() if ":" not in name}


def _mend(element: ElementTree.Element, joints: set[str | None], remarks: Remarks) -> None:
    """Check the type of a joint; correct or leave out parts that URDF does not allow.

    Limits are not part of the dynamics: one that is missing or not a number becomes 0, "not given".
    """
    name = str(element.get("name"))
    if element.tag == "link":
        inertial = element.find("inertial")
        if inertial is not None and not len(inertial):
            remarks.add("an empty <inertial>, ignored", name)
            element.remove(inertial)
        return
    kind = element.get("type")
    if kind is None:
        raise ModelError(f"joint '{name}' has no type")
    if kind not in JOINT_TYPES:
        meant = get_close_matches(kind, JOINT_TYPES, 1)
        raise ModelError(f"joint '{name}' has the unknown type '{kind}'"
                         + (f"; did you mean '{meant[0]}'?" if meant else ""))
    for part in list(element):
        if kind == "fixed" and part.tag not in _FIXED_JOINT_PARTS or (
                part.tag == "axis" and part.get("xyz") is None):
            element.remove(part)
    mimic = element.find("mimic")
    if mimic is not None and (mimic.get("joint") not in joints or mimic.get("joint") == name):
        remarks.add(f"mimics '{mimic.get('joint')}', which is not another joint; treated as "
                    "independent", name)
        element.remove(mimic)
    limit = element.find("limit")
    if limit is None:
        return
    for key in _LIMITS:
        given = limit.get(key)
        if math.isnan(_number(given)):
            limit.set(key, "0")
            if given is not None:
                remarks.add(f"a <limit> whose {key} is not a number, ignored", name)


def _number(text: str | None) -> float:
    """NaN if it is none."""
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _gear_ratios(document: ElementTree.Element, remarks: Remarks) -> dict[str, float]:
    """The reduction of every simple transmission, by joint name; as ROS 1 or ROS 2 spells it."""
    known = {joint.get("name") for joint in document.findall("joint")}
    ratios: dict[str, float] = {}
    for transmission in document.iter("transmission"):
        reductions = [e.text for e in transmission.iter()
                      if e.tag in ("mechanicalReduction", "mechanical_reduction")]
        joints = [e.get("name", "") for e in transmission.iter("joint")]
        if not reductions:
            continue
        if len(joints) != 1:
            remarks.add(f"a transmission that couples {len(joints)} joints; its reduction is not "
                        "used", transmission.get("name", ""))
        elif joints[0] not in known:
            remarks.add("a transmission has a reduction for a joint that does not exist", joints[0])
        elif not math.isfinite(_number(reductions[0])) or _number(reductions[0]) == 0.0:
            remarks.add(f"a transmission whose mechanical reduction '{reductions[0]}' is not a "
                        "finite nonzero number; not used", joints[0])
        else:
            ratios[joints[0]] = _number(reductions[0])
    return ratios


def _inertia_rounding(essential: ElementTree.Element) -> dict[str, float]:
    """How far the rounding of printed digits can change a sum of a link's principal moments."""
    units = {}
    for link in essential.findall("link"):
        tensor = link.find("inertial/inertia")
        if tensor is not None:
            digits = {key: _last_digit(tensor.get(key, "")) for key in _MOMENTS}
            units[str(link.get("name"))] = sum(
                unit / 2 if key[1] == key[2] else unit for key, unit in digits.items())
    return units


def _last_digit(number: str) -> float:
    """1e-4 for "0.0012", 1e-6 for "1.2e-5"; 0 for zero and whole numbers, which are exact."""
    match = re.fullmatch(r"\s*[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?\s*", number)
    if match is None or not (match[1] + match[2]).strip("0") or not (match[2] or match[3]):
        return 0.0
    return float(f"1e{int(match[3] or 0) - len(match[2])}")


@contextmanager
def _collected_messages(messages: list[str]) -> Iterator[None]:
    """urdf_parser_py reports unknown elements through a module-level function."""
    with _one_parser_at_a_time:
        usual = reflection.on_error
        reflection.on_error = messages.append
        try:
            yield
        finally:
            reflection.on_error = usual
