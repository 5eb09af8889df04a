"""What the demo moves: an arm, its motion, and efforts to compare with; and how it is drawn."""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

import manip_dynamics as md
from manip_dynamics.control import Cycloidal
from manip_dynamics.model.wording import messages_for
from manip_dynamics.papers import examples
from manip_dynamics.simulation import History
from manip_dynamics.simulation.plotting import Panel, plot_panels, save_figure

ROOT = Path(__file__).resolve().parent.parent
DURATION = 10.0  # s
INSTANTS = 401  # in a picture; the reference instants are among them
# A gentle motion: this share of a joint's range and of its velocity limit at most, and not more
# than so many rad or m to either side.
SHARE_OF_RANGE, SHARE_OF_VELOCITY = 0.25, 0.25
LARGEST_SWING = {"revolute": 0.5, "prismatic": 0.1}


@dataclass(frozen=True)
class Play:
    """An arm and its motion.

    instants, efforts: (N,) and (N, n), what is known of the efforts without this code.
    """

    title: str
    robot: md.Robot
    motion: Cycloidal
    instants: np.ndarray | None = None
    efforts: np.ndarray | None = None

    @property
    def way_back(self) -> Cycloidal:
        """The same motion, backwards."""
        end = self.motion.start + self.motion.rate * self.motion.duration
        return Cycloidal(end, -self.motion.rate, self.motion.duration)

    @property
    def units(self) -> tuple[list[str], list[str]]:
        """Of positions and of efforts, for each joint."""
        revolute = [joint.revolute for joint in self.robot.joints]
        return ["rad" if r else "m" for r in revolute], ["N m" if r else "N" for r in revolute]


def choose(args: argparse.Namespace) -> Play:
    """The Stanford arm on the trajectory of its paper, or any other arm on a gentle one."""
    if args.urdf is None and args.robot == "stanford_arm":
        return stanford()
    if args.urdf is not None and not Path(args.urdf).is_file():
        raise md.ModelError(f"there is no file '{args.urdf}'")
    with warnings.catch_warnings(), messages_for("command line"):
        warnings.simplefilter("ignore", md.ModelWarning)
        robot = md.load_robot(args.urdf or args.robot, base=args.base, tip=args.tip,
                              inertia_check=args.inertia_check)
    if args.urdf is None:
        robot = with_configured_drives(robot, args.robot)
    return Play("a gentle motion around the middle of its joint ranges", robot, gentle(robot))


def with_configured_drives(robot: md.Robot, name: str) -> md.Robot:
    """The bundled robot with the motors that its parameter file gives to both nodes."""
    settings = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())
    parameters = settings["/**/dynamics"]["ros__parameters"]
    return robot.with_drives(*(
        dict(zip(robot.joint_names, parameters.get(drive, ())))
        for drive in ("rotor_inertia", "gear_ratio")
    ))


def stanford() -> Play:
    """Example 1 of Angeles, Ma & Rojas 1989 with efforts that five ways to compute them share."""
    example = examples.stanford()
    assert isinstance(example.trajectory, Cycloidal)
    data = json.loads((ROOT / "test" / "data" / "reference.json").read_text())
    reference = data["stanford_example1"]["A_literal"]
    return Play("example 1 of Angeles, Ma & Rojas (1989)", example.robot, example.trajectory,
                np.array(reference["t"]), np.array(reference["tau"]))


def gentle(robot: md.Robot) -> Cycloidal:
    """From one side of the middle of the joint ranges to the other; a free joint's middle is 0."""
    middle, swing = np.zeros(robot.n), np.zeros(robot.n)
    for i, joint in enumerate(robot.joints):
        swing[i] = LARGEST_SWING["revolute" if joint.revolute else "prismatic"]
        if math.isfinite(joint.upper - joint.lower):
            middle[i] = (joint.lower + joint.upper) / 2
            swing[i] = min(swing[i], SHARE_OF_RANGE * (joint.upper - joint.lower))
        if math.isfinite(joint.max_velocity):  # the velocity peaks at 4 swing / duration
            swing[i] = min(swing[i], SHARE_OF_VELOCITY * joint.max_velocity * DURATION / 4)
    swing *= np.linspace(1.0, 0.5, robot.n)  # so that their lines can be told apart
    return Cycloidal(middle - swing, 2 * swing / DURATION, DURATION)


def too_weak(play: Play) -> Iterator[str]:
    """Joints whose effort limit does not suffice for the motion."""
    t = np.linspace(0.0, play.motion.duration, 101)
    needed = abs(md.Dynamics(play.robot).inverse_dynamics(*play.motion(t))).max(axis=0)
    for joint, effort, unit in zip(play.robot.joints, needed, play.units[1]):
        if effort > joint.max_effort:
            yield (f"{joint.name} needs {effort:.3g} {unit} and its URDF allows "
                   f"{joint.max_effort:.3g}")


def draw(play: Play, history: History, folder: Path) -> Sequence[Path]:
    """Write the pictures and return their paths."""
    name = play.robot.name
    pictures = {
        "trajectory": (f"{name}: what was asked for (circles) and what the arm did",
                       [Panel("position", history.t, history.q, history.reference, "reference"),
                        Panel("velocity", history.t, history.qd)]),
        "torques": (f"{name}: efforts of the dynamics node", [_efforts(play, history)]),
        "tracking_error": (f"{name}: tracking error", [
            Panel("deviation", history.t, history.error)]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for what, (title, panels) in pictures.items():
        path = folder / f"{what}.png"
        save_figure(plot_panels(panels, play.robot.joint_names, play.robot.mdh.kind, title), path)
        paths.append(path)
    return paths


def _efforts(play: Play, history: History) -> Panel:
    """On a regular grid, so that the reference instants are met."""
    t = np.linspace(0.0, play.motion.duration, INSTANTS)
    efforts = np.stack([np.interp(t, history.t, tau) for tau in history.tau.T], 1)
    if play.instants is None or play.efforts is None:
        computed = md.Dynamics(play.robot).inverse_dynamics(*play.motion(t))
        return Panel("effort", t, efforts, computed, "inverse dynamics\nof the reference")
    marks = np.full_like(efforts, np.nan)
    marks[np.searchsorted(t, play.instants - 1e-6)] = play.efforts
    return Panel("effort", t, efforts, marks, "reference values\nof the paper's example")
