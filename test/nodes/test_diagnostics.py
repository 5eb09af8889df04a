"""Throughput and rejections, counted in one thread and reported in another."""

import threading

import pytest

pytest.importorskip("rclpy", reason="diagnostics are published by a ROS node")

from rclpy.logging import get_logger

from manip_dynamics.nodes.diagnostics import Rejections, Throughput


def test_percentiles_are_those_of_the_last_period():
    throughput = Throughput(capacity=100)
    assert list(throughput.figures("work")) == ["work rate [1/s]"]
    for microseconds in range(101):
        throughput.add(microseconds * 1e-6)
    # The oldest has made room for the newest.
    figures = throughput.figures("work")
    assert float(figures["work rate [1/s]"]) > 0.0
    assert (figures["work p50 [us]"], figures["work p99 [us]"]) == ("50", "99")
    throughput.add(7e-6)
    assert throughput.figures("work")["work p99 [us]"] == "7"
    assert throughput.figures("work") == {"work rate [1/s]": "0.0"}


def test_nothing_is_lost_or_counted_twice_while_another_thread_reports(monkeypatch):
    monkeypatch.setattr("manip_dynamics.nodes.diagnostics.monotonic", iter(range(10**6)).__next__)
    throughput, number = Throughput(), 50_000

    def add() -> None:
        for _ in range(number):
            throughput.add(1e-6)

    adding = threading.Thread(target=add)
    adding.start()
    counted = 0.0
    while adding.is_alive():
        counted += float(throughput.figures("work")["work rate [1/s]"])  # a period of 1 s
    counted += float(throughput.figures("work")["work rate [1/s]"])
    assert counted == number


def test_rejections_are_told_once():
    rejections = Rejections(get_logger("test"))
    rejections.add("too long")
    rejections.add("too short")
    assert (rejections.count, rejections.last) == (2, "too short")
    assert rejections.figures() == {"messages refused": 2, "last refused": "too short"}
    assert rejections.since_last_report() == 2
    assert rejections.since_last_report() == 0
