"""Learning curves of A1, A2 and A3, and their division into replications."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.sources.modifications import TILT, tilted
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS, learning_curves
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["N_RUNS", "draw_replications", "select_algorithms", "trained_curves"]

Floats = npt.NDArray[np.float64]

N_RUNS = 10
N_FILES, PER_FILE = (30, 10)  # replications stored per file: a stopped run loses at most one file
N_REPLICATIONS_QUICK, PER_FILE_QUICK = 20, 10


def trained_curves(seed: int, *, quick: bool) -> Floats:
    """Return learning curves of all algorithms: (algorithms, runs, steps).

    Training takes nearly all the time of the study, so the curves are stored file by file.
    """
    n_files, per_file = (1, PER_FILE_QUICK) if quick else (N_FILES, PER_FILE)
    form = "quick" if quick else "curves"
    parts = [
        load_or_compute(
            f"piater1997/{form}-{number:02d}",
            {"seed": seed, "number": number, "n_replications": per_file, "n_runs": N_RUNS},
            partial(_train, seed, number, per_file),
        )
        for number in range(n_files)
    ]
    curves = np.concatenate(parts, axis=1).astype(np.float64)
    return curves.reshape(len(LEARNING_RATES), -1, len(STEPS))


def _train(seed: int, number: int, n_replications: int) -> npt.NDArray[np.int64]:
    """Train the runs of several replications: (algorithms, replications, runs, steps)."""
    n_each = n_replications * N_RUNS
    rates = [rate for rate in LEARNING_RATES.values() for _ in range(n_each)]
    curves = learning_curves(rates, stream(seed, "piater1997: training", number))
    shape = (len(LEARNING_RATES), n_replications, N_RUNS, len(STEPS))
    return curves.astype(np.int64).reshape(shape)


def draw_replications(curves: Floats, seed: int, *, quick: bool) -> Floats:
    """Return the curves of every replication: (replications, algorithms, runs, steps).

    At full size no curve is used twice. The quick form draws each replication from few
    curves, so replications share runs.
    """
    if not quick:
        n_algorithms, _, n_steps = curves.shape
        return curves.reshape(n_algorithms, -1, N_RUNS, n_steps).swapaxes(0, 1)
    rng = stream(seed, "piater1997: dealing")
    return np.stack(
        [[rng.permutation(each)[:N_RUNS] for each in curves] for _ in range(N_REPLICATIONS_QUICK)]
    )


def select_algorithms(replication: Floats, algorithms: Iterable[str]) -> cw.Curves:
    """Return the curves of some algorithms of a replication: A1, A2, A3, or A1 tilted."""
    sets = dict(zip(LEARNING_RATES, replication, strict=True))
    for name, factor in (("A1+v/2", 0.5), ("A1+v", 1.0), ("A1+2v", 2.0)):
        sets[name] = tilted(sets["A1"], factor * TILT)
    chosen = {name: sets[name] for name in algorithms}
    labels = [name for name, scores in chosen.items() for _ in scores]
    return cw.Curves(np.concatenate(list(chosen.values())), labels, STEPS)
