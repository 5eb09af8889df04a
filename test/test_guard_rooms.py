"""The rooms of the house: imports go one way, ROS stays in the nodes, files stay readable."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "manip_dynamics"

# A room may import itself and those before it.
ROOMS = ("model", "algorithms", "codegen", "dynamics", "control", "simulation", "papers")
FRONT_ROOMS = ("nodes", "cli")

ROS_PACKAGES = ("rclpy", "launch", "ament_index_python", "_msgs", "_interfaces", "std_srvs")

LONGEST_FILE = 400  # lines
LONGER_FOR_A_REASON: dict[str, str] = {}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
MODULES += [PACKAGE / "dynamics.py"]


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, with relative names resolved."""
    here = ("manip_dynamics", *path.relative_to(PACKAGE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_from_the_front_rooms_to_the_back(path):
    room = room_of(path)
    allowed = ROOMS[: ROOMS.index(room) + 1] if room in ROOMS else (*ROOMS, room)
    for module in imports_of(path):
        package, _, rest = module.partition(".")
        if package == "manip_dynamics" and rest:
            assert rest.split(".")[0] in allowed, f"{room} imports {module}"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if room_of(path) in ROOMS],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_front_rooms_know_ros(path):
    for module in imports_of(path):
        package = module.split(".")[0]
        assert not package.endswith(ROS_PACKAGES), f"{path.name} imports {module}"


def test_every_folder_of_the_package_is_a_room():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= {*ROOMS, *FRONT_ROOMS}


def test_files_are_of_readable_length():
    for folder in ("manip_dynamics", "test", "bench", "launch", "script"):
        for path in (ROOT / folder).rglob("*"):
            name = str(path.relative_to(ROOT))
            if path.suffix not in (".py", ".c", ".h", "") or not path.is_file():
                continue
            lines = len(path.read_text().splitlines())
            assert lines <= LONGEST_FILE or name in LONGER_FOR_A_REASON, f"{name}: {lines} lines"
