"""Nothing that arrives, and nobody who leaves, ends a node."""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Inertia, Vector3
from node_process import Client, running
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics.nodes.streams import LATCHED
from manip_dynamics_msgs import srv

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
Q, QD, QDD = np.random.default_rng(3).uniform(-1, 1, (3, 6))
SOAK = float(os.environ.get("MANIP_DYNAMICS_SOAK_SECONDS", 30))  # the docs quote 600


def reference() -> JointTrajectory:
    point = JointTrajectoryPoint(positions=Q, velocities=QD, accelerations=QDD)
    return JointTrajectory(points=[point])


def random_numbers(rng: random.Random) -> list[float]:
    size = rng.choice([0, 1, 5, 6, 6, 6, 7, 1000])
    special = [0.0, 1.0, -1e308, 1e308, 5e-324, float("nan"), float("inf"), -float("inf")]
    return [rng.choice([*special, rng.gauss(0, 1)]) for _ in range(size)]


def random_names(rng: random.Random) -> list[str]:
    if rng.random() < 0.3:
        return []
    strange = ["", "joint7", "x" * 10_000, "joint1\n", "./..", "\u2603"]
    return [rng.choice([*JOINTS, *JOINTS, *strange]) for _ in range(rng.choice([1, 5, 6, 6, 50]))]


def random_trajectory(rng: random.Random) -> JointTrajectory:
    points = [
        JointTrajectoryPoint(
            positions=random_numbers(rng), velocities=random_numbers(rng),
            accelerations=random_numbers(rng), effort=random_numbers(rng),
        )
        for _ in range(rng.choice([0, 1, 1, 1, 3]))
    ]  # fmt: skip
    return JointTrajectory(joint_names=random_names(rng), points=points)


def random_state(rng: random.Random) -> JointState:
    return JointState(
        name=random_names(rng), position=random_numbers(rng), velocity=random_numbers(rng),
        effort=random_numbers(rng),
    )  # fmt: skip


def random_description(rng: random.Random) -> String:
    urdf = DYN.robot.urdf
    cut = rng.randrange(len(urdf))
    return String(data=rng.choice([urdf[:cut], urdf[cut:], urdf[:cut] + "\ufffd<" + urdf[cut:]]))


def random_request(kind: type, rng: random.Random):
    request = kind.Request()
    for field, form in kind.Request.get_fields_and_field_types().items():
        if form == "sequence<double>":
            setattr(request, field, random_numbers(rng))
        elif form == "sequence<string>":
            setattr(request, field, random_names(rng))
        elif form == "string":
            setattr(request, field, rng.choice(["", "auto", "kane", "magic"]))
        elif form == "trajectory_msgs/JointTrajectory":
            setattr(request, field, random_trajectory(rng))
    return request


SERVICES = {
    "inverse_dynamics": srv.InverseDynamics,
    "mass_matrix": srv.MassMatrix,
    "forward_dynamics": srv.ForwardDynamics,
    "dynamic_terms": srv.DynamicTerms,
    "task_space_dynamics": srv.TaskSpaceDynamics,
    "trajectory_efforts": srv.TrajectoryEfforts,
    "get_model": srv.GetModel,
}


def test_a_fuzz_of_messages_and_requests_leaves_both_nodes_alive(client):
    rng = random.Random(4)
    with running("dynamics_node") as dynamics, running("simulator_node", robot="stanford_arm"):
        descriptions = client.publisher(String, "robot_description", LATCHED)
        descriptions.publish(String(data=DYN.robot.urdf))
        inputs = [
            (client.publisher(JointTrajectory, "dynamics/reference"), random_trajectory),
            (client.publisher(JointState, "joint_states"), random_state),
            (client.publisher(JointState, "simulator/effort"), random_state),
            (
                client.publisher(Float64MultiArray, "simulator/commands"),
                lambda rng: Float64MultiArray(data=random_numbers(rng)),
            ),
            (descriptions, random_description),
        ]
        for _ in range(150):
            for publisher, make in inputs:
                publisher.publish(make(rng))
            name = rng.choice(list(SERVICES))
            answer = client.request(
                SERVICES[name], f"dynamics/{name}", random_request(SERVICES[name], rng)
            )
            assert answer.success or answer.message
            state = random_request(srv.SetState, rng)
            answer = client.request(srv.SetState, "simulator/set_state", state)
            assert answer.success or answer.message
        assert "Traceback" not in dynamics.output
        assert client.call(Trigger, "simulator/reset").success


