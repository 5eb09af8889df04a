"""What a ROS user relies on: valid manifests, one version, everything installed."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from catkin_pkg.package import parse_package

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = parse_package(str(ROOT / "package.xml"))
MESSAGES_MANIFEST = parse_package(str(ROOT / "manip_dynamics_msgs" / "package.xml"))
SERVICES = sorted((ROOT / "manip_dynamics_msgs" / "srv").glob("*.srv"))

ROSDEP_KEYS = {
    "numpy": "python3-numpy",
    "scipy": "python3-scipy",
    "yaml": "python3-yaml",
    "matplotlib": "python3-matplotlib",
    "urdf_parser_py": "urdfdom_py",
    "lxml": "python3-lxml",
    "argcomplete": "python3-argcomplete",
    "tqdm": "python3-tqdm",
}


def setup_arguments() -> dict:
    """The constant keyword arguments of setup()."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    setup = next(call for call in calls if getattr(call.func, "id", "") == "setup")
    constants = {}
    for keyword in setup.keywords:
        try:
            constants[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            continue
    return constants


def test_one_version_everywhere():
    version = MANIFEST.version
    assert setup_arguments()["version"] == version
    assert MESSAGES_MANIFEST.version == version
    newest = re.search(r"^(\d+\.\d+\.\d+) ", (ROOT / "CHANGELOG.rst").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version


def test_manifests_are_valid():
    for manifest in (MANIFEST, MESSAGES_MANIFEST):
        warnings: list[str] = []
        manifest.validate(warnings)
        assert not warnings
        assert manifest.package_format == 3
        assert manifest.licenses == ["Apache-2.0"]


def listed_by_colcon(folder: Path, *arguments: str) -> dict[str, str]:
    """The packages that colcon finds, and their kinds."""
    colcon = [sys.executable, "-c", "from colcon_core.command import main; main()"]
    listing = subprocess.run(
        [*colcon, "list", *arguments],
        cwd=folder, env={**os.environ, "COLCON_LOG_PATH": os.devnull},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return {line.split()[0]: line.split()[-1] for line in listing.splitlines()}


def test_colcon_sees_an_ament_python_and_an_ament_cmake_package(tmp_path):
    packages = {
        "manip_dynamics": "(ros.ament_python)",
        "manip_dynamics_msgs": "(ros.ament_cmake)",
    }
    assert listed_by_colcon(ROOT) == packages
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "manip_dynamics").symlink_to(ROOT)
    assert listed_by_colcon(tmp_path, "--base-paths", "src", "src/*/*") == packages


def test_every_import_is_a_declared_dependency():
    declared = {dependency.name for dependency in MANIFEST.exec_depends}
    for path in [*(ROOT / "manip_dynamics").rglob("*.py"), *(ROOT / "launch").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module]
            for module in modules:
                package = module.split(".")[0]
                if package in sys.stdlib_module_names or package == "manip_dynamics":
                    continue
                assert ROSDEP_KEYS.get(package, package) in declared, f"{path}: {package}"


@pytest.mark.parametrize("folder", ["config", "launch", "urdf"])
def test_every_shared_file_is_installed(folder):
    ament_index = pytest.importorskip("ament_index_python", reason="needs the built package")
    share = Path(ament_index.get_package_share_directory("manip_dynamics"))
    ours = {
        path.relative_to(ROOT)
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours
    assert {path for path in ours if not (share / path).is_file()} == set()


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.stem)
def test_every_response_begins_with_success_and_message(path):
    response = path.read_text().split("\n---\n")[1]
    fields = [line for line in response.splitlines() if line and not line.startswith("#")]
    assert fields[:2] == ["bool success", "string message"]


def test_every_service_is_generated():
    cmake = (ROOT / "manip_dynamics_msgs" / "CMakeLists.txt").read_text()
    assert re.findall(r'"srv/(\w+)\.srv"', cmake) == [path.stem for path in SERVICES]


def test_every_console_script_leads_to_a_function():
    for entry in setup_arguments()["entry_points"]["console_scripts"]:
        module, function = re.fullmatch(r"\w+ = ([\w.]+):(\w+)", entry).groups()
        tree = ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text())
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", ["bootstrap", "run", "test", "demo", "bench"])
def test_scripts_are_executable_and_well_formed(name):
    script = ROOT / "script" / name
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)


def test_ci_runs_script_test_and_nothing_else():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert len(commands) == 1
    assert "script/test" in commands[0]


def test_every_file_of_the_package_is_built(tmp_path):
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", tmp_path],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip

    def files(folder: Path) -> set[Path]:
        found = (path.relative_to(folder) for path in (folder / "manip_dynamics").rglob("*"))
        return {path for path in found if (folder / path).is_file() and path.suffix != ".pyc"}

    assert files(tmp_path) == files(ROOT)
