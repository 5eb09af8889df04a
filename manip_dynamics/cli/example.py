"""Rerun the examples of the papers: motions, efforts, and the arm under computed torque."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from manip_dynamics.dynamics import Dynamics
from manip_dynamics.papers.examples import EXAMPLES, Example, six_axis
from manip_dynamics.simulation import History, track
from manip_dynamics.simulation.plotting import Panel, plot_panels, save_figure

from .figures import FORMATS, check_figures

SUMMARY = "rerun an example of the papers and draw its figures"
EXAMPLE = "manip_dynamics example stanford -o figures"

INSTANTS = 401  # in a figure
ROWS = 11  # in a table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(EXAMPLES))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR",
                        help="draw the figures into this folder")
    parser.add_argument("--format", choices=[suffix[1:] for suffix in FORMATS], default="png")
    parser.add_argument("--joint4", type=float, choices=(39.6, 93.6), default=39.6,
                        help="six_axis: initial angle of joint 4 in degrees, which fixes the "
                             "orientation of the tip; 39.6 is printed, 93.6 fits the printed "
                             "height (default 39.6)")
    parser.add_argument("--dt", type=float, default=1e-3,
                        help="step of the simulation, s (default 0.001)")


def run(args: argparse.Namespace) -> int:
    figures = {what: args.output / f"{args.name}_{what}.{args.format}"
               for what in ("joints", "efforts", "simulation")} if args.output else {}
    check_figures(*figures.values())
    example = six_axis(args.joint4) if args.name == "six_axis" else EXAMPLES[args.name]()
    print(f"{example.title}: {example.source}\n")
    print(_table(example))
    if example.closed_form is not None:
        print(f"\nlargest difference to the closed form: {_closed_form_error(example):.1e}")
    history = track(example.robot, example.trajectory, dt=args.dt)
    print(f"\nsimulated under computed torque, dt {args.dt:g} s: "
          f"largest deviation {abs(history.error).max():.1e}")
    for what, path in figures.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(_figure(what, example, history), path)
        print(f"wrote {path}")
    return 0


def _table(example: Example) -> str:
    """Efforts at some instants."""
    t = np.linspace(0.0, example.trajectory.duration, ROWS)
    efforts = Dynamics(example.robot).inverse_dynamics(*example.trajectory(t))
    units = ["N m" if joint.revolute else "N" for joint in example.robot.joints]
    lines = ["Efforts of the motion",
             f"{'time':>8}" + "".join(f"{name:>14}" for name in example.robot.joint_names),
             f"{'s':>8}" + "".join(f"{unit:>14}" for unit in units)]
    efforts = np.where(abs(efforts) < 1e-9 * abs(efforts).max(), 0.0, efforts)
    lines += [f"{instant:>8.3g}" + "".join(f"{x:>14.6g}" for x in row)
              for instant, row in zip(t, efforts)]
    return "\n".join(lines)


def _closed_form_error(example: Example) -> float:
    assert example.closed_form is not None
    motion = example.trajectory(np.linspace(0.0, example.trajectory.duration, INSTANTS))
    computed = Dynamics(example.robot).inverse_dynamics(*motion)
    return float(abs(computed - example.closed_form(*motion)).max())


def _figure(what: str, example: Example, history: History):
    robot = example.robot
    if what == "simulation":
        title = f"{example.title} under computed torque, simulated"
        panels = [Panel("position", history.t, history.q, history.reference, "reference"),
                  Panel("deviation", history.t, history.error)]
    else:
        t = np.linspace(0.0, example.trajectory.duration, INSTANTS)
        motion = example.trajectory(t)
        if what == "joints":
            title = f"{example.title}: joint trajectories"
            panels = [Panel("position", t, motion[0]), Panel("velocity", t, motion[1])]
        else:
            title = f"{example.title}: driving efforts"
            efforts = Dynamics(robot).inverse_dynamics(*motion)
            printed = None if example.closed_form is None else example.closed_form(*motion)
            panels = [Panel("effort", t, efforts, printed, "closed form")]
    return plot_panels(panels, robot.joint_names, robot.mdh.kind, title)
