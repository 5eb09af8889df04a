"""Derivatives of the dynamics: against Pinocchio, against differences, and against each other."""

import resource
import warnings
from dataclasses import replace

import numpy as np
import pytest
from oracle import pinocchio_model, random_chain, random_kinds, random_state, robot_of

import manip_dynamics as md
from manip_dynamics.algorithms.derivatives import inverse_dynamics_derivatives
from manip_dynamics.model.chain import Friction

pin = pytest.importorskip("pinocchio")

EXACT = 1e-11  # relative to the largest entry
BUNDLED = ("stanford_arm", "puma560", "six_axis", "scara", "planar_2r")
PAYLOAD = (1.3, (0.05, -0.1, 0.2), (0.02, 0.03, 0.04))


def robot(name: str, **options) -> md.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(name, **options)


def assert_same(found, exact):
    found, exact = np.asarray(found), np.asarray(exact)
    assert np.abs(found - exact).max() <= EXACT * max(1.0, np.abs(exact).max())


def pinocchio_derivatives(chain, q, qd, third, of_accelerations=False):
    model, data = pinocchio_model(chain)
    if of_accelerations:
        pin.computeABADerivatives(model, data, q, qd, third)
        inverse = np.triu(data.Minv)
        return data.ddq_dq, data.ddq_dv, inverse + np.triu(inverse, 1).T
    pin.computeRNEADerivatives(model, data, q, qd, third)
    M = np.triu(data.M)
    return data.dtau_dq, data.dtau_dv, M + np.triu(M, 1).T


@pytest.mark.parametrize("seed", range(100))
def test_the_recursion_agrees_with_pinocchio_on_random_arms_in_every_meeting_frame(seed):
    rng = np.random.default_rng([31, seed])
    n = 1 + seed % 8
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 0)
    q, qd, qdd = random_state(rng, n)
    exact = pinocchio_derivatives(chain, q, qd, qdd)
    for k in range(1, n + 1):
        found = inverse_dynamics_derivatives(chain, q.tolist(), qd.tolist(), qdd.tolist(), k)
        for mine, theirs in zip(found, exact):
            assert_same(mine, theirs)


@pytest.mark.parametrize(("name", "backend"), [
    *((name, "c") for name in BUNDLED), ("scara", "python"), ("planar_2r", "python")])
@pytest.mark.parametrize("payload", [None, PAYLOAD], ids=["bare", "payload"])
def test_served_derivatives_agree_with_pinocchio(name, payload, backend):
    dyn = md.Dynamics(robot(name), backend).with_payload(payload)
    smooth = replace(dyn.robot.chain, joints=tuple(
        replace(joint, friction=Friction()) for joint in dyn.robot.joints))
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, qd, qdd = random_state(rng, dyn.n)
        exact = pinocchio_derivatives(smooth, q, qd, qdd)
        slopes = (0.0, np.diag([joint.friction.viscous for joint in dyn.robot.joints]), 0.0)
        for mine, theirs, slope in zip(
                dyn.inverse_dynamics_derivatives(q, qd, qdd), exact, slopes):
            assert_same(mine, theirs + slope)
        tau = dyn.inverse_dynamics(q, qd, qdd)
        net = tau - dyn.friction(qd)
        dq, dqd, inverse = pinocchio_derivatives(smooth, q, qd, net, of_accelerations=True)
        found = dyn.forward_dynamics_derivatives(q, qd, tau)
        for mine, theirs in zip(found, (dq, dqd - inverse @ slopes[1], inverse)):
            assert_same(mine, theirs)
        assert_same(dyn.mass_matrix_inverse(q), inverse)
        w = rng.normal(size=dyn.n)
        assert_same(dyn.inverse_dynamics_vjp(q, qd, qdd, w),
                    w @ np.hstack(dyn.inverse_dynamics_derivatives(q, qd, qdd)))


def slopes_of(function, *state):
    """Central differences with respect to each vector of a state."""
    h = 1e-6
    parts = []
    for k, vector in enumerate(state):
        columns = []
        for e in np.eye(len(vector)):
            ahead, back = ([x + (s * e if i == k else 0.0) for i, x in enumerate(state)]
                           for s in (h, -h))
            columns.append((function(*ahead) - function(*back)) / (2.0 * h))
        parts.append(np.transpose(columns))
    return parts


def rough(chain, **friction):
    joints = tuple(replace(joint, friction=Friction(**friction), rotor_inertia=1e-3,
                           gear_ratio=20.0) for joint in chain.joints)
    return replace(chain, joints=joints)


