"""The shuffle test where algorithms may differ in spread: Welch-type, in NumPy throughout.

Janssen (1997), Statistics & Probability Letters 36; Chung & Romano (2013), Annals of
Statistics 41; Pauly, Brunner & Konietschke (2015), JRSS B 77.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.errors import CurvesError, OptionError
from curvewise.kernels.enumeration import Enumeration
from curvewise.kernels.pvalues import critical_value, pvalue
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.streams import BATCH
from curvewise.kernels.welch import f_at
from curvewise.parallel import in_chunks
from curvewise.results import Effect, EffectName, Interval
from curvewise.shuffling import CHEAP, CHUNK, MOST_KEPT, Visited

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.welch import WelchDesign
    from curvewise.shuffling import Relabellings

__all__ = ["Unequal", "check_unequal", "studentised_interval", "visit_unequal"]

INSTEAD = 'spread="equal", which is the default'


@dataclass(frozen=True, eq=False)
class Unequal:
    """What the relabellings gave, in the order of `kernels.extremes`.

    ``null`` has F of the relabellings kept, each taken to the degrees of freedom of the
    observed F by way of its p, so that a larger one is a more extreme one.
    """

    count: int
    n_extreme: Integers
    statistics: Floats
    df: Floats
    null: Floats
    exact: bool
    keeps_all: bool

    @property
    def visited(self) -> Visited:
        """The counts, as of any other visit; no sums of squares are kept."""
        engine = f"NumPy {'enumeration' if self.exact else 'shuffles'}"
        nothing = np.empty((2, 0))
        return Visited(self.count, self.n_extreme, nothing, nothing.T, engine)

    def effects(self, *, alpha: float, single_step: bool) -> dict[str, Effect]:
        """Return the effects: without shape where there is a single step."""
        return {
            name: Effect(
                name=name,
                statistic=float(self.statistics[row]),
                df=(float(self.df[row, 0]), float(self.df[row, 1])),
                pvalue=pvalue(int(self.n_extreme[row]), self.count, exact=self.exact),
                n_extreme=int(self.n_extreme[row]),
                n_shuffles=self.count,
                exact=self.exact,
                alpha=alpha,
                critical_value=critical_value(self.null[row], alpha),
                null_distribution=self.null[row],
            )
            for row, name in enumerate(get_args(EffectName))
            if not (single_step and name == "interaction")
        }


def check_unequal(
    curves: Curves, *, error: str, n_shuffles: object, checkpoint: object
) -> None:
    """Refuse what cannot be asked where spreads may differ."""
    if error == "pooled":
        msg = (
            "Unequal spread goes with the split error term only: a pooled one takes all "
            f'spreads for equal. Leave out error="pooled", or use {INSTEAD}.'
        )
        raise OptionError(msg)
    if isinstance(n_shuffles, str):
        msg = f"Unequal spread needs a number of shuffles, such as 9,999, not {n_shuffles!r}."
        raise OptionError(msg)
    if checkpoint is not None:
        msg = "Unequal spread keeps no checkpoint. Leave the checkpoint out."
        raise OptionError(msg)
    if curves.blocks is not None:
        msg = (
            "Unequal spread cannot be allowed for within blocks: a block holds too few runs "
            "of an algorithm to tell its spread. Leave spread out to shuffle within blocks, "
            "or leave the blocks out if runs do not really share them."
        )
        raise CurvesError(msg)
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            msg = (
                f"{name!r} has a single run, so its spread is unknown and cannot be allowed "
                f"for. Add runs, leave {name!r} out, or use {INSTEAD}."
            )
            raise CurvesError(msg)


def visit_unequal(
    relabellings: Relabellings, design: WelchDesign, *, n_jobs: int = 1
) -> Unequal:
    """Visit every relabelling; ``n_jobs`` changes no digit."""
    observed = design.ratios(relabellings.labels[None, :])
    df = np.stack([design.df_effect, observed.df_error[:, 0]], axis=1)
    limits = design.pvalues(observed, ahead=-1.0)[:, 0] * (1 + 1e-9)
    exact, n_batches = (
        isinstance(relabellings, Enumeration),
        -(-relabellings.count // BATCH),
    )
    keeps_all = exact and relabellings.count <= CHEAP
    sample = relabellings
    if exact and not keeps_all:
        # Part of an enumeration would be a corner of it, so a sample is kept.
        labels, blocks = relabellings.labels, relabellings.blocks
        sample = Shuffles(labels, blocks, MOST_KEPT * BATCH, seed=0)
    n_kept = n_batches if keeps_all else min(MOST_KEPT, -(-sample.count // BATCH))

    def visit(visited: Relabellings, batches: range, *, keep: bool) -> list[_Part]:
        work = partial(_visit_batches, visited, design, limits, keep=keep)
        return in_chunks(work, batches, chunk=CHUNK, n_jobs=n_jobs)

    kept = visit(sample, range(n_kept), keep=True)
    counted = kept if sample is relabellings else []
    rest = range(n_kept if counted else 0, n_batches)
    counted = counted + visit(relabellings, rest, keep=False)
    statistics = observed.statistics[:, 0]
    return Unequal(
        relabellings.count,
        np.sum([n_extreme for n_extreme, _ in counted], axis=0),
        statistics,
        df,
        _null(np.concatenate([p for _, p in kept], axis=1), limits, statistics, df),
        exact,
        keeps_all,
    )


_Part = tuple["Integers", "Floats"]


def _visit_batches(
    relabellings: Relabellings,
    design: WelchDesign,
    limits: Floats,
    batches: range,
    *,
    keep: bool,
) -> _Part:
    n_extreme = np.zeros(3, dtype=np.int64)
    kept = [np.empty((3, 0))]
    for number in batches:
        # Always a whole batch at a time, as in `shuffling`.
        pvalues = design.pvalues(design.ratios(relabellings.batch(number)))
        n_extreme += np.sum(pvalues <= limits[:, None], axis=1)
        if keep:
            kept.append(pvalues)
    return n_extreme, np.concatenate(kept, axis=1)


def _null(pvalues: Floats, limits: Floats, statistics: Floats, df: Floats) -> Floats:
    """Take each relabelling to the F that has its p on the df of the observed table."""
    null = np.empty_like(pvalues)
    for row, (statistic, limit) in enumerate(zip(statistics, limits, strict=True)):
        null[row] = f_at(pvalues[row], (df[row, 0], df[row, 1]))
        # What counts as extreme must not look smaller, and a tie must look like one.
        counts = pvalues[row] <= limit
        tied = np.isclose(null[row], statistic, rtol=1e-9, atol=0)
        tied |= counts & (null[row] < statistic)
        # Where p is too small to be told from 0, so is how extreme a relabelling is.
        tied |= counts & (pvalues[row] == 0)
        null[row][tied] = statistic
    null.setflags(write=False)
    return null


def studentised_interval(
    value: float, heights: Floats, labels: Integers, found: Unequal, alpha: float
) -> Interval:
    """Return the difference ± a quantile of the shuffled |t| times its standard error.

    ``heights`` are the curve means. Zero lies outside exactly when height is significant.
    """
    null = found.null[1].copy()
    if found.keeps_all:
        # The observed labelling is among them, and counts whatever the difference.
        null[np.argmax(null == found.statistics[1])] = math.inf
    # How many relabellings may be as extreme before p exceeds alpha; see `kernels.shifts`.
    added = 0 if found.keeps_all else 1
    allowed = math.floor(alpha * (len(null) + added) * (1 + 1e-12)) - added
    place = len(null) - 1 - min(allowed, len(null) - 1)
    quantile = float(np.partition(null, place)[place]) if allowed >= 0 else math.inf
    if math.isinf(quantile):
        return Interval(-math.inf, math.inf)
    groups = [heights[labels == group] for group in (0, 1)]
    error = math.sqrt(sum(float(np.var(group, ddof=1)) / len(group) for group in groups))
    reach = math.sqrt(quantile) * error
    # An end a rounding error away from zero is at it.
    low, high = (
        0.0 if abs(end) <= 1e-9 * abs(value) else end
        for end in (value - reach, value + reach)
    )
    return Interval(low, high)
