"""Kinds of caveats."""

from __future__ import annotations

import re
from pathlib import Path

from curvewise.schemas import caveat_kinds

SOURCE = Path(__file__).parents[2] / "src" / "curvewise"

OWN_KIND = "TooFewTasksForIQM"  # an abbreviation, which it spells itself


def test_every_kind_of_caveat_is_known() -> None:
    written = {
        name
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"^class (\w+)\(\w*Caveat\w*\)", path.read_text(), re.MULTILINE)
    }
    words = {re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower() for name in written - {OWN_KIND}}
    kinds = set(caveat_kinds())
    assert len(kinds) > 50
    assert {"too few runs", "different spread"} <= kinds
    # The abstract ones, and the one that tells whom another is about.
    assert words - kinds == {"of members", "on some tasks", "preparation caveat"}
