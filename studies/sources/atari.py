r"""DQN and Rainbow on Montezuma's Revenge, as published with Dopamine.

Makes the example ``atari`` of the package from ``baselines/atari/data/montezumarevenge.json``
of https://github.com/google/dopamine (Apache-2.0), or from a CSV table of the same rows::

    python -m studies.sources.atari montezumarevenge.json --date 2026-11-16 \
        > src/curvewise/data/examples/atari.json

The published file has a record per iteration: runs follow one another and are not named, so a
run begins where the iteration is 0. Two of its agents are kept, and scores are rounded to six
significant digits.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "AGENTS",
    "Row",
    "example",
    "provenance",
    "record",
    "rounded",
    "rows_of",
    "runs_of",
    "written",
]

AGENTS = ("DQN", "Rainbow")
CONFIGURATION = "Dopamine baseline, default configuration"
REPOSITORY = "https://github.com/google/dopamine"
COMMIT = "5873f5494ee0c2d7c016d0ab2ad530354fec59d0"


class Row(NamedTuple):
    """The score of an agent in one iteration of a run."""

    agent: str
    iteration: int
    score: float


def rows_of(path: Path) -> list[Row]:
    """Read the rows of a file in the order they were published in."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return [
            Row(item["Agent"], int(item["Iteration"]), float(item["Value"]))
            for item in json.loads(text)
        ]
    return [
        Row(item["agent"], int(item["iteration"]), float(item["score"]))
        for item in csv.DictReader(text.splitlines())
    ]


def runs_of(rows: list[Row]) -> dict[str, list[list[float]]]:
    """Return runs × iterations of each agent, in the order of the rows."""
    runs: dict[str, list[list[float]]] = {}
    for row in rows:
        own = runs.setdefault(row.agent, [])
        if row.iteration == 0:
            own.append([])
        own[-1].append(row.score)
    return runs


def rounded(scores: Iterable[float], digits: int) -> list[float]:
    """Round to some significant digits; whole numbers are written as such."""
    values = (float(f"{score:.{digits}g}") for score in scores)
    return [int(value) if value.is_integer() else value for value in values]


def provenance(changes: str, made_by: str, date: str) -> dict[str, str]:
    """Return what is stored with all that comes from there."""
    return {
        "citation": "Castro, Moitra, Gelada, Kumar & Bellemare (2018). Dopamine: a research "
        "framework for deep reinforcement learning. arXiv:1812.06110",
        "copyright": "Copyright 2018 The Dopamine Authors. All rights reserved.",
        "licence": "Apache-2.0, see atari.LICENSE.txt; curvewise itself has another licence",
        "changes": changes,
        "made_by": made_by,
        "on": date,
    }


def written(record: Mapping[str, Any]) -> str:
    """Return a record as JSON with one line per run, so that it can be compared by eye."""
    text = json.dumps(record, indent=1)
    return re.sub(r"\[[-\d.e,\s]+\]", lambda match: re.sub(r"\s+", "", match[0]), text)


def example(rows: list[Row]) -> dict[str, list[list[float]]]:
    """Return runs × iterations of the agents that are kept."""
    runs = runs_of(rows)
    return {agent: [rounded(run, 6) for run in runs[agent]] for agent in AGENTS}


def record(rows: list[Row], date: str) -> dict[str, Any]:
    """Return the example as it is stored, with its licence and provenance."""
    scores = example(rows)
    return {
        "about": "mean return of DQN and Rainbow on the Atari game Montezuma's Revenge in each "
        "of 199 iterations of 250,000 agent steps of training",
        "algorithms": dict.fromkeys(AGENTS, CONFIGURATION),
        "source": f"{REPOSITORY}, baselines/atari/data/montezumarevenge.json, commit {COMMIT}",
        **provenance(
            "two of the agents; runs separated; scores rounded to six significant digits; "
            "another file format",
            "studies/sources/atari.py",
            date,
        ),
        "steps": list(range(len(scores[AGENTS[0]][0]))),
        "scores": scores,
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    print(written(record(rows_of(arguments.file), arguments.date)))


if __name__ == "__main__":
    _main()
