"""Two groups of runs, a number of each run: one shuffle test, with its interval by inversion.

The centre of a group is the mean of its runs, their trimmed mean or their ranks, where a few of
them may have failed. `compare`, `contrast`, `best` and `gate` use them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.data.checks import check_choice
from curvewise.data.points import in_window
from curvewise.errors import refuse
from curvewise.inference.result import Center, f_statistic
from curvewise.inference.work import Sampling
from curvewise.kernels.anova import EPSILON, centred
from curvewise.kernels.contrasts import Fit, is_mirrored, least_extreme, student_t
from curvewise.kernels.invert import (
    MAX_SUBSET_RUNS,
    MIN_RUNS_TRIMMED,
    Shifted,
    agreeing,
    count_above,
    count_heights,
    lowest_shift,
    midranks,
    n_alike,
    pairwise_differences,
    rank_ends,
    shift_interval,
    trimmed_ends,
    trimmed_f,
    trimmed_means,
)
from curvewise.kernels.pvalues import TIE, pvalue
from curvewise.kernels.relabel import BATCH
from curvewise.shuffling.visit import (
    MAX_FREE,
    MAX_IN_NUMPY,
    MAX_KEPT_BATCHES,
    Limits,
    Plan,
    Statistic,
)
from curvewise.text import argument, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from curvewise.data.curves import Curves
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabel import Relabellings
    from curvewise.shuffling.visit import Counts, Layout, Measured


MAX_SHUFFLES = 2**24  # of "auto" and "precise"
# Every relabelling cuts off other runs, in NumPy: "auto" and "precise" give up after a minute.
TRIMMED_LIMITS = Limits(shuffles=2**22)
MAX_KEPT = MAX_KEPT_BATCHES * BATCH
RANK_NOISE = 1e-9  # ranks are multiples of a half: any difference is larger


def check_center(curves: Curves, center: Center) -> None:
    """Raise unless the centre is known, and the runs are enough and not in blocks for it."""
    check_choice("center", center, get_args(Center))
    if center != "trimmed":
        return
    trimmed, mean = argument("center", "trimmed"), argument("center", "mean")
    if curves.blocks is not None:
        refuse(
            f"{trimmed} needs runs that are not in blocks: a block holds too few runs of an "
            f"algorithm to cut some off. Use {argument('center', 'ranks')} or {mean}, or leave "
            "the blocks out if runs do not really share them."
        )
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size < MIN_RUNS_TRIMMED:
            refuse(
                f"{trimmed} needs at least {MIN_RUNS_TRIMMED} runs of every algorithm, and "
                f"{name!r} has {plural(size, 'run')}. Add runs, or use {mean}."
            )


def check_center_alone(center: Center, option: str, value: str, remedy: str) -> None:
    """Raise if another option does not go with a centre other than the mean."""
    if center == "mean":
        return
    refuse(
        f"{argument(option, value)} is for means, and does not go with "
        f"{argument('center', center)}. Use {argument(option, remedy)} or "
        f"{argument('center', 'mean')}.",
        option="center",
    )


@dataclass(frozen=True, eq=False)
class RunNumbers:
    """One number for each run, such as the mean of its curve, in the units of a layout.

    ``tie`` is how far rounding can set two of them, or two differences of centres, apart.
    """

    numbers: Floats
    labels: Integers
    blocks: Integers
    tie: float

    @classmethod
    def of(cls, layout: Layout, profile: Floats | None = None) -> RunNumbers:
        """Take the mean of each curve, or the sum of its scores weighted by a profile."""
        weights = 1.0
        if profile is None:
            numbers = layout.scores.mean(axis=1)
        else:
            numbers = layout.scores @ profile
            weights = float(np.abs(profile).sum())
        tie = 2 * weights * layout.noise / np.sqrt(layout.scores.size)
        return cls(numbers, layout.labels, layout.blocks, float(tie))

    def ranks(self) -> Floats:
        """Return the rank of each run in its block, whatever its label."""
        return midranks(self.numbers, self.blocks, self.tie)

    def trimmed(self) -> Floats:
        """Return the trimmed mean of each algorithm."""
        return trimmed_means(self.labels[None, :], self.numbers)[:, 0]

    def shift(self, center: Center) -> float:
        """Return how far the first of two algorithms lies above the second.

        By ranks, that is the median of all differences of two runs (of one block).
        """
        if center == "ranks":
            differences = pairwise_differences(self.numbers, self.labels, self.blocks)
            value = float(np.median(differences))
        else:
            first, second = self.trimmed()
            value = float(first - second)
        return 0.0 if abs(value) <= self.tie else value

    def ends(
        self, center: Center, plan: Plan, pvalue: float, alpha: float, *, two_sided: bool = True
    ) -> tuple[float, float]:
        """Return the ends of all shifts that the test does not reject.

        ``pvalue`` is that of no shift: the interval leaves out 0 exactly if it is at most alpha.
        """
        kept = _kept(plan)
        # One byte a label: there are two of them.
        batches = map(kept.batch, range(-(-kept.count // BATCH)))
        relabelled = np.concatenate([batch.astype(np.int8) for batch in batches])
        if plan.keeps_all and not two_sided and is_mirrored(self.labels, self.blocks):
            # An enumeration visits one of two mirror images.
            relabelled = np.concatenate([relabelled, 1 - relabelled])
        runs = self.numbers, self.labels, self.blocks, relabelled
        test = Shifted(*runs, self.tie, alpha, exact=plan.keeps_all, two_sided=two_sided)
        ends = rank_ends(test) if center == "ranks" else trimmed_ends(test)
        if all(map(np.isinf, ends)):
            return ends
        # Where p comes from more relabellings than the interval, or 0 is the very difference of
        # two runs, an end may lie on the wrong side of 0 by as little as that can do.
        beside = np.array([-self.tie, self.tie])
        return agreeing(ends, self.shift(center), 0.0, beside, rejected=pvalue <= alpha)


def _kept(plan: Plan) -> Relabellings:
    """Return the relabellings that values are kept of: all, or a sample."""
    if plan.keeps_all:
        return plan.relabellings
    if plan.exact:
        return plan.restriction.drawn(MAX_KEPT, seed=0)
    return plan.restriction.drawn(min(plan.n_shuffles, MAX_KEPT), plan.key)


# --- The test: is the first group larger than the second, or do they differ at all?


@dataclass(frozen=True, eq=False)
class Extremes(Statistic):
    """What is taken of each relabelling, in rows: how many of the first are extreme; all kept.

    ``least`` is what counts, in size if ``two_sided``. ``mirrored`` counts the mirror image of
    every relabelling too.
    """

    of: Callable[[Integers], Floats]
    least: float
    two_sided: bool = False
    mirrored: bool = False

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch; keep what was taken of them."""
        rows = self.of(labels)
        own = np.append(rows[0], -rows[0]) if self.mirrored else rows[0]
        count = np.sum((np.abs(own) if self.two_sided else own) >= self.least)
        return (np.array([count]),), ((rows,) if keep else ())


