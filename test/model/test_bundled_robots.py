"""The robots that come with the package: the papers' tables, and the numbers computed from them."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from oracle import assert_close
from reference import reference_states
from urdf_oracle import UrdfOracle

import manip_dynamics as md
from manip_dynamics.algorithms import kane
from manip_dynamics.model.bundled import bundled_urdf, share_directory
from manip_dynamics.model.loading import resolve_urdf

ROBOTS = ("flexible_6dof", "planar_2r", "puma560", "scara", "six_axis", "stanford_arm")
RIGHT = math.pi / 2

# Modified DH as printed, from the second row on: where frame 0 stands is a matter of the base.
PRINTED = {
    "stanford_arm": {
        "alpha": (RIGHT, RIGHT, 0, RIGHT, RIGHT), "a": (0, 0, 0, 0, 0),
        "theta": (0, 0, 0, 0, 0), "d": (0.1, 0, 0.6, 0, 0), "kind": "RRPRRR"},
    "six_axis": {
        "alpha": (RIGHT, 0, 0, RIGHT, RIGHT), "a": (0, 1.02, 1.02, 0.2, 0),
        "theta": (0, 0, 0, 0, 0), "d": (0, 0, 0, 0, 0.41), "kind": "RRRRRR"},
    "puma560": {
        "alpha": (-RIGHT, 0, RIGHT, -RIGHT, RIGHT), "a": (0, 0.4318, -0.0203, 0, 0),
        "theta": (0, 0, 0, 0, 0), "d": (0.2435, -0.0934, 0.4331, 0, 0), "kind": "RRRRRR"},
    # standard DH in the paper: alpha and a stand one row later here
    "flexible_6dof": {
        "alpha": (0, RIGHT, 0, -RIGHT, -RIGHT), "a": (0, 0, 0.04, 0, 0),
        "theta": (0, 0, 0, 0, 0), "d": (0, 0, 0, 0, 0.04), "kind": "RRRRRR"},
    "scara": {"alpha": (0, math.pi), "a": (0.4, 0.3), "theta": (0, 0), "d": (0, 0), "kind": "RRP"},
    "planar_2r": {"alpha": (0,), "a": (0.5,), "theta": (0,), "d": (0,), "kind": "RR"},
}
BASE_HEIGHT = {"stanford_arm": 0.1, "six_axis": 1.5, "puma560": 0.0, "scara": 0.5}


def loaded(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(name)


def test_all_are_there():
    assert md.bundled_robots() == ROBOTS


@pytest.mark.parametrize("name", ROBOTS)
def test_modified_dh_tables_are_the_printed_ones(name):
    mdh, printed = loaded(name).mdh, PRINTED[name]
    for column in ("alpha", "a", "theta", "d"):
        assert getattr(mdh, column)[1:] == pytest.approx(printed[column], abs=1e-15)
    assert "".join(kind[0].upper() for kind in mdh.kind) == printed["kind"]


@pytest.mark.parametrize("name", BASE_HEIGHT)
def test_frame_0_stands_where_the_first_row_puts_frame_1(name):
    assert loaded(name).chain.base.translation == pytest.approx((0, 0, BASE_HEIGHT[name]))


@pytest.mark.parametrize("name", ROBOTS)
def test_urdf_is_what_its_table_gives(name):
    table = share_directory() / "urdf" / "tables" / f"{name}.yaml"
    assert bundled_urdf(name).read_text() == resolve_urdf(table), (
        f"write it anew: manip_dynamics convert urdf/tables/{name}.yaml -o urdf/{name}.urdf")


@pytest.mark.parametrize("name", ROBOTS)
def test_each_says_where_its_numbers_come_from(name):
    text = (share_directory() / "urdf" / f"{name}.md").read_text()
    for heading in ("## Source", "## What is uncertain"):
        assert heading in text


@pytest.mark.parametrize("name", ROBOTS)
def test_limits_are_sensible(name):
    for joint in loaded(name).joints:
        assert joint.lower < joint.upper
        assert 0 < joint.max_effort < math.inf
        assert 0 < joint.max_velocity < math.inf


@pytest.mark.parametrize("name", ROBOTS)
def test_torques_equal_pinocchio_reading_the_same_urdf(name):
    pytest.importorskip("pinocchio")
    robot = loaded(name)
    oracle = UrdfOracle(robot.urdf, robot.joint_names)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-2, 2, (3, robot.n))
        assert_close(kane.inverse_dynamics(robot.chain, q, qd, qdd),
                     oracle.inverse_dynamics(q, qd, qdd))


STATES = {"stanford_arm": "stanford_A", "six_axis": "six_axis",
          "puma560": "puma560_AKB_no_motor_inertia"}


@pytest.mark.parametrize("name", STATES)
def test_reference_states_are_reproduced(name):
    state = dict(reference_states())[STATES[name]]
    robot = loaded(name)
    zero = np.zeros(robot.n)
    q, qd, qdd = (np.array(state[key]) for key in ("q", "qd", "qdd"))
    assert_close(kane.inverse_dynamics(robot.chain, q, qd, qdd), state["tau"])
    assert_close(kane.inverse_dynamics(robot.chain, q, qd, zero), state["bias"])
    assert_close(kane.inverse_dynamics(robot.chain, q, zero, zero), state["gravity"])
    assert sorted(robot.mlc.values) == pytest.approx(sorted(state["MLC"].values()), abs=1e-12)


def test_stanford_mlcs_have_readable_names():
    names = loaded("stanford_arm").mlc.names
    assert {"U33_1", "U11-U22_4", "k_x_5", "m_3"} <= set(names)
    assert len(names) == 33


def test_a_copy_of_the_file_is_the_same_robot(tmp_path):
    path = Path(tmp_path) / "copy.urdf"
    path.write_text(bundled_urdf("stanford_arm").read_text())
    assert md.load_robot(path).chain == md.load_robot("stanford_arm").chain
