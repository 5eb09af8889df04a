"""Reproduce the examples of the papers: motion, efforts, and a simulation under computed torque."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.robot import Robot
from manip_dynamics.model.text_table import text_table
from manip_dynamics.papers.examples import EXAMPLES, six_axis
from manip_dynamics.simulation import track
from manip_dynamics.simulation.plotting import (
    FORMATS,
    Panel,
    check_figure,
    plot_panels,
    save_figure,
)

SUMMARY = "reproduce an example of the papers and draw its figures"
EXAMPLE = "manip_dynamics example stanford -o figures"

SAMPLES = 401  # in a figure
SAMPLES_PER_ROW = 40  # of the table
ROUNDING = 1e-9  # of the largest effort


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(EXAMPLES))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR",
                        help="write the figures to this directory")
    parser.add_argument("--format", choices=[suffix[1:] for suffix in FORMATS], default="png")
    parser.add_argument("--joint4", type=float, choices=(39.6, 93.6), default=39.6,
                        help="six_axis: initial angle of joint 4 in degrees, which determines the "
                             "tip orientation; 39.6 as printed, 93.6 matches the printed height "
                             "(default 39.6)")
    parser.add_argument("--dt", type=float, default=1e-3,
                        help="simulation time step, s (default 0.001)")


def run(args: argparse.Namespace) -> int:
    paths = {what: args.output / f"{args.name}_{what}.{args.format}"
             for what in ("joints", "efforts", "simulation")} if args.output else {}
    for path in paths.values():
        check_figure(path)
    example = six_axis(args.joint4) if args.name == "six_axis" else EXAMPLES[args.name]()
    robot, t = example.robot, np.linspace(0.0, example.trajectory.duration, SAMPLES)
    motion = example.trajectory(t)
    efforts = Dynamics(robot).inverse_dynamics(*motion)
    printed = None if example.closed_form is None else example.closed_form(*motion)
    print(f"{example.title}: {example.source}\n")
    print(_table(robot, t[::SAMPLES_PER_ROW], efforts[::SAMPLES_PER_ROW]))
    if printed is not None:
        print(f"\nlargest difference from the closed form: {abs(efforts - printed).max():.1e}")
    history = track(robot, example.trajectory, dt=args.dt, progress=True)
    print(f"\nsimulated under computed torque with dt = {args.dt:g} s: "
          f"largest deviation {abs(history.error).max():.1e}")
    figures = {
        "joints": ("joint trajectories", [Panel("position", t, motion[0]),
                                          Panel("velocity", t, motion[1])]),
        "efforts": ("driving efforts", [Panel("effort", t, efforts, printed, "closed form")]),
        "simulation": ("simulation under computed torque", [
            Panel("position", history.t, history.q, history.reference, "reference"),
            Panel("deviation", history.t, history.error)]),
    }
    for what, path in paths.items():
        title, panels = figures[what]
        figure = plot_panels(panels, robot.joint_names, robot.mdh.kind, f"{example.title}: {title}")
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(figure, path)
        print(f"wrote {path}")
    return 0


def _table(robot: Robot, t: np.ndarray, efforts: np.ndarray) -> str:
    units = ["N m" if joint.revolute else "N" for joint in robot.joints]
    efforts = np.where(abs(efforts) < ROUNDING * abs(efforts).max(), 0.0, efforts)
    return text_table(["Efforts of the motion", ("time", *robot.joint_names), ("s", *units),
                       *np.column_stack([t, efforts]).tolist()], left=(), number=".6g")
