"""The scripts report what a machine lacks, with a remedy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = (
    "bash", "env", "dirname", "sed", "awk", "cat", "sha256sum", "find", "sort", "xargs", "rm",
    "mkdir", "cp", "cmp", "tail", "uname", "flock", "wc", "cc", "c++", "make", "cmake",
)  # fmt: skip


@pytest.fixture
def machine(tmp_path):
    """A machine with basic tools, a compiler, cmake and python3 only, and our scripts."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "python3").symlink_to(Path(sys.base_prefix, "bin", "python3"))
    for tool in TOOLS:
        where = shutil.which(tool, path="/usr/bin:/bin") or shutil.which(tool)
        assert where, f"this test needs {tool}"
        (bin_folder / tool).symlink_to(where)
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "script", clone / "script")
    return tmp_path


def replace_tool(machine: Path, tool: str, text: str = "") -> None:
    """Replace a tool by a shell script, or remove it."""
    path = machine / "bin" / tool
    path.unlink()
    if text:
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)


def bootstrap(machine: Path, **environment: str) -> str:
    """Run script/bootstrap, which must fail; return its messages."""
    result = subprocess.run(
        [machine / "clone" / "script" / "bootstrap"],
        env={"PATH": str(machine / "bin"), "HOME": str(machine), **environment},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert result.returncode == 1
    assert "unbound variable" not in result.stderr
    return result.stderr


def test_no_cmake(machine):
    replace_tool(machine, "cmake")
    assert "cmake is not installed" in bootstrap(machine)


def test_no_compiler(machine):
    replace_tool(machine, "cc")
    assert "There is no C and C++ compiler (cc, c++)" in bootstrap(machine)


def test_no_make(machine):
    replace_tool(machine, "make")
    assert "make is not installed" in bootstrap(machine)


def test_python_too_old(machine):
    replace_tool(machine, "python3", '[ "$1" = --version ] && echo Python 3.8.18; exit 1')
    message = bootstrap(machine)
    assert "python3 is Python 3.8.18, but Python 3.10 to 3.13 is needed" in message
    assert "PYTHON=/path/to/python3.12 script/bootstrap" in message


def test_no_python(machine):
    replace_tool(machine, "python3")
    assert "There is no python3 on the PATH" in bootstrap(machine)


def test_a_chosen_python_that_is_not_there(machine):
    assert "PYTHON=/no/such/python does not exist" in bootstrap(machine, PYTHON="/no/such/python")


def test_unsupported_cpu(machine):
    replace_tool(machine, "uname", '[ "$1" = -m ] && echo aarch64 || echo Linux')
    message = bootstrap(machine)
    assert "Python wheels of ROS 2 exist for Linux on x86_64 only" in message
    assert "this is Linux on aarch64" in message


def test_no_network(machine):
    nowhere = "http://127.0.0.1:9"  # the discard port: nobody listens
    message = bootstrap(
        machine, PIP_CONFIG_FILE=os.devnull, PIP_RETRIES="0",
        HTTPS_PROXY=nowhere, https_proxy=nowhere, HTTP_PROXY=nowhere, http_proxy=nowhere,
    )  # fmt: skip
    assert "The Python packages could not be installed" in message
    assert "is there a network" in message
    assert not (machine / "clone" / ".venv" / ".fingerprint").exists()


@pytest.mark.parametrize("script", ["bootstrap", "run", "test", "bench", "demo"])
def test_help_says_what_a_script_does(machine, script):
    result = subprocess.run(
        [machine / "clone" / "script" / script, "--help"],
        env={"PATH": str(machine / "bin")},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert len(result.stdout.splitlines()) >= 3