@pytest.mark.parametrize("friction", [
    {"viscous": 0.4, "coulomb": 0.3},
    {"viscous": 0.4, "coulomb": 0.3, "offset": 0.2, "width": 0.5},
    {"viscous": 0.1, "coulomb": 0.3, "load": 0.05},
], ids=["sharp", "smooth", "load"])
@pytest.mark.parametrize("payload", [None, PAYLOAD], ids=["bare", "payload"])
def test_rotors_and_friction_are_differentiated_too(friction, payload):
    rng = np.random.default_rng(5)
    chain = rough(random_chain(rng, "RRPR"), **friction)
    dyn = md.Dynamics(robot_of(chain), "c").with_payload(payload)
    q, qd, qdd = random_state(rng, 4)
    found = dyn.inverse_dynamics_derivatives(q, qd, qdd)
    for mine, theirs in zip(found, slopes_of(dyn.inverse_dynamics, q, qd, qdd)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max())
    w = rng.normal(size=4)
    assert_same(dyn.inverse_dynamics_vjp(q, qd, qdd, w), w @ np.hstack(found))
    tau = dyn.inverse_dynamics(q, qd, qdd)
    for mine, theirs in zip(dyn.forward_dynamics_derivatives(q, qd, tau),
                            slopes_of(dyn.forward_dynamics, q, qd, tau)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6 * np.abs(theirs).max())


def test_a_tip_wrench_is_differentiated_too():
    dyn = md.Dynamics(robot("stanford_arm").with_payload(PAYLOAD))
    rng = np.random.default_rng(6)
    q, qd, qdd = random_state(rng, 6)
    wrench = rng.normal(size=6) * 10.0
    found = dyn.inverse_dynamics_derivatives(q, qd, qdd, tip_wrench=wrench)
    exact = slopes_of(lambda *state: dyn.inverse_dynamics(*state, tip_wrench=wrench), q, qd, qdd)
    for mine, theirs in zip(found, exact):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max())
    tau = dyn.inverse_dynamics(q, qd, qdd)
    found = dyn.forward_dynamics_derivatives(q, qd, tau, tip_wrench=wrench)
    exact = slopes_of(lambda *state: dyn.forward_dynamics(*state, tip_wrench=wrench), q, qd, tau)
    for mine, theirs in zip(found, exact):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("name", BUNDLED)
def test_the_coriolis_matrix_gives_the_efforts_and_keeps_energy(name):
    dyn = md.Dynamics(robot(name))
    rng = np.random.default_rng(7)
    q, qd, _ = random_state(rng, dyn.n)
    C = dyn.coriolis_matrix(q, qd)
    assert_same(C @ qd, dyn.bias(q, qd) - dyn.gravity(q))
    h = 1e-6
    rate = (dyn.mass_matrix(q + h * qd) - dyn.mass_matrix(q - h * qd)) / (2 * h)
    power = rate - 2.0 * C
    np.testing.assert_allclose(power, -power.T, atol=1e-7 * max(1.0, np.abs(rate).max()))


@pytest.mark.parametrize("backend", ["c", "python"])
def test_batches_out_and_threads_are_as_everywhere(backend):
    dyn = md.Dynamics(robot("stanford_arm"), backend)
    states = np.random.default_rng(8).uniform(-1.0, 1.0, (3, 300, 6))
    many = dyn.inverse_dynamics_derivatives(*states)
    assert many.dq.shape == many.dqd.shape == many.dqdd.shape == (300, 6, 6)
    for i in (0, 7, 299):
        for one, all_ in zip(dyn.inverse_dynamics_derivatives(*states[:, i]), many):
            np.testing.assert_allclose(one, all_[i], rtol=0.0, atol=1e-12)
    out = np.empty((300, 6, 18))
    shared = dyn.inverse_dynamics_derivatives(*states, out=out, threads=2)
    assert shared.dqd.base is not None
    np.testing.assert_allclose(out, np.concatenate(many, -1), atol=1e-12)
    np.testing.assert_allclose(shared.dqd, many.dqd, atol=1e-12)


def test_results_that_are_kept_do_not_change():
    dyn = md.Dynamics(robot("planar_2r"), "c")
    rng = np.random.default_rng(9)
    results, copies = [], []
    for k in range(50):
        state = rng.uniform(-1.0, 1.0, (3, 2))
        found = dyn.inverse_dynamics_derivatives(*state)
        results.append(found if k % 3 else found.dqd)  # the tuple, or one part alone
        copies.append(np.array(results[-1]))
    for result, copy in zip(results, copies):
        np.testing.assert_array_equal(np.array(result), copy)


def test_memory_is_flat_however_many_results_are_handed_out():
    dyn = md.Dynamics(robot("planar_2r"), "c")
    state = np.random.default_rng(10).uniform(-1.0, 1.0, (3, 2))
    batch = np.repeat(state[:, None], 50, 1)

    def hand_out():
        for _ in range(40):
            held = [dyn.inverse_dynamics_derivatives(*state) for _ in range(500)]
            held += [dyn.inverse_dynamics_derivatives(*batch) for _ in range(20)]
            del held

    hand_out()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hand_out()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2000  # kB


def test_wrong_arguments_are_told_by_name():
    dyn = md.Dynamics(robot("planar_2r"))
    good = [0.1, 0.2]
    with pytest.raises(ValueError, match="qdd must have shape"):
        dyn.inverse_dynamics_derivatives(good, good, [1.0])
    with pytest.raises(ValueError, match="w of joint 'joint2' is nan"):
        dyn.inverse_dynamics_vjp(good, good, good, [0.0, np.nan])
    with pytest.raises(ValueError, match="out must be an array of shape"):
        dyn.forward_dynamics_derivatives(good, good, good, out=np.empty((2, 2)))
