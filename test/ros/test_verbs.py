"""`manip_dynamics call` and `manip_dynamics play` with running nodes."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from ament_index_python import get_package_prefix, get_package_share_path
from node_process import running

import manip_dynamics as md

PROGRAM = Path(get_package_prefix("manip_dynamics"), "lib", "manip_dynamics", "manip_dynamics")
CONFIG = get_package_share_path("manip_dynamics") / "config"
Q = [0.0, 0.5, 0.1, 0.0, 0.3, 0.0]

# Initial and final joint positions of a motion.
MOTIONS = {
    "stanford_arm": ([0.0, 1.5708, 0.0, 0.0, 0.0, 0.0], [1.0472, 1.0472, -0.1, 1.0, 1.0, 1.0]),
    "puma560": ([0.0, -0.8, 0.0, 0.0, 0.5, 0.0], [0.8, -0.2, 0.5, 0.5, -0.3, 0.4]),
}

# On a busy machine, a node may be suspended for a third of a second, and then the arm loses its
# reference however good the loop is. Therefore the motion is repeated: in real time at the same
# pace, in simulated time at lower ones (at a tenth, the arm sees a thirtieth of a second).
REAL_TIME, SLOW_MOTION = 5 * (1.0,), (0.5, 0.2, 0.1)


def manip_dynamics(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def node():
    with running("dynamics_node", robot="stanford_arm") as process:
        yield process


def test_call_prints_what_the_service_answers(node):
    result = manip_dynamics("call", "inverse_dynamics", "--q", *Q, "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    dyn = md.Dynamics(md.load_robot("stanford_arm"))
    assert answer["joint_names"] == list(dyn.robot.joint_names)
    np.testing.assert_allclose(answer["efforts"], dyn.gravity(Q), atol=1e-9)


def test_call_prints_a_matrix_row_by_row(node):
    result = manip_dynamics("call", "mass_matrix", "--q", *Q)
    rows = [line for line in result.stdout.splitlines() if line.startswith("   ")]
    matrix = np.array([row.split() for row in rows], float)
    expected = md.Dynamics(md.load_robot("stanford_arm")).mass_matrix(Q)
    np.testing.assert_allclose(matrix, expected, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["mass_matrix", "--q", 0, 1], "positions has 2 values, but there are 6 joints"),
        (["mass_matrix", "--q", *Q, "--tau", 1], "mass_matrix takes no --tau"),
        (["get_model", "--node", "/nobody"], "there is no service /nobody/get_model; is the"),
    ],
)
def test_call_fails_in_one_line(node, arguments, complaint):
    result = manip_dynamics("call", *arguments)
    assert result.returncode == 2
    assert complaint in result.stderr
    said = [line for line in result.stderr.splitlines() if "RTPS" not in line]
    assert len(said) == 1  # beside what DDS may have to say of itself


def test_play_says_who_is_missing():
    result = manip_dynamics("play", "planar_2r", "--node", "/nobody")
    assert result.returncode == 2
    assert "no subscriber on /nobody/reference; is the dynamics node running?" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("robot", MOTIONS)
def test_the_closed_loop_tracks_a_played_trajectory(robot):
    assert_it_tracks(robot, REAL_TIME)


@pytest.mark.slow
def test_the_closed_loop_tracks_in_simulated_time():
    assert_it_tracks("stanford_arm", SLOW_MOTION)


def assert_it_tracks(robot: str, paces: tuple[float, ...]) -> None:
    """The arm tracks at one of the paces (see REAL_TIME, SLOW_MOTION)."""
    said = []
    for pace in paces:
        said.append(closed_loop(robot, pace))
        rms = re.findall(r"^joint\d\s+(\S+)", said[-1], re.MULTILINE)
        assert len(rms) == 6
        if max(map(float, rms)) < 1e-3:
            return
    pytest.fail("\n".join(said))


def closed_loop(robot: str, pace: float) -> str:
    """The report of `play` for an arm simulated at `pace` times real time."""
    start, end = MOTIONS[robot]
    own_clock = pace != 1.0
    nodes = (
        "--params-file", str(CONFIG / f"{robot}.yaml"), "-r", f"__ns:=/{robot}",
        "-p", f"use_sim_time:={own_clock}",
    )  # fmt: skip
    simulator = ("-r", "simulator/commands:=dynamics/commands", "-p", f"real_time_factor:={pace}")
    with (
        running("dynamics_node", *nodes),
        running(
            "simulator_node", *nodes, *simulator, initial_positions=start, publish_clock=own_clock
        ),
    ):
        result = manip_dynamics(
            "play", robot, "--node", f"/{robot}/dynamics", "--rate", 500, "--trajectory",
            "cycloidal", "--start", *start, "--to", *end, "--duration", 6,
            *(["--use-sim-time"] if own_clock else []),
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout
