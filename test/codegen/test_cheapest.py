"""The cheapest algorithm for one arm: right, and no worse than the best that is known."""

from functools import partial

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state
from reference import reference_chain, reference_states

from manip_dynamics.algorithms import formulation1, formulation2
from manip_dynamics.codegen.cheapest import (
    cheaper_of_formulations_1_and_2,
    cheapest_bias,
    cheapest_gravity,
    cheapest_inverse_dynamics,
    cheapest_mass_matrix,
    count_operations,
)
from manip_dynamics.model.mlc import minimal_combinations

pin = pytest.importorskip("pinocchio")

# Multiplications and additions, common subexpressions shared, without further factoring.
CHEAPEST = {
    "stanford_A": {"inverse dynamics": (111, 85), "bias": (105, 73), "gravity": (15, 4),
                   "mass matrix": (56, 45)},
    "puma560_AKB_no_motor_inertia": {"inverse dynamics": (165, 143), "bias": (151, 121),
                                     "gravity": (23, 11), "mass matrix": (87, 70)},
    "six_axis": {"inverse dynamics": (172, 146), "bias": (157, 122), "gravity": (27, 15),
                 "mass matrix": (86, 72)},
}


@pytest.mark.parametrize("seed", range(20))
def test_cheapest_functions_equal_pinocchio(seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 7
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 0)
    q, qd, qdd = random_state(rng, n)
    model, data = pinocchio_model(chain)
    mass_matrix = np.triu(pin.crba(model, data, q))
    mass_matrix = mass_matrix + np.triu(mass_matrix, 1).T
    assert_close(cheapest_inverse_dynamics(chain).function(q, qd, qdd),
                 pin.rnea(model, data, q, qd, qdd))
    assert_close(cheapest_bias(chain).function(q, qd), pin.nonLinearEffects(model, data, q, qd))
    assert_close(cheapest_gravity(chain).function(q),
                 pin.computeGeneralizedGravity(model, data, q))
    assert_close(cheapest_mass_matrix(chain).function(q), mass_matrix)
    formulation = cheaper_of_formulations_1_and_2(minimal_combinations(chain))
    assert_close(formulation.function(q), mass_matrix)


@pytest.mark.parametrize("robot", CHEAPEST)
def test_counts_of_known_arms(robot):
    chain = reference_chain(reference_states()[robot]["robot"])
    choices = {
        "inverse dynamics": cheapest_inverse_dynamics(chain),
        "bias": cheapest_bias(chain),
        "gravity": cheapest_gravity(chain),
        "mass matrix": cheapest_mass_matrix(chain),
    }
    counts = {
        name: (choice.counts.multiplications, choice.counts.additions)
        for name, choice in choices.items()
    }
    assert counts == CHEAPEST[robot]


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRPRRR", "RPRPPR", "RRR"])
def test_the_cheaper_of_formulations_1_and_2_is_chosen(kinds):
    mlc = minimal_combinations(random_chain(np.random.default_rng(1), kinds))
    operations = [
        count_operations(partial(module.mass_matrix_mlc, mlc), mlc.chain.n, ("q",)).total
        for module in (formulation1, formulation2)
    ]
    assert cheaper_of_formulations_1_and_2(mlc).counts.total == min(operations)
