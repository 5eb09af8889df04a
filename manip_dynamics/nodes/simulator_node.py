"""The node `simulator`: integrates the motion under efforts and publishes joint_states."""

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

from ..control.controllers import gravity_compensation, per_joint
from ..simulation.integrators import INTEGRATORS
from ..simulation.simulator import SimulationError, Simulator
from . import diagnostics
from .parameters import Setting, declare, read
from .robot_model import SETTINGS as MODEL_SETTINGS
from .robot_model import configured_source, load_model
from .services import reason
from .spinning import StartupError, spin_until_shutdown
from .streams import STREAM

SETTINGS = (
    *MODEL_SETTINGS,
    Setting("dt", 1e-3, "Integration step, s", range=(1e-6, 1.0)),
    Setting("integrator", "rk4", "Integration method", choices=tuple(INTEGRATORS)),
    Setting("publish_rate", 500.0, "joint_states per simulated second", range=(0.1, 10_000.0)),
    Setting("real_time_factor", 1.0, range=(0.0, 1000.0),
            description="Simulated seconds per second; 0: as fast as possible"),
    Setting("command_timeout", 0.5, range=(1e-3, 1e9), live=True,
            description="Age in simulated seconds beyond which a command is stale"),
    Setting("without_command", "zero_effort", "Efforts while there is no fresh command", live=True,
            choices=("zero_effort", "gravity_compensation")),
    Setting("initial_positions", [0.0],
            "One value, clamped to the joint limits, or one per joint; rad or m"),
    Setting("publish_clock", False, "Publish the simulated time on /clock"),
)

# If simulated time lags behind by more than this, s, the lag is dropped: on a slow machine the arm
# is slow, and no backlog builds up.
LARGEST_LAG = 0.1

SHORTEST_MEASUREMENT = diagnostics.PERIOD / 2  # s; over less, the measured speed means nothing


