"""The arms to measure, the plain URDF that all libraries read, and random states."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import distribution
from xml.etree import ElementTree

import numpy as np

import manip_dynamics as md

PANDA = "cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf"
MOVABLE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Arm:
    """A robot and its URDF for all libraries."""

    title: str
    robot: md.Robot
    urdf: str  # rigid bodies only; joints outside the arm are fixed


@dataclass(frozen=True)
class States:
    """N random states: q, qd, qdd and tau are (N, n), C-contiguous."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, index: int | slice) -> States:
        return States(*(x[index].copy() for x in (self.q, self.qd, self.qdd, self.tau)))


def stanford() -> Arm:
    return _arm("Stanford", "stanford_arm")


def puma() -> Arm:
    return _arm("PUMA 560", "puma560")


def panda() -> Arm:
    """Franka Emika Panda with its hand: seven joints, the fingers closed and fixed."""
    return _arm("Panda", str(distribution("example-robot-data").locate_file(PANDA)), "panda_hand")


ARMS = {"stanford": stanford, "puma": puma, "panda": panda}


def random_states(n: int, count: int) -> States:
    """Uniformly distributed states, the same in every run."""
    rng = np.random.default_rng(n)
    return States(
        rng.uniform(-3, 3, (count, n)), rng.uniform(-2, 2, (count, n)),
        rng.uniform(-5, 5, (count, n)), rng.uniform(-20, 20, (count, n)),
    )  # fmt: skip


def plain_urdf(text: str, joint_names: tuple[str, ...]) -> str:
    """A URDF reduced to masses and joints, with all joints but the named ones fixed.

    Then no library looks for meshes or adds friction. Continuous joints become revolute joints
    without effective limits, since Pinocchio would use their cosine and sine as coordinates.
    """
    robot = ElementTree.fromstring(text)
    for element in list(robot):
        if element.tag not in ("link", "joint"):
            robot.remove(element)
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for joint in robot.iter("joint"):
        if joint.get("name") not in joint_names:
            joint.set("type", "fixed")
        elif joint.get("type") == "continuous":
            joint.set("type", "revolute")
        for tag in ("mimic", "limit", "safety_controller", "calibration", "dynamics"):
            for element in joint.findall(tag):
                joint.remove(element)
        if joint.get("type") in MOVABLE:
            limit = {"lower": "-1e3", "upper": "1e3", "effort": "1e6", "velocity": "1e6"}
            ElementTree.SubElement(joint, "limit", limit)
    return ElementTree.tostring(robot, encoding="unicode")


def _arm(title: str, source: str, tip: str | None = None) -> Arm:
    with warnings.catch_warnings():
        # The classical PUMA inertias are not physical; all libraries get the same numbers.
        warnings.simplefilter("ignore", md.ModelWarning)
        original = md.load_robot(source, tip=tip)
        urdf = plain_urdf(original.urdf, original.joint_names)
        return Arm(title, md.load_robot(urdf, tip=tip, inertia_check="warn"), urdf)
