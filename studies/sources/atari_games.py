r"""Six agents on eight Atari games, as published with Dopamine, thinned to 20 steps.

Makes the example ``atari-8`` of the package from the files of ``baselines/atari/data`` of
https://github.com/google/dopamine (Apache-2.0), or from CSV tables of the same rows::

    python -m studies.sources.atari_games FOLDER --date 2026-11-17 \
        > src/curvewise/data/examples/atari-8.json

A step is the mean of ten iterations, and is numbered by the last of them; the last step is the
mean of nine. Scores are rounded to four significant digits.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.sources.atari import (
    COMMIT,
    CONFIGURATION,
    REPOSITORY,
    provenance,
    rounded,
    rows_of,
    runs_of,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.sources.atari import Row

__all__ = ["GAMES", "record", "thinned"]

GAMES = (
    *("asterix", "breakout", "freeway", "montezumarevenge"),
    *("pong", "qbert", "seaquest", "spaceinvaders"),
)
BIN = 10  # iterations


def thinned(run: list[float]) -> list[float]:
    """Return the mean of each bin of iterations, with four significant digits."""
    starts = np.arange(0, len(run), BIN)
    sizes = np.diff([*starts, len(run)])
    means = np.add.reduceat(np.array(run), starts) / sizes
    return rounded(means, 4)


def record(games: Mapping[str, list[Row]], date: str) -> dict[str, Any]:
    """Return the example as it is stored, with its licence and provenance."""
    runs = {game: runs_of(rows) for game, rows in games.items()}
    first = next(iter(next(iter(runs.values())).values()))[0]
    ends = [*range(BIN - 1, len(first) - 1, BIN), len(first) - 1]
    return {
        "about": "mean return of six agents on eight Atari games, in twenty parts of 199 "
        "iterations of 250,000 agent steps of training",
        "algorithms": dict.fromkeys(next(iter(runs.values())), CONFIGURATION),
        "source": f"{REPOSITORY}, baselines/atari/data, commit {COMMIT}",
        **provenance(
            "eight of the games; runs separated; means over ten iterations, rounded to four "
            "significant digits; another file format",
            "studies/sources/atari_games.py",
            date,
        ),
        "steps": ends,
        "tasks": {
            game: {agent: [thinned(run) for run in own] for agent, own in of_game.items()}
            for game, of_game in runs.items()
        },
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with a .json or .csv file of each game")
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    games = {}
    for game in GAMES:
        places = [arguments.folder / f"{game}{ending}" for ending in (".json", ".csv")]
        games[game] = rows_of(next(place for place in places if place.exists()))
    print(written(record(games, arguments.date)))


if __name__ == "__main__":
    _main()
