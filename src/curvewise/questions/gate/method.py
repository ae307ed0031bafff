"""Which test answers a gate, and what it says in the unit of the margin."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_choice
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.asking import asked_of, check_design
from curvewise.inference.caveats import (
    few_for_ranks,
    no_spread,
    prepared,
    single_runs,
    spread_caveat,
    too_few_shuffles,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.survival import reaching
from curvewise.inference.two_groups import (
    EVERY_STEP,
    MAX_KEPT,
    Extremes,
    TwoGroups,
    final_weights,
    mean_weights,
    window_weights,
)
from curvewise.inference.work import Sampling
from curvewise.kernels.anova import centred, rounding
from curvewise.kernels.contrasts import Fit, is_mirrored
from curvewise.kernels.pvalues import (
    TIE,
    f_survival,
    n_allowed,
    noncentral_limit,
    noncentral_quantile,
    noncentral_survival,
    pvalue,
    spread_factor,
    t_quantile,
    upper_quantile,
)
from curvewise.kernels.survival import log_rank_scores, score_noise, time_edges
from curvewise.questions.compare.ask import compare, compare_curves
from curvewise.questions.gate.result import (
    FEW_RUNS,
    MAX_RUNS,
    AssumesNormal,
    EveryStepIsStrict,
    FailOutOfReach,
    GateOutOfReach,
    SpreadMatters,
)
from curvewise.shuffling.visit import Layout, Limits, Plan, Statistic
from curvewise.text import argument, number_text, threshold_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.result import Center
    from curvewise.inference.survival import Reaching
    from curvewise.inference.two_groups import Shuffled
    from curvewise.inference.work import Work
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.survival import Times
    from curvewise.questions.gate.ask import GateOptions
    from curvewise.shuffling.visit import Counts, Measured


# --- One number for each run of the candidate and of the baseline, higher being better.

NAMES_OF_ON = ("mean", "final", EVERY_STEP)

On = str | tuple[float, float] | tuple[str, float]


def measured(curves: Curves, on: object) -> tuple[Floats, str]:
    """Return the weight of each step in the number of a run, and what the number is called."""
    if isinstance(on, tuple | list) and len(on) == 2 and on[0] == "reach":
        return mean_weights(curves)[0], f"time to a score of {float(on[1]):.6g}"
    if isinstance(on, tuple | list) and len(on) == 2:
        return window_weights(curves.steps, *on)
    if not isinstance(on, str):
        refuse(
            "on must be 'mean', 'final', 'every step', (start, stop) in steps, or "
            f"('reach', score); it is {on!r}.",
            option="on",
        )
    check_choice("on", on, NAMES_OF_ON)
    return (final_weights if on == "final" else mean_weights)(curves)


@dataclass(frozen=True, eq=False)
class GateNumbers:
    """One number a run, as curves of a single step.

    ``curves`` are of the two algorithms. Where lower scores are better, they are negative.
    """

    curves: Curves
    candidate: str
    baseline: str

    @classmethod
    def of(cls, curves: Curves, profile: Floats, candidate: str, baseline: str) -> GateNumbers:
        """Weigh the steps of each run."""
        sign = 1.0 if curves.higher_is_better else -1.0
        return cls(_one_step(curves, sign * (curves.scores @ profile)), candidate, baseline)

    def at_step(self, curves: Curves, place: int) -> GateNumbers:
        """Return the scores at one step of the same curves."""
        profile = np.eye(curves.n_steps)[place]
        return GateNumbers.of(curves, profile, self.candidate, self.baseline)

    @cached_property
    def values(self) -> Floats:
        """The number of each run."""
        return self.curves.scores[:, 0]

    @cached_property
    def is_candidate(self) -> Booleans:
        """Whether each run is one of the candidate."""
        return np.asarray(self.curves.labels == self.candidate)

    @cached_property
    def sides(self) -> tuple[Floats, Floats]:
        """The numbers of the candidate, and of the baseline, each in order of size.

        So no digit of a sum of them depends on the order of runs.
        """
        candidate, baseline = self.is_candidate, ~self.is_candidate
        return np.sort(self.values[candidate]), np.sort(self.values[baseline])

    @property
    def n_runs(self) -> tuple[int, int]:
        """The runs of the candidate, and of the baseline."""
        candidate, baseline = self.sides
        return len(candidate), len(baseline)

    @cached_property
    def blocks(self) -> Integers:
        """The block of each run, as a number."""
        if self.curves.blocks is None:
            return np.zeros(self.curves.n_runs, dtype=np.int64)
        return np.unique(self.curves.blocks, return_inverse=True)[1]

    @cached_property
    def weights(self) -> Floats:
        """The weight of each run in the difference, within blocks where there are blocks."""
        within = centred(self.is_candidate.astype(np.float64)[:, None], self.blocks)[:, 0]
        return within / float(within @ within)

    @property
    def n_ways(self) -> int:
        """How many ways there are to choose the candidate's runs, inside blocks."""
        inside = [self.is_candidate[self.blocks == block] for block in np.unique(self.blocks)]
        return math.prod(math.comb(len(own), int(own.sum())) for own in inside)

    @property
    def sign(self) -> float:
        """The sign of the baseline's numbers, where they have one."""
        return math.copysign(1.0, float(self.sides[1][0]))

    def moved(self, by: float) -> Curves:
        """Return the same with ``by`` added to every run of the candidate."""
        return _one_step(self.curves, self.values + by * self.is_candidate)

    def scaled(self, share: float) -> Curves:
        """Multiply the baseline, so that the two are the same where they differ by the share."""
        factors = np.where(self.is_candidate, 1.0, 1 + self.sign * share)
        return _one_step(self.curves, self.values * factors)


