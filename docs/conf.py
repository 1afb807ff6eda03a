"""How these pages are built.

Tables of keys, options, codes and wages are in the pages: `make reference` writes them from the
code. A line such as `<!-- notebook: NAME -->` is replaced by that notebook when a page is built.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rejudge

sys.path.insert(0, str(Path(__file__).parent))

from notebook import shown_notebook

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "rejudge"
author = "rejudge contributors"
copyright = "rejudge contributors, Apache-2.0"
version = release = rejudge.__version__
language = "en-GB"

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = f"rejudge {version}"
html_static_path = ["_static"]
html_css_files = ["rejudge.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#2b57c9",
        "color-brand-content": "#2b57c9",
        "color-background-secondary": "#f5f6f8",
    },
    "dark_css_variables": {
        "color-background-primary": "#171b21",
        "color-background-secondary": "#101318",
        "color-brand-primary": "#9db8ff",
        "color-brand-content": "#9db8ff",
    },
}

_MARK = re.compile(r"^<!-- notebook: (?P<name>.+?) -->$", re.MULTILINE)


def setup(app: Sphinx) -> None:
    """Fill in the notebooks when a page is read."""
    app.connect("source-read", _fill_in)


def _fill_in(app: Sphinx, page: str, source: list[str]) -> None:  # noqa: ARG001 - Sphinx's signature
    # `sphinx-build -t quick` leaves out what notebooks give; tests run them anyway
    is_run = not tags.has("quick")  # type: ignore[name-defined] # noqa: F821 - by Sphinx
    source[0] = _MARK.sub(lambda found: shown_notebook(found["name"], is_run=is_run), source[0])
