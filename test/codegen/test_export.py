"""Exported C: strict compilers, sanitizers, symbols, self-test, and the C++ example."""

import os
import shutil
import subprocess
import warnings
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import manip_dynamics as md
from manip_dynamics.cli.main import main
from manip_dynamics.codegen.export import EXPORTED, c_name, export
from manip_dynamics.codegen.quantities import signatures

ROOT = Path(__file__).resolve().parents[2]
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
COMPILERS = [pytest.param(name, marks=pytest.mark.skipif(
    not shutil.which(name), reason=f"{name} is not installed")) for name in ("gcc", "clang")]


def robot(name: str) -> md.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(name)


def build(folder: Path, compiler: str, *flags: str) -> Path:
    """The self-test in `folder`, compiled."""
    program = folder / "selftest"
    subprocess.run([compiler, *flags, *map(str, folder.glob("*.c")), "-o", str(program), "-lm"],
                   check=True)
    return program


def run(program: Path) -> str:
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", md.bundled_robots())
def test_strict_compilers_take_it_and_the_self_test_passes(tmp_path, name, real, compiler):
    export(robot(name), tmp_path, real=real)
    report = run(build(tmp_path, compiler, *STRICT, "-O1"))
    assert report.count(": ok") == len(EXPORTED)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flags", [("-O0",), ("-O3", "-march=native"), ("-O2", "-ffast-math")])
def test_every_way_to_compile_gives_the_same_answers(everything, flags, compiler):
    assert "WRONG" not in run(build(everything, compiler, *STRICT, *flags))


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """All quantities of an arm, derivatives included."""
    folder = tmp_path_factory.mktemp("everything")
    arm = robot("scara")
    export(arm, folder, quantities=signatures(arm.chain))
    return folder


def test_sanitizers_find_nothing(everything):
    tmp_path = everything
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    report = run(build(tmp_path, "gcc", *STRICT, *flags))
    assert "forward_dynamics_derivatives: ok" in report
    assert "WRONG" not in report


