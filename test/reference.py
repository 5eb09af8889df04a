"""Arms and states computed once by five independent ways that agreed: data/reference.json."""

from __future__ import annotations

import json
from pathlib import Path

from manip_dynamics.model.chain import Chain, Joint, RigidLink

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference.json").read_text())


def reference_chain(robot: dict) -> Chain:
    """The chain of a `robot` entry."""
    joints = [
        Joint("revolute" if kind == "R" else "prismatic", alpha, a, theta, d)
        for kind, alpha, a, theta, d in zip(
            robot["joint_types"], robot["alpha"], robot["a"], robot["theta0"], robot["d0"])
    ]
    links = [
        RigidLink(mass, tuple(com), tuple(map(tuple, inertia)))
        for mass, com, inertia in zip(robot["m"], robot["com"], robot["I_com"])
    ]
    return Chain(tuple(joints), tuple(links), tuple(robot["g"]))


def reference_states() -> dict[str, dict]:
    """Every entry with one state: q, qd, qdd, tau, M, bias, gravity, MLC."""
    random_chains = {
        f"{number}-{entry['robot']['joint_types']}": entry
        for number, entry in enumerate(REFERENCE["random_chains"])
    }
    return {**REFERENCE["states"], **random_chains}
