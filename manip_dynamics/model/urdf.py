"""Reading URDF text with urdf_parser_py, safely, and with errors that name the element."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree import ElementTree

from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection import core as reflection

from .errors import ModelError

LARGEST_URDF = 10_000_000  # characters; the largest published robots have under one million
MOVABLE = ("revolute", "continuous", "prismatic", "planar", "floating")

# What the motion of the arm does not depend on. It is most of a URDF, and full of extensions.
_LINK_PARTS = ("inertial",)
_JOINT_PARTS = ("origin", "axis", "parent", "child", "limit", "dynamics", "mimic")

# What urdf_parser_py raises without saying where: numbers that are words, missing attributes.
_VAGUE_ERRORS = (AssertionError, ValueError, TypeError, AttributeError, KeyError)

_one_parser_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Description:
    """A parsed URDF: what urdf_parser_py made of it, gear ratios by joint, and its remarks."""

    robot: urdf_parser.Robot
    gear_ratios: dict[str, float]
    remarks: tuple[str, ...]


class _RefuseDoctype(ElementTree.TreeBuilder):
    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise ModelError("the URDF has a DOCTYPE: entities are not part of URDF and are refused, "
                         "because they can expand without limit or read other files")


def parse_urdf(text: str) -> Description:
    """Parse URDF text; ModelError says what is wrong with it and where."""
    if not text.strip():
        raise ModelError("the URDF is empty")
    if len(text) > LARGEST_URDF:
        raise ModelError(f"the URDF has {len(text):,} characters; at most {LARGEST_URDF:,} are "
                         "read (meshes belong into files of their own)")
    document = _parse_xml(text)
    gear_ratios, remarks = _gear_ratios(document)
    essential = _essential(document)
    unknown: list[str] = []
    with _collected_remarks(unknown):
        try:
            robot = _parse(essential)
        except reflection.ParseError as error:
            raise ModelError(f"the URDF is wrong at {error.path}: {error.e}") from None
        except _VAGUE_ERRORS as error:
            reason = ("an attribute is missing" if isinstance(error, (TypeError, AttributeError))
                      else error)
            raise ModelError(f"the URDF is wrong in {_culprit(essential)}: {reason}") from None
    if unknown:
        remarks.append(f"{len(unknown)} entries that URDF does not define are not used; the first: "
                       f"{unknown[0]}")
    return Description(robot, gear_ratios, tuple(remarks))


def _parse(robot: ElementTree.Element) -> urdf_parser.Robot:
    return urdf_parser.URDF.from_xml_string(ElementTree.tostring(robot, encoding="unicode"))


def _culprit(robot: ElementTree.Element) -> str:
    """The element that urdf_parser_py stumbles over where it does not say so itself."""
    for element in robot:
        alone = ElementTree.Element("robot", robot.attrib)
        for part in element:
            alone[:] = [ElementTree.Element(element.tag, element.attrib)]
            alone[0].append(part)
            try:
                _parse(alone)
            except reflection.ParseError:
                continue  # only because the other parts are missing here
            except _VAGUE_ERRORS:
                return f"<{part.tag}> of {element.tag} '{element.get('name')}'"
    return "<robot>"


def _parse_xml(text: str) -> ElementTree.Element:
    if "xacro:" in text and "http://www.ros.org/wiki/xacro" in text:
        raise ModelError("this is a xacro file, not a URDF; expand it first: "
                         "xacro robot.urdf.xacro > robot.urdf")
    try:
        parser = ElementTree.XMLParser(target=_RefuseDoctype())
        parser.feed(text.encode())
        document = parser.close()
    except ElementTree.ParseError as error:
        raise ModelError(f"the URDF is not well-formed XML: {error}") from None
    except (UnicodeError, LookupError) as error:
        raise ModelError(f"the URDF is not valid UTF-8 text: {error}") from None
    if document.tag != "robot":
        raise ModelError(f"a URDF starts with <robot>, this XML starts with <{document.tag}>")
    if "name" not in document.attrib:
        raise ModelError("the URDF's <robot> has no name")
    return document


def _essential(document: ElementTree.Element) -> ElementTree.Element:
    """The links and joints alone, each with the parts that matter to dynamics."""
    robot = ElementTree.Element("robot", {"name": document.get("name", "")})
    for element in document:
        if element.tag not in ("link", "joint"):
            continue
        name = element.get("name")
        if not name:
            raise ModelError(f"the URDF has a <{element.tag}> without a name")
        kept = ElementTree.SubElement(robot, element.tag, dict(element.attrib))
        for part in element:
            if part.tag not in (_LINK_PARTS if element.tag == "link" else _JOINT_PARTS):
                continue
            if kept.find(part.tag) is not None:
                raise ModelError(f"{element.tag} '{name}' has more than one <{part.tag}>")
            kept.append(part)
    for tag in ("link", "joint"):
        for name, times in Counter(e.get("name") for e in robot.findall(tag)).items():
            if times > 1:
                raise ModelError(f"the URDF has {times} {tag}s named '{name}'")
    return robot


def _gear_ratios(document: ElementTree.Element) -> tuple[dict[str, float], list[str]]:
    """The reduction of every simple transmission, by joint name, in the words of ROS 1 or 2."""
    ratios: dict[str, float] = {}
    remarks: list[str] = []
    for transmission in document.iter("transmission"):
        reductions = [e.text for e in transmission.iter()
                      if e.tag in ("mechanicalReduction", "mechanical_reduction")]
        joints = [e.get("name", "") for e in transmission.iter("joint")]
        if not reductions:
            continue
        if len(joints) != 1:
            remarks.append(f"transmission '{transmission.get('name')}' couples {len(joints)} "
                           "joints; its reduction is not used")
            continue
        try:
            ratio = float(reductions[0] or "")
        except ValueError:
            ratio = 0.0
        if ratio == 0.0 or not math.isfinite(ratio):
            raise ModelError(f"transmission of joint '{joints[0]}': its mechanical reduction "
                             f"'{reductions[0]}' is not a finite number other than 0")
        ratios[joints[0]] = ratio
    return ratios, remarks


@contextmanager
def _collected_remarks(remarks: list[str]) -> Iterator[None]:
    """urdf_parser_py reports what it does not know through one module-level function."""
    with _one_parser_at_a_time:
        usual = reflection.on_error
        reflection.on_error = remarks.append
        try:
            yield
        finally:
            reflection.on_error = usual
