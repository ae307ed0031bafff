"""The shuffle test step by step and window by window: a statistic, counted in one visit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

import numpy as np

from curvewise.inference.result import PARTS, Interval
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.pvalues import TIE, MaxCounts, pvalue, upper_quantile
from curvewise.kernels.steps import (
    MIN_RESIDUAL_SHARE,
    Bars,
    Difference,
    StepCounts,
    band_ends,
    cluster_masses,
    critical_t,
    f_ratios,
    nested_maxima,
    resampled_shares,
    scan_steps,
)
from curvewise.kernels.windows import PlaceSums, Windows, intervalwise
from curvewise.questions.locate.result import Band, Cluster, Region, StepEffect, effect_row
from curvewise.records import UNTOLD, Record, told
from curvewise.shuffling.visit import MAX_FREE, MAX_KEPT_BATCHES, Limits, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.result import EffectName
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.steps import StepDesign
    from curvewise.questions.locate.result import Adjustment
    from curvewise.records import As, Count, Extended, Keywords, Probability
    from curvewise.shuffling.visit import Counts, Layout, Measured

    Clusters = tuple[list[tuple[int, int]], Floats]  # first and last step of each, and its mass


MAX_PLACES = 400  # beyond so many steps, windows begin and end at portions of them
N_PILOT = 256  # relabellings from which scales are learnt
# Seconds for each relabelling: of a window, and of a step and all algorithms but one.
WINDOW_IN_NUMPY, WINDOW_COMPILED = 40e-9, 2e-9
STEP_IN_NUMPY, STEP_COMPILED = 100e-9, 10e-9
MAX_FREE_WORK = 400_000_000  # windows × relabellings that are visited without being asked
MAX_EXACT = 2_000_000  # relabellings, when all are asked for
MAX_SHUFFLES = 2**17  # of "auto" and "precise": about a minute with 200 steps


def scan_limits(n_steps: int) -> Limits:
    """Return how many relabellings can be visited; windows need not be looked at for it.

    With and without windows the same number is visited, so that both give the same answer.
    """
    n_windows = _n_windows(n_steps)
    return Limits(min(MAX_FREE, MAX_FREE_WORK // n_windows), MAX_EXACT, MAX_SHUFFLES)


def _n_windows(n_steps: int) -> int:
    n_places = min(n_steps, MAX_PLACES)
    return n_places * (n_places + 1) // 2


@dataclass(frozen=True, eq=False)
class Reference:
    """The observed statistics, and the limits each relabelling is compared with.

    The two rows of arrays are those of A and of I.
    """

    design: StepDesign
    roots: Floats  # (2, n_steps): what a relabelling must reach at a step to count
    order: Integers  # (2, n_steps): steps from the most to the least striking
    ratios: Floats  # (2, n_steps): F at each step
    profiles: Floats  # (2, n_steps): A and I
    shares: Floats  # (2, n_steps): of the total at each step
    threshold: float  # F of steps that make a cluster
    clusters: tuple[Clusters, Clusters]  # that were observed
    nested: Floats  # (2, n_steps): what it must reach in nested windows
    difference: Difference | None  # of two algorithms
    windows: Windows | None
    compiled: bool

    @cached_property
    def bars(self) -> Bars:
        """What a relabelling must reach, less what may be rounding."""
        return Bars(self.roots * (1 - TIE), self.nested * (1 - TIE), self.order, self.threshold)

    @classmethod
    def of(
        cls, design: StepDesign, layout: Layout, threshold: float, *, n_visited: int, windows: bool
    ) -> Reference:
        """Compute the observed statistics, and learn scales from other relabellings.

        ``n_visited`` relabellings will be visited: what is worth compiling depends on it.
        """
        n_windows = _n_windows(design.n_steps) if windows else 0
        n_sums = design.n_steps * len(design.factor)
        compiled = compiling_repays(
            n_visited * (n_windows * WINDOW_IN_NUMPY + n_sums * STEP_IN_NUMPY),
            n_visited * (n_windows * WINDOW_COMPILED + n_sums * STEP_COMPILED),
        )
        of_windows = None
        if windows:
            # Drawn without looking at the labels, so that any scale they give is fair.
            pilot = layout.restriction.drawn(N_PILOT, seed=0).batch(0)
            of_windows = Windows.of(design, layout.labels, pilot, MAX_PLACES, compiled=compiled)
        profiles = design.profiles(design.sums(layout.labels[None, :]))
        observed = design.roots(profiles)
        ratios = f_ratios(observed**2, design.df)
        masses = cluster_masses(ratios, threshold)[:, :, 0]
        reached = np.maximum(observed[:, :, 0] - design.slack, 0.0)
        difference = None
        if len(design.factor) == 1:
            difference = Difference.of(design, layout.labels, layout.blocks)
        return cls(
            design,
            reached,
            np.argsort(-observed[:, :, 0], axis=1, kind="stable"),
            ratios[:, :, 0],
            profiles[:, :, 0],
            observed[:, :, 0] ** 2,
            threshold,
            (cluster_ends(masses[0]), cluster_ends(masses[1])),
            nested_maxima(reached[0][:, None])[:, :, 0],
            difference,
            of_windows,
            compiled,
        )


def cluster_ends(running: Floats) -> Clusters:
    """Return first and last step of every cluster, and its mass, from sums so far."""
    ends = stretches(running > 0)
    return ends, np.array([running[last] for _, last in ends])


def stretches(inside: Booleans) -> list[tuple[int, int]]:
    """Return the first and last index of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(np.int8), [0]])))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]


