"""The randomized ANOVA: the statistic that is shuffled, and the effects from its counts.

Small work is done in NumPy at once. Large work is counted by compiled code, which costs a
second to import; both count the same relabellings the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.effects import Effect, EffectName, ErrorTerm, f_statistic
from curvewise.kernels.anova.costs import shuffle_costs
from curvewise.kernels.anova.halving import between_of_halves, can_be_halved
from curvewise.kernels.anova.thresholds import effect_ratios
from curvewise.kernels.compiling import INSTALL_HINT, compiling_repays, worth_compiling
from curvewise.kernels.pvalues import critical_value, pvalue
from curvewise.kernels.relabelling.enumeration import Enumeration
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import CompiledWork, Statistic
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.anova.engines import Counter
    from curvewise.kernels.anova.thresholds import Totals
    from curvewise.kernels.relabelling.restriction import Relabellings
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured
    from curvewise.shuffling.visiting import Counts

    HeightCounter = Callable[[Layout, Design], tuple[int, int] | None]

__all__ = ["RandomizedAnova", "anova_effects", "anova_limits", "exact_height"]

# Which of the five statistics of `kernels.anova.thresholds` is which effect.
ROWS: dict[ErrorTerm, dict[EffectName, int]] = {
    "split": {"overall": 0, "algorithm": 1, "interaction": 2},
    "pooled": {"overall": 0, "algorithm": 3, "interaction": 4},
}
# Those that are ratios of one sum of squares to what is left of its own total, and of which.
OWN_PARTS = {1: 0, 2: 1}
COMPILED_CHUNK = 4_096  # batches to a task of compiled code
# An exact answer would take compiled code minutes beyond this: for two algorithms without blocks,
# and for others.
MAX_COMPILED, MAX_RANKED = 200_000_000_000, 1_000_000_000
SECONDS_TO_RANK_A_RUN = 1e-7  # in NumPy
SECONDS_TO_RANK_COMPILED = 3e-7  # and to judge, a relabelling
MAX_WITHOUT_COMPILER = 1_000_000_000  # half an hour in NumPy
# With many runs, where NumPy is slow, some thousands of values have to do.
MIN_KEPT_BATCHES, MAX_KEPT_RUNS_TIMES_BATCHES = 4, 2_560


@dataclass(frozen=True, eq=False)
class RandomizedAnova(Statistic):
    """Sums of squares of relabelled tables: how many are as extreme, for five statistics.

    Kept are SS_alg and SS_int and, for two algorithms, the sums of curve means and memberships
    over the first. ``error`` and ``deciders`` say which statistics decide when to stop.
    """

    design: Design
    error: ErrorTerm
    deciders: tuple[EffectName, ...] = get_args(EffectName)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, for each of the five statistics."""
        design = self.design
        between = design.between(labels)
        counts = (design.extreme_rule.n_extreme(between),)
        return counts, (self._kept(labels, between) if keep else ())

    def kept_values(self, labels: Integers) -> tuple[Floats, ...]:
        """Return the values to keep of a batch."""
        return self._kept(labels, self.design.between(labels))

    def _kept(self, labels: Integers, between: Floats) -> tuple[Floats, ...]:
        if self.design.contrast is None:
            return (between,)
        contrast = (labels == 0).astype(np.float64) @ self.design.contrast
        return between, contrast.T

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the effects that are reported."""
        return counts[0][[ROWS[self.error][name] for name in self.deciders]]

    def n_kept(self, n_runs: int) -> int:
        """Return how many batches are kept of a larger number."""
        fewer = MAX_KEPT_RUNS_TIMES_BATCHES // n_runs
        return max(MIN_KEPT_BATCHES, min(super().n_kept(n_runs), fewer))

    def whole(self, relabellings: Relabellings) -> Measured | None:
        """Count and keep all relabellings of two algorithms at once."""
        if not can_be_halved(relabellings):
            return None
        between, contrasts = between_of_halves(self.design, relabellings.labels)
        return (self.design.extreme_rule.n_extreme(between),), (between, contrasts)

    def compiled(self, relabellings: Relabellings, batches: range) -> CompiledWork | None:
        """Return how to count these batches in compiled code, if that is faster."""
        if isinstance(relabellings, Enumeration):
            return self._compiled_enumeration(relabellings)
        if not isinstance(relabellings, Shuffles):
            return None
        n_columns, sizes = self.design.coordinates.shape[1], self.design.sizes
        cost = shuffle_costs(relabellings, n_columns, sizes)
        count = len(batches) * BATCH
        if not compiling_repays(count * cost.in_numpy, count * cost.compiled):
            return None
        # Loaded here, they also serve the relabellings that are kept.
        from curvewise.kernels.anova import compiled_shuffles, compiled_sums  # noqa: F401
        from curvewise.kernels.anova.engines import compiled_counter

        # The last batch may be a part of one, which only NumPy counts.
        whole = range(batches.start, min(batches.stop, relabellings.count // BATCH))
        work = _CompiledCount(compiled_counter, relabellings, self.design)
        return CompiledWork(work, whole, COMPILED_CHUNK, range(whole.stop, batches.stop))

    def _compiled_enumeration(self, relabellings: Enumeration) -> CompiledWork | None:
        count, n_runs = relabellings.count, len(relabellings.labels)
        seconds = count * n_runs * SECONDS_TO_RANK_A_RUN
        if _repays_thirds(relabellings.labels, relabellings.blocks, count):
            if worth_compiling(True):  # noqa: FBT003 (there are too many for NumPy)
                from curvewise.kernels.anova.thirds import n_thirds, thirds_counter

                n_firsts = n_thirds(n_runs)
                work = _CompiledCount(thirds_counter, relabellings.labels, self.design)
                return CompiledWork(
                    work, range(n_firsts), max(n_firsts // 64, 1), range(0)
                )
        elif compiling_repays(seconds, seconds / 10):
            from curvewise.kernels.anova.engines import ranks_counter

            work = _CompiledCount(ranks_counter, relabellings, self.design)
            return CompiledWork(work, range(-(-count // BATCH)), COMPILED_CHUNK, range(0))
        _check_without_compiler(count)
        return None


@dataclass(frozen=True, eq=False)
class _CompiledCount:
    """Counts a range of items; what it looks up is made once in a process."""

    counter: Callable[[Any, Design], Counter]
    relabellings: Any
    design: Design

    @cached_property
    def _count(self) -> Counter:
        return self.counter(self.relabellings, self.design)

    def __call__(self, items: range) -> Measured:
        return (self._count(items.start, items.stop),), ()

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled code is not sent to other processes.
        return _CompiledCount, (self.counter, self.relabellings, self.design)


def _check_without_compiler(count: int) -> None:
    """Raise if NumPy would take hours to visit so many relabellings."""
    if count > MAX_WITHOUT_COMPILER:
        msg = (
            f"There are {count:,} relabellings, more than can be visited without numba. "
            f"Install it ({INSTALL_HINT}), or sample them: {argument('exact', value=False)}."
        )
        raise OptionError(msg, option="exact")


def _repays_thirds(labels: Integers, blocks: Integers, count: int) -> bool:
    """Tell whether relabellings of two algorithms are counted sooner by parts than by rank."""
    if not _are_two_without_blocks(labels, blocks):
        return False
    from curvewise.kernels.anova.thirds import thirds_seconds

    return thirds_seconds(len(labels), count) < count * SECONDS_TO_RANK_COMPILED


def _are_two_without_blocks(labels: Integers, blocks: Integers) -> bool:
    return bool(labels.max() == 1 and blocks.min() == blocks.max())


def anova_limits(layout: Layout) -> Limits:
    """Return how many relabellings of these runs can be visited."""
    count = layout.restriction.count
    by_parts = count > MAX_RANKED and _repays_thirds(layout.labels, layout.blocks, count)
    return Limits(exact=MAX_COMPILED if by_parts else MAX_RANKED)


def anova_effects(
    design: Design,
    found: Counts,
    layout: Layout,
    *,
    alpha: float,
    height_counter: HeightCounter | None,
    is_combined: bool = False,
    errors: tuple[ErrorTerm, ...] = get_args(ErrorTerm),
) -> dict[ErrorTerm, dict[str, Effect]]:
    """Return every effect with each of the error terms.

    ``height_counter`` is `exact_height`, or counts as that does, to replace the sampled p of
    height by the exact one. With ``is_combined`` the overall F of the split error term is only
    reported: where no other is asked for, it has no critical value. Null distributions are made
    when they are asked for.
    """
    between = found.kept[0]
    df, ss = design.df, design.ss
    own = {"algorithm": "curves", "interaction": "residual"}
    heights = None
    if height_counter is not None and not found.exact:
        heights = height_counter(layout, design)

    def effect(name: EffectName, error: ErrorTerm) -> Effect:
        parts = ("algorithm", "interaction") if name == "overall" else (name,)
        against = own.get(name, "error") if error == "split" else "error"
        effect_df = sum(df[part] for part in parts), df[against]
        statistic = f_statistic(sum(ss[part] for part in parts), ss[against], effect_df)
        row = ROWS[error][name]
        null_of = partial(_null, design.totals, row, effect_df, statistic)
        null: Floats | Callable[[], Floats] = partial(null_of, between)
        critical = math.nan
        if row in OWN_PARTS:
            # The larger the sum of squares, the larger F, also when rounded: so the F of a
            # quantile is the quantile of F.
            quantile = np.zeros((2, 1))
            quantile[OWN_PARTS[row]] = critical_value(between[OWN_PARTS[row]], alpha)
            critical = float(null_of(quantile)[0])
        elif not is_combined or len(errors) > 1:
            null = null_of(between)
            critical = critical_value(null, alpha)
        n_extreme, n_visited, exact = (
            int(found.counts[0][row]),
            found.n_visited,
            found.exact,
        )
        if name == "algorithm" and error == "split" and heights is not None:
            (n_extreme, n_visited), exact = heights, True
        return Effect(
            name=name,
            statistic=statistic,
            df=effect_df,
            pvalue=float(pvalue(n_extreme, n_visited, exact=exact)),
            n_extreme=n_extreme,
            n_shuffles=n_visited,
            exact=exact,
            alpha=alpha,
            critical_value=critical,
            null=null,
        )

    names = [name for name in get_args(EffectName) if name == "overall" or df[name]]
    # The overall effect has one error only.
    overall = effect("overall", errors[0])
    return {
        error: {
            name: overall if name == "overall" else effect(name, error) for name in names
        }
        for error in errors
    }


def _null(
    totals: Totals, row: int, df: tuple[int, int], statistic: float, between: Floats
) -> Floats:
    """Return the F of relabellings, for one of the five statistics."""
    (ratios,) = effect_ratios(between, totals, [row])
    null = ratios * (df[1] / df[0])
    # Where a tie is only rounded apart, the null distribution says that it is a tie.
    if math.isfinite(statistic):
        apart = null - statistic
        ties = np.abs(apart, out=apart) <= 1e-9 * statistic
        if ties.any():
            null[ties] = statistic
    null.setflags(write=False)
    return null


def exact_height(layout: Layout, design: Design) -> tuple[int, int] | None:
    """Count the relabellings as extreme in height, and all, where that takes no time.

    For two algorithms without blocks the heights alone can be counted far beyond what can
    be visited.
    """
    from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, count_heights

    labels = layout.labels
    if (
        not _are_two_without_blocks(labels, layout.blocks)
        or len(labels) > MAX_SUBSET_RUNS
    ):
        return None
    n_first = int(np.sum(labels == 0))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    count = count_heights(heights, n_first, float(design.extreme_rule.bounds[1]))
    mirrored = 2 if 2 * n_first == len(labels) else 1
    return count // mirrored, math.comb(len(labels), n_first) // mirrored
