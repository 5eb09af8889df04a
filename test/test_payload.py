"""Payload and gravity at run time: the same as an arm that was built with them, at once."""

import time
import warnings

import numpy as np
import pytest
from oracle import random_chain, random_kinds, random_state, robot_of

import manip_dynamics as md
from manip_dynamics.codegen import build
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.simulation import Simulator

PAYLOADS = {
    "point": 2.0,
    "body": (1.3, (0.05, -0.1, 0.2), (0.02, 0.03, 0.04)),
    "heavy": (20.0, (0.3, 0.1, -0.2), (0.5, 0.6, 0.7)),
}
SAME = 1e-12  # relative


def robot(name: str, **options) -> md.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(name, **options)


def quantities(dyn: Dynamics, q, qd, qdd):
    tau = dyn.inverse_dynamics(q, qd, qdd)
    return {
        "inverse dynamics": tau,
        "without gravity": dyn.inverse_dynamics(q, qd, qdd, terms=("inertia", "coriolis")),
        "with a wrench": dyn.inverse_dynamics(q, qd, qdd, tip_wrench=np.arange(6.0)),
        "mass matrix": dyn.mass_matrix(q), "bias": dyn.bias(q, qd), "gravity": dyn.gravity(q),
        "accelerations": dyn.inverse_dynamics(q, qd, dyn.forward_dynamics(q, qd, tau)),
        "energy": np.array(dyn.energy(q, qd)),
    }


def assert_as_built_in(dyn: Dynamics, rng: np.random.Generator) -> None:
    """Against kernels that are specialised for the same arm, and against the papers' algorithm."""
    chain = dyn.robot.chain
    built_in = Dynamics(robot_of(chain), "python")
    for shape in ((dyn.n,), (9, dyn.n)):
        q, qd, qdd = rng.uniform(-2.0, 2.0, (3, *shape))
        expected = quantities(built_in, q, qd, qdd)
        for name, found in quantities(dyn, q, qd, qdd).items():
            size = max(1.0, np.abs(expected[name]).max())
            assert np.abs(found - expected[name]).max() <= SAME * size * 10, name
        exact = dyn.inverse_dynamics(q, qd, qdd, algorithm="newton_euler")
        np.testing.assert_allclose(dyn.inverse_dynamics(q, qd, qdd), exact,
                                   atol=SAME * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize(("name", "payload", "backend"), [
    ("stanford_arm", "heavy", "c"), ("puma560", "body", "c"), ("puma560", "point", "c"),
    ("scara", "body", "c"), ("scara", "body", "python")])
def test_a_payload_counts_as_if_it_had_been_built_in(name, payload, backend):
    dyn = Dynamics(robot(name), backend)
    assert_as_built_in(dyn.with_payload(PAYLOADS[payload]), np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(4))
def test_payload_and_gravity_on_random_arms(seed):
    rng = np.random.default_rng([41, seed])
    chain = random_chain(rng, random_kinds(rng, 2 + seed % 4), right_angles=seed % 2 == 0)
    dyn = Dynamics(robot_of(chain), "c")
    assert_as_built_in(dyn.with_gravity(rng.normal(size=3) * 9.0), rng)
    assert_as_built_in(dyn.with_gravity((0.0, 0.0, 0.0)).with_payload(1.0), rng)


def test_an_arm_on_the_wall_is_the_arm_in_turned_gravity():
    upright = Dynamics(robot("puma560"))
    on_the_wall = Dynamics(robot("puma560", gravity=(9.81, 0.0, 0.0)))
    q = np.random.default_rng(2).uniform(-1.0, 1.0, 6)
    np.testing.assert_allclose(upright.with_gravity((9.81, 0.0, 0.0)).gravity(q),
                               on_the_wall.gravity(q), atol=1e-12)


def test_nothing_is_compiled_for_another_payload_or_gravity(monkeypatch):
    arm = robot("puma560")
    dyn = Dynamics(arm, "c")
    dyn.with_payload(5.0)  # the first one

    def compile_again(*_):
        raise AssertionError("something was compiled")

    monkeypatch.setattr(build, "build", compile_again)
    state = random_state(np.random.default_rng(3), 6)
    for other in (dyn.with_payload(1.0), dyn.with_gravity((0.0, 0.0, -1.62)),
                  dyn.with_payload(1.0).with_payload(None), Dynamics(arm.with_payload(3.0), "c")):
        assert other._compiled.chain == dyn._compiled.chain
        other.inverse_dynamics(*state)
    assert dyn.with_payload(1.0).with_payload(None).load is None


def test_a_payload_counts_on_the_next_call():
    """Within 100 us where a call takes 80 ns; as a ratio, because test machines differ."""
    dyn = Dynamics(robot("puma560"), "c")
    loaded, state = dyn.with_payload(1.0), random_state(np.random.default_rng(4), 6)
    call = min(_seconds(lambda: [dyn.inverse_dynamics(*state) for _ in range(100)]) / 100
               for _ in range(200))
    change = min(_seconds(lambda: dyn.with_payload((1.0, (0.1, 0.0, 0.0)))) for _ in range(500))
    assert change < 1250 * call
    with_payload = min(_seconds(lambda: [loaded.inverse_dynamics(*state) for _ in range(100)]) / 100
                       for _ in range(200))
    assert with_payload < 1.6 * call


def _seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@pytest.mark.parametrize("payload", [None, 2.0])
def test_the_compiled_simulation_carries_the_payload(payload):
    arm = robot("planar_2r")
    ends = []
    for backend in ("c", "python"):
        simulator = Simulator(Dynamics(arm, backend).with_payload(payload), 1e-3)
        simulator.run(0.2)
        ends.append(simulator.q)
    np.testing.assert_allclose(*ends, atol=1e-11)
    bare = Simulator(Dynamics(arm), 1e-3)
    bare.run(0.2)
    assert (np.abs(bare.q - ends[0]).max() > 1e-4) == (payload is not None)
