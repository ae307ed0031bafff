"""``make changelog``: gather the fragments of ``changes`` into the section of this version.

A fragment is a file ``changes/SLUG.KIND.md`` with a few plain sentences about one change; its
kind is one of `KINDS`. The section is made if it is not there, and may be added to until the
release: fragments that came late join those of their kind.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from release.metadata import ROOT, release_date, source_version

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KINDS", "Fragment", "fragments", "gathered"]

KINDS = {
    "results": "Results that change",
    "added": "New",
    "changed": "Changed",
    "fixed": "Fixed",
}
FIRST_SECTION = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Fragment:
    """One change, of a kind."""

    kind: str
    text: str

    @classmethod
    def read(cls, path: Path) -> Fragment:
        """Read a file ``SLUG.KIND.md``; raise if it has no such name, or no text."""
        parts = path.name.split(".")
        text = path.read_text(encoding="utf-8").strip()
        if len(parts) != 3 or parts[1] not in KINDS or parts[2] != "md" or not parts[0]:
            kinds = ", ".join(KINDS)
            msg = f"{path.name} is not called SLUG.KIND.md, where KIND is one of {kinds}"
            raise ValueError(msg)
        if not text:
            msg = f"{path.name} is empty: say what changes for users"
            raise ValueError(msg)
        return cls(parts[1], text)

    def item(self) -> str:
        """Return the text as an item of a list."""
        lines = self.text.removeprefix("- ").splitlines()
        return "\n".join(
            f"- {line}" if not n else f"  {line.strip()}".rstrip()
            for n, line in enumerate(lines)
        )


def fragments(folder: Path) -> dict[Path, Fragment]:
    """Return every fragment of a folder, by name."""
    return {
        path: Fragment.read(path)
        for path in sorted(folder.glob("*"))
        if path.name != "README.md"
    }


def gathered(changelog: str, found: list[Fragment], version: str, date: str) -> str:
    """Return the changelog with these fragments in the section of this version."""
    title = f"## {version} ("
    sections = [match.start() for match in FIRST_SECTION.finditer(changelog)]
    starts = [start for start in sections if changelog.startswith(title, start)]
    if not starts:
        first = sections[0] if sections else len(changelog)
        changelog = f"{changelog[:first]}{title}{date})\n\n{changelog[first:]}"
        starts = [first]
    start = starts[0]
    following = FIRST_SECTION.search(changelog, start + 1)
    end = following.start() if following else len(changelog)
    heading, _, body = changelog[start:end].partition("\n")
    heading = f"{title}{date})"
    for kind, name in reversed(KINDS.items()):
        items = [fragment.item() for fragment in found if fragment.kind == kind]
        if not items:
            continue
        subheading = f"### {name}\n\n"
        text = "\n".join(items) + "\n"
        if subheading in body:
            body = body.replace(subheading, subheading + text, 1)
        else:
            body = f"\n{subheading}{text}{body}"
    return (
        f"{changelog[:start]}{heading}\n{body.rstrip()}\n\n{changelog[end:]}".rstrip()
        + "\n"
    )


def main() -> int:
    """Gather all fragments, and remove them."""
    place = ROOT / "CHANGELOG.md"
    try:
        found = fragments(ROOT / "changes")
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    text = place.read_text(encoding="utf-8")
    made = gathered(text, list(found.values()), source_version(), release_date())
    place.write_text(made, encoding="utf-8", newline="\n")
    for path in found:
        path.unlink()
    sys.stdout.write(f"Gathered {len(found)} changes into CHANGELOG.md.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
