"""Links to sources, which a code host shows: the site leads to the pages made of them.

A link to a script of the gallery leads to its page, one to the list of public names to their
reference, one to the commands to theirs. Of links to folders, and to other files outside docs, the
text is kept.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.addnodes import download_reference, pending_xref

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

__all__ = ["lead_to_pages", "page_of", "setup"]

PAGES = {
    "gallery": "generated/gallery/index",
    "../src/curvewise/__init__.pyi": "generated/python/index",
    "../src/curvewise/cli": "generated/commands/index",
}
BEFORE_FILES_ARE_COLLECTED = 100  # a priority: others have 500


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through each page that was read."""
    app.connect("doctree-read", lead_to_pages, priority=BEFORE_FILES_ARE_COLLECTED)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def page_of(source: str) -> str | None:
    """Return the page that is made of a source, by its path in docs."""
    folder, name = posixpath.split(source)
    if folder == "gallery" and name.endswith(".py"):
        return f"generated/gallery/{name.removesuffix('.py')}"
    return PAGES.get(source)


def lead_to_pages(app: Sphinx, page: document) -> None:
    """Replace the links of a page that lead to sources, or out of the site."""
    here = posixpath.dirname(app.env.docname)
    links = [*page.findall(pending_xref), *page.findall(download_reference)]
    for link in links:
        source = posixpath.normpath(posixpath.join(here, link["reftarget"]))
        made = page_of(source)
        if made is not None:
            instead = pending_xref(
                "",
                *link.children,
                refdomain="std",
                reftype="doc",
                reftarget=f"/{made}",
                refexplicit=True,
                refwarn=True,
                refdoc=app.env.docname,
            )
            link.replace_self(instead)
        elif source.startswith("../") or Path(app.srcdir, source).is_dir():
            link.replace_self(link.children)
