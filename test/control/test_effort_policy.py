"""Which efforts are sent, and when none are."""

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.control.effort_policy import EffortSource, Policy

DYN = md.Dynamics(md.load_robot("stanford_arm"))
Q, QD, QDD = np.full(6, 0.3), np.full(6, 0.2), np.full(6, 0.1)
ELSEWHERE = np.full(6, 0.5)


def source(**settings) -> EffortSource:
    return EffortSource(DYN, Policy(reference_timeout=0.1, **settings))


def test_feedforward_is_the_inverse_dynamics_of_the_reference():
    efforts = source().on_reference(Q, QD, QDD, now=5.0)
    np.testing.assert_allclose(efforts, DYN.inverse_dynamics(Q, QD, QDD))


def test_terms_that_the_driver_adds_are_left_out():
    efforts = source(terms=["inertia", "coriolis"]).on_reference(Q, QD, QDD, now=5.0)
    expected = DYN.inverse_dynamics(Q, QD, QDD) - DYN.gravity(Q) - DYN.friction(QD)
    np.testing.assert_allclose(efforts, expected, atol=1e-12)


def test_computed_torque_without_error_is_feedforward():
    policy = source(mode="computed_torque")
    policy.on_state(Q, QD, now=5.0)
    efforts = policy.on_reference(Q, QD, QDD, now=5.01)
    np.testing.assert_allclose(efforts, DYN.inverse_dynamics(Q, QD, QDD))


def test_computed_torque_makes_the_error_decay_as_its_gains_say():
    kp, kd = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], [2.0]
    policy = source(mode="computed_torque", kp=kp, kd=kd)
    policy.on_state(ELSEWHERE, 2 * QD, now=5.0)
    efforts = policy.on_reference(Q, QD, QDD, now=5.01)
    acceleration = DYN.forward_dynamics(ELSEWHERE, 2 * QD, efforts)
    wanted = QDD + np.array(kp) * (Q - ELSEWHERE) + 2.0 * (QD - 2 * QD)
    np.testing.assert_allclose(acceleration, wanted, atol=1e-9)


def test_computed_torque_needs_a_fresh_joint_state():
    policy = source(mode="computed_torque")
    assert policy.on_reference(Q, QD, QDD, now=5.0) is None
    policy.on_state(Q, QD, now=5.0)
    assert policy.on_reference(Q, QD, QDD, now=5.2) is None


@pytest.mark.parametrize("mode", ["feedforward", "computed_torque"])
def test_a_silent_reference_gives_way_to_gravity_compensation(mode):
    policy = source(mode=mode)
    policy.on_state(Q, QD, now=5.0)
    policy.on_reference(Q, QD, QDD, now=5.0)
    assert policy.on_state(ELSEWHERE, QD, now=5.05) is None
    np.testing.assert_allclose(policy.on_state(ELSEWHERE, QD, now=5.15), DYN.gravity(ELSEWHERE))


def test_gravity_compensation_answers_joint_states_only():
    policy = source(mode="gravity_compensation")
    assert policy.on_reference(Q, QD, QDD, now=5.0) is None
    np.testing.assert_allclose(policy.on_state(ELSEWHERE, QD, now=5.0), DYN.gravity(ELSEWHERE))


def test_what_lies_in_the_future_is_old():
    policy = source(mode="computed_torque")
    policy.on_state(Q, QD, now=100.0)
    policy.on_reference(Q, QD, QDD, now=100.0)
    assert policy.on_reference(Q, QD, QDD, now=1.0) is None
    assert not policy.has_fresh_state(1.0)


def test_efforts_are_cut_at_the_limits_only_if_asked():
    wanted = DYN.inverse_dynamics(Q, QD, 1e6 * QDD)
    limits = np.array([joint.max_effort for joint in DYN.robot.mdh])
    assert (abs(wanted) > limits).any()
    np.testing.assert_allclose(source().on_reference(Q, QD, 1e6 * QDD, now=0.0), wanted)
    policy = source(clamp_to_limits=True)
    efforts = policy.on_reference(Q, QD, 1e6 * QDD, now=0.0)
    np.testing.assert_allclose(efforts, np.clip(wanted, -limits, limits))
    assert policy.saturations == 1


@pytest.mark.parametrize("clamp", [False, True])
def test_a_reference_beyond_all_numbers_is_refused_and_does_not_count(clamp):
    policy = source(clamp_to_limits=clamp)
    with pytest.raises(ValueError, match="the result is not finite"):
        policy.on_reference(Q, np.full(6, 1e308), QDD, now=5.0)
    assert not policy.has_fresh_reference(5.0)
    assert policy.reference_age(5.0) == np.inf
    np.testing.assert_allclose(policy.on_state(Q, QD, now=5.0), DYN.gravity(Q))
    assert policy.state_age(5.5) == 0.5


def test_new_settings_keep_what_was_heard():
    before = source(mode="feedforward")
    before.on_state(Q, QD, now=5.0)
    changed = EffortSource(DYN, Policy(mode="computed_torque"), before)
    assert changed.on_reference(Q, QD, QDD, now=5.05) is not None


def test_what_was_heard_of_another_arm_is_forgotten():
    before = source()
    before.on_state(Q, QD, now=5.0)
    other = EffortSource(md.Dynamics(md.load_robot("planar_2r")), Policy(), before)
    assert not other.has_fresh_state(5.0)


def test_gains_must_fit_the_joints():
    with pytest.raises(ValueError, match=r"kp must have 1 or 6 values \(one per joint\), not 2"):
        source(kp=[1.0, 2.0])
