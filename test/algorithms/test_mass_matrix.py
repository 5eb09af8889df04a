"""Every inertia matrix against Pinocchio's composite rigid body algorithm."""

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state
from reference import reference_chain, reference_states
from registry import MASS_MATRICES

pin = pytest.importorskip("pinocchio")

ALL = pytest.mark.parametrize("mass_matrix", MASS_MATRICES.values(), ids=MASS_MATRICES.keys())


def pinocchio_mass_matrix(chain, q):
    model, data = pinocchio_model(chain)
    upper = np.triu(pin.crba(model, data, q))
    return upper + np.triu(upper, 1).T


@ALL
@pytest.mark.parametrize("n", range(1, 11))
def test_equals_pinocchio(mass_matrix, n):
    """20 arms for each n, general and right-angled, any joint pattern."""
    for seed in range(20):
        rng = np.random.default_rng([seed, n])
        chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 1)
        q, _, _ = random_state(rng, n)
        assert_close(mass_matrix(chain, q), pinocchio_mass_matrix(chain, q))


@ALL
@pytest.mark.parametrize("n", range(1, 6))
def test_every_joint_pattern(mass_matrix, n):
    for pattern in range(2**n):
        kinds = "".join("RP"[pattern >> i & 1] for i in range(n))
        rng = np.random.default_rng([pattern, n])
        chain = random_chain(rng, kinds, right_angles=pattern % 2 == 0)
        q, _, _ = random_state(rng, n)
        assert_close(mass_matrix(chain, q), pinocchio_mass_matrix(chain, q))


@ALL
def test_equals_the_reference(mass_matrix):
    for entry in reference_states().values():
        chain = reference_chain(entry["robot"])
        assert_close(mass_matrix(chain, entry["q"]), entry["M"])


@ALL
def test_is_symmetric_positive_definite(mass_matrix):
    rng = np.random.default_rng(1)
    chain = random_chain(rng, "RPRRRPR")
    M = np.array(mass_matrix(chain, random_state(rng, 7)[0]))
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0
