"""Real robots: light wrists, heavy friction, zero outside the limits."""

import warnings
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

import manip_dynamics as md

ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
ARMS = {
    "ur_description/urdf/ur5_gripper.urdf": None,
    "panda_description/urdf/panda.urdf": "panda_hand",  # zero is outside the limits of joint 4
    "xarm_description/urdf/xarm7.urdf": None,  # damping 10, friction 1 at every joint
    "z1_description/urdf/z1.urdf": None,
    "romeo_description/urdf/romeo.urdf": "l_gripper",
    "tiago_description/robots/tiago_no_hand.urdf": None,  # damping stops joint 7 within 4 us
}

# At 1 ms, elastic stops at 180 rad/s, as in the wrist of romeo, cannot be resolved better.
ENERGY_GAIN = 0.02


@pytest.fixture(scope="module")
def folder():
    try:
        return distribution("example-robot-data").locate_file(ROBOTS)
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("path", ARMS)
def test_a_real_arm_falls_without_gaining_energy(folder, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        robot = md.load_robot(str(folder / path), tip=ARMS[path], inertia_check="warn")
    simulator = md.Simulator(md.Dynamics(robot), 1e-3)
    history = simulator.run(5.0, every=10)
    energy = simulator.energy(history.q, history.qd)
    exchanged = simulator.dyn.energy(history.q, history.qd).kinetic.max()
    assert (energy - energy[0]).max() <= ENERGY_GAIN * exchanged
    if simulator.joints.has_friction:
        assert np.diff(energy).max() <= 1e-9 * abs(energy).max()
