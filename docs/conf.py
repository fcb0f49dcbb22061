"""How sphinx builds these pages: `make docs`. Markdown and notebooks by myst-nb, the pydata theme,
warnings are errors."""

import re

from pairnet import __version__

project = "pairnet"
author = "The pairnet developers"
copyright = "the pairnet developers, Apache-2.0"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nb_execution_mode = "off"  # notebooks hold what they said when they were run
exclude_patterns = ["_build", "pictures.py"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"
html_theme = "pydata_sphinx_theme"
html_title = "pairnet"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,  # all sections, on one line
    "navbar_align": "left",
    "show_nav_level": 2,
}
html_sidebars = {"index": [], "start": []}  # pages without others beside them


def as_text(app, what, name, obj, options, lines):
    """Docstrings are plain text with `names`: make the names code and the rest safe for
    reStructuredText."""
    for at, line in enumerate(lines):
        parts = re.split(r"(`[^`]+`)", line)
        lines[at] = "".join(
            f"`{part}`" if part[:1] == "`" else re.sub(r"([*|_\\])", r"\\\1", part)
            for part in parts
        )


def setup(app):
    """Register it."""
    app.connect("autodoc-process-docstring", as_text)
