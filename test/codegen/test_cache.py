"""Compiled files in the cache: whole or not there, ours, safe with several processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.codegen import cache, kernels, toolchain

ROOT = Path(__file__).resolve().parents[2]
ROBOT = md.load_robot("planar_2r")
Q = np.array([0.3, -0.4])
BUILD = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "import manip_dynamics as md\n"
    "dyn = md.Dynamics(md.load_robot('planar_2r'), 'c')\n"
    "print(dyn.gravity([0.3, -0.4]).tolist())\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty cache, and a process that has not loaded anything from another one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernels._call_module.cache_clear()
    yield tmp_path / "manip_dynamics"
    kernels._call_module.cache_clear()


def libraries(folder: Path) -> list[Path]:
    return sorted(folder.glob("kernels-*"))


def gravity() -> np.ndarray:
    return md.Dynamics(ROBOT, "c").gravity(Q)


def test_the_second_time_nothing_is_compiled(folder, monkeypatch):
    expected = gravity()
    assert len(libraries(folder)) == 1
    monkeypatch.setattr(toolchain, "compile_units", lambda *_: pytest.fail("compiled again"))
    assert np.array_equal(gravity(), expected)


@pytest.mark.parametrize("damage", [
    lambda data: data[: len(data) // 2],
    lambda data: b"",
    lambda data: b"\x7fELF" + os.urandom(4096),
    lambda data: data[:-1] + bytes([data[-1] ^ 1]),
], ids=["truncated", "empty", "garbage", "one bit"])
def test_a_damaged_file_heals(folder, damage):
    expected = gravity()
    (path,) = libraries(folder)
    data = path.read_bytes()
    path.unlink()  # a new file: the damaged one must not be the one that is mapped into memory
    path.write_bytes(damage(data))
    assert np.array_equal(gravity(), expected)
    (healed,) = libraries(folder)
    assert len(healed.read_bytes()) == len(data)


def test_a_file_that_others_can_write_is_not_loaded(folder):
    gravity()
    (path,) = libraries(folder)
    inode = path.stat().st_ino
    path.chmod(0o777)
    gravity()
    (path,) = libraries(folder)
    assert path.stat().st_ino != inode
    assert not path.stat().st_mode & 0o022


def test_a_link_to_another_file_is_not_followed(folder, tmp_path):
    gravity()
    (path,) = libraries(folder)
    moved = tmp_path / "elsewhere.so"
    path.rename(moved)
    path.symlink_to(moved)
    gravity()
    (path,) = libraries(folder)
    assert not path.is_symlink()


def test_a_folder_that_others_can_write_is_not_used(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    gravity()
    assert not libraries(folder)
    private = cache.cache_folder()
    assert private != folder
    assert private.stat().st_mode & 0o777 == 0o700


def test_a_folder_inside_one_that_others_can_write_is_not_used(folder):
    folder.mkdir(parents=True)
    folder.parent.chmod(0o777)  # without the sticky bit anybody may replace our folder
    assert cache.cache_folder() != folder
    folder.parent.chmod(0o1777)
    assert cache.cache_folder() == folder


def test_without_a_usable_home_a_folder_of_this_process_serves(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert np.isfinite(gravity()).all()


def test_a_relative_cache_home_is_ignored(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert cache.cache_folder().is_absolute()


def test_where_nothing_can_be_stored_python_serves(folder, caplog):
    gravity()
    (path,) = libraries(folder)
    path.unlink()
    path.mkdir()
    assert md.Dynamics(ROBOT).backend == "python"
    assert "cannot be stored" in caplog.text


def test_processes_that_build_the_same_robot_at_once_all_succeed(folder):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent)}
    processes = [subprocess.Popen([sys.executable, "-c", BUILD, str(ROOT)], env=environment,
                                  stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert len(set(answers)) == 1
    assert not list(folder.glob("building-*"))


def other_robot(k: int) -> md.Robot:
    """The same arm with another motor."""
    return ROBOT.with_drives({ROBOT.joint_names[0]: 1e-4 * k})


def test_another_robot_is_another_file(folder):
    gravity()
    md.Dynamics(other_robot(1), "c")
    assert len(libraries(folder)) == 2


def test_the_files_used_last_are_kept(folder, monkeypatch):
    gravity()
    (kept,) = libraries(folder)
    monkeypatch.setattr(cache, "MOST_FILES", 4)
    for k in range(1, 6):
        os.utime(kept)
        md.Dynamics(other_robot(k), "c")
        gravity()
    assert len(list(folder.iterdir())) == 4
    assert kept.exists()


def test_another_robot_is_compiled_by_another_process(folder, monkeypatch):
    dyn = md.Dynamics(ROBOT, "c")
    monkeypatch.setattr(
        toolchain, "compile_units", lambda *_: pytest.fail("compiled in this process"))
    other = dyn.with_robot(other_robot(1000))
    assert other.backend == "c"
    assert np.abs(other.mass_matrix(Q) - dyn.mass_matrix(Q)).max() > 0.05


def test_where_no_child_can_help_the_robot_is_compiled_here(folder, monkeypatch, caplog):
    dyn = md.Dynamics(ROBOT, "c")
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert dyn.with_robot(other_robot(2)).backend == "c"
    assert "compiled in this process" in caplog.text


def test_where_nothing_compiled_may_be_executed_python_serves(folder, monkeypatch, caplog):
    def refuse(path):
        raise OSError(f"{path}: failed to map segment from shared object")

    monkeypatch.setattr(toolchain.ctypes, "CDLL", refuse)
    assert md.Dynamics(ROBOT).backend == "python"
    assert "failed to map segment" in caplog.text


def test_a_compiler_that_does_not_know_its_processor_is_good_enough(folder, monkeypatch):
    monkeypatch.setattr(toolchain, "NATIVE", "-march=unheard-of")
    assert np.isfinite(gravity()).all()
    assert len(libraries(folder)) == 1


@pytest.mark.parametrize("compiler", ["/nonexistent/cc", "false"], ids=["missing", "broken"])
def test_without_a_compiler_python_serves(folder, monkeypatch, compiler, caplog):
    monkeypatch.setenv("CC", compiler)
    toolchain.compiler.cache_clear()
    toolchain._identity.cache_clear()
    try:
        dyn = md.Dynamics(ROBOT)
        assert dyn.backend == "python"
        assert "no C kernels" in caplog.text
        with pytest.raises(toolchain.NoCompiler, match="backend 'c'"):
            md.Dynamics(ROBOT, "c")
    finally:
        monkeypatch.undo()
        toolchain.compiler.cache_clear()
        toolchain._identity.cache_clear()
    assert np.allclose(dyn.gravity(Q), gravity(), rtol=1e-13)


def test_a_user_without_a_home_gets_a_folder_for_the_process(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for an unknown user
    monkeypatch.chdir(tmp_path)
    assert cache.cache_folder().is_absolute()
    assert not cache.is_shared()
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_others_could_replace_is_not_followed(tmp_path, monkeypatch):
    safe, open_to_all = tmp_path / "safe", tmp_path / "open"
    safe.mkdir(mode=0o700)
    open_to_all.mkdir()
    (open_to_all / "link").symlink_to(safe)
    monkeypatch.setenv("XDG_CACHE_HOME", str(open_to_all / "link"))
    assert cache.is_shared()
    open_to_all.chmod(0o777)
    assert not cache.is_shared()
    monkeypatch.setenv("XDG_CACHE_HOME", str(safe / ".." / "safe"))
    assert cache.is_shared()
    for name, target in (("a", "b"), ("b", "a")):
        (tmp_path / name).symlink_to(target)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a"))
    assert not cache.is_shared()
