"""Every algorithm on every bundled robot: the special angles and zeros of real arms."""

import warnings

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_state
from registry import BIASES, FORWARD_DYNAMICS, GRAVITIES, INVERSE_DYNAMICS, MASS_MATRICES

from manip_dynamics import bundled_robots, load_robot

pin = pytest.importorskip("pinocchio")

ROBOTS = pytest.mark.parametrize("name", bundled_robots())


def arm_in_a_state(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published inertias that no body has
        chain = load_robot(name).chain
    rng = np.random.default_rng(chain.n)
    return chain, *random_state(rng, chain.n), *pinocchio_model(chain)


@ROBOTS
@pytest.mark.parametrize("function", INVERSE_DYNAMICS.values(), ids=INVERSE_DYNAMICS)
def test_inverse_dynamics(name, function):
    chain, q, qd, qdd, model, data = arm_in_a_state(name)
    assert_close(function(chain, q, qd, qdd), pin.rnea(model, data, q, qd, qdd))


@ROBOTS
@pytest.mark.parametrize("function", MASS_MATRICES.values(), ids=MASS_MATRICES)
def test_mass_matrix(name, function):
    chain, q, _, _, model, data = arm_in_a_state(name)
    upper = np.triu(pin.crba(model, data, q))
    assert_close(function(chain, q), upper + np.triu(upper, 1).T)


@ROBOTS
@pytest.mark.parametrize("function", BIASES.values(), ids=BIASES)
def test_bias(name, function):
    chain, q, qd, _, model, data = arm_in_a_state(name)
    assert_close(function(chain, q, qd), pin.nonLinearEffects(model, data, q, qd))


@ROBOTS
@pytest.mark.parametrize("function", GRAVITIES.values(), ids=GRAVITIES)
def test_gravity(name, function):
    chain, q, _, _, model, data = arm_in_a_state(name)
    assert_close(function(chain, q), pin.computeGeneralizedGravity(model, data, q))


@ROBOTS
@pytest.mark.parametrize("function", FORWARD_DYNAMICS.values(), ids=FORWARD_DYNAMICS)
def test_forward_dynamics_undoes_inverse_dynamics(name, function):
    chain, q, qd, qdd, model, data = arm_in_a_state(name)
    tau = pin.rnea(model, data, q, qd, qdd)
    # M of a real arm spans four orders of magnitude from base to wrist, and so does its rounding.
    assert_close(function(chain, q, qd, tau), qdd, tolerance=1e-8)
