"""Recursive Newton-Euler against Pinocchio, and the laws that joint reactions obey."""

from dataclasses import replace

import numpy as np
import pytest
from oracle import CASES, assert_close, counting_chain, random_case

from manip_dynamics.algorithms import kane, newton_euler
from manip_dynamics.codegen.trace import Graph
from manip_dynamics.model.chain import MomentLink

pin = pytest.importorskip("pinocchio")

TIP_WRENCH = np.array([3.0, -5.0, 7.0, 0.4, -0.9, 0.2])


def pinocchio_tip_force(case, wrench):
    """The tip wrench, given in the base link's axes, as Pinocchio's force on the last joint."""
    axes = np.array(case.chain.base.rotation).T  # base link -> frame 0, Pinocchio's world
    pin.framesForwardKinematics(case.model, case.data, case.q)
    tip = case.data.oMf[case.model.getFrameId("tip")]
    at_tip = pin.Force(np.concatenate([axes @ wrench[:3], axes @ wrench[3:]]))
    in_world = pin.SE3(np.eye(3), tip.translation).act(at_tip)
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * case.chain.n)
    forces.append(case.data.oMi[case.chain.n].actInv(in_world))
    return forces


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_newton_euler_equals_pinocchio(n, seed):
    case = random_case(n, seed)
    tau = newton_euler.inverse_dynamics(case.chain, case.q, case.qd, case.qdd)
    assert_close(tau, pin.rnea(case.model, case.data, case.q, case.qd, case.qdd))
    assert_close(tau, kane.inverse_dynamics(case.chain, case.q, case.qd, case.qdd))


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_tip_wrench_is_what_the_environment_applies(n, seed):
    case = random_case(n, seed)
    tau = newton_euler.inverse_dynamics(case.chain, case.q, case.qd, case.qdd, TIP_WRENCH)
    forces = pinocchio_tip_force(case, TIP_WRENCH)
    assert_close(tau, pin.rnea(case.model, case.data, case.q, case.qd, case.qdd, forces))


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_reactions_equal_pinocchio(n, seed):
    case = random_case(n, seed)
    wrenches = newton_euler.reaction_wrenches(
        case.chain, case.q, case.qd, case.qdd, TIP_WRENCH)
    pin.rnea(case.model, case.data, case.q, case.qd, case.qdd,
             pinocchio_tip_force(case, TIP_WRENCH))
    expected = [list(case.data.f[i + 1].vector) for i in range(n)]  # at O_i, in frame i
    assert_close([[*force, *moment] for force, moment in wrenches], expected)


@pytest.mark.parametrize("seed", range(20))
def test_base_reaction_at_rest_is_the_weight(seed):
    case = random_case(6, seed)
    rest = np.zeros(6)
    force, _ = newton_euler.reaction_wrenches(case.chain, case.q, rest, rest)[0]
    mass = sum(link.mass for link in case.chain.links)
    assert np.linalg.norm(force) == pytest.approx(mass * np.linalg.norm(case.chain.gravity))


@pytest.mark.parametrize("seed", range(20))
def test_moments_about_the_joints_suffice(seed):
    """Links without a mass centre of their own, as the minimal linear combinations have them."""
    case = random_case(5, seed)
    links = tuple(
        MomentLink(link.mass, link.first_moment, link.origin_inertia)
        for link in case.chain.links
    )
    virtual = replace(case.chain, links=links)
    assert_close(
        newton_euler.inverse_dynamics(virtual, case.q, case.qd, case.qdd),
        newton_euler.inverse_dynamics(case.chain, case.q, case.qd, case.qdd))


@pytest.mark.parametrize("n", range(2, 13))
def test_operations(n):
    graph = Graph(share=False)
    tau = newton_euler.inverse_dynamics(
        counting_chain("R" * n), *(graph.inputs(name, n) for name in ("q", "qd", "qdd")))
    counts = graph.count(tau)
    assert counts.multiplications == 105 * n - 122
    assert counts.additions == 87 * n - 108
