"""What a robot is: modified DH table, links, joints and minimal linear combinations."""

from __future__ import annotations

import argparse
import json
import math

from manip_dynamics.model.chain import Placement
from manip_dynamics.model.mdh import rpy_from_rotation
from manip_dynamics.model.robot import Robot

from .robot_options import add_robot_arguments, robot_from_arguments

SUMMARY = "show the modified DH table, masses, limits and MLCs of a robot"
EXAMPLE = "manip_dynamics info stanford_arm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for a program to read")


def run(args: argparse.Namespace) -> int:
    robot = robot_from_arguments(args)
    print(json.dumps(as_dict(robot), indent=2) if args.json else as_text(robot))
    return 0


def as_dict(robot: Robot) -> dict:
    """Everything that the text shows, in SI units; an absent limit is null."""
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
        f"{total:.4g} kg moving",
        "\nModified DH parameters: Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d)",
        str(robot.mdh),
        f"frame 0 in '{robot.base}':  {_pose_text(robot.chain.base)}",
        f"'{robot.tip}' in frame {robot.n}:  {_pose_text(robot.chain.tip)}",
    ]
    if robot.mdh_deviation.angle or robot.mdh_deviation.length:
        parts.append(f"rounded angles and lengths snapped; largest change {robot.mdh_deviation}")
    parts += ["\nJoints", _joint_lines(robot), "\nLinks, in their modified DH frames",
              _link_lines(robot),
              f"\nMinimal linear combinations: {len(robot.mlc.values)}, {nonzero} of them not zero",
              _mlc_lines(robot)]
    return "\n".join(parts)


def _joint_lines(robot: Robot) -> str:
    width = max(5, *(len(joint.name) for joint in robot.joints))
    lines = [f"{'joint':<{width}}  {'lower':>10}  {'upper':>10}  {'velocity':>10}  {'effort':>10}"
             f"  {'damping':>8}  {'friction':>8}  {'rotor':>10}  {'gear':>8}  unit"]
    for joint in robot.joints:
        numbers = (joint.lower, joint.upper, joint.max_velocity, joint.max_effort)
        lines.append(f"{joint.name:<{width}}  " + "  ".join(f"{x:>10.4g}" for x in numbers)
                     + f"  {joint.friction.viscous:>8.4g}  {joint.friction.coulomb:>8.4g}"
                     f"  {joint.rotor_inertia:>10.4g}  {joint.gear_ratio:>8.4g}"
                     f"  {'rad, N m' if joint.revolute else 'm, N'}")
    return "\n".join(lines)


def _link_lines(robot: Robot) -> str:
    columns = ("mass", "c_x", "c_y", "c_z", "I_xx", "I_xy", "I_xz", "I_yy", "I_yz", "I_zz")
    lines = [" i  " + "  ".join(f"{name:>10}" for name in columns),
             "    " + "  ".join(f"{unit:>10}" for unit in ["kg"] + 3 * ["m"] + 6 * ["kg m^2"])]
    for i, link in enumerate(robot.chain.rigid_links, 1):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        numbers = (link.mass, *link.com, xx, xy, xz, yy, yz, zz)
        lines.append(f"{i:>2}  " + "  ".join(f"{x:>10.4g}" for x in numbers))
    return "\n".join(lines)


def _mlc_lines(robot: Robot, columns: int = 3) -> str:
    cells = [f"{name:<11} {value:>12.6g}"
             for name, value in zip(robot.mlc.names, robot.mlc.values)]
    height = math.ceil(len(cells) / columns)
    rows = [cells[i::height] for i in range(height)]
    return "\n".join("    ".join(row) for row in rows)


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
