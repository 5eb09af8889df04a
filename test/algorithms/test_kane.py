"""Kane inverse dynamics against Pinocchio."""

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state

from manip_dynamics.algorithms import kane

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", range(1, 11))
def test_kane_equals_pinocchio(seed, n):
    rng = np.random.default_rng([seed, n])
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 1)
    q, qd, qdd = random_state(rng, n)
    model, data = pinocchio_model(chain)
    assert_close(kane.inverse_dynamics(chain, q, qd, qdd), pin.rnea(model, data, q, qd, qdd))
