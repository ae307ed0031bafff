"""Learning curves of A1, A2 and A3: trained, kept, and dealt out to replications."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.sources.modifications import TILT, tilted
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS, learning_curves
from studies.store import kept
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["N_RUNS", "compared", "deal", "trained"]

Floats = npt.NDArray[np.float64]

N_RUNS = 10
N_FILES, PER_FILE = 30, 10  # replications kept together: a stopped run loses one file
N_QUICK, PER_QUICK = 20, 10


def trained(seed: int, *, quick: bool) -> Floats:
    """Return fresh learning curves: (algorithms, runs, steps).

    Training takes nearly all the time of the study, so curves are kept as they come.
    """
    n_files, per_file = (1, PER_QUICK) if quick else (N_FILES, PER_FILE)
    form = "quick" if quick else "curves"
    parts = [
        kept(
            f"piater1997/{form}-{number:02d}",
            {
                "seed": seed,
                "number": number,
                "n_replications": per_file,
                "n_runs": N_RUNS,
            },
            partial(_trained, seed, number, per_file),
        )
        for number in range(n_files)
    ]
    together = np.concatenate(parts, axis=1).astype(np.float64)
    return together.reshape(len(LEARNING_RATES), -1, len(STEPS))


def _trained(seed: int, number: int, n_replications: int) -> npt.NDArray[np.int64]:
    """Train runs for several replications at once: (algorithms, replications, runs, steps)."""
    n_each = n_replications * N_RUNS
    rates = [rate for rate in LEARNING_RATES.values() for _ in range(n_each)]
    curves = learning_curves(rates, stream(seed, "piater1997: training", number))
    shape = (len(LEARNING_RATES), n_replications, N_RUNS, len(STEPS))
    return curves.astype(np.int64).reshape(shape)


def deal(curves: Floats, seed: int, *, quick: bool) -> Floats:
    """Return the curves of every replication: (replications, algorithms, runs, steps).

    At full size no curve is used twice. The quick form deals its replications out of few
    curves, so they share runs.
    """
    if not quick:
        n_algorithms, _, n_steps = curves.shape
        return curves.reshape(n_algorithms, -1, N_RUNS, n_steps).swapaxes(0, 1)
    rng = stream(seed, "piater1997: dealing")
    return np.stack(
        [[rng.permutation(each)[:N_RUNS] for each in curves] for _ in range(N_QUICK)]
    )


def compared(replication: Floats, algorithms: Iterable[str]) -> cw.Curves:
    """Return the curves of some of A1, A2, A3 and A1 tilted, out of one replication."""
    sets = dict(zip(LEARNING_RATES, replication, strict=True))
    for name, times in (("A1+v/2", 0.5), ("A1+v", 1.0), ("A1+2v", 2.0)):
        sets[name] = tilted(sets["A1"], times * TILT)
    chosen = {name: sets[name] for name in algorithms}
    labels = [name for name, scores in chosen.items() for _ in scores]
    return cw.Curves(np.concatenate(list(chosen.values())), labels, STEPS)
