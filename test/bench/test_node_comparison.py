"""script/bench --ros, with real processes and few messages."""

import os

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from bench.ros import comparison

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(comparison, "SESSIONS", 1)
    monkeypatch.setattr(comparison, "WARM_UP", 5)
    cores = os.sched_getaffinity(0)
    yield comparison.Bench(lambda text: None)
    os.sched_setaffinity(0, cores)


def test_references_are_answered_by_relay_and_node(bench):
    found = bench.exchanges(rounds=10)
    assert [(x.path, x.percentile) for x in found] == [
        ("~/feedforward", 50), ("~/feedforward", 99), ("~/commands", 50), ("~/commands", 99),
    ]  # fmt: skip
    for x in found:
        assert x.samples == 10
        assert x.ratio == x.node / x.relay > 0
    assert comparison.latency_table("x", found)[1][3] == f"{found[0].ratio:.3f}"


def test_services_are_answered_by_relay_and_node(bench):
    found = bench.services(rounds=10)
    assert [x.path for x in found[::2]] == ["~/mass_matrix", "~/inverse_dynamics"]
    assert all(x.relay > 0 and x.node > 0 for x in found)


def test_a_stream_counts_what_was_answered(bench):
    relay, node = bench.streams(seconds=0.5)[-2:]
    assert (relay.who, node.who) == ("relay", "dynamics")
    assert relay.rate == node.rate
    assert node.sent == round(node.rate * 0.5)
    assert 0 <= node.lost <= node.sent
    assert 0 < node.p50 <= node.p99


def test_wrong_efforts_are_not_measured(bench):
    with pytest.raises(RuntimeError, match="the node's efforts are wrong"):
        bench._check([0.0] * 6)