@pytest.mark.parametrize("flags", [("-O2",), ("-O3", "-march=native")])
def test_no_heap_no_global_and_no_other_name_than_its_own(tmp_path, flags):
    export(robot("stanford_arm"), tmp_path)
    subprocess.run(["gcc", "-std=c99", *flags, "-c", "stanford_arm.c"], cwd=tmp_path, check=True)
    lines = subprocess.run(["nm", "stanford_arm.o"], cwd=tmp_path, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    symbols = {line.split()[-1]: line.split()[-2] for line in lines}
    needed = {name for name, kind in symbols.items() if kind == "U"}
    assert needed <= {"sin", "cos", "sincos", "memcpy", "memset", "__stack_chk_fail"}
    exported = {name for name, kind in symbols.items() if kind.isupper() and kind != "U"}
    assert all(name.startswith("stanford_arm_") for name in exported)
    writable = {name for name, kind in symbols.items() if kind in "bBdDcC"}
    assert not writable


def test_friction_and_rotors_are_in_the_exported_code(tmp_path):
    urdf = robot("planar_2r").urdf.replace(
        "</joint>", '<dynamics damping="0.4" friction="0.7"/></joint>')
    arm = md.load_robot(urdf)
    arm = arm.with_drives(rotor_inertia=dict.fromkeys(arm.joint_names, 1e-4),
                          gear_ratio=dict.fromkeys(arm.joint_names, 80.0))
    export(arm, tmp_path)
    assert "WRONG" not in run(build(tmp_path, "gcc", *STRICT, "-O2"))


def test_the_header_tells_the_joint_order_and_the_operations(tmp_path):
    arm = robot("stanford_arm")
    header = export(arm, tmp_path)[0].read_text()
    for i, name in enumerate(arm.joint_names):
        assert f"{i}  {name}" in header
    counts = md.Dynamics(arm).operation_counts()["inverse_dynamics"]
    assert f"{counts['multiplications']:>5} {counts['additions']:>5}" in header


def test_the_header_tells_what_the_functions_hold_for(tmp_path):
    arm = md.load_robot("scara", gravity=(0, 0, 9.81), payload=2.0)
    arm = arm.with_drives(rotor_inertia={"joint1": 1e-4})
    header = export(arm, tmp_path)[0].read_text()
    assert "gravity 0 0 9.81 m/s^2 in the base link. Payload: 2 kg. Joint friction: none." in header
    assert "Rotor inertia: included." in header


@pytest.mark.parametrize(("name", "expected"), [
    ("stanford_arm", "stanford_arm"), ("UR5e", "ur5e"), ("my robot (v2)", "my_robot_v2"),
    ("7dof", "robot_7dof"), ("*/", "robot_"), ("röbot", "r_bot"),
    ("Math", "robot_math"),
])
def test_any_robot_name_becomes_a_c_identifier(name, expected):
    assert c_name(name) == expected


HOSTILE = [
    r"j*\ static __attribute__((constructor)) void p(void){puts(\"pwned\");} /*",
    "*/ int pwned = 1; /*", "*\n/ int pwned;", "??/\nint pwned;", "\\", "\\\nint pwned;",
    "//*/ pwned", '"; int pwned; "', "*\u2215pwned", "`touch pwned`", "$pwned",
    "/*pwned", "@pwned@", "\x7fpwned", "pwned\r*/", "*\t/pwned", "#include <pwned>", "[[pwned]]",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_compiles_into_anything_but_a_comment_or_an_identifier(tmp_path, name):
    text = robot("planar_2r").urdf
    quoted = escape(name, {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
    for old in ("joint1", "link2", "base_link", "planar_2r"):
        text = text.replace(f'"{old}"', f'"{old} {quoted}"')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        arm = md.load_robot(text)
    assert name in arm.joint_names[0]
    files = export(arm, tmp_path, quantities=["gravity"])
    code = "".join(subprocess.run(
        ["gcc", "-fpreprocessed", "-dD", "-E", "-P", "-trigraphs", "-x", "c", file], check=True,
        capture_output=True, text=True).stdout for file in files[:3])
    identifier = c_name(arm.name)
    rest = code.replace(identifier, "").replace(identifier.upper(), "")
    assert "pwned" not in rest.lower()
    lists = files[3].read_text().replace(identifier, "")
    assert "pwned" not in lists
    report = run(build(tmp_path, "gcc", *STRICT, "-trigraphs"))
    assert "gravity: ok" in report


def test_codegen_verb_writes_the_files_it_names(tmp_path, capsys):
    assert main(["codegen", "scara", "-o", str(tmp_path / "c"), "--quantities", "gravity"]) == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [path.name for path in written] == [
        "scara.h", "scara.c", "scara_selftest.c", "CMakeLists.txt"]
    assert all(path.exists() for path in written)
    assert "scara_mass_matrix" not in written[0].read_text()


def test_codegen_verb_names_an_unknown_quantity(tmp_path, capsys):
    assert main(["codegen", "scara", "-o", str(tmp_path), "--quantities", "torque"]) == 2
    assert "unknown quantity 'torque'" in capsys.readouterr().err


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("c++")),
                    reason="cmake or a C++ compiler is not installed")
def test_the_cpp_example_follows_its_reference(tmp_path):
    export(robot("stanford_arm"), tmp_path / "c")
    source, binary = ROOT / "examples" / "effort_loop", tmp_path / "build"
    environment = {**os.environ, "CFLAGS": "", "CXXFLAGS": "-Wall -Wextra -Werror"}
    for command in (["cmake", "-S", source, "-B", binary, f"-DDYNAMICS_DIR={tmp_path / 'c'}"],
                    ["cmake", "--build", binary],
                    ["ctest", "--test-dir", binary / "dynamics"]):
        subprocess.run(command, check=True, capture_output=True, env=environment)
    assert "largest error" in run(binary / "effort_loop")