def _one_step(curves: Curves, values: Floats) -> Curves:
    return Curves(
        values[:, None],
        curves.labels,
        runs=curves.runs,
        blocks=curves.blocks,
        precision=curves.precision,
    )


# --- Is the difference above a bound, or below it?
#
# A difference is that of the candidate less the baseline, higher being better. Every test has two
# one-sided p of "the difference is the bound", and the limits of the difference at any level; what
# p says of the bound, the limits say too.


@dataclass(frozen=True, eq=False)
class BoundTest:
    """Two one-sided tests of whether the difference is ``bound``, and limits that agree.

    ``pvalue_above`` is small where the difference is above the bound. ``limit`` gives, at a level,
    the lower (-1) or upper (1) limit of the difference, not yet clipped to agree with p. ``least``
    is the smallest number that a difference can be. ``shuffled`` is what shuffles alone say, where
    another test must agree.
    """

    bound: float
    value: float
    pvalue_above: float
    pvalue_below: float
    limit: Callable[[float, int], float]
    sampling: Sampling
    least: float = -math.inf
    shuffled: BoundTest | None = None

    def floored(self) -> BoundTest:
        """Return the same with no p below what the number of runs allows, sampled or not."""
        floor, beyond = self.sampling.smallest_by_runs, {-1: self.least, 1: math.inf}
        return replace(
            self,
            pvalue_above=max(self.pvalue_above, floor),
            pvalue_below=max(self.pvalue_below, floor),
            limit=lambda level, side: self.limit(level, side) if level >= floor else beyond[side],
        )

    def end(self, level: float, side: int) -> float:
        """Return the lower (-1) or upper (1) limit: the bound is inside exactly if p says so.

        The estimate is always inside.
        """
        inner, outer = (max, min) if side < 0 else (min, max)
        limit = outer(self.limit(level, side), self.value)
        if (self.pvalue_above if side < 0 else self.pvalue_below) <= level:
            return inner(limit, math.nextafter(self.bound, -side * math.inf))
        return outer(limit, self.bound)

    def in_units(self, unit: float, bound: float) -> BoundTest:
        """Return the same in other units, in which the bound is ``bound``."""
        return replace(
            self,
            bound=bound,
            value=self.value / unit,
            limit=lambda level, side: self.limit(level, side) / unit,
        )

    def agreeing_with(self, other: BoundTest) -> BoundTest:
        """Return the test that rejects where both do; how it went is told of the other."""
        both = self, other
        return replace(
            other,
            pvalue_above=max(self.pvalue_above, other.pvalue_above),
            pvalue_below=max(self.pvalue_below, other.pvalue_below),
            limit=lambda level, side: side * max(side * own.limit(level, side) for own in both),
            shuffled=self,
        )


def shuffled_sides(
    numbers: GateNumbers, null: Curves, work: Work, *, alpha: float, center: Center = "mean"
) -> tuple[Shuffled, Shuffled]:
    """Ask whether the candidate is above the baseline, and whether it is below.

    The runs of ``null`` are shuffled, in which the two are the same under the hypothesis.
    """
    curves = null.in_order_of_names()
    check_design(curves)
    layout = Layout.of(curves)
    first = 1.0 if curves.algorithms[0] == numbers.candidate else -1.0
    one_sided: dict[str, Any] = {"two_sided": False, "levels": (alpha,), "work": work}
    above, below = (
        TwoGroups(layout, np.ones(1), side * first, center, **one_sided)
        .shuffled()
        .scaled(side * layout.unit)
        for side in (1.0, -1.0)
    )
    return above, below


def shift_test(
    numbers: GateNumbers, bound: float, work: Work, *, alpha: float, center: Center = "mean"
) -> BoundTest:
    """Take the bound off the candidate and shuffle: exact where the two differ by a shift."""
    null = numbers.moved(-bound)
    above, below = shuffled_sides(numbers, null, work, alpha=alpha, center=center)
    value = bound + above.value
    if center == "mean":
        value = float(numbers.weights @ numbers.values)
    noise = 2 * rounding(numbers.values, null.precision)
    noise *= float(np.linalg.norm(numbers.weights))

    def exactly(number: float) -> float:
        """Return 0 for what is a rounding error away from it: readers look for that."""
        return 0.0 if abs(number) <= noise else number

    def limit(level: float, side: int) -> float:
        return exactly(bound + (above.ends(level)[0] if side < 0 else below.ends(level)[1]))

    p = above.pvalue, below.pvalue
    return BoundTest(bound, exactly(value), *p, limit, above.sampling)


