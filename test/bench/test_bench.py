"""The logic of the benchmark: agreement before timing, interleaving, missing libraries."""

import sys

import numpy as np
import pytest

from bench import agreement, calls, instructions, libraries, report
from bench.arms import ARMS, plain_urdf, random_states
from bench.docs import write_section
from bench.entry import BATCH, CALL, INVERSE_DYNAMICS, KINDS, QUANTITIES, Code, Entry
from bench.libraries import casadi, mujoco, ours, pinocchio
from bench.timing import Effort, interleaved

BRIEFLY = Effort(rounds=3, slice_seconds=1e-5, patience=10.0)


def entry(answer, library="a library", states=1):
    code = Code("pass", "answer", {"answer": np.array(answer, float)}, states)
    return Entry(library, "", CALL, INVERSE_DYNAMICS, code)


@pytest.mark.parametrize("wrong", [[1.0, 2.1], [1.0, np.nan], [1.0, np.inf], [-1.0, 2.0]])
def test_a_different_answer_is_an_error_that_names_the_library(wrong):
    with pytest.raises(agreement.Disagreement, match=r"the other differs .* inverse dynamics"):
        agreement.check([entry([1.0, 2.0]), entry(wrong, "the other")])


def test_answers_that_differ_by_rounding_agree():
    assert agreement.check([entry([1.0, 2.0]), entry([1.0 + 1e-12, 2.0])]) < 1e-11


def test_each_state_is_compared_on_its_own_scale():
    expected, actual = entry([[1e6, 0.0], [1.0, 0.0]]), entry([[1e6, 0.0], [1.001, 0.0]], states=2)
    with pytest.raises(agreement.Disagreement):
        agreement.check([expected, actual])


def test_a_library_that_computed_the_first_states_only_is_compared_with_these():
    assert agreement.check([entry([[1.0], [2.0], [3.0]]), entry([[1.0], [2.0]], states=2)]) == 0.0
    with pytest.raises(agreement.Disagreement):
        agreement.check([entry([[1.0], [2.0], [3.0]]), entry([[1.0], [3.0]], states=2)])


def test_a_missing_library_is_reported_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)  # as if it were not installed
    found, missing = libraries.available()
    assert mujoco not in found
    assert {ours, pinocchio} <= set(found)
    [said] = [str(library) for library in missing if library.title == mujoco.TITLE]
    assert said == "MuJoCo: not installed; install it with script/bench --with-peers"


def test_codes_are_measured_in_turn():
    order = []
    names = {"first": lambda: order.append(1), "second": lambda: order.append(2)}
    codes = [Code("first()", "0", names), Code("second()", "0", names, states=10)]
    times = interleaved(codes, BRIEFLY)
    assert times.shape == (3, 2)
    assert (times > 0).all()
    changes = [a for a, b in zip(order, order[1:]) if a != b]
    assert changes[-5:] == [1, 2, 1, 2, 1]


def test_time_is_given_for_one_evaluation_of_one_state():
    text, rounds = "sum(range(1000))", Effort(rounds=21, slice_seconds=1e-3, patience=10.0)
    whole, shared = interleaved(
        [Code(text, "0", {}), Code(text, "0", {}, states=5, evaluations=20)], rounds
    ).T
    assert np.median(whole / shared) == pytest.approx(100, rel=0.3)


@pytest.fixture(scope="module")
def figures():
    return calls.measure([ours, pinocchio], ["stanford"], BRIEFLY, states=20)


def test_every_quantity_is_measured_as_call_and_as_batch(figures):
    measured = {(f.library, f.kind, f.quantity) for f in figures}
    assert measured == {
        (library.TITLE, kind, quantity)
        for library in (ours, pinocchio) for kind in KINDS for quantity in QUANTITIES
    }  # fmt: skip


def test_ratios_are_to_pinocchio_and_to_ours(figures):
    for f in figures:
        if (f.library, f.form) == calls.YARDSTICK[f.kind]:
            assert f.times_yardstick == 1.0
        if (f.library, f.form) == calls.OURS[f.kind]:
            assert f.ours_times == 1.0
        assert f.quartiles[0] <= f.ns <= f.quartiles[1]


