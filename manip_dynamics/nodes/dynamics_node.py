"""The node `dynamics`: services on the arm's dynamics, and efforts for references and states."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from contextlib import ExitStack
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
from .parameters import Setting, declare, read
from .robot_model import SETTINGS as MODEL_SETTINGS
from .robot_model import RobotModel, configured_source, load_model, require_urdf
from .services import CLEANED_UP, NO_MODEL, SERVICES, answer, reason, robot_with_payload
from .spinning import StartupError, spin_until_shutdown
from .streams import LATCHED, STREAM

# Their names and defaults are those of the fields of Policy.
POLICY_SETTINGS = (
    Setting("mode", Policy.mode, "How efforts are computed", choices=MODES, live=True),
    Setting("terms", list(Policy.terms), choices=TERMS, live=True,
            description="Terms of the efforts; leave out what the driver compensates itself"),
    Setting("algorithm", Policy.algorithm, choices=("auto", "kane", "newton_euler"),
            description="Inverse-dynamics algorithm; auto: the one with the fewest operations"),
    Setting("kp", list(Policy.kp), range=(0.0, 1e9), live=True,
            description="Position gain of computed_torque, 1/s^2: one value, or one per joint"),
    Setting("kd", list(Policy.kd), range=(0.0, 1e9), live=True,
            description="Velocity gain of computed_torque, 1/s: one value, or one per joint"),
    Setting("reference_timeout", Policy.reference_timeout, range=(1e-3, 3600.0), live=True,
            description="Age in s beyond which references and joint states are stale"),
    Setting("clamp_to_limits", Policy.clamp_to_limits, live=True,
            description="Clamp efforts to the effort limits of the URDF"),
)

SETTINGS = (
    *MODEL_SETTINGS,
    *POLICY_SETTINGS,
    Setting("publish_commands", True, "Also publish the efforts on ~/commands"),
    Setting("autostart", True, "Configure and activate at startup, without a lifecycle manager"),
)

EffortsOf = Callable[[RobotModel, EffortSource, Any], Any]


class DynamicsNode(LifecycleNode):
    """Translates between messages and `Dynamics`; see the README for its topics and services."""

    def __init__(self) -> None:
        super().__init__("dynamics")
        self._model: RobotModel | None = None
        self._source: EffortSource | None = None
        self._active = False
        self._policy = Policy()
        self._refused_description = ""
        self._configuration = object()  # identity changes with every cleanup
        self._open = ExitStack()  # destroys the entities that exist while configured
        self._background = Background(self)
        # Streams have a thread of their own; the lock guards what that thread uses.
        self.streams = MutuallyExclusiveCallbackGroup()
        self._lock = threading.RLock()
        declare(self, SETTINGS, self._on_new_values)
        # Exists for the life of the node: if it were destroyed while waiting, it could not answer.
        # In its own group, because a waiting callback blocks the others of its group.
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
        """Load the model if a parameter names it, and create services and topics."""
        try:
            source = configured_source(self)
            if source:
                self._use_model(load_model(self, source), self._configuration)
        except Exception as error:
            self._refuse_description(error)
            return TransitionCallbackReturn.FAILURE
        self._latency = diagnostics.Throughput()
        self._rejected = diagnostics.Rejections(self.get_logger())
        self._command_message = Float64MultiArray()
        self._feedforward = self._publisher("~/feedforward", JointState)
        self._commands = (
            self._publisher("~/commands", Float64MultiArray)
            if read(self, "publish_commands")
            else None
        )
        for name, (kind, compute) in SERVICES.items():
            service = self.create_service(kind, f"~/{name}", partial(self._serve, compute))
            self._open.callback(self.destroy_service, service)
        for topic, message_kind, efforts_of in (
            ("joint_states", JointState, self._efforts_of_state),
            ("~/reference", JointTrajectory, self._efforts_of_reference),
        ):
            callback = partial(self._on_stream, topic.removeprefix("~/"), efforts_of)
            self._subscribe(topic, message_kind, callback, STREAM, self.streams)
        if not source:
            self.get_logger().info("waiting for a URDF on the topic robot_description")
            self._subscribe("robot_description", String, self._on_description, LATCHED)
        self._open.callback(diagnostics.Diagnostics(self, self._report).destroy)
        return TransitionCallbackReturn.SUCCESS

    def _publisher(self, topic: str, kind: type) -> Any:
        publisher: Any = self.create_publisher(kind, topic, 10)
        self._open.callback(self.destroy_publisher, publisher)
        return publisher

    def _subscribe(
        self, topic: str, kind: type, callback: Callable[[Any], None], qos: QoSProfile,
        group: CallbackGroup | None = None,
    ) -> None:  # fmt: skip
        subscription = self.create_subscription(kind, topic, callback, qos, callback_group=group)
        self._open.callback(self.destroy_subscription, subscription)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start publishing efforts."""
        self._active = True
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop publishing efforts; services remain available."""
        with self._lock:
            self._active = False
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Destroy services and topics and drop the model; also on shutdown and after an error."""
        with self._lock:
            self._active = False
            self._model = self._source = None
            self._configuration = object()
            self._refused_description = ""
            self._open.close()
        return TransitionCallbackReturn.SUCCESS

    on_shutdown = on_error = on_cleanup

    # ---- model and settings ------------------------------------------------------------------

    def _use_model(self, model: RobotModel, configuration: object) -> None:
        """Replace the model in use; ValueError if the settings do not fit.

        configuration: the value of `_configuration` when loading began.
        """
        with self._lock:
            if configuration is not self._configuration:
                raise ValueError(CLEANED_UP)
            self._source = EffortSource(model.dyn, self._policy, self._source)
            self._model = model
            self._effort_message = JointState(name=model.joints.names)
        self._refused_description = ""
        robot = model.robot
        self.get_logger().info(f"{robot.name}: {robot.n} joints, {', '.join(robot.joint_names)}")

    def _refuse_description(self, error: Exception) -> None:
        self._refused_description = f"robot refused: {reason(error)}"
        self.get_logger().error(self._refused_description)

    def _on_description(self, message: String) -> None:
        """Load another robot in the background; the present model stays if it is invalid."""
        load = partial(self._load_description, message.data, self._configuration)
        self._background.run(load)

    # Everything that replaces the model of a running node is a background job, one after another,
    # so that each builds on the result of the previous one.

    def _load_description(self, description: str, configuration: object) -> None:
        present = self._model
        try:
            if present is None or description != present.robot.urdf:
                model = load_model(self, require_urdf(description), present)
                self._use_model(model, configuration)
            self._refused_description = ""
        except Exception as error:
            if configuration is self._configuration:
                self._refuse_description(error)

    async def _on_set_payload(
        self, request: SetPayload.Request, response: SetPayload.Response
    ) -> SetPayload.Response:
        """Build the model with the payload in the background, then switch to it."""

        def load() -> None:
            with self._lock:
                present, configuration = self._model, self._configuration
            if present is None:
                raise ValueError(NO_MODEL)
            robot = robot_with_payload(present.robot, request)
            self._use_model(present.with_robot(robot), configuration)

        try:
            await self._background.run(load)
            response.success = True
        except Exception as error:
            response.message = reason(error)
        return response

    def _on_new_values(self, values: dict[str, Any]) -> None:
        """Apply new settings of the policy; ValueError if they do not fit the arm."""
        names = {field.name for field in dataclasses.fields(Policy)} & values.keys()
        policy = dataclasses.replace(self._policy, **{name: values[name] for name in names})
        with self._lock:
            if self._source is not None:
                self._source = EffortSource(self._source.dyn, policy, self._source)
            self._policy = policy

    # ---- messages ----------------------------------------------------------------------------

    def _serve(self, compute: Any, request: Any, response: Any) -> Any:
        return answer(compute, self._model, request, response)

    def _now(self) -> float:
        """Simulated time if the node uses it; otherwise a monotonic clock."""
        clock: Any = self.get_clock()
        return clock.now().nanoseconds * 1e-9 if clock.ros_time_is_active else monotonic()

    def _on_stream(self, topic: str, efforts_of: EffortsOf, message: Any) -> None:
        """Answer a reference or a joint state with efforts that carry its stamp."""
        start = perf_counter()
        with self._lock:
            model, source = self._model, self._source
            if model is None or source is None or not self._active:
                return
            try:
                efforts = efforts_of(model, source, message)
            except Exception as error:
                self._rejected.add(f"{topic}: {reason(error)}")
                return
            if efforts is None:
                return
            feedforward = self._effort_message
            feedforward.header.stamp = message.header.stamp
            feedforward.effort = model.joints.identity.from_model(efforts)
            self._feedforward.publish(feedforward)
            if self._commands is not None:
                self._command_message.data = model.command_order.from_model(efforts)
                self._commands.publish(self._command_message)
            self._latency.add(perf_counter() - start)

    def _efforts_of_reference(
        self, model: RobotModel, source: EffortSource, message: JointTrajectory
    ) -> Any:
        joints = model.joints.mapping(message.joint_names)
        if not message.points:
            raise ValueError("the trajectory has no points")
        return source.on_reference(*joints.motion(message.points[0]), self._now())

    def _efforts_of_state(
        self, model: RobotModel, source: EffortSource, message: JointState
    ) -> Any:
        joints = model.joints.mapping_among_others(message.name)
        if joints is None:
            return None
        q = joints.to_model("position", message.position)
        qd = joints.to_model("velocity", message.velocity, empty_is_zero=True)
        return source.on_state(q, qd, self._now())

    # ---- diagnostics -------------------------------------------------------------------------

    def _report(self) -> diagnostics.Report:
        figures = {**self._latency.figures("efforts"), **self._rejected.figures()}
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