class ScanCounts(NamedTuple):
    """How many relabellings are as extreme; rows are those of A and of I.

    Attributes
    ----------
    single : array, (2, n_steps)
        With the largest of all steps as large as the observed at a step.
    step : array, (2, n_steps)
        At the step itself.
    stepdown : array, (2, n_steps)
        With the largest among the steps not more striking.
    nested : array, (2, n_steps)
        In windows to the end, and from the start.
    clusters_a, clusters_i : array
        With the largest cluster as large as each observed one.
    windows : array, (2, n_places, n_places)
        In every window; empty without windows.
    any_window : array
        With the most striking window as striking as each; flat.
    """

    single: Integers
    step: Integers
    stepdown: Integers
    nested: Integers
    clusters_a: Integers
    clusters_i: Integers
    windows: Integers
    any_window: Integers


@dataclass(frozen=True, eq=False)
class StepScan(Statistic):
    """Counts over relabellings at each step, in nested windows, clusters and all windows.

    Every p comes from counts. Of two algorithms the largest √R over the steps is kept, of
    shuffled curves and of shuffled residuals, for the band of their difference.
    """

    reference: Reference
    single: tuple[MaxCounts, ...]
    clusters: tuple[MaxCounts, ...]
    any_window: MaxCounts

    chunk = 1  # batches: a tenth of a second with 200 steps, a second with 100,000

    @classmethod
    def of(cls, reference: Reference) -> StepScan:
        """Prepare the counting of maxima."""
        windows = reference.windows
        scores = np.empty(0) if windows is None else windows.scores.ravel()
        single = tuple(map(MaxCounts.of, reference.roots))
        clusters = tuple(MaxCounts.of(masses) for _, masses in reference.clusters)
        return cls(reference, single, clusters, MaxCounts.of(scores))

    @property
    def n_kept(self) -> int:  # type: ignore[override]
        """Keep nothing of more than two algorithms."""
        return 0 if self.reference.difference is None else MAX_KEPT_BATCHES

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the most striking step: does any step differ?"""
        found = ScanCounts(*counts)
        rows = range(min(self.reference.design.n_steps, 2))
        return np.array([found.single[row, self.reference.order[row, 0]] for row in rows])

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, and keep the largest √R of each."""
        reference, design = self.reference, self.reference.design
        compiled, gathered = reference.compiled, None
        if reference.windows is not None:
            gathered = PlaceSums.blank(reference.windows.places, design, len(labels))
        reaching = StepCounts.none(design.n_steps)
        largest_steps, largest_masses = scan_steps(
            design, labels, reference.bars, reaching, gathered, compiled=compiled
        )
        windows: Integers = np.zeros((2, 0, 0), dtype=np.int64)
        most_striking = np.empty(0)
        if reference.windows is not None and gathered is not None:
            windows, most_striking = reference.windows.count(gathered, compiled=compiled)
        del gathered  # of long curves, room for counts
        counts = ScanCounts(
            np.stack([c.count(row) for c, row in zip(self.single, largest_steps, strict=True)]),
            *reaching,
            self.clusters[0].count(largest_masses[0]),
            self.clusters[1].count(largest_masses[1]),
            windows,
            self.any_window.count(most_striking),
        )
        kept: tuple[Floats, ...] = ()
        if keep and reference.difference is not None:
            of_residuals = reference.difference.largest_roots(labels, compiled=compiled)
            kept = (np.stack([largest_steps[0], of_residuals]),)
        return tuple(counts), kept