def tied_test(numbers: GateNumbers, bound: float) -> BoundTest:
    """Test a bound at which all runs are the same: nothing is above it, nor below.

    At any other bound, either all runs of the candidate are above all of the baseline or all are
    below.
    """
    n_ways = numbers.n_ways
    sampling = Sampling(exact=True, n_relabellings=n_ways, n_shuffles=n_ways, engine="all tied")
    return BoundTest(bound, bound, 1.0, 1.0, lambda _, __: bound, sampling)


def welch_test(
    numbers: GateNumbers,
    bound: float,
    null: Curves,
    work: Work,
    *,
    alpha: float,
    value: float,
    limit: Callable[[float, float, int], float],
) -> BoundTest:
    """Hold Welch's t of ``null`` against tables drawn with equal means, as `compare` does it.

    Draws are symmetric about 0, so that half of the two-sided p is that of one side. ``limit``
    takes what |t| must exceed, on which degrees of freedom, and the side; where the runs are too
    few for one, it is not asked.
    """
    asked = asked_of(compare, curves=null, overall="F", spread="unequal", alpha=2 * alpha)
    found = compare_curves(asked, work)
    effect = found.algorithm
    is_candidate = numbers.is_candidate
    lead = float(null.scores[is_candidate].mean() - null.scores[~is_candidate].mean())
    half = effect.pvalue / 2 if lead else 0.5
    p = (half, 1 - half) if lead > 0 else (1 - half, half)

    def limit_at(level: float, side: int) -> float:
        quantile = math.sqrt(upper_quantile(effect.null_distribution, 2 * level))
        if math.isinf(quantile):
            return side * math.inf
        return limit(quantile, float(effect.df[1]), side)

    # With fewer runs than a shuffle test needs, this one may not tell either.
    sampling = replace(found.sampling, n_relabellings=numbers.n_ways)
    return BoundTest(bound, value, *p, limit_at, sampling)


def welch_shift_test(numbers: GateNumbers, bound: float, work: Work, *, alpha: float) -> BoundTest:
    """Test a shift where spreads may differ."""
    candidate, baseline = numbers.sides
    value = float(candidate.mean() - baseline.mean())
    error = math.sqrt(sum(float(np.var(own, ddof=1)) / len(own) for own in (candidate, baseline)))

    def limit(quantile: float, _: float, side: int) -> float:
        return value + side * quantile * error

    null = numbers.moved(-bound)
    return welch_test(numbers, bound, null, work, alpha=alpha, value=value, limit=limit)


def normal_test(numbers: GateNumbers, bound: float) -> BoundTest:
    """Test the difference in pooled standard deviations, of normal numbers.

    t is then noncentral, and its noncentrality is the difference in these units times √(harmonic
    number of runs).
    """
    candidate, baseline = numbers.sides
    sizes = numbers.n_runs
    df = sum(sizes) - 2
    squares = sum(float(np.sum((own - own.mean()) ** 2)) for own in (candidate, baseline))
    root = math.sqrt(1 / (1 / sizes[0] + 1 / sizes[1]))
    t = float(candidate.mean() - baseline.mean()) / math.sqrt(squares / df) * root
    above = noncentral_survival(t, df, bound * root)

    def limit(level: float, side: int) -> float:
        return noncentral_limit(t, df, level if side < 0 else 1 - level) / root

    sampling = Sampling(
        exact=False, n_relabellings=numbers.n_ways, n_shuffles=0, engine="noncentral t", unit="draw"
    )
    return BoundTest(bound, t / root, above, 1 - above, limit, sampling)


# --- A margin that is a share of the baseline's mean: the baseline is multiplied, not shifted.
#
# Write C for the runs of the candidate, S for those that a relabelling gives it, and k for what the
# baseline is multiplied by. The relabelling is at least as extreme as the observed one if the sum
# over S is at least that over C, that is if
#
#     k Σ (baseline runs in S) ≥ Σ (candidate runs not in S).
#
# Where all runs of the baseline have one sign, that is so from one k on, the ratio of the two sums:
# p rises or falls with k, and the limits of the ratio of the means can be read off the sorted
# ratios. Blocks take the same off both sides.

N_HALVINGS = 100  # of an interval: more than double precision can tell


def check_one_sign(numbers: GateNumbers, *, higher_is_better: bool) -> None:
    """Raise unless a share of the baseline's mean has a meaning."""
    baseline = numbers.sides[1]
    if baseline.min() > 0 or baseline.max() < 0:
        return
    sign = 1.0 if higher_is_better else -1.0
    ends = sorted(sign * float(end) for end in (baseline.min(), baseline.max()))
    refuse(
        f"A relative margin needs scores of the baseline that are all above 0, or all below: "
        f"those of {numbers.baseline!r} range from {number_text(ends[0])} to "
        f"{number_text(ends[1])}, and a share of a mean near 0 means nothing. Use "
        f"{argument('unit', 'score')}, or scores with a true zero."
    )


