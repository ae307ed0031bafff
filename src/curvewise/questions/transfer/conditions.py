"""A control and an experimental condition, as the metrics take them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.steps import trapezoids
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.reaching import reaching
from curvewise.inference.requirements import check_connected
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.survival import median_times
from curvewise.kernels.transfer.metrics import (
    CURVE_METRICS,
    METRICS,
    MetricSettings,
    extremes_of,
    metric_values,
    time_ratio,
)
from curvewise.questions.transfer.run_values import RunValues
from curvewise.shuffling.layout import Layout
from curvewise.text import argument, did_you_mean, number_text, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.data.curves import Curves
    from curvewise.inference.reaching import Reaching
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.survival import Times
    from curvewise.kernels.transfer.metrics import Extremes
    from curvewise.questions.transfer.options import TransferOptions

__all__ = [
    "TwoConditions",
    "levelled_off",
    "select_conditions",
    "until_levelled_off",
]

MAX_VALUES = 2**17  # of an array of mean curves: what stays in the cache is fast
MAX_IN_STRETCH = 2**15  # values of these, of long curves that do not
MIN_AT_ONCE = 16  # mean curves, of however many steps: fewer waste a matrix product
# Seconds for each step of a pair of mean curves.
SECONDS_IN_NUMPY, SECONDS_COMPILED = 120e-9, 6e-9


@dataclass(frozen=True, eq=False)
class TwoConditions:
    """The runs of both conditions, and what the metrics take as given.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
        Higher is better; the runs are in canonical order.
    member, blocks : array, (n_runs,)
        The condition of each run, 0 for the control and 1 for the experimental one, and its
        block.
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
    run_values : RunValues
        What each run adds to the metrics that are linear in the runs.
    n_tasks : int
        How many tasks are measured alike, of which this is one.
    """

    scores: Floats
    member: Integers
    blocks: Integers
    units: Integers
    strata: Integers
    settings: MetricSettings
    threshold: float
    reaching: Reaching
    times: Times
    sign: float
    run_values: RunValues
    n_tasks: int = 1

    @classmethod
    def of(
        cls, curves: Curves, options: TransferOptions, n_tasks: int = 1
    ) -> TwoConditions:
        """Lay out the curves of the two conditions; raise if a score exceeds the optimum."""
        sign = 1.0 if curves.higher_is_better else -1.0
        layout = Layout.of(curves)
        scores = sign * curves.scores[layout.order]
        member = (curves.labels[layout.order] != options.control).astype(np.int64)
        if curves.blocks is None:
            units, strata = np.arange(curves.n_runs), member
        else:
            units = layout.blocks
            strata = np.zeros(len(np.unique(units)), dtype=np.int64)
        optimum = None if options.optimum is None else sign * float(options.optimum)
        best = float(scores.max())
        if optimum is not None and optimum < best and not options.allow_optimum_below:
            raise _optimum_exceeded(sign * optimum, sign * best, sign)
        n_last = max(curves.n_steps // 10, 1)
        control_mean, experimental_mean = (
            scores[member == side].mean(axis=0) for side in (0, 1)
        )
        settings = MetricSettings(
            weights=np.ones(curves.n_steps)
            if options.integration == "sum" or curves.n_steps == 1
            else trapezoids(curves.steps),
            shift=max(-float(min(control_mean.min(), experimental_mean.min())), 0.0),
            optimum=optimum,
            n_last=n_last,
        )
        threshold = options.threshold
        if threshold is None:
            # Of both conditions: one that is chosen by the labels makes no exact test.
            threshold = sign * float(scores[:, -n_last:].mean())
        found = reaching(curves, float(threshold), hold=int(options.hold))
        times = found.times.of(layout.order)
        return cls(
            scores,
            member,
            layout.blocks,
            units,
            strata,
            settings,
            float(threshold),
            found,
            times,
            sign,
            RunValues.of(layout, scores, member, settings.weights, n_last, times),
            n_tasks,
        )

    @property
    def n_steps(self) -> int:
        """How many steps the curves have."""
        return self.scores.shape[1]

    @property
    def n_runs(self) -> tuple[int, int]:
        """How many runs the control and the experimental condition have."""
        return int(np.sum(self.member == 0)), int(np.sum(self.member == 1))

    @property
    def n_units(self) -> Integers:
        """How many units each stratum has: runs of each condition, or blocks."""
        return np.bincount(self.strata)

    @cached_property
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

    @cached_property
    def _stretches(self) -> list[slice]:
        """Steps that are worked on together: their mean curves stay in the cache."""
        n_stretches = -(-self.n_steps * min(self.portion, MIN_AT_ONCE) // MAX_IN_STRETCH)
        edges = np.linspace(0, self.n_steps, n_stretches + 1).astype(np.int64)
        return [slice(*ends) for ends in pairwise(edges.tolist())]

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """The scores of control and experimental runs."""
        return self.scores[self.member == 0], self.scores[self.member == 1]

    def means(self) -> tuple[Floats, Floats]:
        """Return the mean curves of control and experimental condition, higher being better."""
        control, experimental = (
            self.scores[self.member == side].mean(axis=0) for side in (0, 1)
        )
        return control, experimental

    def resampled(self, counts: Floats, *, compiled: bool = False) -> Floats:
        """Return the metrics of resamples, given how often each run was drawn.

        ``counts`` is (n_resamples, n_runs), the result (n_metrics, n_resamples).
        """
        sides = self.member == 0, self.member == 1
        return self._metrics(
            (
                (counts[:, side], scores)
                for side, scores in zip(sides, self._sides, strict=True)
            ),
            (counts * sides[0], counts * sides[1]),
            compiled=compiled,
        )

    def relabelled(self, labels: Integers, *, compiled: bool = False) -> Floats:
        """Return the metrics of relabellings, (n_relabellings, n_runs), as `resampled` does."""
        in_experimental = labels.astype(np.float64)
        samples = 1 - in_experimental, in_experimental
        drawn = ((counts, self.scores) for counts in samples)
        return self._metrics(drawn, samples, compiled=compiled)

    def _metrics(
        self,
        drawn: Iterable[tuple[Floats, Floats]],
        samples: tuple[Floats, Floats],
        *,
        compiled: bool,
    ) -> Floats:
        """Return every metric of pairs of mean curves, and of pairs of samples of the runs.

        ``drawn`` has, for each condition, how often runs are drawn, (n_rows, n_drawn), and their
        scores; ``samples`` say how often each run is in each of them, (n_rows, n_runs).
        """
        n_rows = len(samples[0])
        # A portion at a time in the same place: large arrays are costly to come by.
        pairs = [(*own, np.empty((self.portion, self.n_steps))) for own in drawn]
        values = np.empty((len(METRICS), n_rows))
        for start in range(0, n_rows, self.portion):
            part = slice(start, start + self.portion)
            means, extremes = [], []
            for counts, scores, room in pairs:
                mean = room[: len(counts[part])]
                extremes.append(
                    self._average(counts[part], scores, mean, compiled=compiled)
                )
                means.append(mean)
            own = metric_values(
                means[0],
                means[1],
                self.settings,
                extremes=(extremes[0], extremes[1]),
                compiled=compiled,
            )
            values[:-1, part] = [own[name] for name in CURVE_METRICS]
        values[-1] = time_ratio(*(median_times(self.times, own) for own in samples))
        return values

    def _average(
        self, counts: Floats, scores: Floats, means: Floats, *, compiled: bool
    ) -> Extremes:
        """Fill in the means of scores that are drawn so often; return their extremes.

        A stretch of steps at a time, so that what is summed is divided in the cache.
        """
        # An empty sample has a mean of 0.
        sizes = np.maximum(counts.sum(axis=1), 1)
        if not compiled:
            for steps in self._stretches:
                np.matmul(counts, scores[:, steps], out=means[:, steps])
                means[:, steps] /= sizes[:, None]
            return extremes_of(means)
        from curvewise.kernels.transfer.compiled_reduction import divide

        most, least = np.full(len(counts), -np.inf), np.full(len(counts), np.inf)
        for steps in self._stretches:
            np.matmul(counts, scores[:, steps], out=means[:, steps])
            divide(means, steps.start, steps.stop, sizes, most, least)
        return most, least


def _optimum_exceeded(optimum: float, best: float, sign: float) -> OptionError:
    side = "below" if sign > 0 else "above"
    msg = (
        f"The optimum {number_text(optimum)} lies {side} an observed score, "
        f"{number_text(best)}. Give the best possible score, or allow scores to exceed it: "
        f"{argument('allow_optimum_below', value=True)}."
    )
    return OptionError(msg, option="optimum")


def select_conditions(curves: Curves, control: str, experimental: str) -> Curves:
    """Return the curves of two conditions, the control first; raise if they cannot be measured."""
    for side, name in (("control", control), ("experimental", experimental)):
        if name not in curves.algorithms:
            msg = (
                f"No condition is called {shown_value(name)} ({side}); "
                f"{did_you_mean(str(name), curves.algorithms)}"
            )
            raise CurvesError(msg)
    if control == experimental:
        msg = f"Control and experimental condition are both {control!r}: name two."
        raise OptionError(msg, option="experimental")
    chosen = curves.select(control, experimental)
    check_connected(chosen)
    if not chosen.has_even_blocks:
        msg = (
            "Blocks do not hold both conditions equally often, so their mean curves are not "
            "of the same blocks. Keep the blocks that hold both, or leave blocks out."
        )
        raise CurvesError(msg)
    return chosen


def until_levelled_off(curves: Curves, options: TransferOptions) -> Curves:
    """End the window where both mean curves have levelled off, if that is asked and they do."""
    if options.until_asymptote is None:
        return curves
    first = levelled_off(curves, options.control, float(options.until_asymptote))
    # Curves that are level from the start have no training to cut off.
    return curves.window(None, curves.steps[first]) if first else curves


def levelled_off(curves: Curves, control: str, tolerance: float) -> int | None:
    """Return the index of the first step from which both curves stay near their final mean.

    Near is within ``tolerance`` times the range of both mean curves; the final mean is that of
    the last tenth of the steps. None if they stay near it at these steps only.
    """
    is_control = curves.labels == control
    means = [curves.scores[rows].mean(axis=0) for rows in (is_control, ~is_control)]
    n_last = max(curves.n_steps // 10, 1)
    margin = tolerance * (max(m.max() for m in means) - min(m.min() for m in means))
    is_outside = np.zeros(curves.n_steps, dtype=np.bool_)
    for mean in means:
        is_outside |= np.abs(mean - mean[-n_last:].mean()) > margin
    first = int(np.flatnonzero(is_outside)[-1]) + 1 if is_outside.any() else 0
    # That the last steps lie near their own mean says nothing.
    return first if first < curves.n_steps - n_last or curves.n_steps == 1 else None