# --- How much of an effect lies in a part of training, with a bootstrap interval.


class Share(Record, float):
    """A share of the differences, from 0 to 1, that carries its bootstrap interval."""

    _interval: Interval | None

    def __new__(cls, value: float, interval: Interval | None = None) -> Self:
        """Attach an interval to a number."""
        share = super().__new__(cls, value)
        share._interval = interval
        return share

    @property
    @told()
    def value(self) -> float:
        """The share as a plain number."""
        return float(self)

    @property
    @told()
    def interval(self) -> Interval | None:
        """The bootstrap interval; None without resamples."""
        return self._interval

    def __repr__(self) -> str:
        return f"Share({float(self)!r}, interval={self.interval!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Share, (float(self), self.interval)


@dataclass(frozen=True, eq=False)
class ShareBootstrap:
    """The runs from which shares are resampled, as they are shuffled; how often, from which key."""

    layout: Layout = field(repr=False)
    n_resamples: int
    seed: int
    alpha: float

    def shares(self, row: int, ends: list[tuple[int, int]], profile: Floats) -> list[Share]:
        """Return how much of a profile lies between each pair of steps, given as indices.

        The profile is that of A (row 0) or of I (row 1).
        """
        total = float(profile.sum())
        values = [
            float(profile[first : last + 1].sum()) / total if total > 0 else 0.0
            for first, last in ends
        ]
        if not self.n_resamples:
            return [Share(value) for value in values]
        runs = self.layout.scores, self.layout.labels, self.layout.blocks
        resampled = resampled_shares(*runs, self.n_resamples, self.seed, ends, changes=row == 1)
        quantiles = np.quantile(resampled, [self.alpha / 2, 1 - self.alpha / 2], axis=0)
        return [
            Share(value, Interval(float(low), float(high)))
            for value, low, high in zip(values, *quantiles, strict=True)
        ]


# --- Every window of training, with p that stay true when the window was chosen by looking.


@dataclass(frozen=True)
class WindowEffect(Record):
    """Height or shape inside a window.

    ``pvalue`` is for a window chosen before the data were seen, ``pvalue_adjusted`` for one
    chosen by looking at them: it allows for all windows and both effects.
    """

    name: EffectName
    statistic: Extended
    df: tuple[int, int]
    pvalue: Probability
    pvalue_adjusted: Probability
    alpha: Probability

    @property
    @told()
    def significant(self) -> bool:
        """Whether the adjusted p is at most alpha."""
        return self.pvalue_adjusted <= self.alpha


@dataclass(frozen=True)
class WindowSteps(Record):
    """The tests at each step inside a window.

    ``pvalue_adjusted`` is the smallest p of its steps, adjusted for all steps. It allows for
    choosing the window by looking, and is at most alpha where a step of the window is in a
    region.
    """

    pvalue_adjusted: Probability
    alpha: Probability

    @property
    @told()
    def significant(self) -> bool:
        """Whether the adjusted p is at most alpha."""
        return self.pvalue_adjusted <= self.alpha


