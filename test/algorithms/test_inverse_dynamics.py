"""Every inverse dynamics, bias vector and gravity vector against Pinocchio."""

import numpy as np
import pytest
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state
from reference import reference_chain, reference_states
from registry import BIASES, GRAVITIES, INVERSE_DYNAMICS

from manip_dynamics.algorithms import newton_euler_mlc
from manip_dynamics.model.chain import Chain, RigidLink

pin = pytest.importorskip("pinocchio")


def every(functions):
    return pytest.mark.parametrize("function", functions.values(), ids=functions.keys())


def arms(n):
    """20 arms with n joints, half of them right-angled, each with a random state."""
    for seed in range(20):
        rng = np.random.default_rng([seed, n])
        yield random_chain(rng, random_kinds(rng, n), seed % 2 == 1), random_state(rng, n)


@every(INVERSE_DYNAMICS)
@pytest.mark.parametrize("n", range(1, 11))
def test_inverse_dynamics_equals_pinocchio(function, n):
    for chain, state in arms(n):
        model, data = pinocchio_model(chain)
        assert_close(function(chain, *state), pin.rnea(model, data, *state))


@every(INVERSE_DYNAMICS)
@pytest.mark.parametrize("n", range(1, 6))
def test_inverse_dynamics_of_every_joint_pattern(function, n):
    for pattern in range(2**n):
        kinds = "".join("RP"[pattern >> i & 1] for i in range(n))
        rng = np.random.default_rng([pattern, n])
        chain = random_chain(rng, kinds, right_angles=pattern % 2 == 0)
        state = random_state(rng, n)
        model, data = pinocchio_model(chain)
        assert_close(function(chain, *state), pin.rnea(model, data, *state))


@every(BIASES)
@pytest.mark.parametrize("n", range(1, 11))
def test_bias_equals_pinocchio(function, n):
    for chain, (q, qd, _) in arms(n):
        model, data = pinocchio_model(chain)
        assert_close(function(chain, q, qd), pin.nonLinearEffects(model, data, q, qd))


@every(GRAVITIES)
@pytest.mark.parametrize("n", range(1, 11))
def test_gravity_equals_pinocchio(function, n):
    for chain, (q, _, _) in arms(n):
        model, data = pinocchio_model(chain)
        assert_close(function(chain, q), pin.computeGeneralizedGravity(model, data, q))


@pytest.mark.parametrize("entry", reference_states().values(), ids=reference_states().keys())
def test_reference_states(entry):
    chain = reference_chain(entry["robot"])
    q, qd, qdd = entry["q"], entry["qd"], entry["qdd"]
    for function in INVERSE_DYNAMICS.values():
        assert_close(function(chain, q, qd, qdd), entry["tau"])
    for function in BIASES.values():
        assert_close(function(chain, q, qd), entry["bias"])
    for function in GRAVITIES.values():
        assert_close(function(chain, q), entry["gravity"])


def test_angle_of_a_symmetric_last_link_is_not_used():
    rng = np.random.default_rng(1)
    chain = random_chain(rng, "RPRR")
    spindle = RigidLink(0.7, (0.0, 0.0, 0.2), ((0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.1)))
    chain = Chain(chain.joints, (*chain.links[:3], spindle), chain.gravity)
    q, qd, qdd = random_state(rng, 4)
    model, data = pinocchio_model(chain)
    tau = newton_euler_mlc.inverse_dynamics(chain, q, qd, qdd)
    assert_close(tau, pin.rnea(model, data, q, qd, qdd))
    assert newton_euler_mlc.inverse_dynamics(chain, [*q[:3], 99.0], qd, qdd) == tau
