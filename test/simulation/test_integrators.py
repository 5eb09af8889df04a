"""Integrators converge with their stated order, to a reference motion from Pinocchio."""

import numpy as np
import pytest
from motion_oracle import pinocchio_motion

import manip_dynamics as md
from manip_dynamics.simulation import INTEGRATORS, Simulator
from manip_dynamics.simulation.integrators import DormandPrince853, LivermoreSolver

FIXED_STEP = ("rk4", "ab4", "semi_implicit_euler")
ADAPTIVE = (DormandPrince853, LivermoreSolver)
ROBOTS = ("stanford_arm", "puma560", "scara", "planar_2r")
DURATION = 0.32  # s


def start(robot: md.Robot) -> tuple[np.ndarray, np.ndarray]:
    return np.linspace(0.4, 0.2, robot.n), np.linspace(-2.0, 2.0, robot.n)


def end(dyn: md.Dynamics, dt: float, integrator) -> np.ndarray:
    simulator = Simulator(dyn, dt, integrator, limits=False)
    simulator.reset(*start(dyn.robot))
    simulator.run(DURATION, every=10**6)
    return np.concatenate([simulator.q, simulator.qd])


@pytest.fixture(scope="module", params=ROBOTS)
def arm(request) -> tuple[md.Dynamics, np.ndarray]:
    """An arm, and its final state according to Pinocchio and scipy."""
    robot = md.load_robot(request.param)
    return md.Dynamics(robot), pinocchio_motion(robot, *start(robot), DURATION)


@pytest.mark.parametrize("integrator", FIXED_STEP)
def test_halving_the_step_shrinks_the_error_by_the_order(arm, integrator):
    dyn, exact = arm
    errors = [np.linalg.norm(end(dyn, DURATION / steps, integrator) - exact)
              for steps in (48, 96, 192)]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes == pytest.approx(INTEGRATORS[integrator].order, abs=0.35)


@pytest.mark.parametrize(("integrator", "accuracy"),
                         [("rk4", 1e-8), ("ab4", 1e-5), ("semi_implicit_euler", 5e-2)])
def test_at_one_millisecond_the_motion_is_that_of_pinocchio(arm, integrator, accuracy):
    dyn, exact = arm
    np.testing.assert_allclose(end(dyn, 1e-3, integrator), exact, atol=accuracy)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_adaptive_solvers_meet_their_tolerance(arm, method):
    dyn, exact = arm
    np.testing.assert_allclose(end(dyn, 0.01, method(rtol=1e-10, atol=1e-12)), exact, atol=1e-8)
    loose = abs(end(dyn, 0.01, method(rtol=1e-5, atol=1e-7)) - exact).max()
    assert 1e-10 < loose < 1e-3


def test_adams_bashforth_starts_again_when_the_efforts_jump():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    jumping = np.where(np.arange(320)[:, None] % 64 < 32, 5.0, -5.0) * np.ones(2)
    ends = []
    for integrator in ("ab4", "rk4"):
        simulator = Simulator(dyn, 0.001, integrator, limits=False)
        simulator.run(0.32, jumping, every=320)
        ends.append(simulator.q)
    np.testing.assert_allclose(*ends, atol=1e-7)


def test_a_step_of_an_adaptive_solver_ends_where_the_held_efforts_change():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    efforts = np.random.default_rng(1).uniform(-5, 5, (32, 2))
    ends = []
    for integrator, dt in (("dop853", 0.01), ("rk4", 0.001)):
        simulator = Simulator(dyn, dt, integrator, limits=False)
        simulator.run(0.32, np.repeat(efforts, round(0.01 / dt), 0))
        ends.append(simulator.q)
    np.testing.assert_allclose(*ends, atol=1e-9)


@pytest.mark.parametrize("integrator", ["dop853", "lsoda"])
def test_an_adaptive_solver_sees_the_end_of_a_rest(integrator):
    dyn = md.Dynamics(md.load_robot("planar_2r"))

    def pause_then_push(t, q, qd):
        return dyn.gravity(q) + (0.0 if t < 2.0 else 1.0)

    simulator = Simulator(dyn, 1e-2, integrator, pause_then_push)
    simulator.run(2.5)
    assert simulator.qd[1] > 0.1
