"""Damaged URDFs, DH tables and CSV files: named errors, soon, and nothing accepted that is not
finite. 100,000 mutants of each kind were tried; the suite tries some of them."""

import pytest
from mutants import READERS, failures, mutated, originals

import manip_dynamics as md

COUNTS = {"urdf": 6000, "yaml": 3000, "csv": 6000}


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
def test_mutants_are_refused_by_name(kind, tmp_path):
    assert failures(READERS[kind], originals()[kind], range(COUNTS[kind]), tmp_path) == []


@pytest.mark.parametrize("kind", READERS)
def test_the_originals_are_read(kind, tmp_path):
    READERS[kind](originals()[kind], tmp_path)


def test_mutants_are_reproducible():
    import random

    text = originals()["urdf"]
    assert mutated(text, random.Random(5)) == mutated(text, random.Random(5)) != text


BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefg", "bcdefgh"))
BAD_TABLES = {
    BOMB + "joints: [*h]": "YAML alias",
    "joints: " + "[" * 3000 + "]" * 3000: "nested more than 8 deep",
    "joints:\n" + "- {kind: R}\n" * 50_000: "characters; at most 200,000",
    "joints: [{kind: R, mass: 1, mass: 2}]": "'mass' twice in one mapping",
    "joints: [{kind: R, mass: " + "9" * 400 + "}]": "mass must be a finite number",
    "joints: [{kind: R, mass: 1e200}]": "mass .*1e.*200",
    "joints: [{kind: R, mass: true}]": "mass must be a finite number, not True",
    "joints: [{kind: R, d: 2026-13-45}]": "not valid YAML|finite number",
}


@pytest.mark.parametrize("text", BAD_TABLES, ids=[text[:20] for text in BAD_TABLES])
def test_bombs_and_the_like(text, tmp_path):
    path = tmp_path / "table.yaml"
    path.write_text(text)
    with pytest.raises(md.ModelError, match=BAD_TABLES[text].replace("characters", "(bytes|char)")):
        md.load_robot(path)


BAD_CSV = {
    b"time,joint1,joint2\n0,0,0\n1,\0,1\n": "not a CSV file|no numbers",
    b"time,joint1,joint2,joint1\n0,0,0,0\n1,1,1,1\n": "two columns called 'joint1'",
    b"time,joint1,joint2\n0,0,0\n1,1e300,1\n": r"beyond 1e\+09",
    b"time,joint1,joint2\n0,0,0\n1e-300,1,1\n": "times must increase.*1e-09 s apart",
    b"time,joint1,joint2\n0,0,0\n1,\xff,1\n": "not a CSV file",
    b'time,joint1,joint2\n0,0,0\n1,"' + b"9" * 200_000 + b'",1\n': "not a CSV file|no numbers",
}


@pytest.mark.parametrize("content", BAD_CSV, ids=range(len(BAD_CSV)))
def test_bad_csv(content, tmp_path):
    from manip_dynamics.control.waypoints import Waypoints

    path = tmp_path / "motion.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=BAD_CSV[content]):
        Waypoints.from_csv(path, ["joint1", "joint2"])