def ratio_roots(
    values: Floats, mine: Booleans, groups: tuple[int, ...], sign: float, labels: Integers
) -> Floats:
    """Return the relative difference from which on each relabelling counts as extreme.

    ``mine`` are the candidate's runs, which a relabelling gives to the first of ``groups``, and
    its mirror image to the second, where that counts too; a row for each.
    """
    rows = []
    for group in groups:
        gains, losses = (labels == group) & ~mine, (labels != group) & mine
        roots = np.full(len(labels), -np.inf)  # the observed relabelling counts always
        swaps = gains.any(axis=1)
        gained, lost = (own.astype(np.float64) @ values for own in (gains, losses))
        np.divide(lost, gained, out=roots, where=swaps)
        roots[swaps] = sign * (roots[swaps] - 1)
        rows.append(roots)
    return np.stack(rows)


def ratio_test(numbers: GateNumbers, bound: float, work: Work, *, alpha: float) -> BoundTest:
    """Multiply the baseline by what the bound allows, and shuffle."""
    above, below = shuffled_sides(numbers, numbers.scaled(bound), work, alpha=alpha)
    layout = Layout.of(numbers.curves)
    restriction, group = layout.restriction, numbers.curves.algorithms.index(numbers.candidate)
    plan = work.plan(restriction, levels=(alpha,), limits=Limits(exact=restriction.count))
    if not plan.keeps_all:
        most = min(plan.n_shuffles, MAX_KEPT)
        plan = Plan(restriction, exact=False, n_shuffles=most, key=work.key)
    mirrored = plan.keeps_all and is_mirrored(layout.labels, layout.blocks)
    groups = (group, 1 - group) if mirrored else (group,)
    mine = layout.labels == group
    of = partial(ratio_roots, numbers.values[layout.order], mine, groups, numbers.sign)
    # There is nothing to count.
    roots = work.visit(plan, Extremes(of, math.inf)).kept[0].ravel()

    def limit(level: float, side: int) -> float:
        allowed = n_allowed(len(roots), level, exact=plan.keeps_all)
        if allowed < 0:
            return side * math.inf
        # The observed relabelling counts on either side, whatever the ratio.
        sided = np.where(np.isneginf(roots), roots, -side * roots)
        return -side * float(np.partition(sided, allowed)[allowed])

    value = _relative_difference(numbers)
    return BoundTest(bound, value, above.pvalue, below.pvalue, limit, above.sampling)


def welch_ratio_test(numbers: GateNumbers, bound: float, work: Work, *, alpha: float) -> BoundTest:
    """Test a ratio of means where spreads may differ; limits as Fieller's."""
    candidate, baseline = numbers.sides
    parts = [float(np.var(own, ddof=1)) / len(own) for own in (candidate, baseline)]
    freedom = [len(own) - 1 for own in (candidate, baseline)]
    value = _relative_difference(numbers)

    def lead(difference: float, tail: float, side: int) -> float:
        """Return by how much the candidate exceeds the baseline so multiplied, and its error."""
        factor = 1 + numbers.sign * difference
        variances = [parts[0], factor**2 * parts[1]]
        error = sum(variances)
        ahead = float(candidate.mean() - factor * baseline.mean())
        if error == 0:
            return ahead
        # In shares of the error, since squares of variances may overflow.
        df = 1 / sum((own / error) ** 2 / n for own, n in zip(variances, freedom, strict=True))
        return ahead + side * t_quantile(1 - tail, df) * math.sqrt(error)

    def limit(quantile: float, df: float, side: int) -> float:
        # The level at which Student's t has this quantile.
        tail = f_survival(quantile**2, (1.0, df)) / 2
        inner, outer = value, value + side
        # Outwards until the test rejects; where it never does, there is no limit.
        while (lead(outer, tail, side) < 0) == (side < 0):
            outer = value + 2 * (outer - value)
            if abs(outer) > 1e6:
                return side * math.inf
        for _ in range(N_HALVINGS):
            middle = (inner + outer) / 2
            kept = (lead(middle, tail, side) < 0) == (side < 0)
            inner, outer = (middle, outer) if kept else (inner, middle)
        return outer

    null = numbers.scaled(bound)
    return welch_test(numbers, bound, null, work, alpha=alpha, value=value, limit=limit)


def _relative_difference(numbers: GateNumbers) -> float:
    """Return the difference as a share of the baseline's mean, within blocks if there are any."""
    weighted = numbers.weights * numbers.values
    ratio = -float(weighted[numbers.is_candidate].sum() / weighted[~numbers.is_candidate].sum())
    return numbers.sign * (ratio - 1)


# --- Time to a threshold: does the candidate take no more than so many times as long?
#
# The baseline's times are multiplied by the margin, all runs are censored at the common end of
# training again, and log-rank scores are shuffled: exact where the candidate's times are a multiple
# of the baseline's, as when it learns slower throughout. Limits of that multiple are read off the
# same test at other multiples; between two ratios of a time of the one to a time of the other
# nothing changes.


@dataclass(frozen=True, eq=False)
class GroupSums(Statistic):
    """Sums of ``columns``, less the means of blocks, over the runs that a relabelling gives a group.

    With ``mirrored`` the mirror image of every relabelling is measured too.
    """

    columns: Floats
    group: int
    mirrored: bool

    def sums(self, labels: Integers) -> list[Floats]:
        """Return the sums of each relabelling of a batch, and of the mirror images."""
        sums = (labels == self.group).astype(np.float64) @ self.columns
        return [sums, -sums] if self.mirrored else [sums]


