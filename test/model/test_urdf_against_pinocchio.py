"""What a URDF means: the same torques as Pinocchio, on random arms and on real ones."""

import time
import warnings
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from oracle import assert_close, assert_minimal_and_sufficient, random_state
from random_urdf import random_urdf
from urdf_oracle import UrdfOracle

import manip_dynamics as md
from manip_dynamics.algorithms import kane
from manip_dynamics.model.robot import Deviation

pytest.importorskip("pinocchio")

GRAVITIES = ((0.0, 0.0, -9.81), (0.0, 9.81, 0.0), (3.0, -5.0, 2.0))

# Roundings of the conversion to modified DH come on top of those of the algorithm.
CONVERSION_ROUNDING = 1e-9


def torques(robot, q, qd, qdd):
    return kane.inverse_dynamics(robot.chain, q, qd, qdd)


def quietly_loaded(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(text, **options)


@pytest.mark.parametrize("seed", range(200))
def test_random_arms_have_the_torques_and_the_parameters_of_pinocchio(seed):
    rng = np.random.default_rng([11, seed])
    n = 1 + seed % 9
    text, arm, positions = random_urdf(rng, n)
    gravity = GRAVITIES[seed % 3]
    robot = quietly_loaded(text, tip="tip", gravity=gravity, joint_positions=positions)
    assert robot.joint_names == tuple(arm)
    assert robot.mdh_deviation == Deviation()
    oracle = UrdfOracle(text, arm, gravity, positions)
    q, qd, qdd = random_state(rng, n)
    assert_close(torques(robot, q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd),
                 CONVERSION_ROUNDING)
    assert_minimal_and_sufficient(robot.chain, rng)


def rounded_angles(text):
    return text.replace(repr(np.pi / 2), "1.5708").replace(repr(np.pi), "3.14159")


@pytest.mark.parametrize("seed", range(40))
def test_rounded_right_angles_are_snapped_and_reported(seed):
    rng = np.random.default_rng([17, seed])
    n = 2 + seed % 6
    text, arm, positions = random_urdf(rng, n)
    rounded = rounded_angles(text)
    robot = quietly_loaded(rounded, tip="tip", joint_positions=positions)
    exact = quietly_loaded(text, tip="tip", joint_positions=positions)
    if rounded != text:
        assert 1e-7 < robot.mdh_deviation.angle < 1e-4
    q, qd, qdd = random_state(rng, n)
    assert_close(torques(robot, q, qd, qdd), torques(exact, q, qd, qdd), CONVERSION_ROUNDING)
    assert_close(torques(robot, q, qd, qdd),
                 UrdfOracle(rounded, arm, positions=positions).inverse_dynamics(q, qd, qdd), 1e-4)


# URDFs of example-robot-data, with the options that cut one arm out of a larger robot.
REAL_ARMS = {
    "ur_description/urdf/ur3_robot.urdf": {},
    "ur_description/urdf/ur5_robot.urdf": {},
    "ur_description/urdf/ur10_robot.urdf": {},
    "ur_description/urdf/ur5_gripper.urdf": {},
    "panda_description/urdf/panda.urdf": {"tip": "panda_hand"},
    "xarm_description/urdf/xarm7.urdf": {},
    "kinova_description/robots/kinova.urdf": {},
    "z1_description/urdf/z1.urdf": {},
    "so_arm_description/urdf/so100.urdf": {},
    "so_arm_description/urdf/so101.urdf": {},
    "talos_data/robots/talos_left_arm.urdf": {},
    "talos_data/robots/talos_full_v2.urdf": {"tip": "gripper_right_base_link"},
    "tiago_description/robots/tiago_no_hand.urdf": {},
    "tiago_description/robots/tiago.urdf": {"tip": "hand_palm_link"},
    "tiago_pro_description/robots/tiago_pro.urdf": {"tip": "arm_left_7_link"},
    "baxter_description/urdf/baxter.urdf": {"base": "torso", "tip": "left_gripper"},
    "pr2_description/urdf/pr2.urdf": {"base": "torso_lift_link", "tip": "r_gripper_palm_link"},
    "icub_description/robots/icub.urdf": {"tip": "l_hand"},
    "romeo_description/urdf/romeo.urdf": {"tip": "l_gripper"},
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": {"base": "torso_link", "tip": "left_rubber_hand"},
    "finger_edu_description/robots/finger_edu.urdf": {},
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf": {},
}


def real_arm(name):
    try:
        data = distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    robots = Path(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))
    return (robots / name).read_text()


@pytest.mark.parametrize("name", REAL_ARMS)
def test_real_arms_equal_pinocchio(name):
    text = real_arm(name)
    robot = quietly_loaded(text, inertia_check="warn", **REAL_ARMS[name])
    oracle = UrdfOracle(text, robot.joint_names)
    rng = np.random.default_rng(5)
    # Snapping is allowed to change what it reports, at most 1e-4; without it, only rounding.
    tolerance = CONVERSION_ROUNDING if robot.mdh_deviation.angle < 1e-10 else 1e-4
    for _ in range(5):
        q, qd, qdd = random_state(rng, robot.n)
        assert_close(torques(robot, q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd), tolerance)


def test_a_seven_joint_arm_loads_in_less_than_50_ms():
    text = real_arm("xarm_description/urdf/xarm7.urdf")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        assert len(quietly_loaded(text).mlc.values) == 43
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
