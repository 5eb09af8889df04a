"""Call a service of a running dynamics node, without the ros2 command line."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from manip_dynamics.model.text_table import text_table

from .ros_session import session

SUMMARY = "call a service of a running dynamics node"
EXAMPLE = "manip_dynamics call inverse_dynamics --q 0 0.5 0.1 0 0.3 0 --terms gravity"

SERVICES = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "dynamic_terms",
            "task_space_dynamics", "set_payload", "get_model")
# The request field that each option sets; the message class knows which fields a service has.
FIELDS = {"joints": "joint_names", "q": "positions", "qd": "velocities", "qdd": "accelerations",
          "tau": "efforts", "algorithm": "algorithm", "terms": "terms", "wrench": "tip_wrench",
          "mass": "payload", "com": "payload", "inertia": "payload"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("service", choices=SERVICES)
    parser.add_argument("--node", default="/dynamics", metavar="NAME",
                        help="the dynamics node, with its namespace (default /dynamics)")
    parser.add_argument("--joints", nargs="+", metavar="NAME",
                        help="joint order of the values (default: the model's order)")
    parser.add_argument("--q", nargs="+", type=float, help="positions, rad or m")
    parser.add_argument("--qd", nargs="+", type=float,
                        help="velocities, rad/s or m/s (default 0)")
    parser.add_argument("--qdd", nargs="+", type=float,
                        help="accelerations, rad/s^2 or m/s^2 (default 0)")
    parser.add_argument("--tau", nargs="+", type=float, help="efforts, N m or N (default 0)")
    parser.add_argument("--algorithm", metavar="NAME",
                        help="default: the one with the fewest operations")
    parser.add_argument("--terms", nargs="+", metavar="TERM",
                        help="any of inertia, coriolis, gravity, friction (default: all)")
    parser.add_argument("--wrench", nargs=6, type=float, metavar="F",
                        help="force and torque on the tip, in the base frame; N, N m")
    parser.add_argument("--mass", type=float, metavar="KG",
                        help="payload mass (default 0: no payload)")
    parser.add_argument("--com", nargs=3, type=float, metavar="M",
                        help="payload centre of mass in the tip frame, m")
    parser.add_argument("--inertia", nargs=6, type=float, metavar="I",
                        help="payload inertia ixx ixy ixz iyy iyz izz, kg m^2")
    parser.add_argument("--json", action="store_true", help="print the response as JSON")


def run(args: argparse.Namespace) -> int:
    given = {option: value for option in FIELDS if (value := getattr(args, option)) is not None}
    with session("caller") as ros:
        from manip_dynamics_msgs import srv

        kind = getattr(srv, args.service.title().replace("_", ""))
        request = kind.Request()
        for option, value in given.items():
            if FIELDS[option] not in request.get_fields_and_field_types():
                raise ValueError(f"{args.service} takes no --{option}")
            _fill(request, option, value)
        response = ros.ask(kind, f"{args.node}/{args.service}", request,
                           "is the dynamics node running?")
    if not response.success:
        raise ValueError(response.message)
    answer = _plain(response)
    print(json.dumps(answer, indent=2) if args.json else _as_text(answer))
    return 0


def _fill(request: Any, option: str, value: Any) -> None:
    field = getattr(request, FIELDS[option])
    if option == "wrench":
        field.force.x, field.force.y, field.force.z = value[:3]
        field.torque.x, field.torque.y, field.torque.z = value[3:]
    elif option == "mass":
        field.m = value
    elif option == "com":
        field.com.x, field.com.y, field.com.z = value
    elif option == "inertia":
        field.ixx, field.ixy, field.ixz, field.iyy, field.iyz, field.izz = value
    else:
        setattr(request, FIELDS[option], value)


def _plain(response: Any) -> dict[str, Any]:
    """The fields after success and message, as Python lists and numbers."""
    values = {name: getattr(response, name) for name in response.get_fields_and_field_types()
              if name not in ("success", "message")}
    return {name: value if isinstance(value, str | float) else list(value)
            for name, value in values.items()}


def _as_text(answer: dict[str, Any]) -> str:
    """For people: a matrix row by row, everything else on one line."""
    columns = len(answer.get("joint_names", ())) or 6
    lines = []
    for name, value in answer.items():
        if isinstance(value, str):
            lines += [f"{name}:", *(f"  {line}" for line in value.splitlines())]
        elif isinstance(value, float):
            lines.append(f"{name}: {value:.6g}")
        elif value and isinstance(value[0], str):
            lines.append(f"{name}: {' '.join(value)}")
        elif len(value) > columns and len(value) % columns == 0 and name != "mlc_values":
            rows = np.reshape(value, (-1, columns if name != "jacobian" else len(value) // 6))
            lines += [f"{name}:", text_table(rows.tolist(), left=(), number=".5g", indent="    ")]
        else:
            lines.append(f"{name}: " + " ".join(f"{x:.6g}" for x in value))
    return "\n".join(lines) or "done"