def test_concurrent_clients_get_their_own_answers():
    def ask_for_many(number: int) -> None:
        client = Client(f"client_{number}")
        try:
            for q in np.random.default_rng(number).uniform(-1, 1, (50, 6)):
                answer = client.call(srv.MassMatrix, "dynamics/mass_matrix", positions=q)
                matrix = np.reshape(answer.mass_matrix, (6, 6))
                np.testing.assert_allclose(matrix, DYN.mass_matrix(q), rtol=1e-9, atol=1e-12)
        finally:
            client.close()

    with running("dynamics_node", robot="stanford_arm"), ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(ask_for_many, range(4)))) == 4


LOOP = ("-r", "simulator/commands:=dynamics/commands")


@pytest.mark.parametrize("victim", ["dynamics", "simulator"])
def test_after_the_death_of_one_node_its_successor_takes_over(client, victim):
    start = {
        "dynamics": lambda: running(
            "dynamics_node", robot="stanford_arm", mode="gravity_compensation"
        ),
        "simulator": lambda: running("simulator_node", *LOOP, robot="stanford_arm"),
    }
    survivor = "simulator" if victim == "dynamics" else "dynamics"
    states = client.collect(JointState, "joint_states")

    def loop_is_closed() -> bool:
        return any(any(state.effort) for state in states)

    with start[survivor]():
        with start[victim]() as doomed:
            client.spin_until(loop_is_closed, "efforts that act")
            doomed.kill()
        states.clear()
        with start[victim]():
            client.spin_until(loop_is_closed, "efforts that act again")


def test_a_payload_is_built_while_references_are_answered(client):
    with running("dynamics_node", robot="stanford_arm"):
        efforts = client.collect(JointState, "dynamics/feedforward")
        references = client.publisher(JointTrajectory, "dynamics/reference")
        payload = client.node.create_client(srv.SetPayload, "dynamics/set_payload")
        client.spin_until(payload.service_is_ready, "set_payload")
        # A mass nobody had before, so that no compiled kernel is there for it.
        body = Inertia(m=1.0 + time.time() % 1.0, com=Vector3(z=0.1))
        arrivals = []

        def answered(future=None) -> bool:
            references.publish(reference())
            if efforts:
                arrivals.append(time.monotonic())
                efforts.clear()
            return future.done() if future else len(arrivals) > 3

        client.spin_until(answered, "efforts")
        arrivals.clear()
        future = payload.call_async(srv.SetPayload.Request(payload=body))
        client.spin_until(lambda: answered(future), "the payload")
        assert future.result().success, future.result().message
        # Meanwhile no gap came near the time that a compiler takes.
        assert len(arrivals) > 3
        assert max(np.diff(arrivals)) < 0.5


def test_a_clock_that_jumps_back_does_not_stop_the_efforts(client):
    with running("dynamics_node", robot="stanford_arm", use_sim_time=True):
        clock = client.publisher(Clock, "/clock")
        efforts = client.collect(JointState, "dynamics/feedforward")
        references = client.publisher(JointTrajectory, "dynamics/reference")
        reports = client.collect(DiagnosticArray, "/diagnostics")
        for seconds in (100, 101, 5, 6):
            efforts.clear()

            def answered(seconds=seconds):
                message = Clock()
                message.clock.sec = seconds
                clock.publish(message)
                references.publish(reference())
                return efforts

            client.spin_until(answered, f"efforts at t = {seconds} s")
        # A clock that stands still keeps nobody from reporting.
        assert client.next(reports, "a report")


def resident_megabytes(pid: int) -> float:
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


@pytest.mark.slow
def test_a_soak_in_closed_loop_keeps_the_memory_flat(client):
    parameters = {"robot": "stanford_arm"}
    with (
        running("dynamics_node", mode="gravity_compensation", **parameters) as dynamics,
        running("simulator_node", *LOOP, initial_positions=Q.tolist(), **parameters) as simulator,
    ):
        states = client.collect(JointState, "joint_states")
        client.spin_until(lambda: len(states) > 100, "the loop to run")
        pids = (dynamics.process.pid, simulator.process.pid)
        settled = time.monotonic() + SOAK / 5
        client.spin_until(lambda: states.clear() or time.monotonic() > settled, "it to settle",
                          SOAK)
        before = [resident_megabytes(pid) for pid in pids]
        over = time.monotonic() + SOAK
        counted = 0

        def done() -> bool:
            nonlocal counted
            counted += len(states)
            states.clear()
            return time.monotonic() > over

        client.spin_until(done, "the soak", 2 * SOAK)
        growth = [resident_megabytes(pid) - mb for pid, mb in zip(pids, before)]
        for node, size, more in zip(("dynamics_node", "simulator_node"), before, growth):
            print(f"{node}: {size:.1f} MB, {more:+.2f} MB after {counted} states in {SOAK:g} s")
        assert max(growth) < 2.0, f"grew by {growth} MB in {SOAK} s"
        assert counted > 100 * SOAK