class SimulatorNode(Node):
    """Paces a `Simulator` and translates between it and messages."""

    def __init__(self) -> None:
        super().__init__("simulator")
        self._live: dict[str, Any] = {}  # current values of all settings
        declare(self, SETTINGS, self._live.update)
        self._rate = read(self, "publish_rate")
        self._factor = read(self, "real_time_factor")
        try:
            source = configured_source(self)
            if not source:
                raise ValueError("set the parameter robot or robot_description")
            self._model = load_model(self, source)
            self._simulator = Simulator(
                self._model.dyn, read(self, "dt"), read(self, "integrator")
            )
            values = read(self, "initial_positions")
            self._initial_positions = per_joint("initial_positions", values, self._simulator.dyn.n)
            if len(values) == 1:
                joints = self._simulator.joints
                self._initial_positions = self._initial_positions.clip(joints.lower, joints.upper)
            self._simulator.reset(self._initial_positions)  # ValueError outside the limits
        except ValueError as error:
            raise StartupError(f"simulator: {error}") from None
        self._command = np.zeros(self._model.robot.n)
        self._paused = False
        self._rejected = diagnostics.Rejections(self.get_logger())
        self._open()
        self._reset()
        robot = self._model.robot
        self.get_logger().info(
            f"{robot.name}: {robot.n} joints, {', '.join(robot.joint_names)}; "
            f"{read(self, 'integrator')}, dt {self._simulator.dt:g} s"
        )

    def _open(self) -> None:
        self._state_message = JointState(name=self._model.joints.names)
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
        # Paced by real time, even if this node publishes /clock.
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
        """Resume from the present state, unless paused."""
        self._failure = ""
        # Simulated seconds since the last report, and its time.
        self._progress, self._progress_from = 0.0, monotonic()
        self._pace_from_here()
        if self._paused:
            self._timer.cancel()  # with period 0 it would keep a core busy
        elif self._timer.is_canceled():
            self._timer.reset()

    def _pace_from_here(self) -> None:
        """Make the present simulated time correspond to now."""
        self._start = monotonic() - (self._simulator.time / self._factor if self._factor else 0.0)

    def _on_timer(self) -> None:
        period = max(1.0 / self._rate, self._simulator.dt)
        due = self._simulator.time + period
        if self._factor:
            if self._lag() > max(LARGEST_LAG, 2 * period / self._factor):
                self._pace_from_here()
            # Catch up in small steps, so that commands take effect in between.
            due = self._simulator.time + min(self._lag() * self._factor, 2 * period)
        before = self._simulator.time
        self._advance(due)
        self._progress += self._simulator.time - before
        if self._simulator.time > before:
            self._publish()

    def _lag(self, now: float | None = None) -> float:
        """Real seconds by which simulated time lags behind."""
        now = monotonic() if now is None else now
        return now - self._start - self._simulator.time / self._factor

    def _advance(self, until: float) -> None:
        simulator = self._simulator
        last_start = until - (1.0 - 1e-6) * simulator.dt  # latest start of a step
        try:
            while simulator.time <= last_start:
                self._efforts = self._acting_efforts()
                simulator.step(self._efforts)
        except Exception as error:
            cause = str(error) if isinstance(error, SimulationError) else reason(error)
            self._failure = f"{cause}; stopped until ~/reset or ~/set_state"
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
        joints = self._model.joints.identity
        stamp = self._stamp()
        message = self._state_message
        message.header.stamp = stamp
        message.position = joints.from_model(self._simulator.q)
        message.velocity = joints.from_model(self._simulator.qd)
        message.effort = joints.from_model(self._efforts)
        self._states.publish(message)
        if self._energy.get_subscription_count():
            self._energy.publish(Float64(data=float(self._simulator.energy())))
        if self._clock_publisher is not None:
            self._clock_publisher.publish(ClockMessage(clock=stamp))

    def _stamp(self) -> Time:
        """Return the time of the present state."""
        if self._clock_publisher is not None:
            nanoseconds = round(self._simulator.time * 1e9)
            return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)
        clock: Any = self.get_clock()
        if not self._factor or clock.ros_time_is_active:
            return clock.now().to_msg()
        for _ in range(3):  # retry if preempted between reading the two clocks
            moment, now = monotonic(), clock.now()
            if monotonic() - moment < 1e-4:
                break
        return (now - Duration(nanoseconds=round(self._lag(moment) * 1e9))).to_msg()

    # ---- messages ----------------------------------------------------------------------------

    def _on_commands(self, message: Float64MultiArray) -> None:
        self._take_command("commands", self._model.command_order.names, "data", message.data)

    def _on_effort(self, message: JointState) -> None:
        self._take_command("effort", message.name, "effort", message.effort)

    def _take_command(
        self, topic: str, names: Sequence[str], field: str, efforts: Sequence[float]
    ) -> None:
        try:
            self._command = self._model.joints.mapping(names).to_model(field, efforts)
            self._command_time = self._simulator.time
        except Exception as error:
            self._rejected.add(f"{topic}: {reason(error)}")

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
            joints = self._model.joints.mapping(request.joint_names)
            self._simulator.set_state(*joints.state(request))
        except Exception as error:
            response.message = reason(error)
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
            **self._rejected.figures(),
        }
        return diagnostics.Report(*self._health(speed, period), figures)

    def _health(self, speed: float, period: float) -> tuple[bytes, str]:
        new_rejections = self._rejected.since_last_report()
        if self._failure:
            return diagnostics.ERROR, self._failure
        if self._paused:
            return diagnostics.OK, "paused"
        if not self._has_fresh_command():
            instead = self._live["without_command"]
            level = diagnostics.ERROR if instead == "zero_effort" else diagnostics.WARN
            return level, f"no fresh command: {instead.replace('_', ' ')}"
        if new_rejections:
            return diagnostics.WARN, f"{new_rejections} messages refused"
        if self._factor and period > SHORTEST_MEASUREMENT and speed < 0.9 * self._factor:
            wanted = f"{self._factor:g} x real time"
            return diagnostics.WARN, f"slower than requested: {speed:.2f} instead of {wanted}"
        return diagnostics.OK, "running"


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted."""
    return spin_until_shutdown(SimulatorNode, args)
