"""Print a robot: modified DH table, joints, links and minimal linear combinations."""

from __future__ import annotations

import argparse
import json
import math

from manip_dynamics.model.chain import Placement
from manip_dynamics.model.mdh import rpy_from_rotation
from manip_dynamics.model.robot import Robot
from manip_dynamics.model.text_table import text_table

from .robot_options import add_robot_arguments, robot_from_arguments

SUMMARY = "show the modified DH table, masses, limits and MLCs of a robot"
EXAMPLE = "manip_dynamics info stanford_arm"

MLC_COLUMNS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    robot = robot_from_arguments(args)
    print(json.dumps(as_dict(robot), indent=2) if args.json else as_text(robot))
    return 0


def as_dict(robot: Robot) -> dict:
    """The contents of the text, in SI units; a limit that does not exist is null."""
    return {
        "name": robot.name, "base": robot.base, "tip": robot.tip,
        "gravity": robot.base_gravity,
        "frame_0_in_base": _pose(robot.chain.base), "tip_in_last_frame": _pose(robot.chain.tip),
        "mdh_deviation": {"angle": robot.mdh_deviation.angle,
                          "length": robot.mdh_deviation.length},
        "joints": [
            {"name": joint.name, "kind": joint.kind, "alpha": joint.alpha, "a": joint.a,
             "theta": joint.theta, "d": joint.d, "lower": _finite(joint.lower),
             "upper": _finite(joint.upper), "max_velocity": _finite(joint.max_velocity),
             "max_effort": _finite(joint.max_effort), "damping": joint.friction.viscous,
             "friction": joint.friction.coulomb, "rotor_inertia": joint.rotor_inertia,
             "gear_ratio": joint.gear_ratio}
            for joint in robot.joints],
        "links": [{"mass": link.mass, "com": link.com, "inertia": link.inertia}
                  for link in robot.chain.rigid_links],
        "mlc": dict(zip(robot.mlc.names, robot.mlc.values.tolist())),
        "warnings": robot.warnings,
    }


def as_text(robot: Robot) -> str:
    total = sum(link.mass for link in robot.links)
    nonzero = sum(value != 0.0 for value in robot.mlc.values)
    parts = [
        f"{robot.name}: {robot.n} joints from '{robot.base}' to '{robot.tip}', "
        f"moving mass {total:.4g} kg",
        "\nModified DH parameters: Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d)",
        str(robot.mdh),
        f"frame 0 in '{robot.base}':  {_pose_text(robot.chain.base)}",
        f"'{robot.tip}' in frame {robot.n}:  {_pose_text(robot.chain.tip)}",
    ]
    if robot.mdh_deviation.angle or robot.mdh_deviation.length:
        parts.append(f"rounded angles and lengths snapped; largest change {robot.mdh_deviation}")
    parts += ["\nJoints", _joint_table(robot), "\nLinks, in their modified DH frames",
              _link_table(robot),
              f"\nMinimal linear combinations: {len(robot.mlc.values)}, {nonzero} nonzero",
              _mlc_table(robot)]
    return "\n".join(parts)


def _joint_table(robot: Robot) -> str:
    rows: list[tuple] = [("joint", "lower", "upper", "velocity", "effort", "damping", "friction",
                          "rotor", "gear", "unit")]
    rows += [(joint.name, joint.lower, joint.upper, joint.max_velocity, joint.max_effort,
              joint.friction.viscous, joint.friction.coulomb, joint.rotor_inertia,
              joint.gear_ratio, "rad, N m" if joint.revolute else "m, N")
             for joint in robot.joints]
    return text_table(rows, left=(0, len(rows[0]) - 1))


def _link_table(robot: Robot) -> str:
    rows: list[tuple] = [
        ("i", "mass", "c_x", "c_y", "c_z", "I_xx", "I_xy", "I_xz", "I_yy", "I_yz", "I_zz"),
        ("", "kg", *3 * ["m"], *6 * ["kg m^2"])]
    for i, link in enumerate(robot.chain.rigid_links, 1):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        rows.append((i, link.mass, *link.com, xx, xy, xz, yy, yz, zz))
    return text_table(rows)


def _mlc_table(robot: Robot) -> str:
    """Down the columns first."""
    cells = [*zip(robot.mlc.names, robot.mlc.values.tolist())]
    height = math.ceil(len(cells) / MLC_COLUMNS)
    cells += [("", "")] * (height * MLC_COLUMNS - len(cells))
    rows = [[x for cell in cells[i::height] for x in cell] for i in range(height)]
    return text_table(rows, left=range(0, 2 * MLC_COLUMNS, 2), number=".6g")


def _pose(placement: Placement) -> dict[str, list[float]]:
    """Metres and radians, as in a URDF <origin>."""
    return {"xyz": list(placement.translation),
            "rpy": [angle + 0.0 for angle in rpy_from_rotation(placement.rotation)]}


def _pose_text(placement: Placement) -> str:
    x, y, z = placement.translation
    angles = rpy_from_rotation(placement.rotation)
    roll, pitch, yaw = (math.degrees(angle) + 0.0 for angle in angles)
    return (f"x {x:.6g}, y {y:.6g}, z {z:.6g} m; roll {roll:.6g}, pitch {pitch:.6g}, "
            f"yaw {yaw:.6g} deg")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
