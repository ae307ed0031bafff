"""The version, said in several files: one source, and what else must agree with it.

The version is that of ``src/curvewise/__init__.py``, which builds read; the date is that of
CITATION.cff.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

__all__ = ["ROOT", "disagreements", "release_date", "source_version", "unreleased"]

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def source_version(root: Path = ROOT) -> str:
    """Return the version of the source, without importing it."""
    text = (root / "src" / "curvewise" / "__init__.py").read_text(encoding="utf-8")
    found = VERSION.search(text)
    if found is None:
        msg = "src/curvewise/__init__.py says no version"
        raise ValueError(msg)
    return found[1]


def _yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def release_date(root: Path = ROOT) -> str:
    """Return the day of the release, YYYY-MM-DD."""
    return str(_yaml(root / "CITATION.cff")["date-released"])


def disagreements(root: Path = ROOT) -> list[str]:
    """Return a sentence for every file whose version or date is not that of the release."""
    version, date = source_version(root), release_date(root)
    zenodo = json.loads((root / ".zenodo.json").read_text(encoding="utf-8"))
    said = {
        "the version of CITATION.cff": (_yaml(root / "CITATION.cff")["version"], version),
        "the version of .zenodo.json": (zenodo["version"], version),
        "the date of .zenodo.json": (zenodo["publication_date"], date),
        "the version of release/conda/recipe.yaml": (
            _yaml(root / "release" / "conda" / "recipe.yaml")["context"]["version"],
            version,
        ),
    }
    return [
        f"{what} is {found}, not {wanted}"
        for what, (found, wanted) in said.items()
        if str(found) != wanted
    ]


def unreleased(root: Path = ROOT) -> list[str]:
    """Return a sentence for everything that stands between this state and its release."""
    title = f"## {source_version(root)} ({release_date(root)})"
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    missing = [] if title in changelog.splitlines() else [f"CHANGELOG.md has no {title!r}"]
    return [*disagreements(root), *missing]


if __name__ == "__main__":
    problems = unreleased()
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    sys.exit(1 if problems else 0)
