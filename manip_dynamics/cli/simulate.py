"""Simulate an arm, moving freely or along a trajectory under a controller."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from manip_dynamics.control import Cycloidal, Follow
from manip_dynamics.control.controllers import LAWS
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.loading import load_robot
from manip_dynamics.model.robot import Robot
from manip_dynamics.model.text_table import text_table
from manip_dynamics.simulation import INTEGRATORS, History, SimulationError, Simulator
from manip_dynamics.simulation.plotting import check_figure

from .motion_options import (
    DEFAULT_DURATION,
    add_motion_arguments,
    kind_from_arguments,
    motion_from_arguments,
    one_or_each,
    start_from_arguments,
)
from .robot_options import add_robot_arguments, joint_values, robot_from_arguments

SUMMARY = "simulate a robot, moving freely or along a trajectory under a controller"
EXAMPLE = ("manip_dynamics simulate stanford_arm --trajectory quintic --to 1 0.5 0.2 0 0.3 0 "
           "--duration 2 --plot motion.png")

DEFAULT_KP, DEFAULT_KD = 100.0, 20.0
CONTROLLER_OPTIONS = ("kp", "kd", "control_period", "model", "model_payload")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    motion = add_motion_arguments(parser, default="none", also="none (the arm moves freely)")
    motion.add_argument("--velocity", nargs="+", type=float, metavar="QD",
                        help="initial joint velocities of a free motion")
    control = parser.add_argument_group("control")
    control.add_argument("--controller", choices=("none", *LAWS),
                         help="default: computed_torque with a trajectory, none without")
    control.add_argument("--kp", nargs="+", type=float,
                         help="proportional gain, 1/s^2 (pd_gravity: N m/rad or N/m; default "
                              f"{DEFAULT_KP:g})")
    control.add_argument("--kd", nargs="+", type=float,
                         help="derivative gain, 1/s (pd_gravity: N m s/rad or N s/m; default "
                              f"{DEFAULT_KD:g})")
    control.add_argument("--control-period", type=float, metavar="S",
                         help="sampling period of the controller (default: continuous control)")
    control.add_argument("--model", metavar="ROBOT",
                         help="the controller's model of the robot (default: the robot itself)")
    control.add_argument("--model-payload", type=float, metavar="KG",
                         help="payload in the controller's model (default: --payload)")
    numerics = parser.add_argument_group("numerics and output")
    numerics.add_argument("--dt", type=float, default=1e-3, help="time step, s (default 0.001)")
    numerics.add_argument("--integrator", choices=tuple(INTEGRATORS), default="rk4")
    numerics.add_argument("--no-limits", action="store_true",
                          help="ignore effort limits and joint limits")
    numerics.add_argument("--stop-damping", type=float, default=0.0, metavar="C",
                          help="damping of the joint stops, s/rad or s/m (default 0: elastic)")
    numerics.add_argument("--every", type=int, default=1, metavar="STEPS",
                          help="record every STEPS steps (default 1)")
    numerics.add_argument("--plot", type=Path, metavar="FILE",
                          help="plot the motion as .png, .svg or .pdf")
    numerics.add_argument("--save", type=Path, metavar="FILE",
                          help="save the motion as .csv or .npz")


def run(args: argparse.Namespace) -> int:
    check_figure(args.plot)
    if args.save is not None and args.save.suffix not in (".csv", ".npz"):
        raise ValueError(f"--save: a history is saved as .npz or .csv, not as '{args.save.name}'")
    robot = robot_from_arguments(args)
    dyn = Dynamics(robot)
    free = kind_from_arguments(args) == "none"
    trajectory = None if free else motion_from_arguments(args, dyn)
    law = args.controller or ("none" if free else "computed_torque")
    controller = None
    if law == "none" and (idle := [name for name in CONTROLLER_OPTIONS if getattr(args, name)]):
        raise ValueError(f"--{idle[0].replace('_', '-')} needs a controller; choose one with "
                         "--controller")
    if law != "none":
        if trajectory is None:  # hold the start
            start = start_from_arguments(args, robot)
            trajectory = Cycloidal(start, np.zeros(robot.n), args.duration or DEFAULT_DURATION)
        controller = Follow(law, _model(args, robot, dyn), trajectory,
                            one_or_each(args.kp or [DEFAULT_KP]),
                            one_or_each(args.kd or [DEFAULT_KD]))
    simulator = Simulator(dyn, args.dt, args.integrator, controller, not args.no_limits,
                          control_period=args.control_period, stop_damping=args.stop_damping)
    if free:
        velocity = args.velocity and joint_values("--velocity", args.velocity, robot)
        simulator.reset(start_from_arguments(args, robot), velocity)
    elif trajectory is not None:
        simulator.reset(*trajectory(0.0)[:2])
    duration = args.duration
    if duration is None:
        duration = trajectory.duration if trajectory else DEFAULT_DURATION
    return _simulate(args, simulator, duration, law)


def _simulate(args: argparse.Namespace, simulator: Simulator, duration: float, law: str) -> int:
    start, failure = time.perf_counter(), None
    try:
        history = simulator.run(duration, every=args.every, progress=True)
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
    columns = {"joint": robot.joint_names, "start": history.q[0], "end": history.q[-1],
               "max velocity": abs(history.qd).max(0), "max effort": np.nanmax(abs(history.tau), 0)}
    if history.reference is not None:
        columns["deviation"] = abs(history.error).max(0)
    columns["unit"] = ["rad, N m" if joint.revolute else "m, N" for joint in robot.joints]
    lines.append(text_table([[*columns], *zip(*columns.values())], left=(0, len(columns) - 1)))
    energy = simulator.energy(history.q, history.qd)
    lines.append(f"energy: {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end")
    return "\n".join(lines)


def _model(args: argparse.Namespace, robot: Robot, dyn: Dynamics) -> Dynamics:
    """The controller's model of the arm."""
    model = robot
    if args.model is not None:
        model = load_robot(args.model, gravity=args.gravity, payload=args.payload)
    if args.model_payload is not None:
        model = model.with_payload(args.model_payload or None)
    if model.joint_names != robot.joint_names:
        raise ValueError(f"--model has joints {', '.join(model.joint_names)}, but the robot "
                         f"has {', '.join(robot.joint_names)}")
    return dyn if model is robot else Dynamics(model)
