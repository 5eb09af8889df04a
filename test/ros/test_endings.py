"""However a node's process ends, it ends cleanly, and the others go on."""

import contextlib
import os
import signal
import subprocess
import time

import pytest
from geometry_msgs.msg import Inertia, Vector3
from node_process import PATIENCE, Client, running

from manip_dynamics_msgs.srv import MassMatrix, SetPayload


def wait_until_up(client: Client, name: str) -> None:
    def is_up() -> bool:
        return name in client.node.get_node_names()

    client.spin_until(is_up, f"the node {name}")


@pytest.mark.parametrize("executable", ["dynamics_node", "simulator_node"])
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_node_quietly(client, executable, ending):
    with running(executable, robot="stanford_arm") as node:
        wait_until_up(client, executable.removesuffix("_node"))
        node.process.send_signal(ending)
        assert node.process.wait(PATIENCE) == 0
        assert "Traceback" not in node.output


@pytest.mark.parametrize("executable", ["dynamics_node", "simulator_node"])
def test_a_signal_that_came_while_the_process_was_stopped_ends_it_too(client, executable):
    for _ in range(5):
        with running(executable, robot="planar_2r") as node:
            client.spin_until(lambda n=node: "2 joints" in n.output, "the start of the node")
            # Afterwards any of its threads may be the one that gets the signal.
            for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):
                node.process.send_signal(number)
            assert node.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("executable", ["dynamics_node", "simulator_node"])
def test_further_interrupts_during_the_shutdown_do_no_harm(client, executable):
    with running(executable, robot="stanford_arm") as node:
        wait_until_up(client, executable.removesuffix("_node"))
        while node.is_alive():
            os.killpg(node.process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                node.process.wait(0.005)
        assert node.process.returncode == 0, node.output
        assert "Traceback" not in node.output


def test_a_signal_ends_it_while_a_payload_is_built(client):
    with running("dynamics_node", robot="stanford_arm") as node:
        impossible = Inertia(m=-1.0)  # once there and back, so that the next request is not lost
        assert not client.call(SetPayload, "dynamics/set_payload", payload=impossible).success
        # A mass nobody had before, so that it is compiled first.
        body = Inertia(m=1.0 + time.time() % 1.0, com=Vector3(z=0.1))
        service = client.service(SetPayload, "dynamics/set_payload")
        service.call_async(SetPayload.Request(payload=body))
        assert client.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0] * 6).success
        node.process.send_signal(signal.SIGINT)
        assert node.process.wait(PATIENCE) == 0
        assert "Traceback" not in node.output


def test_a_simulator_as_fast_as_it_can_ends_quietly_too(client):
    with running("simulator_node", robot="planar_2r", real_time_factor=0.0) as node:
        wait_until_up(client, "simulator")
        node.process.send_signal(signal.SIGINT)
        assert node.process.wait(PATIENCE) == 0
        assert "Traceback" not in node.output


def test_a_killed_node_is_replaced_by_a_new_one(client):
    with running("dynamics_node", robot="stanford_arm") as node:
        assert client.call(MassMatrix, "dynamics/mass_matrix", positions=[0.0] * 6).success
        node.kill()
    with running("dynamics_node", robot="stanford_arm"):
        # A client may see the dead server for some time; a call to it is never answered.
        def answered() -> bool:
            try:
                answer = client.call(
                    MassMatrix, "dynamics/mass_matrix", patience=2.0, positions=[0.0] * 6
                )
            except TimeoutError:
                return False
            return answer.success

        client.spin_until(answered, "an answer of the new node", patience=60.0)