@dataclass(frozen=True)
class WindowTest(Record):
    """A window of training, from start to stop, asked in three ways.

    ``somewhere``: do the algorithms differ at some step in it? ``algorithm`` (``height``): do
    they differ on average over it? ``interaction`` (``shape``): does the gap between them
    change within it? ``asked`` are the ends that were asked for, where whole portions of steps
    had to be taken for the last two; ``somewhere`` is about the steps that were asked for.
    """

    start: float
    stop: float
    n_steps: Count
    asked: tuple[float, float] | None = field(default=None, kw_only=True)
    somewhere: WindowSteps
    algorithm: WindowEffect
    interaction: WindowEffect | None

    @property
    def height(self) -> WindowEffect:
        """Do the algorithms differ on average over the window?"""
        return self.algorithm

    @property
    def shape(self) -> WindowEffect | None:
        """Does the gap change within the window? None for a single step."""
        return self.interaction

    @property
    @told(after="asked")
    def pvalue_adjusted(self) -> Probability:
        """The smaller adjusted p of height and shape."""
        return min(own.pvalue_adjusted for own in (self.algorithm, self.interaction) if own)

    @property
    def significant(self) -> bool:
        """Whether height or shape differ here."""
        return self.pvalue_adjusted <= self.algorithm.alpha


@dataclass(frozen=True, eq=False)
class WindowTests(Record):
    """F and p of every window; arrays are (2, n_places, n_places).

    By effect ("algorithm", "interaction"), first and last place. A place is a step, or with
    many hundreds of steps a portion of them: ``starts`` and ``stops`` are its ends. Where
    the first place is after the last, p is 1. ``step_pvalues`` are those of each of the
    ``steps``, adjusted for all of them.
    """

    starts: np.ndarray[Any, Any] = field(metadata=UNTOLD)
    stops: np.ndarray[Any, Any] = field(metadata=UNTOLD)
    lengths: Floats = field(repr=False, metadata=UNTOLD)
    statistic: Floats = field(repr=False, metadata=UNTOLD)
    pvalue: Floats = field(repr=False, metadata=UNTOLD)
    pvalue_adjusted: Floats = field(repr=False, metadata=UNTOLD)
    score: Floats = field(repr=False, metadata=UNTOLD)
    df: tuple[int, int] = field(metadata=UNTOLD)
    alpha: float = field(metadata=UNTOLD)
    steps: np.ndarray[Any, Any] = field(repr=False, metadata=UNTOLD)
    step_pvalues: Floats = field(repr=False, metadata=UNTOLD)

    @told()
    def n_windows(self) -> Count:
        """Return how many windows there are."""
        return int(np.sum(self.lengths > 0))

    @told(key="most_striking")
    def _most_striking(
        self,
    ) -> Annotated[
        Mapping[str, WindowTest],
        As(Mapping[Literal["algorithm", "interaction"], WindowTest]),
        Keywords({"required": ["algorithm"]}),
    ]:
        """Return the windows that stand out most, by effect; a single step has no shape."""
        names = PARTS if self.lengths.max() > 1 else PARTS[:1]
        return {name: self.most_striking(name) for name in names}

    def smallest_containing(self, first: float, last: float) -> WindowTest:
        """Return the smallest window of whole places that contains two steps."""
        inside = np.flatnonzero((self.stops >= first) & (self.starts <= last))
        test = self._test(int(inside[0]), int(inside[-1]))
        if (test.start, test.stop) == (first, last):
            return test
        return replace(
            test, somewhere=self._somewhere(first, last), asked=(float(first), float(last))
        )

    def most_striking(self, effect: str = "algorithm") -> WindowTest:
        """Return the window that stands out most, the shortest of equals."""
        row = effect_row(effect)
        usable = self.lengths > row
        scores = np.where(usable, self.score[row], -np.inf)
        best = np.argwhere(usable & (scores >= scores.max() - 1e-9))
        first, last = min(best.tolist(), key=lambda ends: self.lengths[ends[0], ends[1]])
        return self._test(first, last)

    def _somewhere(self, start: float, stop: float) -> WindowSteps:
        inside = (self.steps >= start) & (self.steps <= stop)
        return WindowSteps(float(self.step_pvalues[inside].min()), self.alpha)

    def _test(self, first: int, last: int) -> WindowTest:
        n_steps = int(self.lengths[first, last])

        def effect(row: int) -> WindowEffect:
            factor = 1 if row == 0 else n_steps - 1
            f, p, adjusted = (
                float(own[row, first, last])
                for own in (self.statistic, self.pvalue, self.pvalue_adjusted)
            )
            df = self.df[0] * factor, self.df[1] * factor
            return WindowEffect(PARTS[row], f, df, p, adjusted, self.alpha)

        ends = self.starts[first].item(), self.stops[last].item()
        shape = effect(1) if n_steps > 1 else None
        return WindowTest(*ends, n_steps, self._somewhere(*ends), effect(0), shape)


