"""Linearized dynamics predict small motions, and control that is designed with them works."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import manip_dynamics as md


@pytest.mark.parametrize("name", ["planar_2r", "puma560"])
def test_the_linear_model_predicts_a_small_deviation(name):
    dyn = md.Dynamics(md.load_robot(name))
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-0.5, 0.5, (2, dyn.n))
    tau = dyn.gravity(q)
    A, B = md.linearize(dyn, q, qd, tau)
    dx, dtau = rng.normal(size=2 * dyn.n) * 1e-5, rng.normal(size=dyn.n) * 1e-5

    def rate(x, effort):
        return np.concatenate([x[dyn.n:], dyn.forward_dynamics(x[:dyn.n], x[dyn.n:], effort)])

    x = np.concatenate([q, qd])
    exact = (rate(x + dx, tau + dtau) - rate(x - dx, tau - dtau)) / 2.0
    np.testing.assert_allclose(A @ dx + B @ dtau, exact, atol=1e-6 * np.abs(exact).max())


def test_many_states_are_linearized_at_once():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    states = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 5, 2))
    A, B = md.linearize(dyn, *states)
    assert (A.shape, B.shape) == ((5, 4, 4), (5, 4, 2))
    one = md.linearize(dyn, *states[:, 3])
    np.testing.assert_allclose(A[3], one.A, atol=1e-12)
    np.testing.assert_allclose(B[3], one.B, atol=1e-12)


def test_a_regulator_made_of_it_balances_the_arm_upright():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    rest = np.zeros(2)
    upright = max((np.array([angle, 0.0]) for angle in (-np.pi / 2, np.pi / 2)),
                  key=lambda q: dyn.energy(q, rest).potential)
    A, B = md.linearize(dyn, upright, rest, dyn.gravity(upright))
    assert np.linalg.eigvals(A).real.max() > 1.0  # it falls by itself
    gains = B.T @ solve_continuous_are(A, B, np.diag([100.0, 100.0, 1.0, 1.0]), np.eye(2))

    def regulator(time, q, qd):
        return dyn.gravity(upright) - gains @ np.concatenate([q - upright, qd])

    simulator = md.Simulator(dyn, 1e-3, controller=regulator, limits=False)
    simulator.reset(upright + [0.1, -0.1])
    simulator.run(3.0)
    np.testing.assert_allclose(simulator.q, upright, atol=1e-3)
