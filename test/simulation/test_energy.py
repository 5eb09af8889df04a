"""Conservation of energy."""

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.simulation import Simulator

ROBOTS = ("stanford_arm", "puma560", "six_axis", "scara", "planar_2r")
WEIGHTLESS_DRIFT = 1e-8  # of the energy, in 10 s at 1 ms with RK4
SWINGING_DRIFT = 1e-5  # of the greatest kinetic energy


def random_start(robot: md.Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(robot.n)
    return rng.uniform(-0.5, 0.5, robot.n), rng.uniform(-1.0, 1.0, robot.n)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_weightless_arm_keeps_its_energy(name):
    robot = md.load_robot(name, gravity=(0, 0, 0))
    simulator = Simulator(md.Dynamics(robot), 1e-3, "rk4", limits=False)
    simulator.reset(*random_start(robot))
    history = simulator.run(10.0, every=50)
    energy = simulator.energy(history.q, history.qd)
    assert abs(energy / energy[0] - 1).max() < WEIGHTLESS_DRIFT


@pytest.mark.parametrize("name", ["stanford_arm", "puma560", "six_axis", "planar_2r"])
def test_an_arm_that_swings_in_gravity_keeps_its_energy(name):
    robot = md.load_robot(name)
    dyn = md.Dynamics(robot)
    simulator = Simulator(dyn, 1e-3, "rk4", limits=False)
    simulator.reset(random_start(robot)[0])
    history = simulator.run(10.0, every=50)
    energy = simulator.energy(history.q, history.qd)
    exchanged = dyn.energy(history.q, history.qd).kinetic.max()
    assert abs(energy - energy[0]).max() < SWINGING_DRIFT * exchanged


@pytest.mark.parametrize("name", ROBOTS)
def test_the_force_of_gravity_is_the_slope_of_the_potential(name):
    robot = md.load_robot(name, gravity=(1.0, -2.0, -9.0), payload=2.0)
    dyn = md.Dynamics(robot)
    q = random_start(robot)[0]
    h = 1e-6
    rest = np.zeros(robot.n)
    slope = [(dyn.energy(q + h * e, rest).potential - dyn.energy(q - h * e, rest).potential)
             / (2 * h) for e in np.eye(robot.n)]
    np.testing.assert_allclose(slope, dyn.gravity(q), rtol=1e-7, atol=1e-6)


def test_work_of_the_motors_is_the_energy_gained():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    simulator = Simulator(dyn, 1e-4, "rk4", limits=False)
    before = simulator.energy()
    tau = np.array([8.0, -3.0])
    history = simulator.run(0.5, tau)
    assert simulator.energy() - before == pytest.approx(tau @ (history.q[-1] - history.q[0]))
