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

__all__ = ["Page", "page_at", "pages", "problems"]

# What a click follows; all other elements load what they name.
FOLLOWED = {"a", "area", "form"}
# Relations of <link> that a browser does not load.
NOT_LOADED = {"next", "prev", "search", "index", "canonical", "author", "license", "help"}
INSIDE_THE_PAGE = {"data", "mailto", "about", "javascript", "blob"}
# What a style loads from a host.
FROM_A_HOST = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]*)""")


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = FROM_A_HOST.findall(text)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what an element names."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        targets = [given[name] for name in ("href", "src", "poster") if name in given]
        candidates = given.get("srcset", "").split(", ")
        targets += [one.split()[0] for one in candidates if one.strip()]
        relations = set(given.get("rel", "").split())
        if tag in FOLLOWED or (tag == "link" and relations <= NOT_LOADED):
            self.links += targets
        else:
            self.loads += targets


@cache
def page_at(path: Path) -> Page:
    """Return the page in a file."""
    return Page(path.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    """Return the files of pages; those in _static are templates of the theme."""
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]


def problems(site: Path) -> list[str]:
    """Return a sentence for each dead link, and for each thing that another host would send."""
    found = []
    for path in pages(site):
        name, page = path.relative_to(site), page_at(path)
        found += [f"{name} {told}" for told in _problems_of(path, page)]
    for path in sorted(site.rglob("*.css")):
        loaded = FROM_A_HOST.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)} loads {target}" for target in loaded]
    return found


def _problems_of(path: Path, page: Page) -> list[str]:
    found = []
    for target in [*page.links, *page.loads]:
        parts = urlsplit(target)
        if parts.scheme in INSIDE_THE_PAGE:
            continue
        if parts.scheme or parts.netloc:
            if target in page.loads:
                found.append(f"loads {target}")
            continue
        there = path.parent / unquote(parts.path) if parts.path else path
        if there.is_dir():
            there /= "index.html"
        if not there.is_file():
            found.append(f"links to {target}, which is not there")
        elif there.suffix == ".html" and unquote(parts.fragment) not in page_at(there).anchors:
            found.append(f"links to {target}, which has no such place")
    return found


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
