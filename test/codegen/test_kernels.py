"""Compiled kernels and traced programs against the reference algorithms."""


from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracle import (
    assert_close,
    random_chain,
    random_kinds,
    random_link,
    random_state,
    robot_of,
)

import manip_dynamics as md
from manip_dynamics.algorithms import (
    articulated_body,
    friction,
    kane,
    kinematics,
    lagrange,
    newton_euler,
    rotor,
)
from manip_dynamics.codegen import kernels
from manip_dynamics.dynamics import Dynamics
from manip_dynamics.model.chain import Chain, Friction, Joint

STATES = 21  # more than two vectors of states, and a remainder


def reference(chain: Chain, q, qd, qdd) -> dict[str, np.ndarray]:
    """Every compiled quantity at one state, by algorithms that the kernels do not use."""
    q, qd, qdd = (x.tolist() for x in (q, qd, qdd))
    rest = [0.0] * chain.n
    rotors = np.array(rotor.inverse_dynamics(chain, q, qd, qdd))
    spent = np.array(friction.friction(chain, qd))
    moved = np.array(kane.inverse_dynamics(chain, q, qd, qdd))
    bias = np.array(newton_euler.bias(chain, q, qd)) + rotor.inverse_dynamics(chain, q, qd, rest)
    matrix = np.array(lagrange.mass_matrix(chain, q)) + rotor.mass_matrix(chain, q)
    return {
        "inverse_dynamics": moved + rotors + spent,
        "mass_matrix": matrix,
        "bias": bias,
        "gravity": np.array(lagrange.gravity(chain, q)),
        "friction": spent,
        "forward_dynamics": np.linalg.solve(matrix, np.array(qdd) - bias - spent),
        "jacobian": np.array(kinematics.jacobian(chain, q)),
        "forward_kinematics": np.array(kinematics.forward_kinematics(chain, q)),
    }


def check_against_reference(dyn: Dynamics, rng: np.random.Generator) -> None:
    """All quantities, state by state and in a batch; tau of the forward dynamics is qdd."""
    states = [np.array(x) for x in zip(*(random_state(rng, dyn.n) for _ in range(STATES)))]
    inputs = {"friction": (1,), "mass_matrix": (0,), "gravity": (0,), "bias": (0, 1),
              "jacobian": (0,), "forward_kinematics": (0,)}
    batches = {name: getattr(dyn, name)(*(states[k] for k in inputs.get(name, (0, 1, 2))))
               for name in reference(dyn.robot.chain, *(x[0] for x in states))}
    for i in (0, 3, STATES - 1):
        for name, expected in reference(dyn.robot.chain, *(x[i] for x in states)).items():
            arguments = [states[k][i] for k in inputs.get(name, (0, 1, 2))]
            assert_close(getattr(dyn, name)(*arguments), expected)
            assert_close(batches[name][i], expected)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("name", md.bundled_robots())
def test_kernels_of_bundled_robots_equal_the_reference(name, backend):
    dyn = Dynamics(md.load_robot(name), backend)
    assert dyn.backend == backend
    check_against_reference(dyn, np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(50))
def test_kernels_of_random_chains_equal_the_reference(seed):
    rng = np.random.default_rng([7, seed])
    n = int(rng.integers(1, 9))
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 1)
    backend = "c" if seed % 5 == 0 else "python"  # the same programs; C takes a second each
    check_against_reference(Dynamics(robot_of(chain), backend), rng)


def test_rotors_and_friction_are_part_of_the_kernels():
    from dataclasses import replace
    rng = np.random.default_rng(3)
    chain = random_chain(rng, "RRPR")
    joints = tuple(replace(joint, friction=Friction(0.3, 0.2), rotor_inertia=2e-4, gear_ratio=-50.0)
                   for joint in chain.joints)
    for backend in ("c", "python"):
        check_against_reference(Dynamics(robot_of(replace(chain, joints=joints)), backend), rng)


def test_forward_dynamics_equals_articulated_bodies():
    rng = np.random.default_rng(4)
    chain = random_chain(rng, "RPRRRRR")
    q, qd, tau = random_state(rng, chain.n)
    expected = articulated_body.forward_dynamics(chain, q.tolist(), qd.tolist(), tau.tolist())
    assert_close(Dynamics(robot_of(chain)).forward_dynamics(q, qd, tau), expected, 1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, np.pi / 4, np.pi / 2, -np.pi, 50.0, 1e4 + 0.1, 1e6,
                                   -9.99e6, 1.01e7, 1e15, 1e300])
def test_angles_of_any_size(angle):
    chain = random_chain(np.random.default_rng(5), "RRR", right_angles=True)
    dyn = Dynamics(robot_of(chain), "c")
    q, qd, qdd = np.array([angle, -angle, 0.3 + angle]), np.ones(3), np.ones(3)
    expected = kane.inverse_dynamics(chain, q.tolist(), qd.tolist(), qdd.tolist())
    assert_close(dyn.inverse_dynamics(q, qd, qdd), expected)
    batch = dyn.inverse_dynamics(*(np.tile(x, (9, 1)) for x in (q, qd, qdd)))
    assert_close(batch, np.tile(expected, (9, 1)))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="nothing to compare with")
def test_sines_and_cosines_are_right_to_the_last_places():
    rng = np.random.default_rng(10)
    chain = Chain((Joint("revolute"),), (random_link(rng),))
    angles = np.concatenate([
        rng.uniform(-10, 10, 50_000), rng.uniform(-1e7, 1e7, 50_000),
        np.round(rng.uniform(-6e6, 6e6, 50_000)) * (np.pi / 2)])  # close to a zero
    pose = Dynamics(robot_of(chain), "c").forward_kinematics(angles[:, None])
    for found, function in ((pose[:, 1, 0], np.sin), (pose[:, 0, 0], np.cos)):
        exact = function(angles.astype(np.longdouble))
        last_place = np.spacing(abs(exact.astype(float)))
        assert (abs(found - exact) <= 2.6 * last_place + 5e-28).all()


def test_threads_of_the_caller_do_not_disturb_each_other(monkeypatch):
    robot = md.load_robot("stanford_arm")
    states = [np.random.default_rng(k).uniform(-2, 2, (500, 6)) for k in range(3)]
    for headers in (True, False):
        if not headers:
            monkeypatch.setattr(kernels, "_call_module", lambda: None)
        dyn = Dynamics(robot, "c")
        expected = dyn.inverse_dynamics(*states)

        def run(_, dyn=dyn):
            return np.array([dyn.inverse_dynamics(*state) for state in zip(*states)])

        with ThreadPoolExecutor(4) as pool:
            for result in pool.map(run, range(4)):
                assert_close(result, expected)


def test_without_python_headers_ctypes_calls_the_same_kernels(monkeypatch):
    monkeypatch.setattr(kernels, "_call_module", lambda: None)
    dyn = Dynamics(md.load_robot("stanford_arm"), "c")
    assert dyn.backend == "c"
    check_against_reference(dyn, np.random.default_rng(6))


@pytest.mark.parametrize(("backend", "how"), [("c", "compiled"), ("python", "in Python")])
def test_dynamics_say_what_they_are(backend, how):
    dyn = md.Dynamics(md.load_robot("planar_2r"), backend)
    assert repr(dyn) == f"<Dynamics of 'planar_2r': 2 joints, {how}>"
