"""The documentation builds without a warning, links lead somewhere, and code it names exists."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "manip_dynamics"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(ROOT / "urdf").glob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")

# `model/mdh.py`: `frames_from_axes`, `table_from_frames`
CODE = re.compile(r"`([a-z_][\w/]*\.(?:py|c)|(?:[a-z_]+/)+)`(?:: ((?:`\w+`(?:, )?)+))?")
PAGES_ABOUT_CODE = ("architecture.md", "kernels.md", "theory.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES_ABOUT_CODE)
def test_files_and_names_of_the_page_exist(page):
    found = CODE.findall((DOCS / page).read_text())
    assert found
    for name, members in found:
        folders = (PACKAGE, ROOT, PACKAGE / "algorithms")  # the last one for the page of equations
        paths = [folder / name for folder in folders if (folder / name).exists()]
        assert paths, f"{page} names {name}"
        for member in re.findall(r"\w+", members):
            pattern = rf"(?:def|class) {member}\b|^{member}\b"
            assert re.search(pattern, paths[0].read_text(), re.MULTILINE), (
                f"{page} names {member} of {name}")


def test_table_of_quantities_is_that_of_the_code():
    script = runpy.run_path(str(DOCS / "write_quantities.py"))
    page = script["PAGE"].read_text()
    assert page == script["with_table"](page), "run docs/write_quantities.py"


def test_documentation_builds_without_a_warning(tmp_path):
    pytest.importorskip("sphinx", reason="documentation tools are not installed")
    build = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
         str(DOCS), str(tmp_path / "html")],
        capture_output=True, text=True)
    assert build.returncode == 0, build.stderr
    assert (tmp_path / "html" / "theory.html").is_file()
