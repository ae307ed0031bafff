"""Tables 1 to 4, computed from each replication of the curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

import curvewise as cw
from studies.piater1997.curves import select_algorithms
from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, SOURCES
from studies.store import fingerprint, load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "N_SHUFFLES",
    "N_SHUFFLES_PICTURED",
    "Replications",
    "compare_for_picture",
    "median_replication",
    "replicate",
]

Floats = npt.NDArray[np.float64]
Parts = dict[str, dict[str, list[float]]]

N_SHUFFLES = 999  # with the observed table, the report's 1000
N_SHUFFLES_PICTURED = 9_999
# The report says that the interaction grows with v, so half and twice v are tested too.
TABLES = {**COMPARED, "v/2": ("A1", "A1+v/2"), "2v": ("A1", "A1+2v")}
PARTS = ("ss", "f", "p", "p_larger", "p_parametric", "null_mean", "tail", "tail_at_mean")


@dataclass(frozen=True)
class Replications:
    """One table of the report, with an entry per replication in each array.

    Attributes
    ----------
    name : str
        The table of the report, or the multiple of v.
    rough : bool
        Whether the replications are few and share runs.
    ss, f : mapping
        Sums of squares and F, by source.
    p, p_larger, p_parametric : mapping
        By effect: p of the randomized test, p counting only shuffles with a larger F, and
        the conventional p.
    null_mean : mapping
        Mean F of the shuffled tables, by effect.
    tail, tail_at_mean : mapping
        Share of the shuffled F above the conventional 5 % point, as they are and scaled to
        the conventional mean, by effect.
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
        """Return in which replications an effect is significant."""
        return np.asarray(self.p[effect] <= ALPHA)


def replicate(curves: Floats, seed: int, *, quick: bool) -> dict[str, Replications]:
    """Return every table for each replication of the curves, with the pooled error term."""
    form = "-quick" if quick else ""
    key = {
        "seed": seed,
        "curves": fingerprint(curves),
        "n_shuffles": N_SHUFFLES,
        "tables": TABLES,
        "parts": PARTS,
    }
    found = load_or_compute(
        f"piater1997/tables{form}",
        key,
        lambda: {name: _replicate_table(curves, name, seed) for name in TABLES},
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


def _replicate_table(curves: Floats, name: str, seed: int) -> Parts:
    parts: Parts = {part: {} for part in PARTS}
    for index, replication in enumerate(curves):
        found = cw.compare(
            select_algorithms(replication, TABLES[name]),
            error="pooled",
            exact=False,
            n_shuffles=N_SHUFFLES,
            rng=stream(seed, "piater1997: shuffling", index),
        )
        _append(parts, "ss", {source: found.table[source].ss for source in SOURCES})
        _append(parts, "f", {"training": found.table["training"].statistic})
        for effect in EFFECTS:
            for part, value in _numbers_of_effect(found.effects["pooled"][effect]).items():
                _append(parts, part, {effect: value})
    return parts


def _append(parts: Parts, part: str, values: Mapping[str, float | None]) -> None:
    for source, value in values.items():
        if value is not None:
            parts[part].setdefault(source, []).append(float(value))


def _numbers_of_effect(effect: cw.Effect) -> dict[str, float | None]:
    """Return F and p of one effect, and the position of its shuffled F."""
    null, (df, df_error) = effect.null_distribution, effect.df
    limit = special.fdtri(df, df_error, 1 - ALPHA)
    mean = float(null.mean())
    at_mean = null / mean * df_error / (df_error - 2)
    return {
        "f": effect.statistic,
        "p": effect.pvalue,
        # The margin keeps ties apart from larger F: equal sums may differ by rounding.
        "p_larger": float(np.mean(null > effect.statistic + 1e-9)),
        "p_parametric": effect.pvalue_parametric,
        "null_mean": mean,
        "tail": float(np.mean(null > limit)),
        "tail_at_mean": float(np.mean(at_mean > limit)),
    }


def median_replication(replicated: Mapping[str, Replications]) -> int:
    """Return the index of the replication with the median F of A1 and A2, algorithm effect."""
    ratios = replicated["Table 1"].f["algorithm"]
    return int(np.argsort(ratios)[len(ratios) // 2])


def compare_for_picture(replication: Floats, seed: int) -> cw.Comparison:
    """Compare A1 and A2 of one replication, with enough shuffles for a histogram."""
    return cw.compare(
        select_algorithms(replication, COMPARED["Table 1"]),
        error="pooled",
        exact=False,
        n_shuffles=N_SHUFFLES_PICTURED,
        rng=stream(seed, "piater1997: picture"),
    )
