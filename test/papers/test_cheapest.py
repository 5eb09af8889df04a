"""The cheaper of Formulations 1 and 2 is chosen, and it is correct."""

from functools import partial

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state

from manip_dynamics.algorithms import formulation1, formulation2
from manip_dynamics.codegen.program import count_operations
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.papers.cheapest import cheaper_of_formulations_1_and_2

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("seed", range(20))
def test_the_chosen_formulation_equals_pinocchio(seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 7
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 0)
    q, _, _ = random_state(rng, n)
    model, data = pinocchio_model(chain)
    formulation = cheaper_of_formulations_1_and_2(minimal_combinations(chain))
    assert_close(np.triu(formulation.function(q)), np.triu(pin.crba(model, data, q)))


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRPRRR", "RPRPPR", "RRR"])
def test_the_cheaper_of_formulations_1_and_2_is_chosen(kinds):
    mlc = minimal_combinations(random_chain(np.random.default_rng(1), kinds))
    operations = [count_operations(partial(module.mass_matrix_mlc, mlc), mlc.chain.n).total
                  for module in (formulation1, formulation2)]
    assert cheaper_of_formulations_1_and_2(mlc).counts.total == min(operations)
