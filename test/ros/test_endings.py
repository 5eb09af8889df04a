"""However a node's process ends, it ends cleanly, and the others go on."""

import contextlib
import os
import signal
import subprocess

import pytest
from node_process import PATIENCE, Client, running

from manip_dynamics_msgs.srv import MassMatrix


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
def test_further_interrupts_during_the_shutdown_do_no_harm(client, executable):
    with running(executable, robot="stanford_arm") as node:
        wait_until_up(client, executable.removesuffix("_node"))
        while node.is_alive():
            os.killpg(node.process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                node.process.wait(0.005)
        assert node.process.returncode == 0, node.output
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