def visited(
    statistic: Callable[..., GroupSums], layout: Layout, work: Work, *, alpha: float
) -> tuple[Counts, Floats, Sampling]:
    """Visit the relabellings; return also p of what was counted, and how it went.

    An enumeration visits one of two mirror images, and both count.
    """
    plan = work.plan(layout.restriction, levels=(alpha,))
    has_images = is_mirrored(layout.labels, layout.blocks)
    found = work.visit(plan, statistic(mirrored=has_images and plan.exact))
    n_all = layout.restriction.count * (2 if has_images else 1)
    n_visited = n_all if found.exact else found.n_visited
    sampling = replace(work.sampling(found), n_relabellings=n_all, n_shuffles=n_visited)
    return found, pvalue(found.counts[0], n_visited, exact=found.exact), sampling


@dataclass(frozen=True, eq=False, kw_only=True)
class StretchSums(GroupSums):
    """Sums of log-rank scores over the candidate: how many are as high, and as low.

    There is a column for each of many multiples; ``observed`` are the sums over the candidate,
    and ``slack`` what rounding can move them by.
    """

    observed: Floats
    slack: Floats

    chunk = 4  # batches: there are hundreds of columns

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch that are as high, and as low; (2, n_multiples)."""
        sums = np.concatenate(self.sums(labels))
        high, low = sums >= self.observed - self.slack, sums <= self.observed + self.slack
        return (np.stack([high.sum(axis=0), low.sum(axis=0)]),), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts at the margin, which comes first."""
        return counts[0][:, 0]


@dataclass(frozen=True, eq=False)
class ReachTimes:
    """When the runs of two algorithms reach a threshold."""

    curves: Curves
    numbers: GateNumbers
    found: Reaching

    @classmethod
    def of(cls, curves: Curves, numbers: GateNumbers, threshold: float) -> ReachTimes:
        """Find the times; raise if no run reaches the threshold."""
        found = reaching(curves, threshold)
        if not found.times.reached.any():
            best = curves.scores.max() if curves.higher_is_better else curves.scores.min()
            refuse(
                f"No run reaches a score of {threshold_text(threshold)}; the best score of all is "
                f"{number_text(float(best))}. Choose a threshold that some runs reach."
            )
        first = float(curves.steps[0])
        if (found.times.reached & (found.times.steps <= first)).all():
            refuse(
                f"All runs are at a score of {threshold_text(threshold)} from the first step on: there "
                "are no times to compare. Choose a threshold that takes training to reach."
            )
        return cls(curves, numbers, found)

    @property
    def sides(self) -> tuple[Times, Times]:
        """The times of the candidate, and of the baseline."""
        times, is_candidate = self.found.times, self.numbers.is_candidate
        return times.of(is_candidate), times.of(~is_candidate)

    def test(self, margin: float, work: Work, *, alpha: float) -> BoundTest:
        """Test whether the candidate takes ``margin`` times as long as the baseline."""
        layout = Layout.of(self.curves)
        edges = time_edges(*self.sides, self.found.horizon)
        # A multiple between every two neighbouring edges, and one beyond each end.
        between = np.concatenate([edges[:1] / 2, np.sqrt(edges[:-1] * edges[1:]), edges[-1:] * 2])
        mine = self.numbers.is_candidate
        columns, noises = [], []
        for multiple in (margin, *between.tolist()):
            # High for early runs, if the baseline took so many times as long.
            stretched = self.found.times.stretched(
                np.where(mine, 1.0, multiple), self.found.horizon
            )
            scores = log_rank_scores(stretched)[layout.order]
            columns.append(centred(scores[:, None], layout.blocks))
            noises.append(2 * score_noise(scores))
        table, slack = np.hstack(columns), np.array(noises)
        observed = table[mine[layout.order]].sum(axis=0)
        group = self.curves.algorithms.index(self.numbers.candidate)
        statistic = partial(StretchSums, table, group, observed=observed, slack=slack)
        _, (faster, slower), sampling = visited(statistic, layout, work, alpha=alpha)
        around = np.concatenate([[0.0], edges, [math.inf]])
        # Times of 0 stay as they are, and tell nothing of multiples.
        none = {-1: math.inf, 1: 0.0} if len(edges) else {-1: 0.0, 1: math.inf}

        def limit(level: float, side: int) -> float:
            kept = np.flatnonzero((slower if side < 0 else faster)[1:] > level)
            if not len(kept):
                return none[side]
            return float(around[kept[0]] if side < 0 else around[kept[-1] + 1])

        # Where the candidate is as early as the baseline so stretched.
        ahead = np.flatnonzero(observed[1:] >= 0)
        value = float(around[ahead[0]]) if len(ahead) else math.inf
        # Times of equal runs may change sides at the margin itself.
        if observed[0] < -slack[0]:
            value = max(value, math.nextafter(margin, math.inf))
        elif observed[0] > slack[0]:
            value = min(value, math.nextafter(margin, -math.inf))
        p = float(slower[0]), float(faster[0])
        return BoundTest(margin, value, *p, limit, sampling, least=0.0)


