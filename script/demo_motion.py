"""The arm and the motion of the demo, efforts to compare with, and the plots."""

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
SAMPLES = 401  # in a plot; they include the reference instants
# Limits of a slow motion: fractions of a joint's range and of its velocity limit, and the amplitude
# in rad or m.
RANGE_FRACTION, VELOCITY_FRACTION = 0.25, 0.25
MAX_AMPLITUDE = {"revolute": 0.5, "prismatic": 0.1}


@dataclass(frozen=True)
class Play:
    """An arm and its motion.

    instants, efforts: (N,), s, and (N, n), N m or N: efforts from independent sources, if any.
    """

    title: str
    robot: md.Robot
    motion: Cycloidal
    instants: np.ndarray | None = None
    efforts: np.ndarray | None = None

    @property
    def way_back(self) -> Cycloidal:
        """The same motion backwards."""
        end = self.motion.start + self.motion.rate * self.motion.duration
        return Cycloidal(end, -self.motion.rate, self.motion.duration)

    @property
    def units(self) -> tuple[list[str], list[str]]:
        """Units of positions and of efforts, (n,) each."""
        revolute = [joint.revolute for joint in self.robot.joints]
        return ["rad" if r else "m" for r in revolute], ["N m" if r else "N" for r in revolute]


def choose(args: argparse.Namespace) -> Play:
    """The Stanford arm on the trajectory of its paper, or another arm on a slow motion."""
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
    return Play("a slow motion around the middle of its joint ranges", robot, slow_motion(robot))


def with_configured_drives(robot: md.Robot, name: str) -> md.Robot:
    """The bundled robot with the motors from the parameter file of both nodes."""
    settings = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())
    parameters = settings["/**/dynamics"]["ros__parameters"]
    return robot.with_drives(*(
        dict(zip(robot.joint_names, parameters.get(drive, ())))
        for drive in ("rotor_inertia", "gear_ratio")
    ))


def stanford() -> Play:
    """Example 1 of Angeles, Ma & Rojas 1989, with efforts on which five methods agree."""
    example = examples.stanford()
    assert isinstance(example.trajectory, Cycloidal)
    data = json.loads((ROOT / "test" / "data" / "reference.json").read_text())
    reference = data["stanford_example1"]["A_literal"]
    return Play("example 1 of Angeles, Ma & Rojas (1989)", example.robot, example.trajectory,
                np.array(reference["t"]), np.array(reference["tau"]))


def slow_motion(robot: md.Robot) -> Cycloidal:
    """A motion across the middle of the joint ranges, or across 0 without limits."""
    middle, amplitude = np.zeros(robot.n), np.zeros(robot.n)
    for i, joint in enumerate(robot.joints):
        amplitude[i] = MAX_AMPLITUDE["revolute" if joint.revolute else "prismatic"]
        if math.isfinite(joint.upper - joint.lower):
            middle[i] = (joint.lower + joint.upper) / 2
            amplitude[i] = min(amplitude[i], RANGE_FRACTION * (joint.upper - joint.lower))
        if math.isfinite(joint.max_velocity):  # the velocity peaks at 4 amplitude / duration
            amplitude[i] = min(amplitude[i], VELOCITY_FRACTION * joint.max_velocity * DURATION / 4)
    amplitude *= np.linspace(1.0, 0.5, robot.n)  # different curves in the plots
    return Cycloidal(middle - amplitude, 2 * amplitude / DURATION, DURATION)


def too_weak(play: Play) -> Iterator[str]:
    """Notes about joints whose effort limits are too low for the motion."""
    t = np.linspace(0.0, play.motion.duration, 101)
    needed = abs(md.Dynamics(play.robot).inverse_dynamics(*play.motion(t))).max(axis=0)
    for joint, effort, unit in zip(play.robot.joints, needed, play.units[1]):
        if effort > joint.max_effort:
            yield (f"{joint.name} needs {effort:.3g} {unit}, but its URDF allows "
                   f"{joint.max_effort:.3g}")


def draw(play: Play, history: History, folder: Path) -> Sequence[Path]:
    """Write the plots and return their paths."""
    name = play.robot.name
    plots = {
        "trajectory": (f"{name}: reference (circles) and motion of the arm",
                       [Panel("position", history.t, history.q, history.reference, "reference"),
                        Panel("velocity", history.t, history.qd)]),
        "torques": (f"{name}: efforts of the dynamics node", [_efforts(play, history)]),
        "tracking_error": (f"{name}: tracking error", [
            Panel("deviation", history.t, history.error)]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for what, (title, panels) in plots.items():
        path = folder / f"{what}.png"
        save_figure(plot_panels(panels, play.robot.joint_names, play.robot.mdh.kind, title), path)
        paths.append(path)
    return paths


def _efforts(play: Play, history: History) -> Panel:
    """The efforts on a regular grid that includes the reference instants."""
    t = np.linspace(0.0, play.motion.duration, SAMPLES)
    efforts = np.stack([np.interp(t, history.t, tau) for tau in history.tau.T], 1)
    if play.instants is None or play.efforts is None:
        computed = md.Dynamics(play.robot).inverse_dynamics(*play.motion(t))
        return Panel("effort", t, efforts, computed, "inverse dynamics\nof the reference")
    marks = np.full_like(efforts, np.nan)
    marks[np.searchsorted(t, play.instants - 1e-6)] = play.efforts
    return Panel("effort", t, efforts, marks, "reference values\nof the paper's example")
