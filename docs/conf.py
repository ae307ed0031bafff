"""How Sphinx builds the documentation site: ``make docs``."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from docs.building.scraping import LIVE

project = "curvewise"
author = "the curvewise developers"
project_copyright = author
version = release = installed_version("curvewise")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_gallery.gen_gallery",
    "docs.building.commands",
    "docs.building.names",
    "docs.building.sources",
]
exclude_patterns = ["_build", "gallery"]
nitpicky = True
default_role = "public"  # `compare` in a docstring: see docs/building/names.py

# Pages are Markdown that a code host shows as well.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
highlight_language = "text"
smartquotes = False  # --option is not –option

# Types stand in the docstrings; signatures with them would fill a screen.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

LIVE.mkdir(parents=True, exist_ok=True)
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "image_scrapers": ("docs.building.scraping.scrape",),
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "plot_gallery": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,  # a page with scripts from other hosts
}

html_theme = "pydata_sphinx_theme"
html_title = "curvewise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_extra_path = [str(LIVE)]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["sphinx-version"],
    "footer_end": ["theme-version"],
    "header_links_before_dropdown": 6,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
