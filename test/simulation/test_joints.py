"""Friction, motors and stops at the joints."""

from dataclasses import replace

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.model.chain import Friction, RigidLink
from manip_dynamics.simulation import INTEGRATORS, Simulator

FIXED_STEP = ("rk4", "ab4", "semi_implicit_euler")


def arm(name: str = "planar_2r", gravity=(0.0, 0.0, 0.0), damping=0.0, friction=0.0,
        **joint_fields) -> md.Dynamics:
    """A bundled arm with these fields of its joints, scalars or one value per joint."""
    robot = md.load_robot(name, gravity=gravity)
    viscous, coulomb = (np.broadcast_to(x, robot.n).astype(float) for x in (damping, friction))
    joints = tuple(
        replace(joint, friction=Friction(float(viscous[i]), float(coulomb[i])),
                **{field: float(np.broadcast_to(value, robot.n)[i])
                   for field, value in joint_fields.items()})
        for i, joint in enumerate(robot.bare_chain.joints))
    return md.Dynamics(replace(robot, bare_chain=replace(robot.bare_chain, joints=joints)))


def pendulum(**joint_fields) -> md.Dynamics:
    """A weightless arm in which only the second joint can move, with a known inertia about it."""
    dyn = arm(**joint_fields)
    return md.Dynamics(dyn.robot.with_drives(rotor_inertia={"joint1": 1e6}))


def sign_changes(values: np.ndarray) -> int:
    moving = values[abs(values) > 1e-9]
    return int((np.diff(np.sign(moving)) != 0).sum())


# ---- friction --------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_viscous_friction_slows_a_joint_exponentially(integrator):
    dyn = pendulum(damping=[0.0, 0.5])
    simulator = Simulator(dyn, 1e-3, integrator)
    simulator.reset(None, [0.0, 1.0])
    simulator.run(0.5)
    inertia = 1 / np.linalg.inv(dyn.mass_matrix(np.zeros(2)))[1, 1]
    assert simulator.qd[1] == pytest.approx(np.exp(-0.5 * 0.5 / inertia), rel=1e-2)


@pytest.mark.parametrize("integrator", FIXED_STEP)
def test_coulomb_friction_stops_a_joint_on_time_and_without_chatter(integrator):
    friction, speed = 0.4, 2.0
    dyn = pendulum(friction=[0.0, friction])
    simulator = Simulator(dyn, 1e-3, integrator)
    simulator.reset(None, [0.0, speed])
    history = simulator.run(1.0)
    inertia = 1 / np.linalg.inv(dyn.mass_matrix(np.zeros(2)))[1, 1]
    stopping_time = inertia * speed / friction
    moving = history.t[abs(history.qd[:, 1]) > 0.1]
    assert moving[-1] == pytest.approx(stopping_time, rel=0.06)
    assert abs(history.qd[-1, 1]) < 1e-6
    assert sign_changes(history.qd[:, 1]) == 0


def test_coulomb_friction_holds_an_arm_that_is_pushed_less():
    simulator = Simulator(pendulum(friction=[0.0, 1.0]), 1e-3)
    history = simulator.run(1.0, [0.0, 0.5])
    creep = 0.02 * simulator.joints.friction_velocity[1] / 0.02
    assert 0 < history.q[-1, 1] < creep
    assert sign_changes(history.qd[:, 1]) == 0


@pytest.mark.parametrize("integrator", FIXED_STEP)
@pytest.mark.parametrize(("damping", "friction"), [(0.0, 1.0), (2.0, 0.0), (10.0, 0.5)])
def test_heavy_friction_on_a_light_wrist_only_takes_energy(integrator, damping, friction):
    simulator = Simulator(arm("stanford_arm", damping=damping, friction=friction), 1e-3, integrator)
    simulator.reset(None, [1.0, -1.0, 0.5, 2.0, 2.0, 2.0])
    history = simulator.run(0.05)
    energy = simulator.energy(history.q, history.qd)
    assert (np.diff(energy) < 1e-9 * energy[0]).all()
    assert max(sign_changes(speed) for speed in history.qd.T) <= 3


@pytest.mark.parametrize("integrator", FIXED_STEP)
def test_damping_that_stops_a_light_link_within_a_step_is_stable_and_balances(integrator):
    simulator = Simulator(arm("stanford_arm", damping=[0, 0, 0, 50.0, 50.0, 50.0]), 1e-3,
                          integrator)
    assert simulator.substeps == 1
    simulator.reset(None, [0.0, 0.0, 0.0, 2.0, -2.0, 2.0])
    simulator.run(0.2, [0.0, 0.0, 0.0, 0.0, 0.0, 0.5])
    np.testing.assert_allclose(simulator.qd[3:], [0.0, 0.0, 0.5 / 50.0], atol=1e-5)


def test_damping_that_can_be_followed_changes_nothing_else():
    dyn = pendulum(damping=[0.0, 0.5])
    assert not Simulator(dyn).joints.adds_inertia


def test_a_joint_without_inertia_is_refused_with_advice():
    robot = md.load_robot("planar_2r")
    dust = RigidLink(1e-15, (0.2, 0.0, 0.0), ((0.0, 0.0, 0.0),) * 3)
    chain = replace(robot.bare_chain, links=(robot.bare_chain.links[0], dust))
    with pytest.raises(ValueError, match="joint 'joint2' moves no inertia"):
        Simulator(md.Dynamics(replace(robot, bare_chain=chain)))


