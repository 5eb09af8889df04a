"""The C loop and the Python loop produce the same motions and errors."""

import resource
import subprocess
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.codegen import toolchain
from manip_dynamics.model.chain import Friction
from manip_dynamics.simulation import SimulationError, Simulator, compiled_loop
from manip_dynamics.simulation.compiled_loop import METHODS, CompiledLoop
from manip_dynamics.simulation.integrators import INTEGRATORS
from manip_dynamics.simulation.loop import PythonLoop

# The order of operations differs, and stops amplify rounding at every bounce.
ROUNDING = 1e-9

try:
    toolchain.compiler()
except toolchain.NoCompiler as error:
    pytest.skip(str(error), allow_module_level=True)

FIXED_STEP = [name for name, method in INTEGRATORS.items() if method in METHODS]


def arm(name: str, **joint_fields) -> md.Robot:
    robot = md.load_robot(name)
    joints = tuple(replace(joint, **joint_fields) for joint in robot.bare_chain.joints)
    return replace(robot, bare_chain=replace(robot.bare_chain, joints=joints))


ARMS = {
    "plain": arm("stanford_arm"),
    "friction": arm("puma560", friction=Friction(0.03, 0.02)),
    "stops": arm("planar_2r", lower=-0.3, upper=0.2),
    "weak motors": arm("scara", lower=-1.0, max_effort=0.5),
    "heavy damping": arm("puma560", friction=Friction(2.0, 0.2)),
    "friction under load": arm("puma560", friction=Friction(0.03, 0.02, 0.01, 0.1)),
    "rotors": arm("puma560", friction=Friction(coulomb=1.0), rotor_inertia=1e-4, gear_ratio=50.0),
}


def pair(robot: md.Robot, integrator: str, **options) -> list[Simulator]:
    """Simulators of the same arm with the C loop and the Python loop."""
    simulators = [Simulator(md.Dynamics(robot, backend), 1e-3, integrator, **options)
                  for backend in ("c", "python")]
    assert isinstance(simulators[0]._loop, CompiledLoop)
    assert isinstance(simulators[1]._loop, PythonLoop)
    assert simulators[0].substeps == simulators[1].substeps
    return simulators


@pytest.mark.parametrize("integrator", FIXED_STEP)
@pytest.mark.parametrize("name", ARMS)
def test_both_loops_give_the_same_history(name, integrator):
    robot = ARMS[name]
    rng = np.random.default_rng(3)
    efforts = np.repeat(rng.uniform(-3, 3, (12, robot.n)), 10, 0)
    compiled, interpreted = (simulator.run(0.12, efforts, every=7)
                             for simulator in pair(robot, integrator, stop_damping=0.3))
    for field in ("t", "q", "qd", "tau"):
        np.testing.assert_allclose(getattr(compiled, field), getattr(interpreted, field),
                                   rtol=ROUNDING, atol=ROUNDING)


def test_both_loops_remember_earlier_steps_over_the_end_of_a_run():
    simulators = pair(ARMS["plain"], "ab4")
    for simulator in simulators:
        simulator.run(0.05)
        simulator.step()
        simulator.run(0.05, np.ones(6))
        simulator.run(0.05, np.ones(6))
    np.testing.assert_allclose(simulators[0].q, simulators[1].q, rtol=ROUNDING)


def test_both_loops_fail_at_the_same_step():
    errors = []
    for simulator in pair(ARMS["plain"], "rk4", limits=False):
        with pytest.raises(SimulationError) as caught:
            simulator.run(5.0, np.full(6, 300.0), every=10)
        errors.append(caught.value)
    assert errors[0].joint == errors[1].joint
    assert errors[0].time == pytest.approx(errors[1].time, abs=2e-3)
    assert len(errors[0].history) == pytest.approx(len(errors[1].history), abs=1)


def test_efforts_may_have_any_layout_in_memory():
    rows = np.random.default_rng(5).uniform(-3, 3, (20, 6))
    simulator = Simulator(md.Dynamics(ARMS["plain"], "c"), 1e-3)
    simulator.run(0.02, rows)
    expected = simulator.q
    simulator.reset()
    simulator.run(0.02, np.asfortranarray(rows))
    np.testing.assert_array_equal(simulator.q, expected)


def test_a_sampled_controller_may_return_a_view():
    efforts = np.random.default_rng(6).uniform(-3, 3, (6, 2))
    ends = []
    for given in (efforts[:, 0].copy(), efforts[:, 0]):
        simulator = Simulator(md.Dynamics(ARMS["plain"], "c"), 1e-3, control_period=2e-3,
                              controller=lambda t, q, qd, given=given: given)
        simulator.run(0.02)
        ends.append(simulator.q)
    np.testing.assert_array_equal(ends[0], ends[1])


def test_where_nothing_compiled_may_be_executed_the_loop_is_in_python(monkeypatch):
    def refuse(path):
        raise OSError(f"{path}: failed to map segment from shared object")

    dyn = md.Dynamics(ARMS["plain"], "c")
    compiled_loop._library.cache_clear()
    monkeypatch.setattr(toolchain.ctypes, "CDLL", refuse)
    assert isinstance(Simulator(dyn)._loop, PythonLoop)


def test_a_sampled_controller_leaves_the_steps_to_c():
    dyn = md.Dynamics(ARMS["plain"], "c")
    simulator = Simulator(dyn, 1e-4, controller=lambda t, q, qd: dyn.gravity(q),
                          control_period=1e-3)
    assert isinstance(simulator._loop, CompiledLoop)
    simulator.run(0.1)
    np.testing.assert_allclose(simulator.q, np.zeros(6), atol=1e-4)


def test_memory_is_flat_over_ten_million_steps():
    simulator = Simulator(md.Dynamics(arm("planar_2r", friction=Friction(0.1)), "c"), 1e-3)
    simulator.run(100.0, every=10**5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    simulator.run(1e4, every=10**6)
    assert simulator.time == 1e4 + 100.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024  # kB


def test_the_loop_is_plain_c99(tmp_path):
    source = resources.files("manip_dynamics.simulation").joinpath("c/loop.c").read_text()
    outcome = subprocess.run(
        [*toolchain.compiler(), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-DN=6",
         "-c", "-x", "c", "-", "-o", str(tmp_path / "loop.o")],
        input=source, text=True, capture_output=True)
    assert outcome.returncode == 0, outcome.stderr
