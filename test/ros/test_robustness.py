"""Nothing that arrives, and nobody who leaves, ends a node."""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Inertia, Vector3
from node_process import Client, running
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import manip_dynamics as md
from manip_dynamics.nodes.streams import LATCHED
from manip_dynamics_msgs import srv

DYN = md.Dynamics(md.load_robot("stanford_arm"))
JOINTS = list(DYN.robot.joint_names)
Q, QD, QDD = np.random.default_rng(3).uniform(-1, 1, (3, 6))
MOTION = DYN.inverse_dynamics(Q, QD, QDD)
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
        elif form == "boolean":
            setattr(request, field, rng.random() < 0.5)
        elif form == "geometry_msgs/Inertia":
            number = [0.0, -1.0, 1e308, 5e-324, float("nan"), float("inf")]
            body = Inertia(m=rng.choice(number), ixx=rng.choice(number), ixy=rng.choice(number))
            setattr(request, field, body)
    return request


SERVICES = {
    "dynamics/inverse_dynamics": srv.InverseDynamics,
    "dynamics/mass_matrix": srv.MassMatrix,
    "dynamics/forward_dynamics": srv.ForwardDynamics,
    "dynamics/dynamic_terms": srv.DynamicTerms,
    "dynamics/task_space_dynamics": srv.TaskSpaceDynamics,
    "dynamics/trajectory_efforts": srv.TrajectoryEfforts,
    "dynamics/get_model": srv.GetModel,
    "dynamics/set_payload": srv.SetPayload,
    "simulator/set_state": srv.SetState,
    "simulator/set_paused": SetBool,
    "simulator/step": Trigger,
    "simulator/reset": Trigger,
}


def test_a_fuzz_of_messages_and_requests_leaves_both_nodes_alive(client):
    rng = random.Random(4)
    with (
        running("dynamics_node") as dynamics,
        running("simulator_node", robot="stanford_arm") as simulator,
    ):
        descriptions = client.publisher(String, "robot_description", LATCHED)
        descriptions.publish(String(data=DYN.robot.urdf))
        client.spin_until(
            lambda: client.call(srv.GetModel, "dynamics/get_model").success, "the model"
        )
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
            for service in rng.sample(list(SERVICES), 3):
                request = random_request(SERVICES[service], rng)
                answer = client.request(SERVICES[service], service, request)
                assert answer.success or answer.message
        assert "Traceback" not in dynamics.output + simulator.output
        assert client.call(srv.GetModel, "dynamics/get_model").success
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

    with start[survivor]():
        with start[victim]() as doomed:
            client.next(states, "efforts that act", lambda state: any(state.effort))
            doomed.kill()
        if victim == "dynamics":
            client.next(states, "the last command to lapse", lambda state: not any(state.effort))
        with start[victim]():
            client.next_from_now(
                states, "efforts that act again", lambda state: any(state.effort)
            )


def test_a_payload_is_built_while_references_are_answered(client):
    with running("dynamics_node", robot="stanford_arm"):
        efforts = client.collect(JointState, "dynamics/feedforward")
        references = client.publisher(JointTrajectory, "dynamics/reference")
        client.keep_sending(references, reference(), period=0.005)
        client.next(efforts, "efforts")
        impossible = Inertia(m=-1.0)  # once there and back, so that no request is lost
        assert not client.call(srv.SetPayload, "dynamics/set_payload", payload=impossible).success
        service = client.service(srv.SetPayload, "dynamics/set_payload")

        def longest_silence_while_building() -> float:
            """As a share of the time that it took."""
            # A mass nobody had before, so that no compiled kernel is there for it.
            body = Inertia(m=1.0 + time.time() % 1.0, com=Vector3(z=0.1))
            moments = [time.monotonic()]
            building = service.call_async(srv.SetPayload.Request(payload=body))

            def built() -> bool:
                if efforts:
                    moments.append(time.monotonic())
                    efforts.clear()
                return building.done()

            client.spin_until(built, "the payload")
            assert building.result().success, building.result().message
            moments.append(time.monotonic())
            return max(np.diff(moments)) / (moments[-1] - moments[0])

        # A node that waited for the compiler would be silent all the time, every time; a busy
        # machine may be the reason of a silence now and then.
        client.spin_until(
            lambda: longest_silence_while_building() < 0.5, "efforts while a payload is built"
        )


def test_a_clock_that_jumps_back_makes_old_what_came_before(client):
    state = JointState(name=JOINTS, position=Q, velocity=QD)
    with running(
        "dynamics_node", robot="stanford_arm", use_sim_time=True, mode="computed_torque"
    ):
        clock = client.publisher(Clock, "/clock")
        states = client.publisher(JointState, "joint_states")
        references = client.publisher(JointTrajectory, "dynamics/reference")
        efforts = client.collect(JointState, "dynamics/feedforward")
        reports = client.collect(DiagnosticArray, "/diagnostics")

        def send(seconds: int, *messages) -> None:
            clock.publish(Clock(clock=Time(sec=seconds)))
            for message in messages:
                is_reference = isinstance(message, JointTrajectory)
                (references if is_reference else states).publish(message)

        def expect_efforts(seconds: int) -> None:
            def answered():
                send(seconds, state, reference())
                return any(np.allclose(answer.effort, MOTION) for answer in efforts)

            efforts.clear()
            client.spin_until(answered, f"efforts at t = {seconds} s")

        def expect_report(seconds: int, message: str, *also_sent: JointState) -> None:
            def reported():
                send(seconds, *also_sent, reference())
                return any(
                    report.status[0].message == message and report.header.stamp.sec == seconds
                    for report in reports
                )

            reports.clear()
            client.spin_until(reported, f"'{message}' at t = {seconds} s")

        expect_efforts(100)
        expect_report(100, "following the reference", state)  # one that came after the clock
        expect_report(100, "following the reference")
        # The clock stands still, which makes nothing older, and then jumps back: the joint state
        # is now of a time to come, and no effort is made of it.
        expect_report(5, "no fresh joint_states: no efforts are published")
        expect_efforts(5)
        expect_efforts(6)


def test_a_clock_that_jumps_back_does_not_stop_the_feedforward(client):
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
        sizes = [[resident_megabytes(pid) for pid in pids]]
        counted = 0

        def soaked(until: float, enough: float) -> bool:
            nonlocal counted
            counted += len(states)
            states.clear()
            return time.monotonic() > until and counted >= enough

        # On a machine that is too slow for real time, so many states take longer.
        for part in range(1, 4):
            until, enough = time.monotonic() + SOAK / 3, 100 * SOAK * part / 3
            client.spin_until(lambda u=until, e=enough: soaked(u, e), "the soak", 10 * SOAK)
            sizes.append([resident_megabytes(pid) for pid in pids])
        for node, size in zip(("dynamics_node", "simulator_node"), np.transpose(sizes)):
            print(
                f"{node}: {size[0]:.1f} MB, {size[-1] - size[0]:+.2f} MB after {counted} states "
                f"in {SOAK:g} s"
            )
            # What leaks, leaks in every part; memory may be taken once, for good.
            assert min(np.diff(size)) < 2.0 / 3, f"{node} grew in every part: {size} MB"
