"""Forward dynamics by factors and by articulated bodies against Pinocchio and each other."""

from dataclasses import replace

import numpy as np
import pytest
from oracle import CASES, assert_close, counting_chain, random_case
from reference import REFERENCE, reference_chain

from manip_dynamics.algorithms import articulated_body, formulation1, kane, lin1991
from manip_dynamics.algorithms.forward_dynamics import forward_dynamics, solve_ldl, solve_ltl
from manip_dynamics.codegen.trace import Graph, flatten
from manip_dynamics.model.chain import MomentLink
from manip_dynamics.model.errors import ModelError

pin = pytest.importorskip("pinocchio")


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_forward_dynamics_equals_pinocchio(n, seed):
    case = random_case(n, seed)
    tau = 3.0 * case.qdd  # any efforts
    expected = pin.aba(case.model, case.data, case.q, case.qd, tau)
    state = case.chain, case.q, case.qd, tau
    assert_close(articulated_body.forward_dynamics(*state), expected)
    assert_close(forward_dynamics(*state, solve=solve_ldl), expected)
    assert_close(forward_dynamics(*state, solve=solve_ltl), expected)
    assert_close(forward_dynamics(*state, bias=lin1991.bias), expected)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_forward_dynamics_undoes_inverse_dynamics(n, seed):
    case = random_case(n, seed)
    tau = kane.inverse_dynamics(case.chain, case.q, case.qd, case.qdd)
    assert_close(articulated_body.forward_dynamics(case.chain, case.q, case.qd, tau), case.qdd)
    assert_close(forward_dynamics(case.chain, case.q, case.qd, tau), case.qdd)


@pytest.mark.parametrize("seed", range(20))
def test_articulated_bodies_need_no_mass_centre(seed):
    case = random_case(5, seed)
    links = tuple(
        MomentLink(link.mass, link.first_moment, link.origin_inertia)
        for link in case.chain.links
    )
    virtual = replace(case.chain, links=links)
    assert_close(articulated_body.forward_dynamics(virtual, case.q, case.qd, case.qdd),
                 articulated_body.forward_dynamics(case.chain, case.q, case.qd, case.qdd))


@pytest.mark.parametrize("solve", [solve_ldl, solve_ltl])
@pytest.mark.parametrize("n", range(1, 9))
def test_solvers_solve_and_cost_what_they_say(solve, n):
    square = np.random.default_rng(n).normal(size=(n, n))
    matrix, rhs = square @ square.T + np.eye(n), np.arange(1.0, n + 1)
    assert_close(solve(matrix.tolist(), rhs.tolist()), np.linalg.solve(matrix, rhs))
    graph = Graph(share=False)
    symbols = [[graph.input(f"m{min(i, j)}{max(i, j)}") for j in range(n)] for i in range(n)]
    counts = graph.count(solve(symbols, graph.inputs("b", n)))
    assert counts.multiplications == (n**3 + 9 * n**2 - 4 * n) // 6
    assert counts.additions == (n**3 + 6 * n**2 - 7 * n) // 6
    assert counts.divisions == n


def test_elimination_from_the_tip_keeps_the_zeros_of_the_stanford_arm():
    chain = reference_chain(REFERENCE["states"]["stanford_A"]["robot"])

    def operations_of(solve):
        graph = Graph()
        M = formulation1.mass_matrix(chain, graph.inputs("q", 6))
        before = graph.count(flatten(M))
        after = graph.count(flatten([M, solve(M, graph.inputs("rhs", 6))]))
        return tuple(np.subtract(list(after.as_dict().values()), list(before.as_dict().values())))

    from_base, from_tip = operations_of(solve_ldl), operations_of(solve_ltl)
    assert from_tip < from_base
    assert from_tip[2] == 5  # the inertia of the last link about its axis is constant


@pytest.mark.parametrize("n", range(3, 13))
def test_operations_of_articulated_bodies(n):
    graph = Graph(share=False)
    qdd = articulated_body.forward_dynamics(
        counting_chain("R" * n), *(graph.inputs(name, n) for name in ("q", "qd", "tau")))
    counts = graph.count(qdd)
    assert counts.multiplications == 243 * n - 343
    assert counts.additions == 195 * n - 294
    assert counts.divisions == n - 1  # the last link's inertia about its axis is constant


def test_a_joint_that_moves_nothing_is_named_as_the_reason():
    with pytest.raises(ModelError, match="moves nothing that has inertia"):
        solve_ltl([[1.0, 0.0], [0.0, 0.0]], [1.0, 1.0])
