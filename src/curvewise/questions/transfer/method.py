"""What two conditions are measured by: metrics of resamples and relabellings, p and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from curvewise.data.checks import refuse_option, resample_count
from curvewise.data.points import trapezoids
from curvewise.errors import refuse
from curvewise.inference.asking import Asked
from curvewise.inference.survival import reaching
from curvewise.inference.work import Sampling
from curvewise.kernels.anova import centred
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.invert import MAX_SUBSET_RUNS, count_heights, ratio_interval, shift_interval
from curvewise.kernels.metrics import (
    CURVE_METRICS,
    METRICS,
    MetricSettings,
    metric_values,
    time_ratio,
)
from curvewise.kernels.pvalues import TIE, jackknife_error, percentile, pvalue, widened_level
from curvewise.kernels.relabel import WithinBlocks, resample_counts
from curvewise.kernels.survival import (
    kaplan_meier,
    log_rank_scores,
    median_times,
    score_noise,
    time_edges,
)
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.records import UNTOLD, Record, told
from curvewise.shuffling.visit import (
    MAX_FREE,
    Layout,
    Limits,
    Reached,
    Statistic,
    chunks_of,
    in_chunks,
)
from curvewise.text import argument, number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.survival import SurvivalCurve
    from curvewise.questions.transfer.metrics import MetricRecord
    from curvewise.records import As, Count, Extended, Probability
    from curvewise.shuffling.visit import Measured, Plan


Integration = Literal["sum", "trapezoid"]
Ends = tuple[float, float]


class TransferOptions(Asked):
    """What is asked of two conditions; the attributes are the parameters of `transfer`."""

    def settle(self) -> None:
        """Raise unless hold, window, tolerance and resamples can be used."""
        hold, window, tolerance = self.hold, self.window, self.until_asymptote
        if not isinstance(hold, int | np.integer) or isinstance(hold, bool) or hold < 1:
            refuse_option(
                "hold",
                "is at how many consecutive steps a run must be at the threshold, 1 or more; it "
                f"is {hold!r}.",
            )
        if window is not None and not (isinstance(window, tuple | list) and len(window) == 2):
            refuse_option("window", f"is a pair of steps, (start, stop); it is {window!r}.")
        if tolerance is not None and not (
            isinstance(tolerance, int | float | np.number) and 0 < tolerance < 1
        ):
            refuse_option(
                "until_asymptote",
                "is a share of the range of the curves, between 0 and 1, such as 0.05; it is "
                f"{tolerance!r}.",
            )
        resample_count(self.n_resamples)

    @property
    def alpha(self) -> float:
        """The level at which intervals miss, and "auto" settles p."""
        # 1 - 0.95 is not quite 0.05.
        return round(1 - self.confidence, 12)

    @property
    def optimum_known(self) -> bool:
        """Whether the best possible score was given."""
        return self.optimum is not None


# --- A control and an experimental condition, as the metrics take them.
#
# A jump-start, an asymptotic advantage and an average gain are differences of two means of one
# number for each run. Regret is such a difference in other units, and the transfer ratio and the
# calibrated transfer ratio are ratios of two means; at no effect all three are tested as the
# difference of the areas is. Times to a threshold are tested as the difference of the log-rank
# scores of the runs is.

DIFFERENCES = ("average_gain", "jumpstart", "asymptotic_advantage")
TESTED = (*DIFFERENCES, "log_rank")
MAX_VALUES = 2**17  # of an array of mean curves: what stays in the cache is fast
MIN_AT_ONCE = 16  # mean curves, of however many steps: fewer waste a matrix product
# Seconds for each step of a pair of mean curves.
SECONDS_IN_NUMPY, SECONDS_COMPILED = 120e-9, 6e-9


class TwoConditions:
    """The runs of both conditions, and what the metrics take as given.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
        Higher is better; the runs are in canonical order.
    member, blocks : array, (n_runs,)
        The condition of each run, 0 for the control and 1 for the experimental one, and its
        block.
    means : (array, array)
        The mean curves of control and experimental condition, higher being better.
    units : array, (n_runs,)
        What is resampled: runs, or blocks that runs of both conditions share.
    strata : array, (n_units,)
        The stratum of each unit, within which it is resampled.
    settings : MetricSettings
        Weights of the steps, shift, optimum.
    threshold : float
        The score of time to threshold, as it was given.
    reaching : Reaching
        When each run reaches it, the runs in the order of the curves; ``times`` has them in
        canonical order.
    sign : float
        -1 where lower is better: the scores are those given, negated. Else 1.
    columns : array, (n_runs, 8)
        The number of each run in each of TESTED, those of scores in units of ``unit``, and its
        membership of the experimental condition, all less the mean of their block. Then the
        mean score of experimental and of control runs, and whether a run is experimental; 0 for
        the others.
    slack : array, (4,)
        How far rounding can move a sum of each of TESTED, and that of a relabelling.
    unit : float
        A power of two.
    n_tasks : int
        How many tasks are measured alike, of which this is one.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    def __init__(self, curves: Curves, asked: TransferOptions, n_tasks: int = 1) -> None:
        """Lay out the curves of the two conditions; raise if a score exceeds the optimum."""
        layout = Layout.of(curves)
        sign = self.sign = 1.0 if curves.higher_is_better else -1.0
        self.n_tasks, self.period = n_tasks, curves.period
        self.unit, self.blocks = layout.unit, layout.blocks
        self.scores = sign * curves.scores[layout.order]
        self.member = (curves.labels[layout.order] != asked.control).astype(np.int64)
        self.units, self.strata = np.arange(curves.n_runs), self.member
        if curves.blocks is not None:
            self.units = layout.blocks
            self.strata = np.zeros(len(np.unique(layout.blocks)), dtype=np.int64)
        best = float(self.scores.max())
        optimum = sign * float(asked.optimum) if asked.optimum_known else None
        if optimum is not None and optimum < best and not asked.allow_optimum_below:
            refuse(
                f"The optimum {number_text(sign * optimum)} lies "
                f"{'below' if sign > 0 else 'above'} an observed score, "
                f"{number_text(sign * best)}. Give the best possible score, or allow scores to "
                f"exceed it: {argument('allow_optimum_below', value=True)}.",
                option="optimum",
            )
        n_last = max(curves.n_steps // 10, 1)
        self._sides = self.scores[self.member == 0], self.scores[self.member == 1]
        self.means = self._sides[0].mean(axis=0), self._sides[1].mean(axis=0)
        by_sums = asked.integration == "sum" or curves.n_steps == 1
        self.settings = MetricSettings(
            weights=np.ones(curves.n_steps) if by_sums else trapezoids(curves.steps),
            shift=max(-float(np.min(self.means)), 0.0),
            optimum=optimum,
            n_last=n_last,
        )
        # Of both conditions: one that is chosen by the labels makes no exact test.
        end = sign * float(self.scores[:, -n_last:].mean())
        self.threshold = end if asked.threshold is None else asked.threshold
        self.reaching = reaching(curves, self.threshold, hold=int(asked.hold))
        self.times = self.reaching.times.of(layout.order)
        self.columns, self.slack = self._run_values(layout)

    def _run_values(self, layout: Layout) -> tuple[Floats, Floats]:
        """Return ``columns`` and ``slack``."""
        weights, n_last = self.settings.weights, self.settings.n_last
        deviations = centred(layout.scores, layout.blocks)
        is_experimental = self.member.astype(np.float64)
        scores = log_rank_scores(self.times)
        of_blocks = centred(np.stack([scores, is_experimental], axis=1), layout.blocks)
        shares = weights / weights.sum()
        # With equal weights these are the curve means that are compared elsewhere, digit for
        # digit.
        is_equal = bool(np.all(weights == weights[0]))
        means = self.scores @ shares
        columns = [
            deviations.mean(axis=1) if is_equal else deviations @ shares,
            deviations[:, 0],
            deviations[:, -n_last:].mean(axis=1),
            *of_blocks.T,
            means * is_experimental,
            means * (1 - is_experimental),
            is_experimental,
        ]
        # Rounding moves the table along any direction by no more than its noise.
        noise = (
            layout.noise * math.sqrt(float(shares @ shares)),
            float(layout.step_noise[0]),
            math.sqrt(float(np.sum(layout.step_noise[-n_last:] ** 2)) / n_last),
        )
        spread = math.sqrt(float(of_blocks[self.member == 1, 1].sum()))
        slack = [*(2 * own * spread for own in noise), 2 * score_noise(scores)]
        return np.stack(columns, axis=1), np.array(slack)

    @property
    def n_steps(self) -> int:
        """How many steps the curves have."""
        return self.scores.shape[1]

    @property
    def n_runs(self) -> tuple[int, int]:
        """How many runs the control and the experimental condition have."""
        return len(self._sides[0]), len(self._sides[1])

    @property
    def n_units(self) -> Integers:
        """How many units each stratum has: runs of each condition, or blocks."""
        return np.bincount(self.strata)

    @property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed: inside blocks."""
        return WithinBlocks(self.member, self.blocks)

    @property
    def is_mirrored(self) -> bool:
        """Whether an enumeration visits one of two mirror images, which metrics tell apart."""
        return is_mirrored(self.member, self.blocks)

    @property
    def portion(self) -> int:
        """How many mean curves are computed at once: matrix products of other shapes may differ."""
        return max(MAX_VALUES // self.n_steps, MIN_AT_ONCE)

    def repays_compiling(self, n_rows: int) -> bool:
        """Tell whether compiled code measures so many rows faster."""
        work = n_rows * self.n_steps * self.n_tasks
        return compiling_repays(work * SECONDS_IN_NUMPY, work * SECONDS_COMPILED)

    def sums(self, labels: Integers) -> Floats:
        """Return the sums of columns over runs that relabellings call experimental, (8, n)."""
        return (labels.astype(np.float64) @ self.columns).T

    @cached_property
    def observed(self) -> Floats:
        """The sums of columns over the experimental runs."""
        return np.asarray(self.columns[self.member == 1].sum(axis=0))

    @property
    def least(self) -> Floats:
        """The smallest sum of each of TESTED, in size, that is as extreme as the observed one."""
        return np.maximum(np.abs(self.observed[: len(TESTED)]) - self.slack, 0.0)

    def counts(self, sums: Floats) -> Integers:
        """Count the relabellings at least as extreme as the observed one, in each of TESTED."""
        extreme = np.abs(sums[: len(TESTED)]) >= self.least[:, None]
        return extreme.sum(axis=1, dtype=np.int64)

    def resampled(self, counts: Floats, *, compiled: bool = False) -> Floats:
        """Return the metrics of resamples, given how often each run was drawn.

        ``counts`` is (n_resamples, n_runs), the result (n_metrics, n_resamples).
        """
        sides = self.member == 0, self.member == 1
        drawn = [(counts[:, side], own) for side, own in zip(sides, self._sides, strict=True)]
        of_each = counts * sides[0], counts * sides[1]
        return self._metrics(drawn, of_each, compiled=compiled)

    def relabelled(self, labels: Integers, *, compiled: bool = False) -> Floats:
        """Return the metrics of relabellings, (n_relabellings, n_runs), as `resampled` does."""
        in_experimental = labels.astype(np.float64)
        samples = 1 - in_experimental, in_experimental
        drawn = [(counts, self.scores) for counts in samples]
        return self._metrics(drawn, samples, compiled=compiled)

    def _metrics(
        self,
        drawn: Sequence[tuple[Floats, Floats]],
        samples: tuple[Floats, Floats],
        *,
        compiled: bool,
    ) -> Floats:
        """Return every metric of pairs of mean curves, and of pairs of samples of the runs.

        ``drawn`` has, for each condition, how often runs are drawn, (n_rows, n_drawn), and their
        scores; ``samples`` say how often each run is in each of them, (n_rows, n_runs).
        """
        values = np.empty((len(METRICS), len(samples[0])))
        for start in range(0, len(samples[0]), self.portion):
            part = slice(start, start + self.portion)
            # An empty sample has a mean of 0.
            control, experimental = (
                counts[part] @ scores / np.maximum(counts[part].sum(axis=1), 1)[:, None]
                for counts, scores in drawn
            )
            own = metric_values(control, experimental, self.settings, compiled=compiled)
            values[:-1, part] = [own[name] for name in CURVE_METRICS]
        values[-1] = time_ratio(*(median_times(self.times, own) for own in samples))
        return values


def levelled_off(curves: Curves, control: str, tolerance: float) -> int | None:
    """Return the index of the first step from which both curves stay near their final mean.

    Near is within ``tolerance`` times the range of both mean curves; the final mean is that of
    the last tenth of the steps. None if they stay near it at these steps only.
    """
    is_control = curves.labels == control
    means = np.stack([curves.scores[rows].mean(axis=0) for rows in (is_control, ~is_control)])
    n_last = max(curves.n_steps // 10, 1)
    final = means[:, -n_last:].mean(axis=1, keepdims=True)
    is_outside = np.any(np.abs(means - final) > tolerance * np.ptp(means), axis=0)
    first = int(np.flatnonzero(is_outside)[-1]) + 1 if is_outside.any() else 0
    # That the last steps lie near their own mean says nothing.
    return first if first < curves.n_steps - n_last or curves.n_steps == 1 else None


# --- The metrics in resamples, and with runs left out, and their intervals.

ROWS_AT_ONCE = 128  # resamples, or a portion if that is more, for one of several workers


def resample_metrics(
    conditions: TwoConditions, n_resamples: int, seed: int, *, n_jobs: int = 1
) -> Floats:
    """Bootstrap every metric over runs, or blocks, (n_metrics, n_resamples).

    ``n_jobs`` changes no digit.
    """
    counts = resample_counts(conditions.strata, n_resamples, seed)[:, conditions.units]
    compiled = conditions.repays_compiling(n_resamples)
    work = partial(_measure_portion, conditions, counts, compiled=compiled)
    # Whole portions, which are the same for any number of jobs: matrix products of other shapes
    # may differ in their last bit.
    n_together = max(ROWS_AT_ONCE // conditions.portion, 1) * conditions.portion
    portions = chunks_of(range(n_resamples), n_together)
    return np.concatenate(
        [values for _, values in in_chunks(work, portions, n_jobs=n_jobs)], axis=1
    )


def _measure_portion(
    conditions: TwoConditions, counts: Floats, rows: range, *, compiled: bool
) -> Floats:
    return conditions.resampled(counts[rows.start : rows.stop], compiled=compiled)


def leave_out(conditions: TwoConditions) -> Floats:
    """Return every metric with each run, or block, left out in turn; (n_metrics, n_units)."""
    units = np.arange(len(conditions.strata))
    counts = (conditions.units != units[:, None]).astype(np.float64)
    return conditions.resampled(counts, compiled=conditions.repays_compiling(len(counts)))


def student_ends(
    record: MetricRecord, value: float, without: Floats, strata: Integers, alpha: float
) -> Ends | None:
    """Return the ends by jackknife errors and Student's t, of the metric and its logarithm.

    The logarithm is that of a ratio, or of 1 minus a reduction; of the two intervals each end
    is the outer one. ``without`` has the metric with each unit left out, ``strata`` the stratum
    of each unit. None where a logarithm is infinite or undefined, or all are equal.
    """
    from scipy.special import stdtrit

    offset, slope = (0.0, 1.0) if record.no_effect else (1.0, -1.0)
    ratios = offset + slope * np.append(without, value)
    if not np.all((ratios > 0) & np.isfinite(ratios)) or np.ptp(ratios) == 0:
        return None
    ends = []
    for scaled in (ratios, np.log(ratios)):
        error, df = jackknife_error(scaled[:-1], strata)
        reach = float(stdtrit(df, 1 - alpha / 2)) * error
        ends.append([scaled[-1] - reach, scaled[-1] + reach])
    # An error of one degree of freedom can reach beyond the largest number.
    with np.errstate(over="ignore"):
        both = offset + slope * np.concatenate([ends[0], np.exp(ends[1])])
    return float(both.min()), float(both.max())


def percentile_ends(values: Floats, n_units: Integers, alpha: float) -> Ends:
    """Return the ends of the percentile interval of resamples, widened for few units.

    ``n_units`` has the number of units of each stratum. A resample in which the metric is
    undefined could have been anything.
    """
    level = widened_level(alpha, n_units)
    lowest, highest = (np.where(np.isnan(values), end, values) for end in (-np.inf, np.inf))
    return percentile(lowest, level)[0], percentile(highest, level)[1]


# --- The shuffle tests of differences, and the intervals of all values they do not reject.


@dataclass(frozen=True, eq=False)
class ShuffledDifferences(Statistic):
    """How many relabellings are as extreme, in each of TESTED; their sums are kept."""

    conditions: TwoConditions

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, (4,)."""
        sums = self.conditions.sums(labels)
        return (self.conditions.counts(sums),), ((sums,) if keep else ())


def difference_tests(
    conditions: TwoConditions, plan: Plan, work: Work, *, alpha: float
) -> tuple[dict[str, tuple[float, bool]], dict[str, Ends]]:
    """Visit the relabellings of a plan; return the tests of differences, and intervals.

    First the p of each of TESTED, and whether that is over every relabelling. Where relabellings
    are sampled, and it was not asked for, that of the average gain is if that takes no time. Then
    the ends of the interval of each metric that is tested as one of them; those of metrics with a
    unit are in scores as given, the others as if higher were better.
    """
    found = work.visit(plan, ShuffledDifferences(conditions))
    p = pvalue(found.counts[0], found.n_visited, exact=found.exact)
    tests = {name: (own, found.exact) for name, own in zip(TESTED, p.tolist(), strict=True)}
    if work.exact is None and not found.exact:
        exact_gain = _exact_gain(conditions)
        if exact_gain is not None:
            tests["average_gain"] = exact_gain, True
    (sums,), every = found.kept, found.plan.keeps_all
    kept = pvalue(conditions.counts(sums), sums.shape[1], exact=every)
    # Where p is of more relabellings than are kept, those kept may give a p just above alpha;
    # at a level of that p they reject no effect too.
    levels = [
        own if tests[name][0] <= alpha < own else alpha
        for name, own in zip(DIFFERENCES, kept.tolist(), strict=False)
    ]
    ends = {
        name: _shift_ends(conditions, sums, place, levels[place], exact=every)
        for place, name in enumerate(DIFFERENCES)
    }
    settings, (low, high) = conditions.settings, ends["average_gain"]
    ends["area_difference"] = low * settings.span, high * settings.span
    best, box = float(np.max(conditions.means)), float(np.ptp(conditions.means))
    if box > 0:
        least, most = sorted(conditions.sign * end / box for end in (low, high))
        ends["transfer_regret"] = least, most
    ratio = partial(_ratio_ends, conditions, sums, levels[0], exact=every)
    ends["transfer_ratio"] = ratio(1.0, settings.shift)
    least, most = ratio(-1.0, best if settings.optimum is None else settings.optimum)
    ends["calibrated_transfer_ratio"] = 1 - most, 1 - least
    return tests, ends


def _exact_gain(conditions: TwoConditions) -> float | None:
    """Return the p of the average gain over all relabellings; None with blocks or many runs."""
    n_runs, blocks = len(conditions.member), conditions.blocks
    if blocks.min() != blocks.max() or n_runs > MAX_SUBSET_RUNS:
        return None
    _, n_experimental = conditions.n_runs
    least = float(conditions.least[0])
    count = count_heights(conditions.columns[:, 0].copy(), n_experimental, least**2)
    return count / math.comb(n_runs, n_experimental)


def _shift_ends(
    conditions: TwoConditions, sums: Floats, place: int, alpha: float, *, exact: bool
) -> Ends:
    """Return the ends of one of DIFFERENCES, in scores as given."""
    total, membership = conditions.observed[[place, len(TESTED)]].tolist()
    slack = float(conditions.slack[place])
    low, high = shift_interval(
        total / membership,
        sums[place] / membership,
        sums[len(TESTED)] / membership,
        alpha,
        exact=exact,
        tie=slack / membership,  # as p counts them
    )
    # Zero is the one shift that readers look for: an end a rounding error away is at it.
    near = slack / math.sqrt(membership * len(conditions.member))
    low, high = (0.0 if abs(end) <= near else end * conditions.unit for end in (low, high))
    return low, high


def _ratio_ends(
    conditions: TwoConditions,
    sums: Floats,
    alpha: float,
    slope: float,
    offset: float,
    *,
    exact: bool,
) -> Ends:
    """Return the ends of the ratio of two means of ``slope`` times mean scores plus ``offset``."""
    n_control, n_experimental = conditions.n_runs
    every_e, every_c, _ = conditions.columns.T[len(TESTED) + 1 :]
    total_e = slope * float(every_e.sum()) + offset * n_experimental
    total_c = slope * float(every_c.sum()) + offset * n_control
    if total_c <= 0:
        return -math.inf, math.inf
    area_e, area_c, count = sums[len(TESTED) + 1 :]
    chosen_e = slope * area_e + offset * count
    chosen_c = slope * area_c + offset * (n_experimental - count)
    # Each run is added to the mean of one condition, or taken from that of the other.
    both = 1 / n_experimental + 1 / n_control
    return ratio_interval(
        (total_e / n_experimental, total_c / n_control),
        (both * chosen_e - total_e / n_control, both * chosen_c - total_c / n_control),
        alpha,
        exact=exact,
    )


# --- The factors by which one condition may take longer to reach a threshold than the other.
#
# Multiply the times of the control by ρ, end training together, and test with log-rank scores. All
# ρ that the test does not reject are the interval of the ratio of times: exact where the times of
# one condition are a multiple of the other's, as when it learns faster throughout. The scores
# change only where the order of times does, at ratios of a time of the one to a time of the other,
# so that one ρ between each two of these stands for all.


def _distances(columns: Floats, labels: Integers) -> Floats:
    """Return the sums of columns over the experimental runs, in size; a row for each column."""
    return np.abs(labels.astype(np.float64) @ columns).T


def stretches(
    conditions: TwoConditions, plan: Plan, work: Work, *, alpha: float
) -> tuple[Ends, Floats] | None:
    """Find the factors whose p is above ``alpha``: their ends, and those beside ratios of times.

    A factor is how many times as long the experimental condition takes. Both ends are infinite
    where nothing is rejected; None where everything is.
    """
    is_experimental, horizon = conditions.member == 1, conditions.reaching.horizon
    ours, others = (conditions.times.of(side) for side in (is_experimental, ~is_experimental))
    edges = time_edges(ours, others, horizon)
    if not len(edges):
        return None
    factors = np.concatenate([edges[:1] / 2, np.sqrt(edges[:-1] * edges[1:]), edges[-1:] * 2])
    columns, least = [], []
    for factor in factors.tolist():
        longer = np.where(is_experimental, 1.0, factor)
        scores = log_rank_scores(conditions.times.stretched(longer, horizon))
        column = centred(scores[:, None], conditions.blocks)
        columns.append(column)
        least.append(abs(float(column[is_experimental].sum())) - 2 * score_noise(scores))
    sums = partial(_distances, np.hstack(columns))
    found = work.visit(plan, Reached(sums, np.array(least)))
    p = pvalue(found.counts[0], found.n_visited, exact=found.exact)
    (kept,) = np.nonzero(p > alpha)
    if not len(kept):
        return None
    around = np.concatenate([[0.0], edges, [math.inf]])
    low, high = float(around[kept[0]]), float(around[kept[-1] + 1])
    if (low, high) == (0.0, math.inf):
        low = -math.inf
    # Where an edge itself is rejected, which has ties, an end lies beside it.
    beside = [around[kept] * (1 + TIE), around[kept + 1] * (1 - TIE)]
    return (low, high), np.concatenate(beside)


# --- The metrics of two conditions in relabellings, and p from them.

# Nine metrics take about eight times as long as sums of squares.
LIMITS = Limits(free=MAX_FREE // 8, exact=2_000_000, shuffles=2**20)
# The metrics that are not tested as a difference, by their place.
COUNTED = [place for place, name in enumerate(METRICS) if not RECORDS[name].tested_as]


@dataclass(frozen=True, eq=False)
class MetricTest:
    """The p of a metric, None where there is none, and its values in relabellings.

    The log-rank test has a p where the metric is undefined too, if something varies.
    ``exact`` says whether p is over every distinct relabelling. ``ends`` are those of the
    interval that belongs to the test, None where the metric has none, and ``among`` some values
    in it, where it was found by trying values.
    """

    pvalue: float | None
    null_distribution: Floats
    exact: bool
    ends: Ends | None
    among: Floats | None = None


@dataclass(frozen=True, eq=False)
class ShuffledMetrics(Statistic):
    """Every metric of relabelled curves, kept, and how many are as extreme as observed.

    Counted are the metrics that are compared with their own values in relabellings, and after
    them the differences that the others are tested as.

    Attributes
    ----------
    observed : array, (n_metrics,)
        NaN where a metric is undefined.
    mirrored : bool
        Whether the mirror image of every relabelling is measured too, after its batch.
    compiled_reduction : bool
        Whether average relative reductions are found in compiled code.
    """

    conditions: TwoConditions
    observed: Floats
    mirrored: bool
    compiled_reduction: bool

    chunk = 4  # batches: ten milliseconds of work with 8 steps, a hundred with 200

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, (n_counts, 2); keep the metrics."""
        both = (labels, 1 - labels) if self.mirrored else (labels,)
        values = np.concatenate(
            [
                self.conditions.relabelled(images, compiled=self.compiled_reduction)
                for images in both
            ],
            axis=1,
        )
        counts = [tail_counts(float(self.observed[place]), values[place]) for place in COUNTED]
        # A mirror image has sums of the other sign, and is as extreme.
        differences = len(both) * self.conditions.counts(self.conditions.sums(labels))
        counts += [(count, count) for count in differences.tolist()]
        return (np.array(counts, dtype=np.int64),), ((values,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts behind the p of every metric that is defined."""
        is_defined = np.ones(len(counts[0]), dtype=np.bool_)
        is_defined[: len(COUNTED)] = ~np.isnan(self.observed[COUNTED])
        return counts[0].min(axis=1)[is_defined]


def shuffle_metrics(
    conditions: TwoConditions, observed: Floats, work: Work, *, alpha: float
) -> tuple[dict[str, MetricTest], Sampling]:
    """Shuffle whole curves between the conditions; return p and values of every metric.

    ``observed`` is (n_metrics,). "auto" settles on which side of ``alpha`` each p lies.
    """
    # A tail that is counted twice is compared with half of alpha.
    levels = alpha, alpha / 2
    plan = work.plan(conditions.restriction, levels=levels, limits=LIMITS)
    statistic = ShuffledMetrics(
        conditions,
        observed,
        mirrored=plan.exact and conditions.is_mirrored,
        compiled_reduction=conditions.repays_compiling(plan.relabellings.count),
    )
    found = work.visit(plan, statistic)
    # Sums take less time than metrics, so that all relabellings may be visited for them.
    of_sums = work.plan(conditions.restriction, levels=levels)
    tests, ends = difference_tests(
        conditions, of_sums if of_sums.exact else found.plan, work, alpha=alpha
    )
    among = {}
    longer = stretches(conditions, found.plan, work, alpha=alpha)
    if longer is not None:
        ends["time_to_threshold"], among["time_to_threshold"] = longer
    (counts,), (values,) = found.counts, found.kept
    n_visited = found.n_visited * (2 if statistic.mirrored else 1)
    for place, tails in zip(COUNTED, counts, strict=False):
        # What was observed is no effect, so nothing is less extreme.
        n_extreme = n_visited if observed[place] == 0 else smaller_tail_twice(tails, n_visited)
        tests[METRICS[place]] = pvalue(n_extreme, n_visited, exact=found.exact), found.exact
    log_rank_varies = bool(conditions.columns[:, TESTED.index("log_rank")].any())
    metrics = {}
    for record, value, own in zip(RECORDS.values(), observed, values, strict=True):
        p, exact = tests[record.tested_as or record.name]
        is_tested = not np.isnan(value) or (record.tested_as == "log_rank" and log_rank_varies)
        metrics[record.name] = MetricTest(
            p if is_tested else None, own, exact, ends.get(record.name), among.get(record.name)
        )
    # A mirror image swaps the conditions, and is as far from no effect.
    n_images = 2 if conditions.is_mirrored else 1
    return metrics, Sampling(
        found.exact,
        n_images * conditions.restriction.count,
        n_visited,
        found.engine,
        work.seed,  # the resamples depend on it even where every relabelling was visited
        n_alike=n_images,
    )


def tail_counts(value: float, values: Floats) -> tuple[int, int]:
    """Count the values at least as large as ``value``, and at least as small.

    The smaller of the two counts, twice: losses are unbounded and gains are not.
    Equal but for rounding is both, and so is what is undefined.
    """
    slack = TIE * max(abs(value), 1.0)
    # What is undefined is not below anything, and not above.
    return int(np.sum(~(values < value - slack))), int(np.sum(~(values > value + slack)))


def smaller_tail_twice(tails: tuple[int, int] | Integers, n_visited: int) -> int:
    """Return twice the smaller of two counts, or all relabellings if that is more."""
    return min(2 * int(min(tails)), n_visited)


# --- How many runs of two conditions reach a threshold, and when: what survival data say.

SLACK = 1e-9  # runs: for rounding


@dataclass(frozen=True, eq=False)
class Shares:
    """Which share of runs had not reached the threshold, from step to step."""

    steps: Annotated[Floats, As(list[float])]
    shares: Annotated[Floats, As(list[Probability])]


@dataclass(frozen=True, eq=False)
class Survival(Record):
    """When the runs of control and experimental condition reach the threshold.

    Attributes
    ----------
    threshold : float
    hold : int
        At how many consecutive steps a run must be there.
    horizon : float
        The last step up to which runs of both conditions were trained.
    n_reached : (int, int)
        How many runs reach it.
    medians : (float, float)
        The step by which half of the runs have (Kaplan & Meier 1958); infinite for not reached.
    restricted_means : (float, float)
        The mean time, runs that have not reached it by the horizon counting as that.
    crossing : float or None
        The step by which the condition that was slower at first is ahead, by more than one run;
        None where the curves do not cross.
    ahead_at_last : "control", "experimental" or None
        Which that is.
    failed_never_reach : bool
        Whether there are short runs that count as never reaching it.
    curves : tuple of SurvivalCurve
        The share of runs of each condition that have not reached it.
    censored : tuple of array
        The last step of each run that never does.
    pvalue : float or None
        Of the log-rank test; None where no run reaches it.
    exact : bool
        Whether it is over every distinct relabelling.
    """

    threshold: float
    hold: Count
    horizon: float
    n_reached: tuple[int, int]
    medians: tuple[Extended, Extended]
    restricted_means: tuple[float, float]
    crossing: float | None
    ahead_at_last: Literal["control", "experimental"] | None
    failed_never_reach: bool
    curves: tuple[SurvivalCurve, SurvivalCurve] = field(repr=False, metadata=UNTOLD)
    censored: tuple[Floats, Floats] = field(repr=False, metadata=UNTOLD)
    pvalue: Probability | None
    exact: bool

    @told(key="control", after="failed_never_reach")
    def _control(self) -> Shares:
        """Return the share of control runs that have not reached it, from step to step."""
        return Shares(*self.curves[0])

    @told(key="experimental", after="control")
    def _experimental(self) -> Shares:
        """Return the same of the experimental condition."""
        return Shares(*self.curves[1])


def survival_of(
    conditions: TwoConditions, hold: int, test: MetricTest, *, failed_never_reach: bool
) -> Survival:
    """Put together what is known of the times of two conditions."""
    horizon = conditions.reaching.horizon
    control, experimental = (conditions.times.of(conditions.member == side) for side in (0, 1))
    first, second = curves = kaplan_meier(control), kaplan_meier(experimental)
    crossing, ahead = _crossing(curves, horizon, min(conditions.n_runs))
    return Survival(
        threshold=conditions.threshold,
        hold=hold,
        horizon=horizon,
        n_reached=(int(control.reached.sum()), int(experimental.reached.sum())),
        medians=(first.median, second.median),
        restricted_means=(first.restricted_mean(horizon), second.restricted_mean(horizon)),
        crossing=crossing,
        ahead_at_last=ahead,
        failed_never_reach=failed_never_reach,
        curves=curves,
        censored=(control.steps[~control.reached], experimental.steps[~experimental.reached]),
        pvalue=test.pvalue,
        exact=test.exact,
    )


def _crossing(
    curves: tuple[SurvivalCurve, SurvivalCurve], horizon: float, n_runs: int
) -> tuple[float | None, Literal["control", "experimental"] | None]:
    """Return the step by which the second of two leads is seen, and whose; None with one or none.

    A lead is more than one run of the smaller condition: less comes and goes by chance.
    """
    control, experimental = curves
    steps = np.union1d(control.steps, experimental.steps)
    steps = steps[steps <= horizon]
    lead = (control.at(steps) - experimental.at(steps)) * n_runs
    of_experimental, of_control = (
        float(steps[np.argmax(ahead)]) if ahead.any() else math.inf
        for ahead in (lead > 1 + SLACK, lead < -1 - SLACK)
    )
    last = max(of_experimental, of_control)
    if math.isinf(last):
        return None, None
    return last, "experimental" if of_experimental > of_control else "control"