def first_sums(columns: Floats, labels: Integers) -> Floats:
    """Return the sums of columns over the first group of each relabelling, a row a column."""
    return ((labels == 0).astype(np.float64) @ columns).T


def trimmed_difference(numbers: Floats, labels: Integers) -> Floats:
    """Return the difference of the trimmed means of two groups, as a single row."""
    first, second = trimmed_means(labels, numbers)
    return (first - second)[None]


@dataclass(frozen=True, eq=False)
class Shuffled:
    """What a shuffle test found: the value with t, p, and the null distribution of t.

    ``ends`` gives those of the interval of all values that are not rejected at a level.
    """

    value: float
    t: float
    df: int
    null: Floats
    n_extreme: int
    sampling: Sampling
    ends: Callable[[float], tuple[float, float]] = lambda _: (-math.inf, math.inf)

    @cached_property
    def pvalue(self) -> float:
        """The share of relabellings that are as extreme."""
        sampling = self.sampling
        return pvalue(self.n_extreme, sampling.n_shuffles, exact=sampling.exact)

    def scaled(self, unit: float) -> Shuffled:
        """Return the same with values in another unit, which may turn their sign."""

        # Asked for more than once, those of typical runs would take long.
        @cache
        def ends(level: float) -> tuple[float, float]:
            low, high = sorted(end * unit + 0.0 for end in self.ends(level))
            return low, high

        sign = math.copysign(1.0, unit)
        value, t = self.value * unit + 0.0, self.t * sign + 0.0
        return replace(self, value=value, t=t, null=self.null * sign, ends=ends)


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """Two groups of runs, of which the weighted sums of scores are compared.

    ``profile`` weighs the steps, ``weight`` the first group against the second. One-sided, the
    weighted difference is asked to be large. "auto" settles p against the ``levels``.
    """

    layout: Layout
    profile: Floats
    weight: float
    center: Center
    two_sided: bool
    levels: tuple[float, ...]
    work: Work

    def shuffled(self) -> Shuffled:
        """Shuffle the runs, and compare the centres of the two groups."""
        layout, center = self.layout, self.center
        if center == "mean":
            noise = layout.noise * float(np.linalg.norm(self.profile))
            return self._of_sums(layout.scores @ self.profile, noise, self.weight)
        runs = RunNumbers.of(layout, self.profile)
        # The algorithm that comes first may be the one that is subtracted.
        runs = replace(runs, numbers=runs.numbers * math.copysign(1.0, self.weight))
        if center == "ranks":
            found = self._of_sums(runs.ranks(), RANK_NOISE, 1.0)
            # For the interval a sample will do where there are too many to visit.
            plan = self._plan(Limits(exact=layout.restriction.count))
        else:
            found, plan = self._of_trimmed(runs)
        size = abs(self.weight)

        def ends(level: float) -> tuple[float, float]:
            low, high = runs.ends(center, plan, found.pvalue, level, two_sided=self.two_sided)
            return low * size, high * size

        return replace(found, value=runs.shift(center) * size, ends=ends)

    def _plan(self, limits: Limits) -> Plan:
        return self.work.plan(self.layout.restriction, levels=self.levels, limits=limits)

    @cached_property
    def _has_images(self) -> bool:
        """Whether an enumeration visits one of two mirror images, and both count."""
        return not self.two_sided and is_mirrored(self.layout.labels, self.layout.blocks)

    def _visit(
        self, plan: Plan, of: Callable[[Integers], Floats], least: float
    ) -> tuple[Counts, Floats]:
        """Visit the relabellings; return the counts, and what is kept with its mirror images."""
        mirrored = self._has_images and plan.exact
        found = self.work.visit(plan, Extremes(of, least, self.two_sided, mirrored))
        (rows,) = found.kept
        if self._has_images and plan.keeps_all:
            rows = np.concatenate([rows, -rows], axis=1)
        return found, rows

    def _sampling(self, found: Counts, *, exact: bool, n_alike: int = 1) -> Sampling:
        n_all = self.layout.restriction.count * (2 if self._has_images else 1)
        seed = None if found.plan.keeps_all else self.work.seed
        n_visited, engine = found.n_visited, found.engine
        if exact:
            n_visited, engine = n_all, "NumPy enumeration"
        return Sampling(exact, n_all, n_visited, engine, seed, n_alike=n_alike)

    def _of_sums(self, numbers: Floats, noise: float, weight: float) -> Shuffled:
        """Compare the sums of numbers over the first group."""
        layout, two_sided = self.layout, self.two_sided
        labels, blocks = layout.labels, layout.blocks
        fit = Fit.of(numbers[:, None], labels, blocks, noise)
        u, length, t = contrast_of(fit, np.array([weight, -weight]), noise)
        member = (labels == 0).astype(np.float64)[:, None]
        likeness = centred(member, blocks)[:, 0]
        overlap = float(likeness[labels == 0].sum())
        # Their sums over the first group are u, and how alike two labellings are.
        towards = math.copysign(fit.factor[0, 0], weight)
        columns = np.stack([towards * fit.values[:, 0], likeness / overlap], axis=1)
        least = least_extreme(u, noise, two_sided=two_sided)
        # The sums of two halves of the runs give an exact count far beyond an enumeration.
        n_all = layout.restriction.count
        halved = blocks.min() == blocks.max() and len(labels) <= MAX_SUBSET_RUNS
        plan = self._plan(Limits(exact=n_all if halved else MAX_IN_NUMPY, shuffles=MAX_SHUFFLES))
        by_halves = halved and n_all > MAX_FREE and (plan.exact or self.work.exact is None)
        if by_halves:
            most = min(plan.n_shuffles, MAX_KEPT)
            plan = Plan(layout.restriction, exact=False, n_shuffles=most, key=self.work.key)
        found, sums = self._visit(plan, partial(first_sums, columns), least)
        n_extreme = int(found.counts[0][0])
        if by_halves and two_sided:
            n_images = 2 if is_mirrored(labels, blocks) else 1
            n_extreme = count_heights(columns[:, 0], int(member.sum()), least**2) // n_images
        elif by_halves:
            n_extreme = count_above(columns[:, 0], int(member.sum()), least)
        root = math.sqrt(overlap)
        slack = 2 * noise / root

        def ends(level: float) -> tuple[float, float]:
            shuffled = u / root, sums[0] / root, sums[1], level
            rejected = made.pvalue <= level
            if two_sided:
                pair = shift_interval(*shuffled, exact=plan.keeps_all, tie=slack, rejected=rejected)
            else:
                low = lowest_shift(*shuffled, exact=plan.keeps_all, tie=slack)
                beside = np.array([2 * slack])
                pair = agreeing((low, math.inf), u / root, 0.0, beside, rejected=rejected)
            # Zero is the one value that readers look for: an end a rounding error away is at it.
            low, high = (0.0 if abs(end) <= slack else end * length * root for end in pair)
            return low, high

        total = float(np.sum(fit.values**2))
        errors = np.maximum(total - sums[0] ** 2, 0.0)
        null = as_tied(student_t(sums[0], errors, fit.df, 64 * EPSILON * total), t)
        sampling = self._sampling(found, exact=by_halves or plan.exact)
        made = Shuffled(u * length, t, fit.df, null, n_extreme, sampling, ends)
        return made

    def _of_trimmed(self, runs: RunNumbers) -> tuple[Shuffled, Plan]:
        """Compare trimmed means; also return the plan of the relabellings that were visited."""
        value = runs.shift("trimmed")
        least = least_extreme(value, runs.tie, two_sided=self.two_sided)
        plan = self._plan(TRIMMED_LIMITS)
        found, (differences,) = self._visit(plan, partial(trimmed_difference, runs.numbers), least)
        between, within, df = trimmed_f(runs.numbers, runs.labels)
        t = math.sqrt(f_statistic(between, within if within > runs.tie**2 else 0.0, df))
        t = math.copysign(t, value) if value else 0.0
        # All differences are held against the standard error of the observed one.
        scale = t / value if value and math.isfinite(t) else 1.0
        null = np.where(np.abs(differences - value) <= 2 * runs.tie, value, differences) * scale
        alike = n_alike(np.bincount(runs.labels))
        sampling = self._sampling(found, exact=plan.exact, n_alike=alike)
        return Shuffled(value, t, df[1], null, int(found.counts[0][0]), sampling), found.plan


