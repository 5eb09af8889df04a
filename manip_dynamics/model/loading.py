"""load_robot: a bundled name, a file or URDF text becomes a Robot."""

from __future__ import annotations

import codecs
import os
import re
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from pathlib import Path
from xml.etree.ElementTree import Element

from .arm import ArmReader
from .arm_choice import ArmEnd, SeveralArms, choose_arm, first_link_of_arm
from .bundled import bundled_robots, bundled_urdf
from .chain import as_vector
from .dh_table import LARGEST_TABLE, read_table
from .errors import ModelError
from .inertia import Body
from .remarks import Remarks
from .robot import Robot, as_gravity, as_payload
from .tolerances import PARALLEL
from .tree import Tree
from .urdf import LARGEST_URDF, describe, parse_xml
from .urdf_writer import document_of_table, text_of
from .wording import option

LONGEST_NAME = 255  # of a file, on every common file system


class ModelWarning(UserWarning):
    """Something in a robot description was not taken literally."""


def load_robot(
    source: str | os.PathLike[str],
    base: str | None = None,
    tip: str | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    payload: Body | float | Sequence | Mapping | None = None,
    inertia_check: str = "warn",
    joint_positions: Mapping[str, float] | None = None,
    rotor_inertia: Mapping[str, float] | None = None,
    gear_ratio: Mapping[str, float] | None = None,
    parallel_tolerance: float = PARALLEL,
) -> Robot:
    """Read a serial arm.

    What is not taken literally is reported as warnings (ModelWarning) and in `robot.warnings`.

    Parameters
    ----------
    source : str or path
        A bundled name ("stanford_arm"), a path of a URDF or of a DH table (.yaml), or URDF text.
    base, tip : str, optional
        Links; by default the root, and the end of the longest arm, before its gripper.
    gravity : (3,)
        Gravitational acceleration in the base link, m/s^2; turn it for wall and ceiling mounting.
    payload : float, (mass, com, inertia), mapping or Body, optional
        A body in the tip frame; a number is a point mass. kg, m, kg m^2.
    inertia_check : "warn" or "error"
        What happens if no rigid body can have the inertia of a link.
    joint_positions : mapping of str to float, optional
        Where movable joints outside the arm are held, rad or m; 0 by default.
    rotor_inertia, gear_ratio : mapping of str to float, optional
        Motors by joint name: kg m^2; turns of the motor per turn of the joint (rad/m if prismatic).
    parallel_tolerance : float
        Joint axes within this angle, rad, whose common normal is too far away for double
        precision, are taken as parallel.

    Returns
    -------
    Robot

    Raises
    ------
    ModelError
        If the description cannot be used; the message says what is wrong and where.
    """
    if inertia_check not in ("error", "warn"):
        raise ModelError(f'inertia_check must be "error" or "warn", not "{inertia_check}"')
    if not isinstance(parallel_tolerance, Real) or not 0 <= parallel_tolerance <= 1:
        raise ModelError(f"parallel_tolerance must be an angle from 0 to 1 rad, not "
                         f"{parallel_tolerance}")
    if not isinstance(joint_positions or {}, Mapping):
        raise ModelError("joint_positions is given by joint name, like {'finger_joint': 0.02}, not "
                         f"as {joint_positions}")
    field = as_gravity(gravity)
    text, document = _text_and_document(source)
    remarks = Remarks()
    description = describe(document if document is not None else parse_xml(text), remarks)
    tree = Tree(description.robot)
    if base is None:
        base, notes = first_link_of_arm(tree)
        for note in notes:
            remarks.add(note)
    reader = ArmReader(description, tree, field, joint_positions or {}, inertia_check,
                       parallel_tolerance)
    if tip is None:
        tip = _chosen_tip(reader, base, remarks)
    arm = reader.extract(base, tip, remarks)
    for warning in remarks.texts():
        python_warnings.warn(warning, ModelWarning, stacklevel=2)
    robot = Robot(
        name=description.robot.name, urdf=text, base=base, tip=tip,
        base_gravity=as_vector(field), bare_chain=arm.chain, payload=as_payload(payload),
        mdh_deviation=reader.deviation(arm), warnings=remarks.texts(),
        bodies=reader.shapes(arm, base),
    )
    return robot.with_drives(rotor_inertia, gear_ratio)


def _chosen_tip(reader: ArmReader, base: str, remarks: Remarks) -> str:
    """The end of the arm; if there are several, the error names those that can be loaded."""
    try:
        choice = choose_arm(reader.tree, base)
    except SeveralArms as several:
        tips = []
        for tip in several.tips:
            try:
                reader.extract(base, tip, Remarks())
                tips.append(tip)
            except ModelError as error:
                reason = error
        if not tips:
            raise reason from None
        if len(tips) > 1:
            raise SeveralArms(base, tips) from None
        choice = ArmEnd(tips[0], (f"the arm that ends at {option('tip', tips[0])} is the only one "
                                  "that can be used",))
    for remark in choice.remarks:
        remarks.add(remark)
    remarks.reported.update(choice.held)
    return choice.tip


def resolve_urdf(source: str | os.PathLike[str]) -> str:
    """The URDF text of a bundled name, a path (a DH table becomes a URDF), or URDF text itself."""
    return _text_and_document(source)[0]


def _text_and_document(source: str | os.PathLike[str]) -> tuple[str, Element | None]:
    """URDF text; and its document where it is made from a table rather than read."""
    if isinstance(source, str) and ("<" in source or not source.strip()):
        return source, None
    path = Path(source)
    if len(path.name) > LONGEST_NAME:
        raise ModelError(f"'{path.name[:40]}...' is too long for a name and is not URDF text")
    if path.suffix in (".yaml", ".yml"):
        document = document_of_table(read_table(_read(path, LARGEST_TABLE)))
        return text_of(document), document
    if path.suffix or path.exists() or len(path.parts) > 1:
        return _read(path), None
    if str(source) in bundled_robots():
        return _read(bundled_urdf(str(source))), None
    meant = get_close_matches(str(source), bundled_robots(), 1)
    raise ModelError(f"'{source}' is neither a bundled robot ({', '.join(bundled_robots())}) nor "
                     f"a file nor URDF text{f'; did you mean {meant[0]}?' if meant else ''}")


def _read(path: Path, most: int = LARGEST_URDF) -> str:
    try:
        size = path.stat().st_size
        if size > most:
            raise ModelError(f"'{path}' has {size:,} bytes; at most {most:,} are read"
                             + (" (meshes belong in separate files)"
                                if most == LARGEST_URDF else ""))
        return _decoded(path.read_bytes(), path)
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None


def _decoded(content: bytes, path: Path) -> str:
    """Text in the encoding that its XML declaration or its byte order mark names, else UTF-8."""
    declared = re.match(rb"""\s*<\?xml[^>]{0,80}encoding\s*=\s*["']([\w.-]{1,40})""", content)
    encoding = declared[1].decode() if declared else "utf-8"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif encoding.lower() in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        name = "UTF-8" if encoding.startswith("utf-8") else encoding
        raise ModelError(f"'{path}' is not {name} text: {error}") from None
    except LookupError:
        raise ModelError(f"'{path}' names the unknown encoding '{encoding}'") from None