# --- Not worse at any step: a test at each step for a pass, the most striking step for a fail.
#
# A pass needs p ≤ α at every step (intersection–union, Berger 1982). For a fail, the largest
# shortfall of any step, in label-blind standard deviations, is held against that of each
# relabelling, which allows for all steps (Westfall & Young 1993).


@dataclass(frozen=True, eq=False, kw_only=True)
class StepSums(GroupSums):
    """Sums over the candidate at each step: how many are as large, and the largest shortfall.

    ``least`` is what a sum must reach to count at each step; ``shortfall`` what the largest
    shortfall must reach. The shortfalls are kept.
    """

    least: Floats
    scales: Floats
    shortfall: float

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch at each step, and those of the maximum."""
        both = self.sums(labels)
        at_steps = sum(np.sum(own >= self.least, axis=0) for own in both)
        largest = np.stack([(-own / self.scales).max(axis=1) for own in both])
        counts = np.append(at_steps, np.sum(largest >= self.shortfall))
        return (counts,), ((largest,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the hardest step to pass, and of the fail."""
        return np.array([counts[0][:-1].max(), counts[0][-1]])


def every_step_test(
    curves: Curves, numbers: GateNumbers, bound: float, work: Work, *, alpha: float
) -> tuple[BoundTest, int]:
    """Test the bound at every step; return the test, and the step that decided.

    That is the step at which a fail is found, else the one that is hardest to pass.
    """
    sign, candidate = 1.0 if curves.higher_is_better else -1.0, numbers.candidate
    scores = sign * curves.scores - bound * (curves.labels == candidate)[:, None]
    rows = curves.labels, curves.steps, curves.runs, curves.blocks
    null = Curves(scores, *rows, precision=curves.precision)
    layout = Layout.of(null)
    group = null.algorithms.index(candidate)
    member = (layout.labels == group).astype(np.float64)
    columns = centred(layout.scores.copy(), layout.blocks)
    # A step without variation holds no difference, and no relabelling has another.
    spread = np.sqrt(np.mean(columns**2, axis=0))
    flat = spread <= 4 * layout.step_noise / math.sqrt(len(columns))
    columns[:, flat] = 0.0
    scales = np.where(flat, 1.0, spread)
    observed = member @ columns
    shortfall = float((-observed / scales).max())
    # What rounding can move a sum by, and with it the shortfall, which may be 0.
    slack = 2 * layout.step_noise * math.sqrt(len(columns))
    reached = shortfall - TIE * abs(shortfall) - float((slack / scales).max())
    statistic = partial(
        StepSums, columns, group, least=observed - slack, scales=scales, shortfall=reached
    )
    found, pvalues, sampling = visited(statistic, layout, work, alpha=alpha)
    above, below = pvalues[:-1], float(pvalues[-1])
    overlap = float(member @ centred(member[:, None].copy(), layout.blocks)[:, 0])
    place = int(np.argmax(above - 1e-9 * observed / (scales * overlap)))
    if below <= alpha and above.max() > alpha:
        place = int(np.argmax(-observed / scales))
    at_step = numbers.at_step(curves, place)
    alone = (
        tied_test(at_step, bound) if flat[place] else shift_test(at_step, bound, work, alpha=alpha)
    )

    def limit(level: float, side: int) -> float:
        if side < 0:
            return alone.limit(level, side)
        quantile = upper_quantile(found.kept[0].ravel(), level, exact=found.plan.keeps_all)
        scale = 0.0 if flat[place] else float(scales[place])
        return alone.value + quantile * scale / overlap * layout.unit

    return BoundTest(bound, alone.value, float(above.max()), below, limit, sampling), place


# --- How many runs would decide: the power of the gate to let pass what is as good as assumed.
#
# By noncentral t, which is within .04 of the shuffle test at 3 + 3 runs and within .02 from 5 + 5
# on (docs/gate.md).

CAUTION = 0.8  # confidence that the spread is no larger
TRIED = [2**power for power in range(MAX_RUNS.bit_length())]  # numbers of runs


@dataclass(frozen=True)
class Design:
    """How many runs of candidate and baseline; of one block, where runs are in blocks.

    ``n_blocks`` is None without blocks.
    """

    candidate: int
    baseline: int
    n_blocks: int | None = None

    def reaches(self, alpha: float) -> bool:
        """Tell whether p can be as small as alpha; by logarithms, which any size of design has."""
        n, n_blocks = self.candidate + self.baseline, self.n_blocks or 1
        ways = math.lgamma(n + 1) - math.lgamma(self.candidate + 1)
        ways -= math.lgamma(self.baseline + 1)
        return n_blocks * ways >= -math.log(alpha) - 1e-9

    @property
    def n_runs(self) -> tuple[int, int]:
        """The runs of the candidate, and of the baseline, in all blocks."""
        n_blocks = self.n_blocks or 1
        return self.candidate * n_blocks, self.baseline * n_blocks

    @property
    def df(self) -> int:
        """Degrees of freedom of the error."""
        return (self.candidate + self.baseline - 1) * (self.n_blocks or 1) - 1

    @property
    def root(self) -> float:
        """What a standardised difference is multiplied by in t."""
        return math.sqrt((self.n_blocks or 1) / (1 / self.candidate + 1 / self.baseline))

    def grown(self, n: int) -> Design:
        """Return the design with ``n`` of each: of blocks, or else of runs.

        Where one algorithm has more runs than the other, it keeps what it has.
        """
        if self.n_blocks is not None:
            return replace(self, n_blocks=n)
        sizes = self.candidate, self.baseline
        return Design(*(n if own == min(sizes) else max(n, own) for own in sizes))


