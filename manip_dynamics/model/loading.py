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

from .arm import Reading, extract_arm
from .arm_choice import Choice, SeveralArms, choose_arm, first_link_of_arm
from .bundled import bundled_robots, bundled_urdf
from .dh_table import LARGEST_TABLE, read_table
from .errors import ModelError
from .inertia import Body
from .mdh import PARALLEL
from .remarks import Remarks
from .robot import Robot, as_gravity, as_payload
from .tree import Tree
from .urdf import LARGEST_URDF, Description, parse_urdf
from .urdf_writer import urdf_of_table
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

    source: a bundled name ("stanford_arm"), a path of a URDF or of a DH table (.yaml), or
        URDF text.
    base, tip: links; by default the root, and the end of the longest arm, before its gripper.
    gravity: acceleration in the base link, m/s^2 (wall and ceiling mounting: turn this vector).
    payload: a body in the tip frame: a mass in kg, (mass, com, inertia), or a Body.
    inertia_check: "warn" of inertias that no rigid body has, or make them an "error".
    joint_positions: where movable joints that are not of the arm are held (default 0).
    rotor_inertia, gear_ratio: motors by joint name (kg m^2; turns of motor per turn of joint).
    parallel_tolerance: rad; joint axes that are nearer to parallel than this, and whose common
        normal is too far away for double precision, are taken as parallel.

    What is not taken literally is told by warnings (ModelWarning), and in `robot.warnings`.
    Raises ModelError, which says what is wrong and where.
    """
    if inertia_check not in ("error", "warn"):
        raise ModelError(f'inertia_check must be "error" or "warn", not "{inertia_check}"')
    if not isinstance(parallel_tolerance, Real) or not 0 <= parallel_tolerance <= 1:
        raise ModelError(f"parallel_tolerance must be an angle from 0 to 1 rad, not "
                         f"{parallel_tolerance}")
    if not isinstance(joint_positions or {}, Mapping):
        raise ModelError("joint_positions is given by joint name, like {'finger_joint': 0.02}, not "
                         f"as {joint_positions}")
    reading = Reading(as_gravity(gravity), joint_positions or {}, inertia_check, parallel_tolerance)
    text = urdf_text(source)
    remarks = Remarks()
    description = parse_urdf(text, remarks)
    tree = Tree(description.robot)
    if base is None:
        base, told = first_link_of_arm(tree)
        for remark in told:
            remarks.add(remark)
    if tip is None:
        tip = _chosen_tip(description, tree, base, reading, remarks)
    arm = extract_arm(description, tree, base, tip, reading, remarks)
    for warning in remarks.texts():
        python_warnings.warn(warning, ModelWarning, stacklevel=2)
    x, y, z = map(float, reading.gravity)
    robot = Robot(
        name=description.robot.name, urdf=text, base=base, tip=tip, base_gravity=(x, y, z),
        bare_chain=arm.chain, payload=as_payload(payload), mdh_deviation=arm.deviation,
        warnings=remarks.texts(),
    )
    return robot.with_drives(rotor_inertia, gear_ratio)


def _chosen_tip(description: Description, tree: Tree, base: str, reading: Reading,
                remarks: Remarks) -> str:
    """The end of the arm; if there are several, the error names those that can be loaded."""
    try:
        choice = choose_arm(tree, base)
    except SeveralArms as several:
        tips = []
        for tip in several.tips:
            try:
                extract_arm(description, tree, base, tip, reading, Remarks())
                tips.append(tip)
            except ModelError as error:
                reason = error
        if not tips:
            raise reason from None
        if len(tips) > 1:
            raise SeveralArms(base, tips) from None
        choice = Choice(tips[0], (f"the arm that ends at {option('tip', tips[0])} is the only one "
                                  "that can be used",))
    for remark in choice.remarks:
        remarks.add(remark)
    remarks.told.update(choice.held)
    return choice.tip


def urdf_text(source: str | os.PathLike[str]) -> str:
    """The URDF text behind a bundled name, a path, or text itself."""
    if isinstance(source, str) and ("<" in source or not source.strip()):
        return source
    path = Path(source)
    if len(path.name) > LONGEST_NAME:
        raise ModelError(f"'{path.name[:40]}...' is too long for a name and is not URDF text")
    if path.suffix in (".yaml", ".yml"):
        return urdf_of_table(read_table(_read(path, LARGEST_TABLE)))
    if path.suffix or path.exists() or len(path.parts) > 1:
        return _read(path)
    if str(source) in bundled_robots():
        return _read(bundled_urdf(str(source)))
    meant = get_close_matches(str(source), bundled_robots(), 1)
    raise ModelError(f"'{source}' is neither a bundled robot ({', '.join(bundled_robots())}) nor "
                     f"a file nor URDF text{f'; did you mean {meant[0]}?' if meant else ''}")


def _read(path: Path, most: int = LARGEST_URDF) -> str:
    try:
        size = path.stat().st_size
        if size > most:
            raise ModelError(f"'{path}' has {size:,} bytes; at most {most:,} are read"
                             + (" (meshes belong into files of their own)"
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
