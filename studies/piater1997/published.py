"""The numbers printed in the report: four tables, p of the randomized test, one power."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ALPHA", "COMPARED", "EFFECTS", "PUBLISHED", "PUBLISHED_P", "PUBLISHED_POWER", "SOURCES"]

ALPHA = 0.05
COMPARED: Mapping[str, tuple[str, ...]] = {
    "Table 1": ("A1", "A2"),
    "Table 2": ("A1", "A3"),
    "Table 3": ("A1", "A2", "A3"),
    "Table 4": ("A1", "A1+v"),
}
SOURCES = ("interaction", "algorithm", "training", "error", "total")
EFFECTS = ("interaction", "algorithm")
PUBLISHED_P: Mapping[str, Mapping[str, float]] = {
    "Table 1": {"interaction": 0.253, "algorithm": 0.015},
    "Table 2": {"interaction": 0.484, "algorithm": 0.724},
    "Table 3": {"interaction": 0.477, "algorithm": 0.026},
    "Table 4": {"interaction": 0.057, "algorithm": 0.984},
}
# The only point of Figures 6 and 7 given in the text: algorithm effect, s = 1.1, l = 10.
PUBLISHED_POWER = 0.80


def _published() -> dict[str, dict[str, dict[str, float]]]:
    path = Path(__file__).parents[2] / "tests" / "reference" / "piater1997_tables.json"
    tables = json.loads(path.read_text(encoding="utf-8"))["tables"]
    return {table["name"].partition(":")[0]: table["rows"] for table in tables}


PUBLISHED = _published()
