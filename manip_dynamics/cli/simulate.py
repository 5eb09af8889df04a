"""Let an arm move: freely, or along a trajectory under a controller."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np

from manip_dynamics.control import Cycloidal, Follow, Trajectory
from manip_dynamics.control.controllers import LAWS
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.loading import load_robot
from manip_dynamics.model.robot import Robot
from manip_dynamics.simulation import INTEGRATORS, History, SimulationError, Simulator

from .figures import check_figures
from .motion_options import (
    DEFAULT_DURATION,
    add_motion_arguments,
    kind_from_arguments,
    motion_from_arguments,
    one_or_each,
    start_from_arguments,
)
from .robot_options import add_robot_arguments, joint_values, robot_from_arguments

SUMMARY = "simulate a robot, free or along a trajectory under a controller"
EXAMPLE = ("manip_dynamics simulate stanford_arm --trajectory quintic --to 1 0.5 0.2 0 0.3 0 "
           "--duration 2 --plot motion.png")

DEFAULT_KP, DEFAULT_KD = 100.0, 20.0
CONTROLLER_OPTIONS = ("kp", "kd", "control_period", "model", "model_payload")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    motion = add_motion_arguments(parser, default="none", also="none (the arm moves freely)")
    motion.add_argument("--velocity", nargs="+", type=float, metavar="QD",
                        help="joint velocities at the beginning of a free motion")
    control = parser.add_argument_group("control")
    control.add_argument("--controller", choices=("none", *LAWS),
                         help="default: computed_torque on a trajectory, none otherwise")
    control.add_argument("--kp", nargs="+", type=float,
                         help=f"1/s^2; N m/rad or N/m for pd_gravity (default {DEFAULT_KP:g})")
    control.add_argument("--kd", nargs="+", type=float,
                         help=f"1/s; N m s/rad or N s/m for pd_gravity (default {DEFAULT_KD:g})")
    control.add_argument("--control-period", type=float, metavar="S",
                         help="efforts are held for so long (default: control all the time)")
    control.add_argument("--model", metavar="ROBOT",
                         help="what the controller takes the robot for (default: the robot)")
    control.add_argument("--model-payload", type=float, metavar="KG",
                         help="what the controller takes the payload for (default: --payload)")
    numerics = parser.add_argument_group("numerics and output")
    numerics.add_argument("--dt", type=float, default=1e-3, help="step, s (default 0.001)")
    numerics.add_argument("--integrator", choices=tuple(INTEGRATORS), default="rk4")
    numerics.add_argument("--no-limits", action="store_true",
                          help="no effort limits and no stops at the joint limits")
    numerics.add_argument("--stop-damping", type=float, default=0.0, metavar="C",
                          help="s/rad; 0 (default): stops give back all energy")
    numerics.add_argument("--every", type=int, default=1, metavar="STEPS",
                          help="keep a state after every so many steps (default 1)")
    numerics.add_argument("--plot", type=Path, metavar="FILE", help=".png, .svg or .pdf")
    numerics.add_argument("--save", type=Path, metavar="FILE", help=".csv or .npz")


def run(args: argparse.Namespace) -> int:
    check_figures(args.plot)
    if args.save is not None and args.save.suffix not in (".csv", ".npz"):
        raise ValueError(f"--save: a history is saved as .npz or .csv, not as '{args.save.name}'")
    robot = robot_from_arguments(args)
    dyn = Dynamics(robot)
    free = kind_from_arguments(args) == "none"
    trajectory = None if free else motion_from_arguments(args, dyn)
    law = args.controller or ("none" if free else "computed_torque")
    controller = None
    if law == "none" and (idle := [name for name in CONTROLLER_OPTIONS if getattr(args, name)]):
        raise ValueError(f"--{idle[0].replace('_', '-')} belongs to a controller, and there is "
                         "none; choose one with --controller")
    if law != "none":
        if trajectory is None:  # then it holds the start
            start = start_from_arguments(args, robot)
            trajectory = Cycloidal(start, np.zeros(robot.n), args.duration or DEFAULT_DURATION)
        controller = Follow(law, _model(args, robot, dyn), trajectory,
                            one_or_each(args.kp or [DEFAULT_KP]),
                            one_or_each(args.kd or [DEFAULT_KD]))
    simulator = Simulator(
        dyn, args.dt, args.integrator, controller, not args.no_limits,
        control_period=args.control_period,
        stop_damping=args.stop_damping)
    _reset(args, simulator, None if free else trajectory)
    duration = args.duration
    if duration is None:
        duration = trajectory.duration if trajectory else DEFAULT_DURATION
        duration = duration if math.isfinite(duration) else DEFAULT_DURATION
    return _simulate(args, simulator, duration, law)


def _simulate(args: argparse.Namespace, simulator: Simulator, duration: float, law: str) -> int:
    start, failure = time.perf_counter(), None
    try:
        history = simulator.run(duration, every=args.every)
    except SimulationError as error:
        history, failure = error.history, error
    seconds = time.perf_counter() - start
    print(_report(simulator, history, law, seconds))
    if args.save is not None:
        history.save(args.save)
        print(f"wrote {args.save}")
    if args.plot is not None:
        manner = "moving freely" if law == "none" else law.replace("_", " ")
        history.plot(args.plot, f"{simulator.dyn.robot.name}, {manner}")
        print(f"wrote {args.plot}")
    if failure is not None:
        raise ValueError(str(failure))
    return 0


def _report(simulator: Simulator, history: History, law: str, seconds: float) -> str:
    robot = simulator.dyn.robot
    substeps = f" in {simulator.substeps} substeps" if simulator.substeps > 1 else ""
    lines = [f"{robot.name}: {history.t[-1]:g} s simulated in {seconds:.2g} s, "
             f"dt {simulator.dt:g} s{substeps}, controller: {law.replace('_', ' ')}"]
    width = max(5, *(len(name) for name in robot.joint_names))
    columns = ["start", "end", "fastest", "effort"]
    columns += ["deviation"] if history.reference is not None else []
    lines.append(f"{'joint':<{width}}" + "".join(f"{name:>12}" for name in columns) + "  unit")
    for j, joint in enumerate(robot.joints):
        numbers = [history.q[0, j], history.q[-1, j], abs(history.qd[:, j]).max(),
                   np.nanmax(abs(history.tau[:, j]))]
        if history.reference is not None:
            numbers.append(abs(history.error[:, j]).max())
        lines.append(f"{joint.name:<{width}}" + "".join(f"{x:>12.4g}" for x in numbers)
                     + ("  rad, N m" if joint.revolute else "  m, N"))
    energy = simulator.energy(history.q, history.qd)
    lines.append(f"energy: {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end")
    return "\n".join(lines)


def _model(args: argparse.Namespace, robot: Robot, dyn: Dynamics) -> Dynamics:
    """What the controller believes."""
    model = robot
    if args.model is not None:
        model = load_robot(args.model, gravity=args.gravity, payload=args.payload)
    if args.model_payload is not None:
        model = model.with_payload(args.model_payload or None)
    if model.joint_names != robot.joint_names:
        raise ValueError(f"--model has joints {', '.join(model.joint_names)}, the robot "
                         f"{', '.join(robot.joint_names)}")
    return dyn if model is robot else Dynamics(model)


def _reset(args: argparse.Namespace, simulator: Simulator, trajectory: Trajectory | None) -> None:
    robot = simulator.dyn.robot
    if trajectory is not None:
        simulator.reset(*trajectory(0.0)[:2])
        return
    velocity = None if args.velocity is None else joint_values("--velocity", args.velocity, robot)
    simulator.reset(start_from_arguments(args, robot), velocity)
