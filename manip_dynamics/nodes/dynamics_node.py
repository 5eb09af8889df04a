"""The node `dynamics`: services about the arm, and efforts for references and joint states."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from manip_dynamics_msgs.srv import SetPayload

from ..control.effort_policy import MODES, EffortSource, Policy
from ..dynamics import TERMS
from . import diagnostics
from .background import Background
from .joint_order import Arrangement
from .model import SETTINGS as MODEL_SETTINGS
from .model import Model, configured_source, load_model, urdf_text
from .parameters import Setting, declare, read
from .services import CLEANED_UP, NO_MODEL, SERVICES, answer, refusal, robot_with_payload
from .spinning import StartupError, spin_until_shutdown
from .streams import LATCHED, STREAM

POLICY_SETTINGS = (
    Setting("mode", "feedforward", "What the published efforts are", choices=MODES, live=True),
    Setting(
        "terms",
        list(TERMS),
        "Terms of the efforts; leave out what the driver compensates by itself",
        choices=TERMS,
        live=True,
    ),
    Setting(
        "algorithm",
        "auto",
        "Algorithm of the inverse dynamics; auto: the one with the fewest operations",
        choices=("auto", "kane", "newton_euler"),
    ),
    Setting(
        "kp",
        [100.0],
        "Position gain of computed_torque, 1/s^2: one value, or one for each joint",
        range=(0.0, 1e9),
        live=True,
    ),
    Setting(
        "kd",
        [20.0],
        "Velocity gain of computed_torque, 1/s: one value, or one for each joint",
        range=(0.0, 1e9),
        live=True,
    ),
    Setting(
        "reference_timeout",
        0.1,
        "Age in s beyond which a reference or a joint state no longer counts",
        range=(1e-3, 3600.0),
        live=True,
    ),
    Setting(
        "clamp_to_limits", False, "Cut efforts at the effort limits of the URDF", live=True
    ),
)

SETTINGS = (
    *MODEL_SETTINGS,
    *POLICY_SETTINGS,
    Setting("publish_commands", True, "Publish the efforts on ~/commands, too"),
    Setting("autostart", True, "Configure and activate at start, without a lifecycle manager"),
)


class DynamicsNode(LifecycleNode):
    """Translates between messages and `Dynamics`; see the README for its topics and services."""

    def __init__(self) -> None:
        super().__init__("dynamics")
        self._model: Model | None = None
        self._source: EffortSource | None = None
        self._active = False
        self._policy = Policy()
        self._refused_description = ""
        self._configuration = object()  # another one after each cleanup
        self._opened: list[tuple[Callable[[Any], Any], Any]] = []  # how to close what is open
        self._background = Background(self)
        # Streams are served by a thread of their own; whoever changes what they use holds the lock.
        self.streams = MutuallyExclusiveCallbackGroup()
        self._lock = threading.RLock()
        declare(self, SETTINGS, self._on_new_values)
        # Open as long as the node lives: one that is closed while it waits cannot answer any more.
        # In a group of its own: while one callback of a group waits, the others of it do, too.
        self.create_service(
            SetPayload, "~/set_payload", self._on_set_payload,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )  # fmt: skip
        if read(self, "autostart"):
            if self.trigger_configure() != TransitionCallbackReturn.SUCCESS:
                raise StartupError(self._refused_description)
            self.trigger_activate()

    # ---- lifecycle ---------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the model if a parameter names it, and open services and topics."""
        try:
            source = configured_source(self)
            if source:
                self._take_model(load_model(self, source), self._configuration)
        except Exception as error:
            self._refuse_description(error)
            return TransitionCallbackReturn.FAILURE
        self._latency = diagnostics.Throughput()
        self._rejected = diagnostics.Rejections()
        self._command_message = Float64MultiArray()
        self._feedforward = self._publish_on("~/feedforward", JointState)
        self._commands = (
            self._publish_on("~/commands", Float64MultiArray)
            if read(self, "publish_commands")
            else None
        )
        for name, (kind, compute) in SERVICES.items():
            service = self.create_service(kind, f"~/{name}", partial(self._serve, compute))
            self._opened.append((self.destroy_service, service))
        self._listen_to("joint_states", JointState, self._on_joint_state, STREAM, self.streams)
        self._listen_to("~/reference", JointTrajectory, self._on_reference, STREAM, self.streams)
        if not source:
            self.get_logger().info("waiting for a URDF on the topic robot_description")
            self._listen_to("robot_description", String, self._on_description, LATCHED)
        reporting = diagnostics.Diagnostics(self, self._report)
        self._opened.append((diagnostics.Diagnostics.destroy, reporting))
        return TransitionCallbackReturn.SUCCESS

    def _publish_on(self, topic: str, kind: type) -> Any:
        publisher: Any = self.create_publisher(kind, topic, 10)
        self._opened.append((self.destroy_publisher, publisher))
        return publisher

    def _listen_to(
        self, topic: str, kind: type, callback: Callable[[Any], None], qos: QoSProfile,
        group: CallbackGroup | None = None,
    ) -> None:  # fmt: skip
        subscription = self.create_subscription(kind, topic, callback, qos, callback_group=group)
        self._opened.append((self.destroy_subscription, subscription))

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to publish efforts."""
        self._active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Publish no more efforts; services go on."""
        with self._lock:
            self._active = False
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close everything and forget the model."""
        self._close()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close everything, from whatever state; nothing but the end of the process follows."""
        self._close()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close what a transition that failed has left open."""
        self._close()
        return super().on_error(state)

    def _close(self) -> None:
        with self._lock:
            self._active = False
            self._model = self._source = None
            self._configuration = object()
            self._refused_description = ""
            while self._opened:
                close, opened = self._opened.pop()
                close(opened)

    # ---- model and settings ------------------------------------------------------------------

    def _take_model(self, model: Model, configuration: object) -> None:
        """Put a model in the place of the present one; ValueError if the settings do not fit.

        configuration: the one that the model was loaded for.
        """
        command_order: Arrangement = model.order.complete(read(self, "joints", []))
        with self._lock:
            if configuration is not self._configuration:
                raise ValueError(CLEANED_UP)
            self._source = EffortSource(model.dyn, self._policy, self._source)
            self._model = model
            self._command_order = command_order
            self._effort_message = JointState(name=model.order.names)
        self._refused_description = ""
        robot = model.robot
        self.get_logger().info(f"{robot.name}: {robot.n} joints, {', '.join(robot.joint_names)}")

    def _refuse_description(self, error: Exception) -> None:
        self._refused_description = f"robot refused: {refusal(error)}"
        self.get_logger().error(self._refused_description)

    def _on_description(self, message: String) -> None:
        """Load another robot while the present one goes on; keep that if the new one is no good."""
        load = partial(self._load_description, message.data, self._configuration)
        self._background.run(load)

    # What changes the model while the node works is done in the background, one after the other,
    # so that each builds on what the one before has left.

    def _load_description(self, description: str, configuration: object) -> None:
        present = self._model
        try:
            if present is None or description != present.robot.urdf:
                self._take_model(load_model(self, urdf_text(description), present), configuration)
            self._refused_description = ""
        except Exception as error:
            if configuration is self._configuration:
                self._refuse_description(error)

    async def _on_set_payload(
        self, request: SetPayload.Request, response: SetPayload.Response
    ) -> SetPayload.Response:
        """Build the dynamics with the payload beside the present ones, then change over."""

        def load() -> None:
            with self._lock:
                present, configuration = self._model, self._configuration
            if present is None:
                raise ValueError(NO_MODEL)
            robot = robot_with_payload(present.robot, request)
            self._take_model(Model(present.dyn.with_robot(robot)), configuration)

        try:
            await self._background.run(load)
            response.success = True
        except Exception as error:
            response.message = refusal(error)
        return response

    def _on_new_values(self, values: dict[str, Any]) -> None:
        """Take over new settings of the policy; raises ValueError if they do not fit the arm."""
        names = {setting.name for setting in POLICY_SETTINGS} & values.keys()
        policy = dataclasses.replace(self._policy, **{name: values[name] for name in names})
        with self._lock:
            if self._source is not None:
                self._source = EffortSource(self._source.dyn, policy, self._source)
            self._policy = policy

    # ---- messages ----------------------------------------------------------------------------

    def _serve(self, compute: Any, request: Any, response: Any) -> Any:
        return answer(compute, self._model, request, response)

    def _now(self) -> float:
        """Simulated time where there is one; else a clock that nobody sets back."""
        clock: Any = self.get_clock()
        return clock.now().nanoseconds * 1e-9 if clock.ros_time_is_active else monotonic()

    def _on_reference(self, message: JointTrajectory) -> None:
        start = perf_counter()
        with self._lock:
            model, source = self._model, self._source
            if model is None or source is None or not self._active:
                return
            try:
                joints = model.order.complete(message.joint_names)
                if not message.points:
                    raise ValueError("the trajectory has no points")
                point = message.points[0]
                efforts = source.on_reference(
                    joints.to_model("positions", point.positions),
                    joints.to_model("velocities", point.velocities, empty_is_zero=True),
                    joints.to_model("accelerations", point.accelerations, empty_is_zero=True),
                    self._now(),
                )
            except Exception as error:
                self._reject("reference", error)
            else:
                self._send(model, efforts, message.header.stamp, start)

    def _on_joint_state(self, message: JointState) -> None:
        start = perf_counter()
        with self._lock:
            model, source = self._model, self._source
            if model is None or source is None or not self._active:
                return
            try:
                joints = model.order.containing(message.name)
                if joints is None:
                    return
                efforts = source.on_state(
                    joints.to_model("position", message.position),
                    joints.to_model("velocity", message.velocity, empty_is_zero=True),
                    self._now(),
                )
            except Exception as error:
                self._reject("joint_states", error)
            else:
                self._send(model, efforts, message.header.stamp, start)

    def _send(self, model: Model, efforts: Any, stamp: Any, start: float) -> None:
        """Publish efforts with the stamp of the message they answer."""
        if efforts is None:
            return
        message = self._effort_message
        message.header.stamp = stamp
        message.effort = model.order.own.from_model(efforts)
        self._feedforward.publish(message)
        if self._commands is not None:
            self._command_message.data = self._command_order.from_model(efforts)
            self._commands.publish(self._command_message)
        self._latency.add(perf_counter() - start)

    def _reject(self, topic: str, error: Exception) -> None:
        reason = f"{topic}: {refusal(error)}"
        self._rejected.add(reason)
        self.get_logger().warning(f"message refused: {reason}", throttle_duration_sec=1.0)

    # ---- diagnostics -------------------------------------------------------------------------

    def _report(self) -> diagnostics.Report:
        figures = self._latency.figures("efforts")
        figures["messages refused"] = self._rejected.count
        if self._rejected.last:
            figures["last refused"] = self._rejected.last
        new_rejections = self._rejected.since_last_report()
        source, now = self._source, self._now()
        if source is not None:
            figures["mode"] = source.policy.mode
            figures["saturations"] = source.saturations
            figures["reference age [s]"] = f"{source.reference_age(now):.3f}"
            figures["joint_states age [s]"] = f"{source.state_age(now):.3f}"
        if self._refused_description:
            return diagnostics.Report(diagnostics.ERROR, self._refused_description, figures)
        if source is None:
            return diagnostics.Report(diagnostics.WARN, "waiting for robot_description", figures)
        if not self._active:
            return diagnostics.Report(diagnostics.OK, "inactive", figures)
        level, message = self._health(source, now)
        if level == diagnostics.OK and new_rejections:
            level, message = diagnostics.WARN, f"{new_rejections} messages refused, {message}"
        return diagnostics.Report(level, message, figures)

    def _health(self, source: EffortSource, now: float) -> tuple[bytes, str]:
        has_reference, has_state = source.has_fresh_reference(now), source.has_fresh_state(now)
        mode = source.policy.mode
        if mode == "gravity_compensation":
            if has_state:
                return diagnostics.OK, "compensating gravity"
            return diagnostics.ERROR, "no fresh joint_states: no efforts are published"
        if has_reference and (has_state or mode == "feedforward"):
            return diagnostics.OK, "following the reference"
        if has_state:
            return diagnostics.WARN, "no fresh reference: compensating gravity"
        missing = "joint_states" if has_reference else "reference and no fresh joint_states"
        return diagnostics.ERROR, f"no fresh {missing}: no efforts are published"


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted."""
    return spin_until_shutdown(DynamicsNode, args)
