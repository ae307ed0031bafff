"""Links that lead out of docs, to code that a code host shows: the site shows their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["OutsideLinks", "setup"]


class OutsideLinks(SphinxTransform):
    """Replaces links to files outside docs by what stands in them."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Look through one page."""
        depth = self.env.docname.count("/")
        outside = "../" * (depth + 1)
        for link in list(self.document.findall(pending_xref)):
            if link["reftarget"].startswith(outside):
                link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform."""
    app.add_transform(OutsideLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
