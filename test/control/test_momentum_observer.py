"""The observer tells a push at the tip from what the arm does by itself."""

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.control.momentum_observer import MomentumObserver

STEP = 1e-3


def observed(push: np.ndarray, seconds: float, payload=None, known=None, gain: float = 100.0):
    """The PUMA on a gentle motion, pushed from 0.2 s on: times, estimates, true efforts."""
    robot = md.load_robot("puma560")
    real = md.Dynamics(robot).with_payload(payload)
    observer = MomentumObserver(md.Dynamics(robot).with_payload(known), gain)
    q, qd = robot.lower * 0.2, np.zeros(6)
    q, goal = np.zeros(6), np.array([0.5, -0.4, 0.6, 0.3, 0.4, -0.2])
    estimates, truths, tau = [], [], real.gravity(q)
    for k in range(round(seconds / STEP)):
        time = k * STEP
        estimates.append(observer.update(time, q, qd, tau))
        wrench = push if time >= 0.2 else np.zeros(6)
        truths.append(real.jacobian(q).T @ wrench)
        wanted = goal * (1.0 - np.cos(time)) / 2.0
        tau = real.inverse_dynamics(q, qd, 100.0 * (wanted - q) - 20.0 * qd)
        for _ in range(4):  # finer than the samples
            qd = qd + STEP / 4 * real.forward_dynamics(q, qd, tau, tip_wrench=wrench)
            q = q + STEP / 4 * qd
    return np.arange(len(estimates)) * STEP, np.array(estimates), np.array(truths)


def test_a_push_is_seen_within_50_ms_and_5_percent():
    push = np.array([0.0, 3.0, -4.0, 0.0, 0.0, 0.0])  # 5 N
    times, estimates, truths = observed(push, 0.6)
    after = times >= 0.25
    size = np.abs(truths[after]).max()
    assert np.abs(estimates - truths)[after].max() <= 0.05 * size


def test_without_a_push_hardly_anything_is_seen():
    times, estimates, _ = observed(np.zeros(6), 1.0)
    limits = md.load_robot("puma560").max_effort
    assert (np.abs(estimates).max(0) <= 0.01 * limits).all()


def test_a_payload_that_is_not_known_looks_like_a_push_and_a_known_one_does_not():
    limits = md.load_robot("puma560").max_effort
    _, unknown, _ = observed(np.zeros(6), 0.4, payload=2.0)
    _, known, _ = observed(np.zeros(6), 0.4, payload=2.0, known=2.0)
    assert np.abs(unknown[-1]).max() > 5.0
    assert (np.abs(known).max(0) <= 0.01 * limits).all()


def test_a_clock_that_jumps_back_begins_anew():
    observer = MomentumObserver(md.Dynamics(md.load_robot("planar_2r")))
    observer.update(1.0, np.zeros(2), np.zeros(2), np.zeros(2))
    observer.update(1.1, np.zeros(2), np.ones(2), np.zeros(2))
    before = observer.update(0.0, np.zeros(2), np.ones(2), np.zeros(2))
    assert np.isfinite(before).all()


@pytest.mark.parametrize("gain", [0.0, -1.0, np.nan])
def test_a_gain_that_is_not_positive_is_refused(gain):
    with pytest.raises(ValueError, match="gain must be positive"):
        MomentumObserver(md.Dynamics(md.load_robot("planar_2r")), gain)
