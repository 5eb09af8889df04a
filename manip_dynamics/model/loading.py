"""load_robot: a bundled name, a file or URDF text becomes a Robot."""

from __future__ import annotations

import math
import os
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from .arm import extract_arm
from .bundled import bundled_robots, bundled_urdf
from .dh_table import read_table
from .errors import ModelError
from .inertia import Body
from .robot import Robot, as_payload
from .tree import Tree
from .urdf import LARGEST_URDF, parse_urdf
from .urdf_writer import urdf_of_table

LONGEST_NAME = 255  # of a file, on every common file system


class ModelWarning(UserWarning):
    """Something in a robot description was not taken literally."""


def load_robot(
    source: str | os.PathLike[str],
    base: str | None = None,
    tip: str | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    payload: Body | float | Sequence | Mapping | None = None,
    inertia_check: str | None = None,
    joint_positions: Mapping[str, float] | None = None,
    rotor_inertia: Mapping[str, float] | None = None,
    gear_ratio: Mapping[str, float] | None = None,
) -> Robot:
    """Read a serial arm.

    source: a bundled name ("stanford_arm"), a path of a URDF or of a DH table (.yaml), or
        URDF text.
    base, tip: links; by default the root and the end of the longest movable chain.
    gravity: acceleration in the base link, m/s^2 (wall and ceiling mounting: turn this vector).
    payload: a body in the tip frame: a mass in kg, (mass, com, inertia), or a Body.
    inertia_check: "error", or "warn" to accept inertias that no rigid body has. Default: "error",
        but "warn" for the bundled robots, whose numbers are the published ones.
    joint_positions: where movable joints that are not of the arm are held (default 0).
    rotor_inertia, gear_ratio: motors by joint name (kg m^2; turns of motor per turn of joint).

    Raises ModelError, which says what is wrong and where.
    """
    if inertia_check is None:
        inertia_check = "warn" if str(source) in bundled_robots() else "error"
    if inertia_check not in ("error", "warn"):
        raise ModelError(f'inertia_check must be "error" or "warn", not "{inertia_check}"')
    try:
        field = np.array(gravity, float)
    except (TypeError, ValueError):
        field = np.array(math.nan)
    if field.shape != (3,) or not np.isfinite(field).all():
        raise ModelError(f"gravity must be three finite numbers, not {gravity}")

    text = urdf_text(source)
    description = parse_urdf(text)
    tree = Tree(description.robot)
    base = tree.root if base is None else base
    remark = None
    if tip is None:
        tip, remark = tree.longest_arm(base)
    arm = extract_arm(tree, base, tip, field, joint_positions or {}, description.gear_ratios,
                      inertia_check)
    unknown = [f"a transmission has a reduction for joint '{joint}', which does not exist"
               for joint in description.gear_ratios if joint not in tree.joints]
    warnings = (*description.remarks, *unknown, *([remark] if remark else []), *arm.warnings)
    for warning in warnings:
        python_warnings.warn(warning, ModelWarning, stacklevel=2)
    x, y, z = map(float, field)
    robot = Robot(
        name=description.robot.name, urdf=text, base=base, tip=tip, base_gravity=(x, y, z),
        bare_chain=arm.chain, payload=as_payload(payload), mdh_deviation=arm.deviation,
        warnings=warnings,
    )
    return robot.with_drives(rotor_inertia, gear_ratio)


def urdf_text(source: str | os.PathLike[str]) -> str:
    """The URDF text behind a bundled name, a path, or text itself."""
    if isinstance(source, str) and ("<" in source or not source.strip()):
        return source
    path = Path(source)
    if len(path.name) > LONGEST_NAME:
        raise ModelError(f"'{path.name[:40]}...' is too long for a name and is not URDF text")
    if path.suffix in (".yaml", ".yml"):
        return urdf_of_table(read_table(_read(path)))
    if path.suffix or path.exists() or len(path.parts) > 1:
        return _read(path)
    if str(source) in bundled_robots():
        return _read(bundled_urdf(str(source)))
    meant = get_close_matches(str(source), bundled_robots(), 1)
    raise ModelError(f"'{source}' is neither a bundled robot ({', '.join(bundled_robots())}) nor "
                     f"a file nor URDF text{f'; did you mean {meant[0]}?' if meant else ''}")


def _read(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST_URDF:
            raise ModelError(f"'{path}' has {size:,} bytes; at most {LARGEST_URDF:,} are read "
                             "(meshes belong into files of their own)")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"'{path}' is not UTF-8 text: {error}") from None
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None
