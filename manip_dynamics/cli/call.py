"""Call a service of a running dynamics node, without the ros2 command line."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from .ros_session import session

SUMMARY = "call a service of a running dynamics node"
EXAMPLE = "manip_dynamics call inverse_dynamics --q 0 0.5 0.1 0 0.3 0 --terms gravity"

# Service -> its type in manip_dynamics_msgs.srv, and which options fill which request fields.
_STATE = {"joints": "joint_names", "q": "positions"}
_MOTION = {**_STATE, "qd": "velocities"}
SERVICES: dict[str, tuple[str, dict[str, str]]] = {
    "inverse_dynamics": ("InverseDynamics", {**_MOTION, "qdd": "accelerations",
                                             "algorithm": "algorithm", "terms": "terms",
                                             "wrench": "tip_wrench"}),
    "mass_matrix": ("MassMatrix", {**_STATE, "algorithm": "algorithm"}),
    "forward_dynamics": ("ForwardDynamics", {**_MOTION, "tau": "efforts"}),
    "dynamic_terms": ("DynamicTerms", _MOTION),
    "task_space_dynamics": ("TaskSpaceDynamics", _MOTION),
    "set_payload": ("SetPayload", {"mass": "payload", "com": "payload", "inertia": "payload"}),
    "get_model": ("GetModel", {}),
}
OPTIONS = ("joints", "q", "qd", "qdd", "tau", "algorithm", "terms", "wrench", "mass", "com",
           "inertia")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("service", choices=tuple(SERVICES))
    parser.add_argument("--node", default="/dynamics", metavar="NAME",
                        help="the dynamics node, with its namespace (default /dynamics)")
    parser.add_argument("--joints", nargs="+", metavar="NAME",
                        help="order of the values (default: that of the model)")
    parser.add_argument("--q", nargs="+", type=float, help="positions, rad or m")
    parser.add_argument("--qd", nargs="+", type=float, help="velocities (default 0)")
    parser.add_argument("--qdd", nargs="+", type=float, help="accelerations (default 0)")
    parser.add_argument("--tau", nargs="+", type=float, help="efforts, N m or N (default 0)")
    parser.add_argument("--algorithm", metavar="NAME", help="default: the cheapest")
    parser.add_argument("--terms", nargs="+", metavar="TERM",
                        help="of inertia, coriolis, gravity, friction (default: all)")
    parser.add_argument("--wrench", nargs=6, type=float, metavar="F",
                        help="force and torque on the tip, in the base link; N, N m")
    parser.add_argument("--mass", type=float, metavar="KG", help="of the payload (default 0: none)")
    parser.add_argument("--com", nargs=3, type=float, metavar="M",
                        help="centre of mass of the payload in the tip link")
    parser.add_argument("--inertia", nargs=6, type=float, metavar="I",
                        help="ixx ixy ixz iyy iyz izz of the payload, kg m^2")
    parser.add_argument("--json", action="store_true", help="print the response as JSON")


def run(args: argparse.Namespace) -> int:
    kind_name, fields = SERVICES[args.service]
    given = {option for option in OPTIONS if getattr(args, option) is not None}
    if foreign := sorted(given - fields.keys()):
        raise ValueError(f"{args.service} takes no --{foreign[0]}")
    with session("caller") as ros:
        from manip_dynamics_msgs import srv

        kind = getattr(srv, kind_name)
        request = kind.Request()
        for option in given:
            _fill(request, option, fields[option], getattr(args, option))
        name = f"{args.node}/{args.service}"
        response = ros.ask(kind, name, request, "is the dynamics node running?")
    if not response.success:
        raise ValueError(response.message)
    answer = _plain(response)
    print(json.dumps(answer, indent=2) if args.json else _table(answer))
    return 0


def _fill(request: Any, option: str, field: str, value: Any) -> None:
    if option == "wrench":
        for vector, xyz in ((request.tip_wrench.force, value[:3]),
                            (request.tip_wrench.torque, value[3:])):
            vector.x, vector.y, vector.z = xyz
    elif option == "mass":
        request.payload.m = value
    elif option == "com":
        request.payload.com.x, request.payload.com.y, request.payload.com.z = value
    elif option == "inertia":
        for name, entry in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), value):
            setattr(request.payload, name, entry)
    else:
        setattr(request, field, value)


def _plain(response: Any) -> dict[str, Any]:
    """The fields after success and message, as Python lists and numbers."""
    names = [name for name in response.get_fields_and_field_types()
             if name not in ("success", "message")]
    plain = {}
    for name in names:
        value = getattr(response, name)
        plain[name] = value if isinstance(value, str | float) else list(value)
    return plain


def _table(answer: dict[str, Any]) -> str:
    """Names and numbers for people: matrices as rows, the rest on a line each."""
    if not answer:
        return "done"
    joints = answer.get("joint_names", [])
    columns = len(joints) or 6
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
            lines += [f"{name}:", *("  " + "".join(f"{x:12.5g}" for x in row) for row in rows)]
        else:
            lines.append(f"{name}: " + " ".join(f"{x:.6g}" for x in value))
    return "\n".join(lines)
