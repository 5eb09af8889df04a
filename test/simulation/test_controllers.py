"""Control laws: tracking of the papers' motions, and the effect of a wrong model."""

import numpy as np
import pytest
from motion_oracle import pinocchio_motion

import manip_dynamics as md
from manip_dynamics.control import Cycloidal, Follow, Quintic
from manip_dynamics.papers import examples
from manip_dynamics.simulation import Simulator, track

TRACKING = 1e-6  # rad or m

pytestmark = pytest.mark.filterwarnings("ignore::manip_dynamics.ModelWarning")


@pytest.mark.parametrize("integrator", ["rk4", "ab4"])
@pytest.mark.parametrize("example", [examples.stanford, examples.six_axis,
                                     lambda: examples.six_axis(93.6)],
                         ids=["stanford", "six_axis", "six_axis_93.6"])
def test_computed_torque_follows_the_examples_of_the_papers(example, integrator):
    example = example()
    history = track(example.robot, example.trajectory, integrator=integrator)
    assert history.t[-1] == pytest.approx(example.trajectory.duration)
    assert abs(history.error).max() < TRACKING
    expected = md.Dynamics(example.robot).inverse_dynamics(*example.trajectory(history.t))
    np.testing.assert_allclose(history.tau, expected, atol=1e-5)


def test_held_efforts_follow_as_well_as_the_gains_are_high():
    example = examples.stanford()
    errors = [abs(track(example.robot, example.trajectory, kp=kp, kd=2 * kp**0.5, duration=3.0,
                        control_period=1e-3).error).max() for kp in (100.0, 400.0, 1600.0)]
    assert errors[0] < 2e-4
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 4.0, rtol=0.2)


def test_errors_decay_as_the_gains_say():
    robot = md.load_robot("puma560")
    dyn = md.Dynamics(robot)
    still = Cycloidal(np.full(6, 0.3), np.zeros(6), 1.0)
    simulator = Simulator(dyn, controller=Follow("computed_torque", dyn, still, 100.0, 20.0),
                          limits=False)
    off = np.array([0.1, -0.2, 0.05, 0.3, 0.1, -0.1])
    simulator.reset(0.3 + off)
    history = simulator.run(0.5)
    decay = (1 + 10.0 * history.t) * np.exp(-10.0 * history.t)  # critically damped
    np.testing.assert_allclose(history.error, decay[:, None] * off, atol=1e-8)


def test_open_loop_feedforward_of_the_stanford_arm_follows_for_a_second():
    # Later, errors grow by e^4.7 per second with any integrator: see docs/simulation.md.
    example = examples.stanford()
    assert abs(track(example.robot, example.trajectory, "feedforward", duration=1.0).error
               ).max() < 1e-9


def test_the_stanford_arm_is_unstable_without_feedback():
    example = examples.stanford()
    dyn = md.Dynamics(example.robot)
    q = example.trajectory(0.0)[0]
    stiffness = np.array([dyn.gravity(q + 1e-6 * e) - dyn.gravity(q - 1e-6 * e)
                          for e in np.eye(6)]).T / 2e-6
    growth = np.linalg.eigvals(-np.linalg.solve(dyn.mass_matrix(q), stiffness)).real.max()
    assert growth == pytest.approx(22.4, abs=0.1)  # 1/s^2
    nearly = Simulator(dyn, controller=Follow("feedforward", dyn, example.trajectory))
    nearly.reset(q + 1e-9 * np.array([0, 1, 0, 0, 0, 0]))
    error = abs(nearly.run(3.0).error).max(1)
    rate = np.log(error[2500] / error[1500])
    assert rate == pytest.approx(np.sqrt(growth), abs=0.4)


def test_feedforward_moves_the_arm_as_it_moves_pinocchio():
    robot = md.load_robot("puma560")
    dyn = md.Dynamics(robot)
    trajectory = Quintic(np.zeros(6), [0.5, -0.8, 0.6, 0.4, 0.5, 0.3], 0.5)
    law = Follow("feedforward", dyn, trajectory)
    simulator = Simulator(dyn, controller=law, limits=False)
    simulator.run(0.5)
    expected = pinocchio_motion(robot, np.zeros(6), np.zeros(6), 0.5, law)
    np.testing.assert_allclose(np.concatenate([simulator.q, simulator.qd]), expected, atol=1e-8)


@pytest.mark.parametrize("law", ["gravity_compensation", "pd_gravity"])
def test_gravity_is_carried_whatever_else_a_law_does(law):
    robot = md.load_robot("stanford_arm")
    still = Cycloidal(np.full(6, 0.3), np.zeros(6), 1.0)
    history = track(robot, still, law, duration=0.3, kp=100.0, kd=1.0)
    assert abs(history.error).max() < 1e-8


def test_pd_with_gravity_comes_to_rest_at_its_goal():
    robot = md.load_robot("planar_2r")
    goal = Cycloidal([0.4, 0.5], [0.0, 0.0], 1.0)
    dyn = md.Dynamics(robot)
    simulator = Simulator(dyn, controller=Follow("pd_gravity", dyn, goal, [60.0, 20.0], [15.0, 4]))
    history = simulator.run(5.0)
    assert abs(history.error[0]).max() > 0.3
    assert abs(history.error[-1]).max() < 1e-4


def test_a_payload_that_the_model_does_not_know_shows_as_an_error_that_gains_shrink():
    trajectory = Quintic([-1.0, 0.5], [0.5, 0.5], 1.0)
    model = md.load_robot("planar_2r")
    plant = model.with_payload(1.0)
    known, unknown, stiffer = (
        abs(track(plant, trajectory, model=m, kp=kp, kd=2 * kp**0.5, limits=False).error).max()
        for m, kp in ((plant, 100.0), (model, 100.0), (model, 1600.0)))
    assert known < 1e-9
    assert unknown > 0.02
    assert stiffer < unknown / 5


def test_refusals_name_the_argument():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    with pytest.raises(ValueError, match="law must be one of feedforward, .*, not 'magic'"):
        Follow("magic", dyn, Quintic([0, 0], [1, 1], 1.0))
    with pytest.raises(ValueError, match="the trajectory is for 3 joints; planar_2r has 2"):
        Follow("feedforward", dyn, Quintic([0, 0, 0], [1, 1, 1], 1.0))
    with pytest.raises(ValueError, match=r"kp must have 1 or 2 values \(one per joint\), not 3"):
        Follow("computed_torque", dyn, Quintic([0, 0], [1, 1], 1.0), [1, 2, 3])
    with pytest.raises(ValueError,
                       match="the model has joints joint1, joint2, joint3, but the plant"):
        track(dyn.robot, Quintic([0, 0], [1, 1], 1.0), model=md.load_robot("scara"))
