"""No kernel serves that disagrees with the reference algorithms: wrong ones made on purpose."""

import logging

import numpy as np
import pytest
from oracle import random_chain, robot_of

import manip_dynamics as md
from manip_dynamics.codegen import build, cache, programs, toolchain
from manip_dynamics.codegen.checking import STATES, check
from manip_dynamics.codegen.emit_python import compile_python
from manip_dynamics.codegen.optimise import extraction
from manip_dynamics.codegen.quantities import signatures
from manip_dynamics.codegen.trace import Constant, Graph, Node
from manip_dynamics.model.chain import Chain, Joint, Placement, RigidLink


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch, tmp_path):
    """Nothing is compiled yet, and nothing that is compiled here stays."""
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    programs._searched.cache_clear()
    yield
    programs._searched.cache_clear()


@pytest.fixture
def arm() -> md.Robot:
    return robot_of(random_chain(np.random.default_rng(8), "RRP", right_angles=True))


def served_right(dyn: md.Dynamics) -> bool:
    return all(check(quantity, dyn.robot.chain).kernel_agrees(dyn._compiled.kernel(quantity))
               for quantity in dyn._compiled.signatures)


@pytest.mark.parametrize("k", range(1, 6))
def test_a_whole_constant_is_never_taken_for_a_reference(k):
    graph = Graph()
    x = graph.inputs("x", 6)
    assert Node("mul", 1, k) != Node("mul", 1, Constant(float(k)))
    for operation in (graph.mul, graph.add):
        product = operation(x[0], x[k - 1])
        scaled = operation(x[0], float(k))
        assert abs(product.ref) != abs(scaled.ref) or k == 1 and operation == graph.mul
    assert graph.div(x[0], x[1]).ref != graph.div(1.0, x[1]).ref


def test_every_quantity_agrees_where_nothing_is_wrong(arm):
    for quantity in signatures(arm.chain):
        program = programs.cheapest_program(quantity, arm.chain)
        assert check(quantity, arm.chain).program_agrees(program)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "gravity",
                                      "forward_dynamics", "jacobian", "forward_kinematics",
                                      "tip_efforts", "bias", "weightless_inverse_dynamics"])
@pytest.mark.parametrize("factor", [1.0 + 1e-8, np.nan])
def test_one_slightly_wrong_entry_of_one_state_is_seen(arm, quantity, factor):
    right = check(quantity, arm.chain)
    results = np.array(compile_python(programs.cheapest_program(quantity, arm.chain), np.ndarray)(
        *(array.T for array in right.inputs)), dtype=object)
    results = np.stack([np.broadcast_to(x, STATES) for x in results], -1).astype(float).reshape(
        right.exact.shape)
    assert right.agrees(results)
    flat = results.reshape(STATES, -1)
    flat[np.unravel_index(np.abs(flat).argmax(), flat.shape)] *= factor
    assert not right.agrees(results)


def corrupted(units, quantity, batch):
    """C sources whose kernel of one quantity is wrong, for one state or in a batch alone."""
    name = signatures(random_chain(np.random.default_rng(8), "RRP"))[quantity].result
    start = f"static void {quantity}_lanes(" if batch else f"void md_{quantity}("
    changed = []
    for unit in units:
        head, found, tail = unit.partition(start)
        if found:
            body, end, rest = tail.partition("\n}\n")
            unit = head + found + body + f"\n    {name}[0] = {name}[0] + 1.0;" + end + rest
        changed.append(unit)
    return changed


@pytest.mark.parametrize("batch", [False, True], ids=["one state", "batch"])
@pytest.mark.parametrize(("times", "remark"), [
    (1, programs.PLAIN), (2, programs.CAREFUL), (9, programs.REFERENCE)])
def test_a_wrong_kernel_is_never_served(arm, monkeypatch, caplog, times, remark, batch):
    honest, calls = build._units, []

    def units(*parts):
        calls.append(1)
        result = honest(*parts)
        return corrupted(result, "mass_matrix", batch) if len(calls) <= times else result

    monkeypatch.setattr(build, "_units", units)
    with caplog.at_level(logging.WARNING):
        dyn = md.Dynamics(arm, backend="c")
    assert served_right(dyn)
    q = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    exact = dyn.mass_matrix(q, algorithm="walker_orin")
    np.testing.assert_allclose(dyn.mass_matrix(q), exact, atol=1e-12)
    np.testing.assert_allclose([dyn.mass_matrix(x) for x in q], exact, atol=1e-12)
    assert f"robot 'random': a kernel for mass_matrix disagreed with the reference algorithm; " \
        f"{remark}" in caplog.text
    assert "report" in caplog.text

    caplog.clear()  # a later start finds the library, compiles nothing, and tells it again
    compiled = len(calls)
    assert served_right(md.Dynamics(arm, backend="c"))
    assert len(calls) == compiled
    assert remark in caplog.text


