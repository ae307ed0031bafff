"""Writing generated pages so that Sphinx reads only those that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["write_if_changed"]


def write_if_changed(path: Path, lines: Iterable[str]) -> None:
    """Write the lines, unless the file holds them already."""
    text = "\n".join(lines).rstrip() + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
