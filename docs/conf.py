"""Sphinx settings; `script/docs` builds with warnings as errors, so a dead link fails."""

project = "manip_dynamics"
author = "manip_dynamics maintainers"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_typehints = "none"  # the docstrings have shapes and units
autodoc_member_order = "bysource"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["build"]
html_theme = "furo"
html_title = "manip_dynamics"
nitpicky = True


def keep_lines(app, what, name, obj, options, lines):
    """Show docstrings as they are written: they are text, not reStructuredText."""
    lines[:] = [f"| {line}" if line.strip() else line for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", keep_lines)
