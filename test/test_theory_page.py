"""docs/theory.md names files and functions: they exist, and no algorithm is left out."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALGORITHMS = ROOT / "manip_dynamics" / "algorithms"
PAGE = (ROOT / "docs" / "theory.md").read_text()

# | equations | `file.py`, `function`, ... |
ROWS = re.findall(r"^\|.*\| (`[a-z0-9_]+\.py`.*) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("row", ROWS)
def test_functions_of_the_page_exist(row):
    names = re.findall(r"`([^`]+)`", row)
    files = [name.removesuffix(".py") for name in names if name.endswith(".py")]
    modules = [importlib.import_module(f"manip_dynamics.algorithms.{file}") for file in files]
    for name in names:
        if not name.endswith(".py") and name != "tip_wrench":
            assert any(hasattr(module, name) for module in modules), name


@pytest.mark.parametrize("path", sorted(ALGORITHMS.glob("*.py")), ids=lambda path: path.name)
def test_every_algorithm_is_on_the_page(path):
    assert path.name == "__init__.py" or f"`{path.name}`" in PAGE