def test_a_simulator_runs_on_where_a_kernel_is_missing(arm, monkeypatch):
    honest = build._units
    monkeypatch.setattr(build, "_units", lambda *parts: corrupted(honest(*parts), "bias", False))
    sim = md.Simulator(md.Dynamics(arm, backend="c"), dt=1e-3)
    sim.run(0.01)
    monkeypatch.undo()
    other = md.Simulator(md.Dynamics(arm, backend="python"), dt=1e-3)
    other.run(0.01)
    np.testing.assert_allclose(sim.q, other.q, atol=1e-12)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_wrong_program_is_never_served(arm, monkeypatch, caplog, backend):
    honest = programs.optimise

    def wrong(candidates, *rest):
        program = honest(candidates, *rest)
        if program.name != "gravity":
            return program
        outputs = tuple(Constant(1.0) for _ in program.outputs)
        return type(program)(program.signature, (), outputs)

    monkeypatch.setattr(programs, "optimise", wrong)
    dyn = md.Dynamics(arm, backend=backend)
    assert served_right(dyn)
    assert f"gravity disagreed with the reference algorithm; {programs.PLAIN}" in caplog.text


@pytest.mark.parametrize("backend", ["c", "python"])
def test_where_no_program_is_right_the_reference_serves(arm, monkeypatch, caplog, backend):
    honest = programs.candidates_for
    monkeypatch.setattr(programs, "candidates_for", lambda quantity, chain: (
        (lambda *state, way=way: [2.0 * x for x in way(*state)]) if quantity == "gravity" else way
        for way in honest(quantity, chain)))
    dyn = md.Dynamics(arm, backend=backend)
    assert served_right(dyn)
    assert "gravity" not in dyn.operation_counts()
    assert f"gravity disagreed with the reference algorithm; {programs.REFERENCE}" in caplog.text


LINK = RigidLink(1.0, (0.1, 0.0, 0.0), ((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02)))


def test_results_that_all_turn_out_to_be_constant_are_a_program():
    chain = Chain((Joint("prismatic", 0.3, theta=0.2), Joint("revolute", 0.3)), (LINK, LINK),
                  tip=Placement(translation=(0.0, 0.0, 0.5)))
    dyn = md.Dynamics(robot_of(chain))
    np.testing.assert_allclose(dyn.jacobian([0.1, 0.2]), dyn.jacobian([0.5, -1.0]), atol=1e-15)


def extreme(chain):
    dyn = md.Dynamics(robot_of(chain))
    return dyn, np.random.default_rng(1).uniform(-2, 2, (9, chain.n))


def test_gravity_is_not_lost_beside_the_inertia_of_strong_motors():
    joints = tuple(Joint("revolute", alpha, a, rotor_inertia=1e6, gear_ratio=1e4)
                   for alpha, a in ((np.pi / 2, 0.0), (0.0, 0.5)))
    dyn, q = extreme(Chain(joints, (LINK, LINK)))
    rest = np.zeros_like(q)
    exact = dyn.inverse_dynamics(q, rest, rest, algorithm="newton_euler")
    np.testing.assert_allclose(dyn.inverse_dynamics(q, rest, rest), exact, atol=1e-9)


def test_a_tiny_arm_is_as_right_as_a_large_one():
    mass, size = 1e-3, 1e-5
    tiny = RigidLink(mass, (size / 2, 0.0, 0.0), tuple(
        tuple(mass * size**2 / 12 * x for x in row) for row in ((0, 0, 0), (0, 1, 0), (0, 0, 1))))
    chain = Chain((Joint("revolute"), Joint("revolute", a=size)), (tiny, tiny), (0.0, 0.0, 0.0))
    dyn, q = extreme(chain)
    qd = 3.0 * q[::-1]
    tau = dyn.inverse_dynamics(q, qd, q, algorithm="newton_euler")
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), q, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("compiler", ["'unbalanced", "/bin/true", "/bin/false", "no-such-compiler"])
def test_a_compiler_that_is_none_leaves_python_to_serve(arm, monkeypatch, compiler):
    monkeypatch.setenv("CC", compiler)
    toolchain.compiler.cache_clear()
    toolchain._identity.cache_clear()
    extraction._library.cache_clear()
    try:
        assert served_right(md.Dynamics(arm))
        with pytest.raises(toolchain.NoCompiler):
            md.Dynamics(arm, backend="c")
    finally:
        monkeypatch.undo()
        toolchain.compiler.cache_clear()
        toolchain._identity.cache_clear()
        extraction._library.cache_clear()
