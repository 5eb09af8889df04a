"""The regressor of the MLCs."""

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state

from manip_dynamics.algorithms import newton_euler
from manip_dynamics.algorithms.regressor import regressor
from manip_dynamics.model.mlc import minimal_combinations

pin = pytest.importorskip("pinocchio")

PINOCCHIO_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # its inertias: xx, xy, yy, xz, yz, zz


def arms():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = 1 + seed % 8
        yield random_chain(rng, random_kinds(rng, n), seed % 2 == 1), random_state(rng, n)


def test_regressor_times_mlcs_is_the_effort():
    for chain, state in arms():
        mlc = minimal_combinations(chain)
        model, data = pinocchio_model(chain)
        assert_close(np.array(regressor(mlc, *state)) @ mlc.values, pin.rnea(model, data, *state))


def test_regressor_holds_for_any_values():
    """Identification moves the values about: Y stays, and Y @ values is the effort they make."""
    for chain, state in arms():
        mlc = minimal_combinations(chain)
        Y = np.array(regressor(mlc, *state))
        other = mlc.with_values(np.random.default_rng(1).normal(size=len(mlc.values)))
        assert_close(Y @ other.values, newton_euler.inverse_dynamics(other.chain, *state))


def test_regressor_is_pinocchios_in_the_minimal_basis():
    for chain, state in arms():
        mlc = minimal_combinations(chain)
        model, data = pinocchio_model(chain)
        Y = pin.computeJointTorqueRegressor(model, data, *state)
        Y = Y.reshape(chain.n, chain.n, 10)[:, :, PINOCCHIO_ORDER].reshape(chain.n, -1)
        assert_close(regressor(mlc, *state), Y @ mlc.lift)
