"""Let an arm move: freely, or along a trajectory under a controller."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.loading import load_robot
from manip_dynamics.model.robot import Robot
from manip_dynamics.simulation import (
    INTEGRATORS,
    CartesianLine,
    Cycloidal,
    Follow,
    History,
    Quintic,
    SimulationError,
    Simulator,
    Sinusoidal,
    Trajectory,
    Trapezoidal,
    Waypoints,
)
from manip_dynamics.simulation.cartesian import ALL_COMPONENTS
from manip_dynamics.simulation.controllers import LAWS

from .figures import check_figures
from .robot_options import add_robot_arguments, robot_from_arguments

SUMMARY = "simulate a robot, free or along a trajectory under a controller"
EXAMPLE = ("manip_dynamics simulate stanford_arm --trajectory quintic --to 1 0.5 0.2 0 0.3 0 "
           "--duration 2 --plot motion.png")

KINDS = ("cycloidal", "quintic", "trapezoidal", "sinusoidal", "line")
DEFAULT_DURATION = 10.0  # s
SHARE_OF_VELOCITY = 0.5  # of a joint's limit, that a trapezoidal trajectory uses


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    motion = parser.add_argument_group("motion")
    motion.add_argument("--trajectory", metavar="KIND", default="none",
                        help=f"none (the arm moves freely), {', '.join(KINDS)}, or a CSV file "
                             "with a column time and one for each joint")
    motion.add_argument("--start", nargs="+", type=float, metavar="Q",
                        help="joint positions at the beginning (default: zero, within limits)")
    motion.add_argument("--velocity", nargs="+", type=float, metavar="QD",
                        help="joint velocities at the beginning of a free motion")
    motion.add_argument("--to", nargs="+", type=float, metavar="Q",
                        help="joint positions at the end (cycloidal, quintic, trapezoidal)")
    motion.add_argument("--by", nargs=3, type=float, metavar=("X", "Y", "Z"),
                        help="way of the tip in the base link, m (line)")
    motion.add_argument("--components", nargs="+", choices=ALL_COMPONENTS,
                        help="what of the tip's pose a line keeps, as many as joints (default "
                             "for six joints: all)")
    motion.add_argument("--amplitude", nargs="+", type=float, default=[0.2], metavar="A",
                        help="of sinusoidal motion, one or one for each joint (default 0.2)")
    motion.add_argument("--frequency", nargs="+", type=float, default=[0.5], metavar="HZ",
                        help="of sinusoidal motion (default 0.5)")
    motion.add_argument("--duration", type=float, metavar="S",
                        help=f"default: that of the trajectory, or {DEFAULT_DURATION:g}")
    control = parser.add_argument_group("control")
    control.add_argument("--controller", choices=("none", *LAWS),
                         help="default: computed_torque on a trajectory, none otherwise")
    control.add_argument("--kp", nargs="+", type=float, default=[100.0],
                         help="1/s^2; N m/rad or N/m for pd_gravity (default 100)")
    control.add_argument("--kd", nargs="+", type=float, default=[20.0],
                         help="1/s; N m s/rad or N s/m for pd_gravity (default 20)")
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
    trajectory = _trajectory(args, dyn)
    law = args.controller or ("computed_torque" if trajectory else "none")
    controller = None
    if law != "none":
        if trajectory is None:  # then it holds the start
            start = _start(args, robot)
            trajectory = Cycloidal(start, np.zeros(robot.n), args.duration or DEFAULT_DURATION)
        controller = Follow(law, _model(args, robot, dyn), trajectory, _gains(args.kp),
                            _gains(args.kd))
    simulator = Simulator(
        dyn, args.dt, args.integrator, controller, not args.no_limits,
        control_period=args.control_period if controller else None,
        stop_damping=args.stop_damping)
    _reset(args, simulator, trajectory)
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


def _trajectory(args: argparse.Namespace, dyn: Dynamics) -> Trajectory | None:
    robot, kind = dyn.robot, args.trajectory
    if kind == "none":
        return None
    if Path(kind).suffix == ".csv":
        return Waypoints.from_csv(kind, robot.joint_names)
    if kind not in KINDS:
        raise ValueError(f"--trajectory: '{kind}' is neither none, {', '.join(KINDS)} nor a "
                         ".csv file")
    start = _start(args, robot)
    duration = args.duration or DEFAULT_DURATION
    if kind == "sinusoidal":
        return Sinusoidal(start, _gains(args.amplitude), _gains(args.frequency),
                          duration=duration)
    if kind == "line":
        if args.by is None:
            raise ValueError("--trajectory line needs --by X Y Z, the way of the tip")
        return CartesianLine(dyn, dyn.forward_kinematics(start), args.by, duration, start,
                             args.components or ALL_COMPONENTS)
    if args.to is None:
        raise ValueError(f"--trajectory {kind} needs --to, the joint positions at the end")
    end = _positions("--to", args.to, robot)
    if kind == "cycloidal":
        return Cycloidal(start, (end - start) / duration, duration)
    if kind == "quintic":
        return Quintic(start, end, duration)
    velocity = [SHARE_OF_VELOCITY * joint.max_velocity if math.isfinite(joint.max_velocity)
                else 1.0 for joint in robot.joints]
    return Trapezoidal(start, end, velocity, 4.0 * np.array(velocity))


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
    if trajectory is not None and args.trajectory != "none":
        simulator.reset(*trajectory(0.0)[:2])
        return
    velocity = None if args.velocity is None else _positions("--velocity", args.velocity, robot)
    simulator.reset(_start(args, robot), velocity)


def _start(args: argparse.Namespace, robot: Robot) -> np.ndarray:
    if args.start is not None:
        return _positions("--start", args.start, robot)
    return np.array([min(max(0.0, joint.lower), joint.upper) for joint in robot.joints])


def _positions(option: str, values: list[float], robot: Robot) -> np.ndarray:
    if len(values) != robot.n:
        raise ValueError(f"{option} needs {robot.n} values, for {', '.join(robot.joint_names)}; "
                         f"not {len(values)}")
    return np.array(values)


def _gains(values: list[float]) -> Any:
    return values[0] if len(values) == 1 else values