# --- From counts over relabellings to effects at each step, regions, clusters and windows.


@dataclass(frozen=True, eq=False)
class Scanned:
    """What a visit found of some curves; rows of arrays are those of A and of I."""

    curves: Curves
    layout: Layout
    reference: Reference
    found: Counts
    bootstrap: ShareBootstrap
    adjust: Adjustment
    alpha: float

    @cached_property
    def counts(self) -> ScanCounts:
        """How many relabellings are as extreme."""
        return ScanCounts(*self.found.counts)

    def pvalue(self, counts: Integers) -> Floats:
        """Turn counts into p."""
        return pvalue(counts, self.found.n_visited, exact=self.found.exact)

    @cached_property
    def pvalues(self) -> tuple[Floats, Floats, Floats]:
        """P of every step: chosen beforehand, adjusted for all steps, and so by steps down.

        A change of the difference is claimed only behind a difference: in row 1 no p adjusted for
        all steps is smaller than the smallest in row 0.
        """
        counts = self.counts
        single, largest, down = map(self.pvalue, (counts.step, counts.single, counts.stepdown))
        for row, order in enumerate(self.reference.order):
            # No step may have a smaller p than a more striking one.
            down[row, order] = np.maximum.accumulate(down[row, order])
        for pvalues in (largest, down):
            np.maximum(pvalues[1], pvalues[0].min(), out=pvalues[1])
        return single, largest if self.adjust == "max-f" else down, down

    def effect(self, row: int, tests: WindowTests | None) -> StepEffect:
        """Return one effect at every step: row 0 is that of A, row 1 that of I."""
        reference, curves = self.reference, self.curves
        # What is no more than rounding is nothing; without error F is infinite.
        statistic = np.where(reference.roots[row] > 0, reference.ratios[row], 0.0)
        statistic[reference.shares[row] >= 1 - MIN_RESIDUAL_SHARE] = np.inf
        profile = np.where(reference.design.totals[row] > 0, reference.profiles[row], 0.0)
        profile = profile * self.layout.unit**2
        single, adjusted, down = (pvalues[row] for pvalues in self.pvalues)
        by_windows = None
        if tests is not None:
            by_place = intervalwise(np.where(tests.lengths > row, tests.pvalue[row], 0.0))
            starts = np.searchsorted(curves.steps, tests.starts)
            by_windows = np.repeat(by_place, np.diff(np.append(starts, curves.n_steps)))
        return StepEffect(
            name=PARTS[row],
            profile=profile,
            statistic=statistic,
            df=reference.design.df,
            pvalue=single,
            pvalue_adjusted=adjusted,
            pvalue_stepdown=down,
            pvalue_intervalwise=by_windows,
            regions=tuple(self._regions(row, profile, statistic, adjusted)),
            clusters=tuple(self._clusters(row)),
            cluster_threshold=reference.threshold,
        )

    def _regions(
        self, row: int, profile: Floats, statistic: Floats, pvalues: Floats
    ) -> Iterator[Region]:
        """Yield every stretch of steps with p of at most alpha; who leads only for A."""
        ends = stretches(pvalues <= self.alpha)
        shares = self.bootstrap.shares(row, ends, profile) if ends else []
        for (first, last), share in zip(ends, shares, strict=True):
            inside = slice(first, last + 1)
            start, stop = self.curves.steps[[first, last]].tolist()
            leader, throughout = self._leader(inside) if row == 0 else (None, True)
            largest, smallest = float(statistic[inside].max()), float(pvalues[inside].min())
            n_steps = last - first + 1
            yield Region(start, stop, n_steps, largest, smallest, leader, throughout, share)

    def _leader(self, inside: slice) -> tuple[str, bool]:
        """Name the algorithm with the best mean over some steps, compared within blocks.

        Also tell whether it is ahead at each of them.
        """
        scores, factor = self.reference.design.columns(inside), self.reference.design.factor
        sums = [scores[self.layout.labels == code].sum(axis=0) for code in range(len(factor))]
        # In centred curves the last algorithm is what the others are compared with.
        estimates = np.vstack([factor @ (factor.T @ np.array(sums)), np.zeros(scores.shape[1])])
        estimates = estimates if self.curves.higher_is_better else -estimates
        best = int(np.argmax(estimates.mean(axis=1)))
        throughout = bool((estimates[best] >= estimates.max(axis=0)).all())
        return self.curves.algorithms[best], throughout

    def _clusters(self, row: int) -> Iterator[Cluster]:
        ends, masses = self.reference.clusters[row]
        pvalues = self.pvalue((self.counts.clusters_a, self.counts.clusters_i)[row])
        for own, mass, value in zip(ends, masses.tolist(), pvalues.tolist(), strict=True):
            start, stop = self.curves.steps[[*own]].tolist()
            yield Cluster(start, stop, mass, value)

    def windows(self) -> WindowTests | None:
        """Return every window with its p, if windows were looked at."""
        windows, steps = self.reference.windows, self.curves.steps
        if windows is None:
            return None
        shares = np.zeros_like(windows.totals)
        np.divide(windows.observed, windows.totals, out=shares, where=windows.totals > 0)
        statistic = f_ratios(shares, self.reference.design.df)
        statistic[shares >= 1 - MIN_RESIDUAL_SHARE] = np.inf
        del shares  # there is one for each window
        # A window of one step has a height and no shape.
        has_effect = windows.lengths[None] > np.array([0, 1])[:, None, None]
        usable = has_effect & (windows.scales > 0)
        planned = self.pvalue(self.counts.windows)
        planned[~has_effect] = 1.0
        adjusted = self.pvalue(self.counts.any_window).reshape(windows.totals.shape)
        adjusted[~usable] = 1.0
        score = windows.scores
        score[~usable] = -np.inf
        starts = windows.places.starts
        return WindowTests(
            starts=steps[starts],
            stops=steps[starts + windows.places.lengths - 1],
            lengths=windows.lengths,
            statistic=statistic,
            pvalue=planned,
            pvalue_adjusted=adjusted,
            score=score,
            df=self.reference.design.df,
            alpha=self.alpha,
            steps=steps,
            step_pvalues=self.pvalues[1][0],
        )

    def band(self, *, decidable: bool) -> Band | None:
        """Return the band of the difference; None unless there are two algorithms.

        It leaves 0 out where p at the step, adjusted for all steps, is at most alpha, and nowhere
        else. Without enough relabellings for a p of alpha (not ``decidable``) it has no ends.
        """
        difference, critical = self.reference.difference, math.inf
        if difference is None:
            return None
        if decidable:
            (largest,), df = self.found.kept, self.reference.design.df[1]
            exact = self.found.plan.keeps_all
            critical = max(
                critical_t(upper_quantile(roots, self.alpha, exact=exact), df) for roots in largest
            )
        values, errors = difference.values * self.layout.unit, difference.errors * self.layout.unit
        low, high = band_ends(values, errors, critical, self.pvalues[1][0] <= self.alpha)
        a, b = self.curves.algorithms
        return Band(a, b, values, low, high, 1 - self.alpha)
