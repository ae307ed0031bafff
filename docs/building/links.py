"""Check the built site: no dead link, nothing loaded from another host.

``python -m docs.building.links docs/_build`` prints what is wrong and exits with 1.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Page", "pages", "problems"]

# Elements that load what they name; others (a, area) are followed by a click.
LOADING = {"img", "script", "iframe", "source", "embed", "audio", "video", "track", "input"}
# Links of a page that a browser only follows, or does not follow at all.
NOT_LOADED = {"next", "prev", "search", "index", "canonical", "author", "license", "help"}
WITHIN = {"", "file"}
HARMLESS = {"data", "mailto", "about", "javascript", "blob"}
# What a style sheet loads from a host.
OUTSIDE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')]*)""")


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what an element names."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        targets = [given[name] for name in ("href", "src", "data") if name in given]
        targets += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]
        followed = tag in {"a", "area"} or (
            tag == "link" and set(given.get("rel", "").split()) <= NOT_LOADED
        )
        for target in targets:
            if followed:
                self.links.append(target)
            elif tag in LOADING or tag in {"link", "object"}:
                self.loads.append(target)


@cache
def _page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def problems(site: Path) -> list[str]:
    """Return a sentence for each dead link, and for each thing that another host would send."""
    found = []
    for path in pages(site):
        page = _page(path)
        name = path.relative_to(site)
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme in HARMLESS:
                continue
            if parts.scheme not in WITHIN or parts.netloc:
                if target in page.loads:
                    found.append(f"{name} loads {target}")
                continue
            there = path if not parts.path else path.parent / unquote(parts.path)
            if there.is_dir():
                there /= "index.html"
            if not there.is_file():
                found.append(f"{name} links to {target}, which is not there")
            elif there.suffix == ".html" and unquote(parts.fragment) not in _page(there).anchors:
                found.append(f"{name} links to {target}, which has no such place")
    for path in sorted(site.rglob("*.css")):
        for loaded in OUTSIDE.findall(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(site)} loads {loaded}")
    return found


def pages(site: Path) -> list[Path]:
    """Return the pages of the site; those in _static are templates of the theme."""
    return [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]


def main() -> None:
    """Check the site whose folder is named on the command line."""
    site = Path(sys.argv[1])
    found = problems(site)
    for problem in found:
        sys.stderr.write(f"{problem}\n")
    n_pages = len(pages(site))
    sys.stdout.write(f"{site}/index.html: {n_pages} pages, {len(found)} problems\n")
    sys.exit(bool(found) or n_pages == 0)


if __name__ == "__main__":
    main()