def contrast_of(fit: Fit, coefficients: Floats, noise: float) -> tuple[float, float, float]:
    """Return a contrast of fitted groups in units of its length, that length, and t."""
    length = float(fit.directions(coefficients[None, :])[1][0])
    u = float(coefficients @ fit.estimates[:, 0]) / length
    u = u if abs(u) > noise else 0.0
    t = student_t(np.array([u]), fit.errors[:1], fit.df)
    return u, length, float(t[0])


def as_tied(null: Floats, observed: float) -> Floats:
    """Set what is only rounded apart from the observed to it, in place: a tie looks like one."""
    null[np.isclose(null, observed, rtol=TIE, atol=0)] = observed
    return null


# --- One number for a run: its mean over training, over the last steps, or over a window.

EVERY_STEP = "every step"
FINAL_SHARE = 0.1  # of the steps


def mean_weights(curves: Curves) -> tuple[Floats, str]:
    """Return the weight of each step in the mean over training, and what that is called."""
    return np.full(curves.n_steps, 1 / curves.n_steps), f"mean {curves.period}"


def final_weights(curves: Curves) -> tuple[Floats, str]:
    """Return the weight of each step in the mean of the last tenth, and what it is called."""
    n_last = math.ceil(FINAL_SHARE * curves.n_steps - 1e-9)
    weights = np.zeros(curves.n_steps)
    weights[-n_last:] = 1 / n_last
    last = "last step" if n_last == 1 else f"mean of the last {n_last} steps"
    return weights, f"{last} (of {curves.n_steps})"


def window_weights(
    steps: np.ndarray[Any, Any], start: float | None, stop: float | None
) -> tuple[Floats, str]:
    """Return the weight of each step in the mean of a window, and what it is called.

    An open end, None or infinite, is that of training. Raises `CurvesError` if no step lies in the window.
    """
    inside = in_window(steps, start, stop)
    ends = (
        own if own is not None and math.isfinite(own) else float(steps[place])
        for own, place in ((start, 0), (stop, -1))
    )
    label = f"mean from step {' to '.join(map(step_text, ends))}"
    return inside / inside.sum(), label
