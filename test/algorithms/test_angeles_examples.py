"""The two examples of Angeles, Ma & Rojas 1989, at 21 instants each.

Expected efforts: data/reference.json. The paper prints curves only; these numbers are ours, found
in five independent ways that agreed. Its b_i is measured from O_i, hence d_i = -b_i ("A_literal");
two other readings of the example are kept beside it.
"""

import math

import numpy as np
import pytest
from oracle import assert_close
from reference import REFERENCE, reference_chain
from registry import FORWARD_DYNAMICS, INVERSE_DYNAMICS

from manip_dynamics.algorithms import kinematics

STANFORD = REFERENCE["stanford_example1"]
SIX_AXIS = REFERENCE["six_axis_example2"]
SIGN_OF_B3 = {"A_literal": -1.0, "B_d_equals_b": 1.0, "C_extend": 1.0}  # d_3 = sign * b_3

# The curves pass through zero where torques of tens of N m cancel: absolute, in N m or N.
CURVE_ROUNDING = 1e-10


def stanford_motion(t, variant):
    """q, qd, qdd of example 1: q_i(0) + A_i (t - sin(B t) / B)."""
    A = np.array([math.pi / 30, -math.pi / 60, 0.01, *[math.pi / 30] * 3])
    A[2] *= SIGN_OF_B3[variant]
    B = 2 * math.pi / 10
    start = np.array([0.0, math.pi / 2, 0.0, 0.0, 0.0, 0.0])
    return (start + A * (t - math.sin(B * t) / B), A * (1 - math.cos(B * t)),
            A * B * math.sin(B * t))


def six_axis_instants(variant):
    example = SIX_AXIS[variant]
    chain = reference_chain(example["robot"])
    keys = "t", "q", "qd", "qdd", "tau"
    return [(chain, *(np.array(x) for x in row)) for row in zip(*(example[key] for key in keys))]


VARIANTS_OF_EXAMPLE_2 = pytest.mark.parametrize("variant", ["printed_39.6", "theta4_93.6"])


def every(functions):
    return pytest.mark.parametrize("function", functions.values(), ids=functions.keys())


@every(INVERSE_DYNAMICS)
@pytest.mark.parametrize("variant", SIGN_OF_B3)
def test_stanford_arm(function, variant):
    example = STANFORD[variant]
    chain = reference_chain(example["robot"])
    assert len(example["t"]) == 21
    for t, tau in zip(example["t"], example["tau"]):
        actual = function(chain, *stanford_motion(t, variant))
        assert actual == pytest.approx(tau, rel=1e-10, abs=CURVE_ROUNDING)


@every(INVERSE_DYNAMICS)
@VARIANTS_OF_EXAMPLE_2
def test_six_axis_arm(function, variant):
    instants = six_axis_instants(variant)
    assert len(instants) == 21
    for chain, _, q, qd, qdd, tau in instants:
        assert_close(function(chain, q, qd, qdd), tau)


@every(FORWARD_DYNAMICS)
@VARIANTS_OF_EXAMPLE_2
def test_six_axis_arm_moves_as_it_was_driven(function, variant):
    for chain, _, q, qd, qdd, tau in six_axis_instants(variant):
        # Efforts of 1e3 N m carry their rounding into accelerations of order one.
        assert function(chain, q, qd, tau) == pytest.approx(qdd, abs=1e-9)


@VARIANTS_OF_EXAMPLE_2
def test_six_axis_arm_draws_a_straight_line(variant):
    """x = 1.33, y = s(t), z = 1.80 with constant orientation; s a smooth step of 0.5 m in 1 s."""
    first = None
    for chain, t, q, qd, qdd, _ in six_axis_instants(variant):
        tip = np.array(kinematics.forward_kinematics(chain, q))
        first = tip if first is None else first
        J = np.array(kinematics.jacobian(chain, q))
        Jdot_qd = np.array(kinematics.jacobian_rate_times_velocity(chain, q, qd))
        y = 0.5 * (10 * t**3 - 15 * t**4 + 6 * t**5)
        yd = 0.5 * (30 * t**2 - 60 * t**3 + 30 * t**4)
        ydd = 0.5 * (60 * t - 180 * t**2 + 120 * t**3)
        assert_close(tip[:3, 3], [1.33, y, 1.80])
        assert_close(tip[:3, :3], first[:3, :3])
        assert_close(J @ qd, [0, yd, 0, 0, 0, 0], tolerance=1e-9)
        assert_close(J @ qdd + Jdot_qd, [0, ydd, 0, 0, 0, 0], tolerance=1e-9)
