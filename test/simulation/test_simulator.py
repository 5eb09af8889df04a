"""The simulator obeys mechanics and says when it cannot."""

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.simulation.integrators import INTEGRATORS
from manip_dynamics.simulation.simulator import SimulationError, Simulator

DYN = md.Dynamics(md.load_robot("stanford_arm"))
WEIGHTLESS = md.Dynamics(md.load_robot("stanford_arm", gravity=(0, 0, 0)))
ORDERS = {"rk4": 4, "semi_implicit_euler": 1}


def after(duration: float, dt: float, integrator: str) -> np.ndarray:
    simulator = Simulator(DYN, dt, integrator)
    simulator.reset(np.full(6, 0.3))
    for _ in range(round(duration / dt)):
        simulator.step()
    return np.concatenate([simulator.q, simulator.qd])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_error_shrinks_with_the_order_of_the_integrator(integrator):
    exact = after(0.08, 0.001, "rk4")
    coarse, fine = (np.linalg.norm(after(0.08, dt, integrator) - exact) for dt in (0.04, 0.02))
    assert np.log2(coarse / fine) == pytest.approx(ORDERS[integrator], abs=0.5)


def test_the_efforts_of_gravity_hold_the_arm_still():
    simulator = Simulator(DYN)
    q = np.full(6, 0.3)
    simulator.reset(q)
    for _ in range(20):
        simulator.step(DYN.gravity(q))
    np.testing.assert_allclose(simulator.q, q, atol=1e-12)
    assert simulator.time == pytest.approx(0.02)


def test_kinetic_energy_is_conserved_without_gravity_and_efforts():
    simulator = Simulator(WEIGHTLESS, dt=1e-3)
    simulator.reset(np.full(6, 0.3), np.full(6, 0.5))

    def energy() -> float:
        return simulator.qd @ WEIGHTLESS.mass_matrix(simulator.q) @ simulator.qd / 2

    before = energy()
    for _ in range(100):
        simulator.step()
    assert energy() == pytest.approx(before, rel=1e-9)


def test_a_blow_up_says_when_and_where_and_keeps_the_last_state():
    simulator = Simulator(DYN, dt=0.5)

    def run_wild():
        for _ in range(1000):
            simulator.step(np.full(6, 1e6))

    with pytest.raises(SimulationError, match=r"no longer finite at t = .* joint 'joint\d'"):
        run_wild()
    assert np.isfinite(simulator.q).all()


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="dt must be a positive"):
        Simulator(DYN, dt=0.0)
    with pytest.raises(ValueError, match="integrator must be one of rk4"):
        Simulator(DYN, integrator="magic")
    with pytest.raises(ValueError, match=r"tau must have shape \(6,\), not \(2,\)"):
        Simulator(DYN).step([1.0, 2.0])
    with pytest.raises(ValueError, match="q contains NaN"):
        Simulator(DYN).reset([np.nan] * 6)
