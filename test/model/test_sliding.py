"""Frames slid along parallel axes: fewer offsets, the same arm."""

import math

import numpy as np
import pytest
from oracle import assert_close, random_chain, random_link, random_state
from reference import reference_chain, reference_states

from manip_dynamics.algorithms import kane, newton_euler
from manip_dynamics.model.chain import Chain, Joint
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.model.sliding import merge_parallel_offsets


def parallel_chain(rng: np.random.Generator) -> Chain:
    kinds = rng.choice(["revolute", "revolute", "prismatic"], 6)
    joints = [
        Joint(kind, rng.choice([0.0, math.pi, math.pi / 2]), *rng.uniform(-1, 1, 3))
        for kind in kinds
    ]
    return Chain(tuple(joints), tuple(random_link(rng) for _ in joints))


@pytest.mark.parametrize("seed", range(50))
def test_dynamics_stay_the_same(seed):
    rng = np.random.default_rng(seed)
    chain = parallel_chain(rng)
    slid = merge_parallel_offsets(chain)
    state = random_state(rng, 6)
    expected = kane.inverse_dynamics(chain, *state)
    assert_close(kane.inverse_dynamics(slid, *state), expected)  # mass centres moved along
    virtual = merge_parallel_offsets(minimal_combinations(chain).chain)
    assert_close(newton_euler.inverse_dynamics(virtual, *state), expected)  # and moments


@pytest.mark.parametrize("seed", range(20))
def test_no_offset_is_left_at_parallel_revolute_joints(seed):
    slid = merge_parallel_offsets(parallel_chain(np.random.default_rng(seed)))
    for joint in slid.joints[1:]:
        assert not (joint.revolute and joint.sin_alpha == 0.0) or joint.d == 0.0


def test_stanford_wrist_joins_the_boom():
    chain = merge_parallel_offsets(reference_chain(reference_states()["stanford_A"]["robot"]))
    assert [joint.d for joint in chain.joints] == pytest.approx([0.1, 0.1, 0.6, 0.0, 0.0, 0.0])


def test_general_arms_are_left_alone():
    chain = random_chain(np.random.default_rng(1), "RRPR")
    assert merge_parallel_offsets(chain) == chain
