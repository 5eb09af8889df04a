"""Joints are matched by name, never by index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manip_dynamics.nodes.joint_order import ModelJoints

NAMES = ["waist", "shoulder", "elbow"]


@given(st.permutations(range(3)), st.lists(st.floats(-9, 9), min_size=3, max_size=3))
def test_any_order_is_understood_and_answered_in_kind(permutation, values):
    joints = ModelJoints(NAMES).mapping([NAMES[i] for i in permutation])
    sent = [values[i] for i in permutation]
    assert list(joints.to_model("positions", sent)) == values
    assert list(joints.from_model(np.array(values))) == sent
    matrix = np.outer(values, range(3))
    assert list(joints.matrix_from_model(matrix)) == list(
        matrix[np.ix_(permutation, permutation)].ravel()
    )
    assert list(joints.columns_from_model(matrix)) == list(matrix[:, permutation].ravel())


def test_no_names_mean_the_order_of_the_model():
    joints = ModelJoints(NAMES).mapping([])
    assert joints.names == NAMES
    assert list(joints.to_model("positions", [1.0, 2.0, 3.0])) == [1.0, 2.0, 3.0]


def test_empty_values_are_zero_where_that_is_allowed():
    joints = ModelJoints(NAMES).mapping([])
    assert list(joints.to_model("velocities", [], empty_is_zero=True)) == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="positions has 0 values, but there are 3 joints"):
        joints.to_model("positions", [])


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["waist", "shoulder", "gripper"], "unknown joint 'gripper'; the model has waist, shou"),
        (["waist", "waist", "elbow"], "joint 'waist' is named twice"),
        (["waist", "elbow"], "missing joint 'shoulder'"),
        (["x" * 100_000] * 3, "unknown joint 'xxx"),
    ],
)
def test_a_refusal_says_which_joint(names, complaint):
    with pytest.raises(ValueError, match=complaint) as refusal:
        ModelJoints(NAMES).mapping(names)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_refusal_says_which_value(bad):
    joints = ModelJoints(NAMES).mapping(["elbow", "waist", "shoulder"])
    with pytest.raises(ValueError, match=f"positions of joint 'waist' is {bad}"):
        joints.to_model("positions", [0.0, bad, 0.0])


def test_foreign_joints_are_passed_over_where_others_may_speak():
    model = ModelJoints(NAMES)
    joints = model.mapping_among_others(["finger", "elbow", "waist", "shoulder"])
    assert list(joints.to_model("position", [9.0, 3.0, 1.0, 2.0])) == [1.0, 2.0, 3.0]
    assert model.mapping_among_others(["finger"]) is None
    assert model.mapping_among_others([]) is None
    with pytest.raises(ValueError, match="missing joint 'shoulder'"):
        model.mapping_among_others(["finger", "elbow", "waist"])
    # Where others may not be named, it does not help that they were named before.
    with pytest.raises(ValueError, match="unknown joint 'finger'"):
        model.mapping(["finger", "elbow", "waist", "shoulder"])


def test_a_refused_order_does_not_spoil_the_next():
    model = ModelJoints(NAMES)
    with pytest.raises(ValueError, match="unknown"):
        model.mapping(["a", "b", "c"])
    with pytest.raises(ValueError, match="unknown"):
        model.mapping(["a", "b", "c"])
    assert model.mapping(list(reversed(NAMES))).names == ["elbow", "shoulder", "waist"]


def test_a_mapping_is_remembered_among_some_others():
    model = ModelJoints(NAMES)
    swapped, reversed_names = ["shoulder", "waist", "elbow"], NAMES[::-1]
    mappings = [model.mapping(swapped), model.mapping(reversed_names)]
    assert mappings == [model.mapping(swapped), model.mapping(reversed_names)]
    for k in range(10):
        model.mapping_among_others([f"finger{k}", *NAMES])
    assert model.mapping(swapped) is not mappings[0]  # and not for ever
    assert model.mapping(swapped).names == swapped
