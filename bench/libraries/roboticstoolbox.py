"""Peter Corke's Robotics Toolbox for Python, from the modified DH table."""

from __future__ import annotations

from typing import Any

import numpy as np

from manip_dynamics.model.chain import Chain

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry

TITLE = "roboticstoolbox"
HOW_TO_GET = "install it with .venv/bench/bin/python -m pip install roboticstoolbox-python"
LOOP = "Python loop"
# At tens of microseconds per state, a part of them is enough.
LOOP_STATES = 2_000

CALLS = {
    INVERSE_DYNAMICS: "rne({q}, {qd}, {qdd})",
    MASS_MATRIX: "inertia({q})",
    FORWARD_DYNAMICS: "accel({q}, {qd}, {tau})",
}


def version() -> str:
    """The version, if it is installed."""
    from importlib.metadata import version as installed

    import roboticstoolbox  # noqa: F401

    return installed("roboticstoolbox-python")


def entries(arm: Arm, states: States) -> list[Entry]:
    """One call, and a loop of calls."""
    robot = _robot(arm.robot.chain)
    names = {"rne": robot.rne, "inertia": robot.inertia, "accel": robot.accel}
    found = []
    part = states[:LOOP_STATES]
    for quantity, call in CALLS.items():
        width = (arm.robot.n, arm.robot.n) if quantity == MASS_MATRIX else (arm.robot.n,)
        state = {name: name for name in vars(states)}
        code = Code(f"answer = {call.format(**state)}", "answer", {**names, **vars(states[0])})
        found.append(Entry(TITLE, "", CALL, quantity, code))
        rows = call.format(**{name: f"{name}[i]" for name in state})
        batch = {"rows": range(len(part)), "answer": np.empty((len(part), *width))}
        code = Code(f"for i in rows:\n    answer[i] = {rows}", "answer",
                    {**names, **vars(part), **batch}, len(part))  # fmt: skip
        found.append(Entry(TITLE, LOOP, BATCH, quantity, code))
    return found


def _robot(chain: Chain) -> Any:
    from roboticstoolbox import DHRobot, PrismaticMDH, RevoluteMDH

    links = []
    for joint, link in zip(chain.joints, chain.rigid_links):
        body = {"m": link.mass, "r": link.com, "I": np.array(link.inertia), "Jm": 0.0, "G": 1.0}
        if joint.revolute:
            body.update(d=joint.d, offset=joint.theta)
        else:
            body.update(theta=joint.theta, offset=joint.d)
        kind = RevoluteMDH if joint.revolute else PrismaticMDH
        links.append(kind(alpha=joint.alpha, a=joint.a, **body))
    return DHRobot(links, gravity=np.array(chain.gravity))
