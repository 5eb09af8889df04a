"""Report the health of a node on /diagnostics once a second."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 1.0  # s

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Report(NamedTuple):
    """Level, summary and key-value pairs of a DiagnosticStatus."""

    level: bytes
    message: str
    figures: dict[str, object]


class Throughput:
    """Rate and duration of a repeated task since the last report.

    One thread may add while another reports: no attribute is written by both.
    """

    def __init__(self, capacity: int = 4096) -> None:
        self._durations = np.empty(capacity)  # s, a ring buffer
        self._capacity = capacity
        self._count = self._reported = 0
        self._report_time = monotonic()

    def add(self, duration: float) -> None:
        """Record one execution that took `duration` s."""
        self._durations[self._count % self._capacity] = duration
        self._count += 1

    def figures(self, name: str) -> dict[str, object]:
        """Return rate and percentiles since the last call."""
        count, now = self._count, monotonic()
        new, period = count - self._reported, max(now - self._report_time, 1e-3)
        self._reported, self._report_time = count, now
        figures: dict[str, object] = {f"{name} rate [1/s]": f"{new / period:.1f}"}
        if new:
            places = np.arange(count - min(new, self._capacity), count) % self._capacity
            p50, p99 = np.percentile(self._durations[places], (50, 99)) * 1e6
            figures[f"{name} p50 [us]"] = f"{p50:.0f}"
            figures[f"{name} p99 [us]"] = f"{p99:.0f}"
        return figures


class Rejections:
    """Count and log rejected messages."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self.count = 0
        self.last = ""
        self._reported = 0

    def add(self, reason: str) -> None:
        """Record a rejected message."""
        self.count += 1
        self.last = reason
        self._logger.warning(f"message refused: {reason}", throttle_duration_sec=1.0)

    def figures(self) -> dict[str, object]:
        """Return the total, and the reason of the last rejection if there was one."""
        figures: dict[str, object] = {"messages refused": self.count}
        return {**figures, "last refused": self.last} if self.last else figures

    def since_last_report(self) -> int:
        """Return the number of rejections since the last call."""
        new, self._reported = self.count - self._reported, self.count
        return new


class Diagnostics:
    """Publish `report()` once a second of real time, whatever the ROS clock does."""

    def __init__(self, node: Node, report: Callable[[], Report]) -> None:
        self._node = node
        self._report = report
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._timer = node.create_timer(
            PERIOD, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def destroy(self) -> None:
        """Stop publishing."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _publish(self) -> None:
        report = self._report()
        status = DiagnosticStatus(
            level=report.level,
            name=self._node.get_fully_qualified_name().lstrip("/") + ": manip_dynamics",
            message=report.message,
            values=[KeyValue(key=key, value=str(value)) for key, value in report.figures.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
