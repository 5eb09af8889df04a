"""Latency, a 1 kHz stream and service round trips of the dynamics node and of a bare relay."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manip_dynamics as md
from manip_dynamics.nodes.own_domain import take_own_domain

from .. import machine, report
from ..docs import write_section
from .process import cpu_seconds, keep_apart, running

ROBOT = "stanford_arm"
NODE = ["dynamics_node", "--ros-args", "-p", f"robot:={ROBOT}"]
RELAY = [sys.executable, "-m", "bench.ros.relay"]
SESSIONS = 5  # with new processes each, to average over differences in their startup
WHO = ("relay", "dynamics")
WARM_UP = 200  # exchanges of a session that are not counted
AGREEMENT = 1e-9
RATES = (1000.0, 800.0, 600.0, 500.0, 400.0, 300.0, 200.0, 100.0)  # Hz


@dataclass(frozen=True)
class Latency:
    """A percentile of the latency of one path, for the relay and the dynamics node, us."""

    path: str
    percentile: float
    relay: float
    node: float
    samples: int  # of each

    @property
    def ratio(self) -> float:
        return self.node / self.relay


@dataclass(frozen=True)
class Stream:
    """References at a fixed rate."""

    who: str
    rate: float  # Hz
    seconds: float
    sent: int
    lost: int  # the larger number of ~/feedforward and ~/commands
    p50: float  # us, from sending to ~/feedforward
    p99: float
    cpu: float  # of one core


def run(quick: bool, file: Path | None, page: Path | None) -> int:
    """Measure, print the results, and write them if asked to."""
    try:
        import rclpy  # noqa: F401

        import manip_dynamics_msgs.srv  # noqa: F401
    except ImportError as error:
        print(f"script/bench --ros: {error}; script/bootstrap installs it", file=sys.stderr)
        return 2
    status = report.status_line()
    rounds, seconds = (200, 5.0) if quick else (2000, 60.0)
    claim = take_own_domain()
    try:
        bench = Bench(status.set_description_str)
        exchanged = bench.exchanges(rounds)
        served = bench.services(rounds)
        streamed = bench.streams(seconds)
    finally:
        claim.close()
    status.clear()
    tables = [latency_table("reference in, efforts out", exchanged),
              latency_table("service, round trip", served), stream_table(streamed)]  # fmt: skip
    facts = machine.description()
    notes = [
        f"{ROBOT}; driver, relay and node are separate processes, the driver on another core.",
        f"Relay and node are called in turn, in {SESSIONS} sessions with new processes.",
        f"{facts['processor']}, {facts['cores']} cores, Python {facts['Python']}",
    ]
    print("\n\n".join([*map(report.as_text, tables), *notes]))
    if page is not None:
        write_section(page, "ros", tables, notes)
    if file is not None:
        results = {"machine": facts, "latencies": [asdict(x) for x in (*exchanged, *served)],
                   "streams": [asdict(x) for x in streamed]}  # fmt: skip
        file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


class Bench:
    """The measurements, for one robot in one state."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._cores = keep_apart()
        self._dyn = md.Dynamics(md.load_robot(ROBOT))
        self._names = list(self._dyn.robot.joint_names)
        self._state = np.random.default_rng(0).uniform(-1, 1, (3, self._dyn.n)).tolist()

    def exchanges(self, rounds: int) -> list[Latency]:
        """One reference at a time, to the relay and to the node in turn."""
        both: tuple[list, list] = ([], [])
        for session in range(SESSIONS):
            with self._driver() as driver, self._running("topics"):
                peers = [driver.peer(name, self._state) for name in WHO]
                self._in_turn(
                    f"reference in, efforts out, session {session + 1} of {SESSIONS}", rounds,
                    lambda which: driver.exchange(peers[which], self._state), both,  # noqa: B023
                )  # fmt: skip
                self._check(peers[1].last_efforts)
        relay, node = map(np.array, both)
        return [
            found for i, topic in enumerate(("~/feedforward", "~/commands"))
            for found in _percentiles(topic, relay[:, i], node[:, i])
        ]  # fmt: skip

    def services(self, rounds: int) -> list[Latency]:
        """The same request to both in turn, with responses of the same size."""
        from manip_dynamics_msgs.srv import InverseDynamics, MassMatrix

        q, qd, qdd = self._state
        motion = {"positions": q, "velocities": qd, "accelerations": qdd}
        cases: list[tuple[str, Any, dict]] = [
            ("mass_matrix", MassMatrix, {"positions": q}),
            ("inverse_dynamics", InverseDynamics, motion),
        ]
        found = []
        for name, kind, fields in cases:
            request = kind.Request(joint_names=self._names, **fields)
            both: tuple[list, list] = ([], [])
            for session in range(SESSIONS):
                with self._driver() as driver, self._running("services"):
                    clients = [driver.client(kind, f"{who}/{name}") for who in WHO]
                    self._in_turn(
                        f"~/{name}, session {session + 1} of {SESSIONS}", rounds,
                        lambda which: driver.call(clients[which], request), both,  # noqa: B023
                    )  # fmt: skip
            found += _percentiles(f"~/{name}", *map(np.array, both))
        return found

    def streams(self, seconds: float) -> list[Stream]:
        """1 kHz, or the highest rate at which the bare relay loses nothing."""
        found = []
        for rate in RATES:
            found.append(self._stream([*RELAY, "topics"], "relay", rate, seconds))
            if found[-1].lost == 0:
                break
        return [*found, self._stream(NODE, "dynamics", found[-1].rate, seconds)]

    def _stream(self, command: Sequence[str], name: str, rate: float, seconds: float) -> Stream:
        from .driver import latencies

        with self._driver() as driver, running(command, self._cores) as process:
            self._say(f"{name}: {rate:g} Hz for {seconds:g} s")
            peer = driver.peer(name, self._state)
            for _ in range(WARM_UP):
                driver.exchange(peer, self._state)
            before = cpu_seconds(process)
            sent = driver.stream(peer, self._state, rate, seconds)
            cpu = (cpu_seconds(process) - before) / seconds
            answered = min(len(peer.feedforward), len(peer.commands))
            p50, p99 = np.percentile(latencies(peer), [50, 99]) * 1e6
        return Stream(name, rate, seconds, sent, sent - answered, float(p50), float(p99), cpu)

    def _in_turn(
        self, what: str, rounds: int, ask: Callable[[int], Any], both: tuple[list, list]
    ) -> None:
        """Call the relay (0) and the node (1), in alternating order."""
        for i in range(-WARM_UP, rounds):
            if i % 100 == 0:
                self._say(f"{what}: {i} of {rounds}")
            for which in (0, 1) if i % 2 else (1, 0):
                seconds = ask(which)
                if i >= 0:
                    both[which].append(seconds)

    @contextmanager
    def _driver(self) -> Iterator[Any]:
        from .driver import Driver

        driver = Driver(self._names)
        try:
            yield driver
        finally:
            driver.close()

    @contextmanager
    def _running(self, what: str) -> Iterator[None]:
        with running([*RELAY, what], self._cores), running(NODE, self._cores):
            yield

    def _check(self, efforts: Any) -> None:
        expected = self._dyn.inverse_dynamics(*self._state)
        error = np.abs(np.array(efforts) - expected).max() / np.abs(expected).max()
        if not error <= AGREEMENT:
            raise RuntimeError(f"the node's efforts are wrong by {error:.1e}")


def _percentiles(path: str, relay: np.ndarray, node: np.ndarray) -> list[Latency]:
    def us(times: np.ndarray, percentile: float) -> float:
        return float(np.percentile(times, percentile) * 1e6)

    return [Latency(path, p, us(relay, p), us(node, p), len(relay)) for p in (50.0, 99.0)]


def latency_table(title: str, found: Sequence[Latency]) -> report.Table:
    """A row per path and percentile."""
    rows = [[f"{title}, us", "bare relay", "dynamics node", "ratio"]]
    for x in found:
        rows.append([f"{x.path}, p{x.percentile:g} of {x.samples}", f"{x.relay:.0f}",
                     f"{x.node:.0f}", f"{x.ratio:.3f}"])  # fmt: skip
    return rows


def stream_table(found: Sequence[Stream]) -> report.Table:
    """A row per stream."""
    rows = [["references at a fixed rate", "sent", "lost", "p50, us", "p99, us", "CPU of a core"]]
    for x in found:
        rows.append([f"{x.who}, {x.rate:g} Hz for {x.seconds:g} s", str(x.sent), str(x.lost),
                     f"{x.p50:.0f}", f"{x.p99:.0f}", f"{x.cpu:.0%}"])  # fmt: skip
    return rows
