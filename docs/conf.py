"""Sphinx settings; `script/docs` builds with warnings as errors, so a dead link fails."""

project = "manip_dynamics"
author = "manip_dynamics maintainers"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
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
# Types in docstrings are words for the reader, such as "(n,) or (N, n)", and not references.
nitpick_ignore_regex = [("py:.*", ".*")]
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False


def keep_lines(app, what, name, obj, options, lines):
    """Show docstrings without sections as they are written, line by line."""
    if not any(line.startswith("----") for line in lines):
        lines[:] = [f"| {line}" if line.strip() else line for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", keep_lines, priority=400)  # before napoleon
