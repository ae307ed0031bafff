"""Tables 1 to 4 made again from every replication of the curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

import curvewise as cw
from studies.piater1997.curves import compared
from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, SOURCES
from studies.store import fingerprint, kept
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["N_PICTURED", "N_SHUFFLES", "Replications", "pictured", "replicate", "typical"]

Floats = npt.NDArray[np.float64]
Parts = dict[str, dict[str, list[float]]]

N_SHUFFLES = 999  # with the observed table, the report's 1000
N_PICTURED = 9_999
# The report says of v that what it does grows with it.
TABLES = {**COMPARED, "v/2": ("A1", "A1+v/2"), "2v": ("A1", "A1+2v")}
PARTS = ("ss", "f", "p", "p_larger", "p_parametric", "null_mean", "tail", "tail_at_mean")


@dataclass(frozen=True)
class Replications:
    """One table of the report, made again and again: an entry per replication.

    ``ss`` and ``f`` by source; the rest by effect. ``p`` is that of the randomized test,
    ``p_larger`` counts only the shuffles with a larger F. ``null_mean`` is the mean F of
    the shuffled tables, ``tail`` the share of them above the conventional 5 % point, and
    ``tail_at_mean`` this share when they are brought to the conventional mean. ``rough``
    says that the replications are few and share runs.
    """

    name: str
    rough: bool
    ss: Mapping[str, Floats]
    f: Mapping[str, Floats]
    p: Mapping[str, Floats]
    p_larger: Mapping[str, Floats]
    p_parametric: Mapping[str, Floats]
    null_mean: Mapping[str, Floats]
    tail: Mapping[str, Floats]
    tail_at_mean: Mapping[str, Floats]

    def found(self, effect: str) -> npt.NDArray[np.bool_]:
        """Say in which replications an effect is significant."""
        return np.asarray(self.p[effect] <= ALPHA)


def replicate(curves: Floats, seed: int, *, quick: bool) -> dict[str, Replications]:
    """Make every table from each replication of the curves, with the pooled error term."""
    form = "-quick" if quick else ""
    key = {
        "seed": seed,
        "curves": fingerprint(curves),
        "n_shuffles": N_SHUFFLES,
        "tables": TABLES,
        "parts": PARTS,
    }
    found = kept(
        f"piater1997/tables{form}",
        key,
        lambda: {name: _replicated(curves, name, seed) for name in TABLES},
    )
    return {
        name: Replications(
            name,
            quick,
            **{
                part: {source: np.array(values) for source, values in by_source.items()}
                for part, by_source in parts.items()
            },
        )
        for name, parts in found.items()
    }


def _replicated(curves: Floats, name: str, seed: int) -> Parts:
    out: Parts = {part: {} for part in PARTS}
    for place, replication in enumerate(curves):
        found = cw.compare(
            compared(replication, TABLES[name]),
            error="pooled",
            exact=False,
            n_shuffles=N_SHUFFLES,
            rng=stream(seed, "piater1997: shuffling", place),
        )
        _add(out, "ss", {source: found.table[source].ss for source in SOURCES})
        _add(out, "f", {"training": found.table["training"].statistic})
        for effect in EFFECTS:
            for part, value in _tested(found.effects["pooled"][effect]).items():
                _add(out, part, {effect: value})
    return out


def _add(out: Parts, part: str, values: Mapping[str, float | None]) -> None:
    for source, value in values.items():
        if value is not None:
            out[part].setdefault(source, []).append(float(value))


def _tested(effect: cw.Effect) -> dict[str, float | None]:
    """Return what is kept of one effect: F, p, and where its shuffles lie."""
    null, (df, df_error) = effect.null_distribution, effect.df
    limit = special.fdtri(df, df_error, 1 - ALPHA)
    mean = float(null.mean())
    at_mean = null / mean * df_error / (df_error - 2)
    return {
        "f": effect.statistic,
        "p": effect.pvalue,
        # Equal sums may come out of floating point a little apart.
        "p_larger": float(np.mean(null > effect.statistic + 1e-9)),
        "p_parametric": effect.pvalue_parametric,
        "null_mean": mean,
        "tail": float(np.mean(null > limit)),
        "tail_at_mean": float(np.mean(at_mean > limit)),
    }


def typical(made: Mapping[str, Replications]) -> int:
    """Return which replication has the middle F of the algorithm effect of A1 and A2."""
    ratios = made["Table 1"].f["algorithm"]
    return int(np.argsort(ratios)[len(ratios) // 2])


def pictured(replication: Floats, seed: int) -> cw.Comparison:
    """Compare A1 and A2 of one replication with the many shuffles a histogram needs."""
    return cw.compare(
        compared(replication, COMPARED["Table 1"]),
        error="pooled",
        exact=False,
        n_shuffles=N_PICTURED,
        rng=stream(seed, "piater1997: picture"),
    )
