"""Links to sources, which a code host shows: the site leads to the pages made of them.

A link to a script of the gallery leads to its page, one to the list of public names to their
reference, one to the commands to theirs. Of links to other files outside docs the text is kept.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from sphinx.addnodes import download_reference, pending_xref
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["SourceLinks", "page_of", "setup"]

PAGES = {
    "gallery": "generated/gallery/index",
    "../src/curvewise/__init__.pyi": "generated/python/index",
    "../src/curvewise/cli": "generated/commands/index",
}


def page_of(source: str) -> str | None:
    """Return the page that is made of a source, by its path in docs."""
    folder, name = posixpath.split(source)
    if folder == "gallery" and name.endswith(".py"):
        return f"generated/gallery/{name.removesuffix('.py')}"
    return PAGES.get(source)


class SourceLinks(SphinxTransform):
    """Leads links to sources to the pages made of them."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Look through one page."""
        here = posixpath.dirname(self.env.docname)
        links = [
            *self.document.findall(pending_xref),
            *self.document.findall(download_reference),
        ]
        for link in links:
            source = posixpath.normpath(posixpath.join(here, link["reftarget"]))
            page = page_of(source)
            if page is not None:
                link.replace_self(self._link(page, link))
            elif source.startswith("../"):
                link.replace_self(link.children)

    def _link(self, page: str, instead_of: Any) -> pending_xref:
        return pending_xref(
            "",
            *instead_of.children,
            refdomain="std",
            reftype="doc",
            reftarget=f"/{page}",
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform."""
    app.add_transform(SourceLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
