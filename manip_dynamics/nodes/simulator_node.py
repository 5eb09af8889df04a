"""The node `simulator`: efforts in, integrated motion out as joint_states."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from manip_dynamics_msgs.srv import SetState

from ..control.controllers import gravity_compensation
from ..simulation.integrators import INTEGRATORS
from ..simulation.simulator import SimulationError, Simulator
from . import diagnostics
from .model import SETTINGS as MODEL_SETTINGS
from .model import configured_source, load_model
from .parameters import Setting, declare, read
from .services import refusal
from .spinning import StartupError, spin_until_shutdown
from .streams import STREAM

SETTINGS = (
    *MODEL_SETTINGS,
    Setting("dt", 1e-3, "Length of an integration step, s", range=(1e-6, 1.0)),
    Setting("integrator", "rk4", "Integration method", choices=tuple(INTEGRATORS)),
    Setting("publish_rate", 500.0, "joint_states per simulated second", range=(0.1, 10_000.0)),
    Setting(
        "real_time_factor",
        1.0,
        "Simulated seconds per second; 0: as fast as it can",
        range=(0.0, 1000.0),
    ),
    Setting(
        "command_timeout",
        0.5,
        "Simulated seconds after which a command no longer counts",
        range=(1e-3, 1e9),
        live=True,
    ),
    Setting(
        "without_command",
        "zero_effort",
        "What acts while no command counts",
        choices=("zero_effort", "gravity_compensation"),
        live=True,
    ),
    Setting(
        "initial_positions",
        [0.0],
        "One value, kept within the limits, or one for each joint; rad or m",
    ),
    Setting("publish_clock", False, "Publish the simulated time on /clock"),
)

# Simulated time behind this many s of real time is given up, so that a slow machine shows a slow
# arm and not an ever longer queue of work.
LARGEST_LAG = 0.1

# Less than this many s after a start, the speed says nothing.
SHORTEST_MEASUREMENT = diagnostics.PERIOD / 2


class SimulatorNode(Node):
    """Paces a `Simulator` and translates its messages."""

    def __init__(self) -> None:
        super().__init__("simulator")
        self._live: dict[str, Any] = {}  # the values of all settings, always the newest
        declare(self, SETTINGS, self._live.update)
        self._rate = read(self, "publish_rate")
        self._factor = read(self, "real_time_factor")
        try:
            source = configured_source(self)
            if not source:
                raise ValueError("set the parameter robot or robot_description")
            self._model = load_model(self, source)
            self._command_order = self._model.order.complete(read(self, "joints", []))
            self._simulator = Simulator(
                self._model.dyn, read(self, "dt"), read(self, "integrator")
            )
            self._initial_positions = self._one_or_each(read(self, "initial_positions"))
            self._simulator.reset(self._initial_positions)  # refuses what is outside the limits
        except ValueError as error:
            raise StartupError(f"simulator: {error}") from None
        self._command = np.zeros(self._model.robot.n)
        self._paused = False
        self._rejected = diagnostics.Rejections()
        self._open()
        self._reset()
        robot = self._model.robot
        self.get_logger().info(
            f"{robot.name}: {robot.n} joints, {', '.join(robot.joint_names)}; "
            f"{read(self, 'integrator')}, dt {self._simulator.dt:g} s"
        )

    def _open(self) -> None:
        self._state_message = JointState(name=self._model.order.names)
        self._states = self.create_publisher(JointState, "joint_states", 10)
        self._energy = self.create_publisher(Float64, "~/energy", 10)
        self._clock_publisher = (
            self.create_publisher(ClockMessage, "/clock", 10)
            if read(self, "publish_clock")
            else None
        )
        self.create_subscription(Float64MultiArray, "~/commands", self._on_commands, STREAM)
        self.create_subscription(JointState, "~/effort", self._on_effort, STREAM)
        self.create_service(Trigger, "~/reset", self._on_reset)
        self.create_service(SetBool, "~/set_paused", self._on_set_paused)
        self.create_service(Trigger, "~/step", self._on_step)
        self.create_service(SetState, "~/set_state", self._on_set_state)
        diagnostics.Diagnostics(self, self._report)
        period = 1.0 / (self._rate * self._factor) if self._factor else 0.0
        # Paced by real time, also where this node itself is the source of /clock.
        self._timer = self.create_timer(
            period, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    # ---- motion ------------------------------------------------------------------------------

    def _reset(self) -> None:
        self._simulator.reset(self._initial_positions)
        self._command_time = float("-inf")
        self._efforts = self._acting_efforts()
        self._go_on()

    def _go_on(self) -> None:
        """Move on from the present state, unless paused."""
        self._failure = ""
        # Simulated seconds since the last report, and the moment since which they count.
        self._progress, self._progress_from = 0.0, monotonic()
        self._pace_from_here()
        if self._paused:
            self._timer.cancel()  # without a pace, it would keep a processor busy
        elif self._timer.is_canceled():
            self._timer.reset()

    def _pace_from_here(self) -> None:
        """Let the present simulated time belong to the present moment."""
        self._start = monotonic() - (self._simulator.time / self._factor if self._factor else 0.0)

    def _on_timer(self) -> None:
        period = max(1.0 / self._rate, self._simulator.dt)
        due = self._simulator.time + period
        if self._factor:
            if self._lag() > max(LARGEST_LAG, 2 * period / self._factor):
                self._pace_from_here()
            # What is missing is made up for little by little, so that commands act in between.
            due = self._simulator.time + min(self._lag() * self._factor, 2 * period)
        before = self._simulator.time
        self._advance(due)
        self._progress += self._simulator.time - before
        if self._simulator.time > before:
            self._publish()

    def _lag(self, now: float | None = None) -> float:
        """Real seconds since the moment that the simulated time belongs to."""
        now = monotonic() if now is None else now
        return now - self._start - self._simulator.time / self._factor

    def _advance(self, until: float) -> None:
        simulator = self._simulator
        last_start = until - (1.0 - 1e-6) * simulator.dt  # of a step that ends in time
        try:
            while simulator.time <= last_start:
                self._efforts = self._acting_efforts()
                simulator.step(self._efforts)
        except Exception as error:
            reason = str(error) if isinstance(error, SimulationError) else refusal(error)
            self._failure = f"{reason}; stopped until ~/reset or ~/set_state"
            self._timer.cancel()
            self.get_logger().error(self._failure)

    def _acting_efforts(self) -> np.ndarray:
        if self._has_fresh_command():
            return self._command
        if self._live["without_command"] == "gravity_compensation":
            return gravity_compensation(self._model.dyn, self._simulator.q)
        return np.zeros(self._model.robot.n)

    def _has_fresh_command(self) -> bool:
        return self._simulator.time - self._command_time <= self._live["command_timeout"]

    def _publish(self) -> None:
        own = self._model.order.own
        stamp = self._stamp()
        message = self._state_message
        message.header.stamp = stamp
        message.position = own.from_model(self._simulator.q)
        message.velocity = own.from_model(self._simulator.qd)
        message.effort = own.from_model(self._efforts)
        self._states.publish(message)
        if self._energy.get_subscription_count():
            self._energy.publish(Float64(data=float(self._simulator.energy())))
        if self._clock_publisher is not None:
            self._clock_publisher.publish(ClockMessage(clock=stamp))

    def _stamp(self) -> Time:
        """The moment that the state belongs to."""
        if self._clock_publisher is not None:
            nanoseconds = round(self._simulator.time * 1e9)
            return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)
        clock: Any = self.get_clock()
        if not self._factor or clock.ros_time_is_active:
            return clock.now().to_msg()
        for _ in range(3):  # again, if the system has left us aside between the two clocks
            moment, now = monotonic(), clock.now()
            if monotonic() - moment < 1e-4:
                break
        return (now - Duration(nanoseconds=round(self._lag(moment) * 1e9))).to_msg()

    # ---- messages ----------------------------------------------------------------------------

    def _on_commands(self, message: Float64MultiArray) -> None:
        try:
            self._take_command(self._command_order.to_model("data", message.data))
        except Exception as error:
            self._reject("commands", error)

    def _on_effort(self, message: JointState) -> None:
        try:
            joints = self._model.order.complete(message.name)
            self._take_command(joints.to_model("effort", message.effort))
        except Exception as error:
            self._reject("effort", error)

    def _take_command(self, efforts: np.ndarray) -> None:
        self._command = efforts
        self._command_time = self._simulator.time

    def _reject(self, topic: str, error: Exception) -> None:
        reason = f"{topic}: {refusal(error)}"
        self._rejected.add(reason)
        self.get_logger().warning(f"message refused: {reason}", throttle_duration_sec=1.0)

    def _on_reset(self, request: Any, response: Any) -> Any:
        self._reset()
        self._publish()
        response.success, response.message = True, "t = 0 s"
        return response

    def _on_set_paused(self, request: Any, response: Any) -> Any:
        self._paused = request.data
        if not self._failure:
            self._go_on()
        response.success = True
        response.message = "paused" if self._paused else self._failure or "running"
        return response

    def _on_step(self, request: Any, response: Any) -> Any:
        if not self._paused:
            response.message = "pause it first (~/set_paused)"
            return response
        if not self._failure:
            self._advance(self._simulator.time + self._simulator.dt)
            self._pace_from_here()
            self._publish()
        response.success = not self._failure
        response.message = self._failure or f"t = {self._simulator.time:.9g} s"
        return response

    def _on_set_state(self, request: Any, response: Any) -> Any:
        try:
            joints = self._model.order.complete(request.joint_names)
            self._simulator.set_state(
                joints.to_model("positions", request.positions),
                joints.to_model("velocities", request.velocities, empty_is_zero=True),
            )
        except Exception as error:
            response.message = refusal(error)
            return response
        self._efforts = self._acting_efforts()
        self._go_on()
        self._publish()
        response.success = True
        return response

    # ---- diagnostics -------------------------------------------------------------------------

    def _report(self) -> diagnostics.Report:
        now = monotonic()
        period = max(now - self._progress_from, 1e-3)
        speed = self._progress / period
        self._progress, self._progress_from = 0.0, now
        figures: dict[str, object] = {
            "simulated time [s]": f"{self._simulator.time:.3f}",
            "real time factor": f"{speed:.3f}",
            "messages refused": self._rejected.count,
        }
        if self._rejected.last:
            figures["last refused"] = self._rejected.last
        new_rejections = self._rejected.since_last_report()
        if self._failure:
            return diagnostics.Report(diagnostics.ERROR, self._failure, figures)
        if self._paused:
            return diagnostics.Report(diagnostics.OK, "paused", figures)
        if not self._has_fresh_command():
            instead = self._live["without_command"]
            level = diagnostics.ERROR if instead == "zero_effort" else diagnostics.WARN
            message = f"no fresh command: {instead.replace('_', ' ')}"
            return diagnostics.Report(level, message, figures)
        if new_rejections:
            message = f"{new_rejections} messages refused"
            return diagnostics.Report(diagnostics.WARN, message, figures)
        if self._factor and period > SHORTEST_MEASUREMENT and speed < 0.9 * self._factor:
            message = f"slower than asked: {speed:.2f} instead of {self._factor:g} x real time"
            return diagnostics.Report(diagnostics.WARN, message, figures)
        return diagnostics.Report(diagnostics.OK, "running", figures)

    def _one_or_each(self, values: Sequence[float]) -> np.ndarray:
        n = self._model.robot.n
        if len(values) not in (1, n):
            raise ValueError(f"initial_positions must have 1 or {n} values, not {len(values)}")
        if len(values) == 1:
            joints = self._simulator.joints
            return np.clip(float(values[0]), joints.lower, joints.upper)
        return np.array(values, float)


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted."""
    return spin_until_shutdown(SimulatorNode, args)
