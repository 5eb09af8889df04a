"""script/demo: its reports, its plots and its exit."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "script" / "demo")
PICTURES = ("trajectory.png", "torques.png", "tracking_error.png")

pytestmark = [pytest.mark.ros, pytest.mark.slow]

SLIDING_ARM = """
<robot name="visitor">
  <link name="base"/>
  <link name="carriage"><inertial><mass value="2"/><inertia
    ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia
    ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="carriage"/>
    <axis xyz="0 0 1"/><limit lower="1" upper="1.2" velocity="1" effort="100"/></joint>
  <joint name="turn" type="continuous"><parent link="carriage"/><child link="hand"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""


def demo(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([DEMO, *arguments], capture_output=True, text=True, timeout=120,
                          check=False)


def test_the_stanford_arm_beside_the_reference_of_its_paper(tmp_path):
    result = demo("--output", str(tmp_path))
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    (service,) = (words[1:] for words in lines if words[:1] == ["service"])
    (reference,) = (words[1:] for words in lines if words[:1] == ["reference"])
    assert service == reference
    assert "Done: the arm followed its reference" in result.stdout
    assert all((tmp_path / picture).stat().st_size > 10_000 for picture in PICTURES)


def test_the_arm_of_a_visitor(tmp_path):
    urdf = tmp_path / "visitor.urdf"
    urdf.write_text(SLIDING_ARM)
    result = demo("--urdf", str(urdf), "--output", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "visitor: 2 joints from base to hand" in result.stdout
    assert "slide" in result.stdout
    assert all((tmp_path / picture).exists() for picture in PICTURES)


def test_an_arm_that_is_too_weak_is_told_so(tmp_path):
    urdf = tmp_path / "weak.urdf"
    urdf.write_text(SLIDING_ARM.replace('effort="100"', 'effort="10"'))
    result = demo("--urdf", str(urdf), "--output", str(tmp_path))
    assert result.returncode == 1
    assert "slide needs 29.4 N, but its URDF allows 10" in result.stdout
    assert "The arm lost its reference" in result.stdout


def test_live_goes_on_until_interrupted_and_leaves_nobody_behind(tmp_path):
    process = subprocess.Popen([DEMO, "--robot", "planar_2r", "--live", "--output", str(tmp_path)],
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "/dynamics/get_model" in line:  # the last line before it moves on
                break
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 2
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.stdout.close()
    assert not any(os.path.exists(f"/proc/{child}") for child in children)


def test_a_killed_demo_takes_its_nodes_along(tmp_path):
    process = subprocess.Popen([DEMO, "--robot", "planar_2r", "--live", "--output", str(tmp_path)],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if "/dynamics/get_model" in line:
            break
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 20
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline, "a node outlived the demo"
        time.sleep(0.05)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--urdf", "nowhere.urdf"], "there is no file 'nowhere.urdf'"),
    (["--robot", "scara", "--tip", "moon"], "moon"),
    (["--robot", "terminator"], "stanford_arm"),
])
def test_what_is_wrong_is_said_before_anything_starts(arguments, message):
    result = demo(*arguments)
    assert result.returncode in (1, 2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert "Starting" not in result.stdout
