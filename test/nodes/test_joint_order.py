"""Joints are matched by name, never by index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manip_dynamics.nodes.joint_order import JointOrder

NAMES = ["waist", "shoulder", "elbow"]


@given(st.permutations(range(3)), st.lists(st.floats(-9, 9), min_size=3, max_size=3))
def test_any_order_is_understood_and_answered_in_kind(permutation, values):
    joints = JointOrder(NAMES).complete([NAMES[i] for i in permutation])
    sent = [values[i] for i in permutation]
    assert list(joints.to_model("positions", sent)) == values
    assert list(joints.from_model(np.array(values))) == sent
    matrix = np.outer(values, range(3))
    assert list(joints.matrix_from_model(matrix)) == list(
        matrix[np.ix_(permutation, permutation)].ravel()
    )
    assert list(joints.columns_from_model(matrix)) == list(matrix[:, permutation].ravel())


def test_no_names_mean_the_order_of_the_model():
    joints = JointOrder(NAMES).complete([])
    assert joints.names == NAMES
    assert list(joints.to_model("positions", [1.0, 2.0, 3.0])) == [1.0, 2.0, 3.0]


def test_empty_values_are_zero_where_that_is_allowed():
    joints = JointOrder(NAMES).complete([])
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
        JointOrder(NAMES).complete(names)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_refusal_says_which_value(bad):
    joints = JointOrder(NAMES).complete(["elbow", "waist", "shoulder"])
    with pytest.raises(ValueError, match=f"positions of joint 'waist' is {bad}"):
        joints.to_model("positions", [0.0, bad, 0.0])


def test_foreign_joints_are_passed_over_where_others_may_speak():
    order = JointOrder(NAMES)
    joints = order.containing(["finger", "elbow", "waist", "shoulder"])
    assert list(joints.to_model("position", [9.0, 3.0, 1.0, 2.0])) == [1.0, 2.0, 3.0]
    assert order.containing(["finger"]) is None
    assert order.containing([]) is None
    with pytest.raises(ValueError, match="missing joint 'shoulder'"):
        order.containing(["finger", "elbow", "waist"])


def test_a_result_that_is_not_finite_is_no_answer():
    joints = JointOrder(NAMES).complete(["elbow", "waist", "shoulder"])
    assert list(joints.from_model(np.full(3, 1e308))) == [1e308] * 3  # but their sum is infinite
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="the result is not finite"):
            joints.from_model(np.array([0.0, bad, 0.0]))
        with pytest.raises(ValueError, match="the result is not finite"):
            joints.matrix_from_model(np.diag([0.0, bad, 0.0]))


def test_a_refused_order_does_not_spoil_the_next():
    order = JointOrder(NAMES)
    with pytest.raises(ValueError, match="unknown"):
        order.complete(["a", "b", "c"])
    with pytest.raises(ValueError, match="unknown"):
        order.complete(["a", "b", "c"])
    assert order.complete(list(reversed(NAMES))).names == ["elbow", "shoulder", "waist"]
