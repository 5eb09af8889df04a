"""Friction opposes motion, and costs nothing where the model has none."""

from dataclasses import replace

import numpy as np
import pytest
from oracle import assert_close, random_chain

from manip_dynamics.algorithms.friction import friction
from manip_dynamics.codegen.trace import Graph
from manip_dynamics.model.chain import Friction


@pytest.fixture
def chain():
    rng = np.random.default_rng(7)
    chain = random_chain(rng, "RPRP")
    joints = tuple(replace(joint, friction=Friction(d, c)) for joint, d, c in zip(
        chain.joints, (0.3, 2.0, 0.0, 0.0), (0.1, 4.0, 0.5, 0.0)))
    return replace(chain, joints=joints)


def test_viscous_and_coulomb_parts_add_with_the_sign_of_the_velocity(chain):
    assert friction(chain, [2.0, -3.0, -1.0, 5.0]) == pytest.approx([0.7, -10.0, -0.5, 0.0])


def test_friction_is_odd_and_zero_at_rest(chain):
    qd = np.array([0.4, -0.2, 1.5, 0.3])
    assert_close(friction(chain, -qd), -np.array(friction(chain, qd)))
    assert friction(chain, [0.0] * 4) == [0.0] * 4


def test_friction_takes_power(chain):
    for qd in np.random.default_rng(1).normal(size=(20, 4)):
        assert np.dot(friction(chain, qd), qd) > 0.0


def test_no_operation_for_a_joint_without_friction(chain):
    graph = Graph(share=False)
    efforts = friction(chain, graph.inputs("qd", 4))
    assert efforts[3] == 0.0
    counts = graph.count(efforts)
    assert (counts.multiplications, counts.additions) == (5, 2)  # all three kinds of joints
