"""Speed, as ratios in one run. Thresholds are half of what script/bench must show, or less:
a test machine is busy."""

import shutil
import subprocess
import time
import timeit

import numpy as np
import pytest
from oracle import pinocchio_model, random_chain, robot_of

import manip_dynamics as md
from manip_dynamics.codegen import kernels
from manip_dynamics.codegen.export import export
from manip_dynamics.codegen.optimise.egraph import EGraph
from manip_dynamics.codegen.optimise.extraction import cheapest_extraction
from manip_dynamics.codegen.programs import cheapest_program
from manip_dynamics.codegen.quantities import DYNAMICS, signatures

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.slow

ROBOT = md.load_robot("stanford_arm")
STATES = [np.random.default_rng(k).uniform(-2, 2, (100_000, 6)) for k in range(3)]


def seconds(function, *arguments, number: int) -> float:
    """The best of several averages: what disturbs only makes it longer."""
    return min(timeit.repeat(lambda: function(*arguments), number=number, repeat=7)) / number


@pytest.mark.parametrize(("quantity", "ratio"), [
    ("inverse_dynamics", 4), ("mass_matrix", 3), ("forward_dynamics", 6)])
def test_a_call_is_several_times_faster_than_pinocchio(quantity, ratio):
    model, data = pinocchio_model(ROBOT.chain)
    state = [x[0] for x in STATES]
    theirs = {"inverse_dynamics": lambda: pin.rnea(model, data, *state),
              "mass_matrix": lambda: pin.crba(model, data, state[0]),
              "forward_dynamics": lambda: pin.aba(model, data, *state)}[quantity]
    function = getattr(md.Dynamics(ROBOT, "c"), quantity)
    inputs = state[:1] if quantity == "mass_matrix" else state
    assert seconds(theirs, number=2000) > ratio * seconds(function, *inputs, number=20_000)


def test_a_batch_is_many_times_faster_than_a_loop_over_pinocchio():
    model, data = pinocchio_model(ROBOT.chain)
    few = [x[:1000] for x in STATES]

    def loop():
        for q, qd, qdd in zip(*few):
            pin.rnea(model, data, q, qd, qdd)

    ours = seconds(md.Dynamics(ROBOT, "c").inverse_dynamics, *STATES, number=1) / 100_000
    assert seconds(loop, number=1) / 1000 > 30 * ours


def test_the_python_fallback_takes_less_than_150_microseconds():
    dyn = md.Dynamics(ROBOT, "python")
    assert seconds(dyn.inverse_dynamics, *(x[0] for x in STATES), number=200) < 150e-6


def test_checking_for_nan_costs_next_to_nothing():
    """The call through Python, checks included, against the C function that checks nothing."""
    dyn = md.Dynamics(ROBOT, "c")
    library = kernels.CompiledKernels(ROBOT.chain, ROBOT.name).library(DYNAMICS)
    unchecked = library.code.md_inverse_dynamics_batch
    out = np.empty_like(STATES[0])
    pointers = [x.ctypes.data for x in (*STATES, out)]
    unchecked.argtypes = [kernels.ctypes.c_size_t, *[kernels.ctypes.c_void_p] * 4]
    bare = seconds(unchecked, len(out), *pointers, number=1)
    assert seconds(lambda: dyn.inverse_dynamics(*STATES, out=out), number=1) < 1.6 * bare


def test_seven_joints_are_compiled_in_seconds_and_loaded_in_milliseconds(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernels._call_module()  # once per machine, not per robot
    robot = robot_of(random_chain(np.random.default_rng(1), "RRRRRRR", right_angles=True))
    start = time.perf_counter()
    md.Dynamics(robot, "c")
    cold = time.perf_counter() - start
    assert cold < 8.0
    assert seconds(md.Dynamics, robot, "c", number=1) < 0.06


def test_the_search_for_seven_joints_takes_a_few_seconds_at_most():
    chain = random_chain(np.random.default_rng(2), "RRRRRRR", right_angles=True)
    cheapest_extraction(EGraph(), [], [], 1, 1.0, 0)  # compiled once per machine
    start = time.process_time()
    for quantity in signatures(chain, DYNAMICS):
        cheapest_program(quantity, chain)
    assert time.process_time() - start < 4.0


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_stanford_inverse_dynamics_takes_at_most_500_instructions(tmp_path):
    export(ROBOT, tmp_path, ["inverse_dynamics"])
    (tmp_path / "main.c").write_text(
        '#include "stanford_arm.h"\n'
        "int main(void) { double x[6] = {1, 2, 3, 4, 5, 6}, y[6];\n"
        "stanford_arm_inverse_dynamics(x, x, x, y); return y[0] > 1e9; }\n")
    # valgrind knows no AVX-512
    subprocess.run(["gcc", "-O3", "-march=x86-64-v3", "-ffp-contract=fast", "main.c",
                    "stanford_arm.c", "-o", "main", "-lm"], cwd=tmp_path, check=True)
    report = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=stanford_arm_inverse_dynamics", "./main"],
        cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    instructions = int(report.split("Collected :")[1].split()[0])
    assert 100 < instructions <= 500