@dataclass(frozen=True)
class Prospect:
    """What the gate is asked, in units of the margin.

    ``spread`` is the standard deviation of runs; None where the margin itself is in these.
    """

    design: Design
    margin: float
    assumed: float
    spread: float | None
    df: float
    alpha: float
    two_sided: bool

    def power(self, design: Design, spread: float | None) -> float:
        """Return the chance of a pass, if the truth is as assumed."""
        sides = [self.assumed + self.margin]
        if self.two_sided:
            sides.append(self.margin - self.assumed)
        df, root, level = design.df, design.root, 1 - self.alpha
        if spread is None:
            critical = noncentral_quantile(level, df, -self.margin * root)
            effects = [(side - self.margin) * root for side in sides]
        else:
            critical, effects = t_quantile(level, df), [side / spread * root for side in sides]
        chances = [noncentral_survival(critical, df, effect) for effect in effects]
        # Of two sides, a lower bound that is near where the power is high.
        return max(0.0, sum(chances) - (len(chances) - 1))

    def runs(self, power: float, *, cautious: bool = False) -> int | None:
        """Return the fewest runs, or blocks, of each that reach a power; None if none do."""
        if self.assumed <= -self.margin or (self.two_sided and self.assumed >= self.margin):
            return None
        spread = self.spread
        if spread is not None and cautious:
            spread *= spread_factor(self.df, CAUTION)

        def enough(n: int) -> bool:
            design = self.design.grown(n)
            if not design.reaches(self.alpha) or design.df < 1:
                return False
            return spread == 0 or self.power(design, spread) >= power

        most = next((n for n in TRIED if enough(n)), None)
        if most is None:
            return None
        return bisect_left(range(most), 1, lo=most // 2 + 1, key=enough)


def enough_runs(design: Design, alpha: float) -> Design:
    """Return the nearest larger design with which p can be as small as alpha."""
    if design.n_blocks is not None:
        larger: Iterator[Design] = map(design.grown, count(design.n_blocks))
    else:
        # Of the same number of runs, those that are shared most evenly allow the smallest p.
        candidates = (
            (min(max(n // 2, design.candidate), n - design.baseline), n)
            for n in count(design.candidate + design.baseline)
        )
        larger = (Design(own, n - own) for own, n in candidates)
    return next(own for own in larger if own.reaches(alpha))


# --- Which test answers a gate, and what it says in the unit of the margin.

# Times the largest score: what is moved by more is nothing but the margin, but for rounding.
MAX_MARGIN = 1e9


def design_of(numbers: GateNumbers) -> Design | None:
    """Return how many runs there are; None where blocks are not all alike."""
    curves = numbers.curves
    if curves.blocks is None:
        return Design(*numbers.n_runs)
    counts = curves.block_counts
    if not (counts == counts[0]).all() or not counts[0].all():
        return None
    (candidate, baseline), n_blocks = numbers.n_runs, len(counts)
    return Design(candidate // n_blocks, baseline // n_blocks, n_blocks)


@dataclass(frozen=True, eq=False)
class GateTest:
    """One gate: the runs of two algorithms, a number of each, and what is asked of them.

    ``reference`` is the standard deviation that is the unit of the margin, where there is one.
    """

    curves: Curves
    numbers: GateNumbers
    options: GateOptions
    reference: float | None
    work: Work

    @property
    def test(self) -> str:
        """The test that is made: "shuffle", "Welch", "both", "normal" or "log-rank"."""
        options = self.options
        if options.threshold is not None:
            return "log-rank"
        if options.unit == "sd" and self.reference is None:
            return "normal"
        if options.spread == "unequal":
            return "Welch"
        n_runs = self.numbers.n_runs
        takes_both = (
            options.spread == "auto"
            and n_runs[0] != n_runs[1]
            # A test that relies on the spread of two runs passes them more rarely than one.
            and min(n_runs) > FEW_RUNS
            and options.center == "mean"
            and options.on != EVERY_STEP
            and self.curves.blocks is None
            and not self.work.exact
        )
        return "both" if takes_both else "shuffle"

    @cached_property
    def times(self) -> ReachTimes | None:
        """When runs reach the threshold, where that is asked."""
        threshold = self.options.threshold
        if threshold is None:
            return None
        return ReachTimes.of(self.curves, self.numbers, threshold)

    def tests(self) -> tuple[list[BoundTest], int | None]:
        """Test every bound; return also the step that decided, where each was tested."""
        options, numbers, work = self.options, self.numbers, self.work
        unit = self.reference or 1.0
        scores = [bound * unit for bound in options.bounds]
        alpha, place = options.alpha, None
        self._check_size()
        if self.times is not None:
            tests = [self.times.test(options.margin, work, alpha=alpha)]
        elif options.on == EVERY_STEP:
            found, place = every_step_test(self.curves, numbers, scores[0], work, alpha=alpha)
            tests = [found]
        elif self.test == "normal":
            tests = [normal_test(numbers, bound) for bound in options.bounds]
        else:
            if options.unit == "relative":
                check_one_sign(numbers, higher_is_better=self.curves.higher_is_better)
            tests = [self._tested(bound) for bound in scores]
        if self.reference is not None:
            pairs = zip(tests, options.bounds, strict=True)
            tests = [own.in_units(unit, bound) for own, bound in pairs]
        return [own.floored() for own in tests], place

    def _check_size(self) -> None:
        """Raise where nothing would be left of scores that are moved by the margin."""
        options = self.options
        known = options.unit == "score" or self.reference is not None
        if not known or options.threshold is not None:
            return
        largest = float(np.abs(self.curves.scores).max())
        if options.margin / MAX_MARGIN > largest / (self.reference or 1.0):
            refuse(
                f"{argument('margin')} is {options.margin:g}, more than a billion times any score; "
                f"the largest is {number_text(largest)}. Check its unit.",
                option="margin",
            )

    def _tested(self, bound: float) -> BoundTest:
        """Test one bound, by shuffles, by Welch's kind of test, or by both together."""
        numbers, options, work = self.numbers, self.options, self.work
        alpha, is_share = options.alpha, options.unit == "relative"
        null = numbers.scaled(bound) if is_share else numbers.moved(-bound)
        if np.ptp(null.scores) == 0:
            return tied_test(numbers, bound)
        tests = []
        if self.test != "Welch":
            tests.append(
                ratio_test(numbers, bound, work, alpha=alpha)
                if is_share
                else shift_test(numbers, bound, work, alpha=alpha, center=options.center)
            )
        if self.test != "shuffle":
            of_welch = welch_ratio_test if is_share else welch_shift_test
            tests.append(of_welch(numbers, bound, work, alpha=alpha))
        return tests[0] if len(tests) == 1 else tests[0].agreeing_with(tests[1])

    def prospect(self) -> Prospect | None:
        """Return what more runs would do; None where that is not computed."""
        options, numbers = self.options, self.numbers
        design = design_of(numbers)
        if design is None or options.on == EVERY_STEP or options.threshold is not None:
            return None
        values, unit = numbers.values, self.reference or 1.0
        if options.unit == "relative":
            values = numbers.scaled(-options.margin).scores[:, 0]
            unit = abs(float(numbers.sides[1].mean()))
        # Within algorithms, and blocks.
        fit = Fit.of(values[:, None].copy(), numbers.curves.codes, numbers.blocks)
        spread = math.sqrt(float(fit.errors[0]) / fit.df) / unit
        own = None if self.test == "normal" else spread
        asked = options.margin, options.assumed, own, fit.df, options.alpha, options.two_sided
        return Prospect(design, *asked)


def gate_caveats(asked: GateTest, sampling: Sampling, enough: Design | None) -> Iterator[Caveat]:
    """Say what to know before acting on a gate; ``enough`` runs could decide, if these cannot."""
    curves, numbers, options = asked.curves, asked.numbers, asked.options
    if sampling.smallest_by_runs > options.alpha:
        in_blocks = enough is not None and enough.n_blocks is not None
        yield GateOutOfReach(
            numbers.n_runs,
            None if enough is None or in_blocks else (enough.candidate, enough.baseline),
            sampling.smallest_by_runs,
            float(options.alpha),
            enough.n_blocks if enough is not None else None,
        )
    elif options.two_sided and sampling.smallest_by_runs > options.alpha / 2:
        half = float(options.alpha) / 2
        yield FailOutOfReach(numbers.n_runs, sampling.smallest_by_runs, half)
    if not sampling.exact and asked.test in {"shuffle", "log-rank"}:
        yield from too_few_shuffles(sampling.n_shuffles, options.alpha)
    yield from prepared(curves)
    yield from single_runs(curves)
    if asked.times is None:
        yield from no_spread(numbers.curves)
    if asked.test == "normal":
        yield AssumesNormal()
    if asked.test in {"Welch", "both"}:
        yield from welch_with_few_runs(curves)
    elif asked.times is not None:
        yield from asked.times.found.caveats()
    elif asked.test == "shuffle" and (found := spread_caveat(numbers.curves)) is not None:
        can_allow = options.center == "mean" and options.on != EVERY_STEP
        remedy = can_allow and curves.blocks is None
        yield SpreadMatters(found.wide, found.narrow, found.ratio, found.n_runs, remedy)
    yield from few_for_ranks(curves, options.center)
    yield from uneven_blocks(curves)
    if options.on == EVERY_STEP and curves.n_steps > 1:
        yield EveryStepIsStrict(curves.n_steps)
