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
from typing import Any, NamedTuple

__all__ = ["AGENTS", "Row", "example", "record", "rows_of"]

AGENTS = ("DQN", "Rainbow")
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


def example(rows: list[Row]) -> dict[str, list[list[float]]]:
    """Return runs × iterations of each agent."""
    runs: dict[str, list[list[float]]] = {agent: [] for agent in AGENTS}
    for row in rows:
        if row.agent not in runs:
            continue
        if row.iteration == 0:
            runs[row.agent].append([])
        score = float(f"{row.score:.6g}")
        runs[row.agent][-1].append(int(score) if score.is_integer() else score)
    return runs


def record(rows: list[Row], date: str) -> dict[str, Any]:
    """Return the example as it is stored, with its licence and provenance."""
    scores = example(rows)
    return {
        "about": "mean return of DQN and Rainbow on the Atari game Montezuma's Revenge in each "
        "of 199 iterations of 250,000 agent steps of training",
        "algorithms": dict.fromkeys(AGENTS, "Dopamine baseline, default configuration"),
        "source": "https://github.com/google/dopamine, "
        f"baselines/atari/data/montezumarevenge.json, commit {COMMIT}",
        "citation": "Castro, Moitra, Gelada, Kumar & Bellemare (2018). Dopamine: a research "
        "framework for deep reinforcement learning. arXiv:1812.06110",
        "copyright": "Copyright 2018 The Dopamine Authors. All rights reserved.",
        "licence": "Apache-2.0, see atari.LICENSE.txt; curvewise itself has another licence",
        "changes": "two of the agents; runs separated; scores rounded to six significant "
        "digits; another file format",
        "made_by": "studies/sources/atari.py",
        "on": date,
        "steps": list(range(len(scores[AGENTS[0]][0]))),
        "scores": scores,
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    text = json.dumps(record(rows_of(arguments.file), arguments.date), indent=1)
    # One line per run, so that the file can be read and compared by eye.
    print(re.sub(r"\[[-\d.e,\s]+\]", lambda match: re.sub(r"\s+", "", match[0]), text))


if __name__ == "__main__":
    _main()