# ---- motors ----------------------------------------------------------------------------------


def test_motors_give_no_more_than_they_can():
    dyn = arm(max_effort=[3.0, 2.0])
    limited, given = Simulator(dyn), Simulator(dyn, limits=False)
    history = limited.run(0.3, [100.0, -100.0])
    given.run(0.3, [3.0, -2.0])
    np.testing.assert_allclose(limited.q, given.q, rtol=1e-12)
    np.testing.assert_array_equal(history.tau, np.tile([3.0, -2.0], (301, 1)))


def test_the_inertia_of_rotors_is_accelerated_too():
    robot = md.load_robot("planar_2r", gravity=(0, 0, 0)).with_drives(
        rotor_inertia={"joint1": 1e-3, "joint2": 1e-3}, gear_ratio={"joint1": 100, "joint2": 100})
    dyn = md.Dynamics(robot)
    simulator = Simulator(dyn, 1e-4)
    simulator.run(1e-3, [1.0, 0.0])
    np.testing.assert_allclose(
        simulator.qd / 1e-3, np.linalg.solve(dyn.mass_matrix(np.zeros(2)), [1.0, 0.0]), rtol=1e-6)


# ---- stops -----------------------------------------------------------------------------------


def bouncing(name: str, integrator: str, **options) -> tuple[Simulator, np.ndarray]:
    simulator = Simulator(arm(name), 1e-3, integrator, **options)
    n = simulator.dyn.robot.n
    simulator.reset(simulator.home + 0.1, np.linspace(1.0, 2.0, n))
    history = simulator.run(5.0)
    assert (np.maximum(simulator.joints.lower - history.q, history.q - simulator.joints.upper)
            .max(0) > 0.0).all(), "every joint should meet a stop"
    return simulator, simulator.energy(history.q, history.qd)


@pytest.mark.parametrize("name", ["planar_2r", "scara"])
@pytest.mark.parametrize(("integrator", "drift"),
                         [("rk4", 1e-3), ("ab4", 0.03), ("lsoda", 1e-6)])
def test_stops_give_back_the_energy_that_they_take(name, integrator, drift):
    _, energy = bouncing(name, integrator)
    assert abs(energy / energy[0] - 1).max() < drift


@pytest.mark.parametrize(("integrator", "drift"),
                         [("rk4", 1e-2), ("ab4", 0.1), ("semi_implicit_euler", 0.3)])
def test_an_arm_pressed_against_its_stops_bounces_with_the_energy_that_the_motors_give(
        integrator, drift):
    simulator = Simulator(arm(), 1e-3, integrator)
    simulator.reset([3.0, 3.0])
    tau = np.array([60.0, 30.0])
    history = simulator.run(5.0, tau)
    energy = simulator.energy(history.q, history.qd) - history.q @ tau
    exchanged = tau @ (simulator.joints.upper - history.q[0])
    assert abs(energy - energy[0]).max() < drift * exchanged
    assert (history.q - simulator.joints.upper).max() < 0.3


def test_damped_stops_take_energy_at_every_impact_and_never_give():
    simulator, energy = bouncing("planar_2r", "rk4", stop_damping=0.5)
    assert energy[-1] < 0.5 * energy[0]
    assert np.diff(energy).max() < 1e-6 * energy[0]


def test_a_stop_pushes_only_outwards_of_it():
    joints = Simulator(arm(), stop_damping=10.0).joints
    q = np.stack(np.meshgrid(np.linspace(-3.3, 3.3, 41), [0.0]), -1).reshape(-1, 2)
    for speed in (-5.0, 0.0, 5.0):
        push = np.array([joints.efforts(np.zeros(2), x, np.full(2, speed)) for x in q])[:, 0]
        assert (push * q[:, 0] <= 0.0).all()
        assert (push[abs(q[:, 0]) < 3.14] == 0.0).all()


def test_the_force_of_a_stop_is_the_slope_of_its_energy():
    joints = Simulator(arm()).joints
    h = 1e-6
    for q in (np.array([3.15, -3.3]), np.array([-3.2, 0.5])):
        slope = [(joints.stop_energy(q + h * e) - joints.stop_energy(q - h * e)) / (2 * h)
                 for e in np.eye(2)]
        np.testing.assert_allclose(joints.efforts(np.zeros(2), q, np.zeros(2)),
                                   -np.array(slope), rtol=1e-5, atol=1e-6)


def test_limits_can_be_switched_off():
    simulator = Simulator(arm(), limits=False)
    simulator.reset(None, [3.0, 0.0])
    simulator.run(2.0)
    assert simulator.q[0] > 5.0


def test_a_start_far_beyond_a_stop_is_refused():
    simulator = Simulator(arm("scara"))
    with pytest.raises(ValueError, match="joint 'joint3' cannot start at -0.3, outside its limits"):
        simulator.reset([0.0, 0.0, -0.3])


def test_without_a_position_an_arm_starts_where_its_limits_allow():
    simulator = Simulator(arm(lower=[0.5, -3.0], upper=[1.0, 3.0]))
    np.testing.assert_array_equal(simulator.q, [0.5, 0.0])
