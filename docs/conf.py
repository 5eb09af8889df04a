"""Sphinx settings; `script/docs` builds with warnings as errors, so a dead link fails."""

project = "manip_dynamics"
author = "manip_dynamics maintainers"
copyright = author
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["build"]
html_theme = "furo"
html_title = "manip_dynamics"
nitpicky = True
