"""The two Lagrangian formulations, Tsai's and Uicker-Kahn's, against Pinocchio."""

import numpy as np
import pytest
from oracle import CASES, assert_close, counting_chain, random_case

from manip_dynamics.algorithms import lagrange, uicker_kahn
from manip_dynamics.codegen.trace import Graph, flatten

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_mass_matrices_equal_pinocchio(n, seed):
    case = random_case(n, seed)
    upper = np.triu(pin.crba(case.model, case.data, case.q))
    expected = upper + np.triu(upper, 1).T
    assert_close(lagrange.mass_matrix(case.chain, case.q), expected)
    assert_close(uicker_kahn.mass_matrix(case.chain, case.q), expected)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_velocity_and_gravity_terms_equal_pinocchio(n, seed):
    case = random_case(n, seed)
    gravity = pin.computeGeneralizedGravity(case.model, case.data, case.q).copy()
    bias = pin.nonLinearEffects(case.model, case.data, case.q, case.qd)
    V = np.array(lagrange.velocity_terms(case.chain, case.q, case.qd))
    G = np.array(lagrange.gravity(case.chain, case.q))
    assert_close(G, gravity)
    assert_close(V + G, bias)
    assert_close(lagrange.inverse_dynamics(case.chain, case.q, case.qd, case.qdd),
                 pin.rnea(case.model, case.data, case.q, case.qd, case.qdd))


@pytest.mark.parametrize("seed", range(10))
def test_derivatives_of_the_mass_matrix(seed):
    case, step = random_case(6, seed), 1e-6
    differences = [
        (np.array(lagrange.mass_matrix(case.chain, case.q + step * unit))
         - np.array(lagrange.mass_matrix(case.chain, case.q - step * unit))) / (2 * step)
        for unit in np.eye(6)
    ]
    derivatives = lagrange.mass_matrix_derivatives(case.chain, case.q)
    assert_close(derivatives, differences, tolerance=1e-7)  # central differences


@pytest.mark.parametrize("seed", range(10))
def test_velocity_terms_do_no_work_beyond_changing_the_inertia(seed):
    """qd . (Mdot qd / 2 - V) = 0: kinetic energy changes by the applied power alone."""
    case = random_case(6, seed)
    Mdot = np.einsum("lij,l->ij", lagrange.mass_matrix_derivatives(case.chain, case.q), case.qd)
    V = lagrange.velocity_terms(case.chain, case.q, case.qd)
    power = np.dot(case.qd, V)
    assert 0.5 * case.qd @ Mdot @ case.qd == pytest.approx(power, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("function", "arguments", "operations"), [
    (lagrange.mass_matrix, ("q",), (1210, 896)),
    (lagrange.velocity_terms, ("q", "qd"), (5553, 3362)),
    (uicker_kahn.mass_matrix, ("q",), (2000, 1501)),
], ids=["M", "V", "Uicker-Kahn"])
def test_operations_of_six_revolute_joints(function, arguments, operations):
    graph = Graph(share=False)
    outputs = function(counting_chain("RRRRRR"), *(graph.inputs(name, 6) for name in arguments))
    counts = graph.count(flatten(outputs))
    assert (counts.multiplications, counts.additions) == operations
