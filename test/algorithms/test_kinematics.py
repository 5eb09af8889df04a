"""Forward kinematics, Jacobian and its rate against Pinocchio."""

import numpy as np
import pytest
from oracle import CASES, assert_close, counting_chain, random_case

from manip_dynamics.algorithms import kinematics, newton_euler
from manip_dynamics.codegen.trace import Graph, flatten

pin = pytest.importorskip("pinocchio")


class Tip:
    """Pinocchio's answers for the tip, turned into the axes of the base link."""

    def __init__(self, case):
        self.case = case
        self.base = pin.SE3(np.array(case.chain.base.rotation),
                            np.array(case.chain.base.translation))
        self.frame = case.model.getFrameId("tip")

    def placement(self):
        pin.framesForwardKinematics(self.case.model, self.case.data, self.case.q)
        return (self.base * self.case.data.oMf[self.frame]).homogeneous

    def in_base_axes(self, six):
        return np.concatenate([self.base.rotation @ six[:3], self.base.rotation @ six[3:]])


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_tip_and_links_are_where_pinocchio_has_them(n, seed):
    case = random_case(n, seed)
    tip = Tip(case)
    assert_close(kinematics.forward_kinematics(case.chain, case.q), tip.placement())
    frames = [(tip.base * case.data.oMi[i + 1]).homogeneous for i in range(n)]
    assert_close(kinematics.link_placements(case.chain, case.q), frames)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_jacobian_and_its_rate_equal_pinocchio(n, seed):
    case = random_case(n, seed)
    tip = Tip(case)
    pin.computeJointJacobiansTimeVariation(case.model, case.data, case.q, case.qd)
    pin.updateFramePlacements(case.model, case.data)
    aligned = pin.LOCAL_WORLD_ALIGNED
    J = pin.getFrameJacobian(case.model, case.data, tip.frame, aligned)
    Jdot = pin.getFrameJacobianTimeVariation(case.model, case.data, tip.frame, aligned)
    expected = [tip.in_base_axes(matrix.reshape(6, n)) for matrix in (J, Jdot)]
    assert_close(kinematics.jacobian(case.chain, case.q), expected[0])
    assert_close(kinematics.jacobian_rate(case.chain, case.q, case.qd), expected[1])


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_tip_acceleration_of_velocities_alone(n, seed):
    case = random_case(n, seed)
    tip = Tip(case)
    pin.forwardKinematics(case.model, case.data, case.q, case.qd, 0 * case.qd)
    pin.updateFramePlacements(case.model, case.data)
    acceleration = pin.getFrameClassicalAcceleration(
        case.model, case.data, tip.frame, pin.LOCAL_WORLD_ALIGNED).vector
    product = kinematics.jacobian_rate_times_velocity(case.chain, case.q, case.qd)
    assert_close(product, tip.in_base_axes(acceleration))
    assert_close(product, np.array(kinematics.jacobian_rate(case.chain, case.q, case.qd)) @ case.qd)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_jacobian_transposed_takes_the_tip_wrench_to_the_joints(n, seed):
    case = random_case(n, seed)
    wrench = np.array([3.0, -5.0, 7.0, 0.4, -0.9, 0.2])
    state = case.chain, case.q, case.qd, case.qdd
    free = np.array(newton_euler.inverse_dynamics(*state))
    loaded = np.array(newton_euler.inverse_dynamics(*state, wrench))
    J = np.array(kinematics.jacobian(case.chain, case.q))
    assert_close(free - loaded, J.T @ wrench, tolerance=1e-9)  # the difference cancels digits


@pytest.mark.parametrize("n", range(2, 11))
def test_operations(n):
    def count(function, *arguments):
        graph = Graph(share=False)
        chain = counting_chain("R" * n)
        outputs = function(chain, *(graph.inputs(name, n) for name in arguments))
        counts = graph.count(flatten(outputs))
        return counts.multiplications, counts.additions

    assert count(kinematics.forward_kinematics, "q") == (30 * n + 12, 18 * n + 15)
    assert count(kinematics.jacobian, "q") == (36 * n - 15, 24 * n - 3)
    assert count(kinematics.jacobian_rate, "q", "qd") == (57 * n - 27, 48 * n - 24)
    assert count(kinematics.jacobian_rate_times_velocity, "q", "qd") == (57 * n - 27, 45 * n - 24)