def test_tables_have_a_row_for_each_way_to_compute(figures):
    table = report.call_table(figures, "Stanford", BATCH)
    assert [row[0] for row in table[1:]] == [
        "manip_dynamics", "manip_dynamics, out=",
        "Pinocchio, Python loop", "Pinocchio, own batch, 1 thread",
    ]  # fmt: skip
    assert table[-1][2] == "-"  # Pinocchio has no batch of mass matrices
    lines = report.as_text(table).splitlines()
    assert len({line.rindex(line.split()[-1][-1]) for line in lines[2:]}) == 1  # aligned
    assert report.as_markdown(table).splitlines()[1] == "|---|---:|---:|---:|"


def test_without_pinocchio_there_are_times_but_no_ratios_to_it():
    [first, *_] = found = calls.measure([ours], ["stanford"], BRIEFLY, states=20)
    assert all(f.times_yardstick is None for f in found)
    assert "x)" not in report.as_text(report.call_table(found, first.arm, CALL))


@pytest.mark.parametrize("name", ARMS)
def test_the_plain_urdf_is_the_same_arm(name):
    arm = ARMS[name]()
    states = random_states(arm.robot.n, 5)
    for quantity in QUANTITIES:
        entries = [
            e for library in (ours, pinocchio) for e in library.entries(arm, states)
            if (e.kind, e.quantity) == (BATCH, quantity)
        ]  # fmt: skip
        agreement.check(entries)


def test_the_plain_urdf_fixes_other_joints_and_has_no_limits_mimics_or_shapes():
    text = plain_urdf(
        """<robot name="r">
          <link name="a"><visual/></link><link name="b"/><link name="c"/><gazebo/>
          <joint name="arm" type="continuous"><parent link="a"/><child link="b"/>
            <dynamics damping="1"/></joint>
          <joint name="finger" type="prismatic"><parent link="b"/><child link="c"/>
            <mimic joint="arm"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
        </robot>""",
        ("arm",),
    )
    for word in ("visual", "gazebo", "mimic", "dynamics", "continuous"):
        assert word not in text
    assert '"finger" type="fixed"' in text
    assert text.count("<limit") == 1


@pytest.mark.parametrize("library", [casadi, mujoco], ids=lambda library: library.TITLE)
def test_peers_compute_the_same(library):
    try:
        library.version()
    except ImportError:
        pytest.skip(f"{library.TITLE} is not installed; {library.HOW_TO_GET}")
    arm = ARMS["stanford"]()
    states = random_states(arm.robot.n, 5)
    found = [*ours.entries(arm, states), *library.entries(arm, states)]
    for kind in KINDS:
        for quantity in QUANTITIES:
            agreement.check([e for e in found if (e.kind, e.quantity) == (kind, quantity)])


@pytest.mark.skipif(instructions.missing() is not None, reason=str(instructions.missing()))
def test_instructions_of_one_call_are_counted_without_those_of_the_loop(tmp_path):
    source = tmp_path / "add.c"
    source.write_text("double add(const double *q) { return q[0] + q[1]; }")
    function = instructions.Function(
        source, "add", "double add(const double *);", "result[0] += add(q);"
    )
    assert 2 <= instructions.count(function, 2, ("-O2",)) <= 6


def test_docs_keep_everything_outside_the_section(tmp_path):
    page = tmp_path / "page.md"
    after = "<!-- end -->\nB\n<!-- bench: y -->\n<!-- end -->\n"
    page.write_text(f"# A\n<!-- bench: x -->\nold\n{after}")
    for _ in range(2):  # a second time changes nothing
        write_section(page, "x", [[["head", "ns"], ["row", "1"]]], ["A note."])
        assert page.read_text() == (
            "# A\n<!-- bench: x -->\n\n| head | ns |\n|---|---:|\n| row | 1 |\n\n- A note.\n\n"
            + after
        )
    with pytest.raises(ValueError, match="no section"):
        write_section(page, "z", [])
