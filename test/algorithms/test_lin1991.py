"""Lin's inertia matrix and bias vector against Pinocchio, Christoffel's symbols and the print."""

import numpy as np
import pytest
from oracle import CASES, assert_close, counting_chain, random_case

from manip_dynamics.algorithms import lin1991
from manip_dynamics.codegen.trace import Graph, flatten

pin = pytest.importorskip("pinocchio")


def symmetric_crba(case):
    upper = np.triu(pin.crba(case.model, case.data, case.q))
    return upper + np.triu(upper, 1).T


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_inertia_matrix_and_bias_equal_pinocchio(n, seed):
    case = random_case(n, seed)
    expected_bias = pin.nonLinearEffects(case.model, case.data, case.q, case.qd)
    H, b = lin1991.mass_matrix_and_bias(case.chain, case.q, case.qd)
    assert_close(H, symmetric_crba(case))
    assert_close(b, expected_bias)
    assert_close(lin1991.mass_matrix(case.chain, case.q), H)
    assert_close(lin1991.bias(case.chain, case.q, case.qd), b)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_velocity_coefficients_give_the_bias(n, seed):
    case = random_case(n, seed)
    D = np.array(lin1991.velocity_coefficients(case.chain, case.q))
    gravity = pin.computeGeneralizedGravity(case.model, case.data, case.q)
    assert_close(np.einsum("mkj,k,j", D, case.qd, case.qd) + gravity,
                 pin.nonLinearEffects(case.model, case.data, case.q, case.qd))
    assert_close(D, D.transpose(0, 2, 1))  # (32)


@pytest.mark.parametrize("seed", range(10))
def test_velocity_coefficients_are_christoffel_symbols(seed):
    """D_mkj = (dH_mk/dq_j + dH_mj/dq_k - dH_kj/dq_m) / 2."""
    case, n, step = random_case(5, seed), 5, 1e-6
    dH = np.array([
        (np.array(lin1991.mass_matrix(case.chain, case.q + step * unit))
         - np.array(lin1991.mass_matrix(case.chain, case.q - step * unit))) / (2 * step)
        for unit in np.eye(n)
    ])  # dH[i] = dH / dq_i
    christoffel = 0.5 * (dH.transpose(1, 2, 0) + dH.transpose(1, 0, 2) - dH)
    D = np.array(lin1991.velocity_coefficients(case.chain, case.q))
    assert_close(D, christoffel, tolerance=1e-7)  # central differences


def count(n, function, *arguments):
    graph = Graph(share=False)
    outputs = function(counting_chain("R" * n), *(graph.inputs(name, n) for name in arguments))
    counts = graph.count(flatten(outputs))
    return counts.multiplications, counts.additions


@pytest.mark.parametrize("n", range(3, 13))
def test_operations(n):
    assert count(n, lin1991.mass_matrix, "q") == (
        (21 * n**2 + 35 * n) // 2 - 48, 6 * n**2 + 32 * n - 60)
    assert count(n, lin1991.mass_matrix_and_bias, "q", "qd") == (
        23 * n**2 + 23 * n - 64, 15 * n**2 + 30 * n - 67)


def test_operations_of_two_joints():
    assert count(2, lin1991.mass_matrix, "q") == (30, 27)  # printed: 34, 32
    assert count(2, lin1991.mass_matrix_and_bias, "q", "qd") == (76, 53)  # printed: 98, 70
