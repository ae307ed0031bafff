"""How much does one condition gain on another? The learning-comparison metrics.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.inference.requirements import check_curves
from curvewise.inference.work import shuffling_work
from curvewise.kernels.bootstrap.intervals import jackknife_error
from curvewise.kernels.inversion import agreeing
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.questions.transfer.caveats import transfer_caveats
from curvewise.questions.transfer.conditions import (
    TwoConditions,
    select_conditions,
    until_levelled_off,
)
from curvewise.questions.transfer.metric import Metric, MetricContext
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.options import TransferOptions
from curvewise.questions.transfer.resampling import (
    leave_out,
    percentile_ends,
    resample_metrics,
    student_ends,
)
from curvewise.questions.transfer.result import Transfer
from curvewise.questions.transfer.shuffled_metrics import shuffle_metrics
from curvewise.questions.transfer.survival import survival_of
from curvewise.shuffling.parallel import single_blas

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.metrics import IntervalKind, MetricRecord
    from curvewise.questions.transfer.options import Integration
    from curvewise.questions.transfer.shuffled_metrics import MetricTest
    from curvewise.questions.transfer.survival import Survival

__all__ = ["transfer"]


def transfer(
    curves: Curves,
    *,
    control: str,
    experimental: str,
    optimum: float | None = None,
    window: tuple[float, float] | None = None,
    until_asymptote: float | None = None,
    threshold: float | None = None,
    hold: int = 1,
    integration: Integration = "sum",
    confidence: float = 0.95,
    interval: IntervalKind | None = None,
    n_resamples: int = 9_999,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    allow_optimum_below: bool = False,
) -> Transfer:
    """Measure how much the experimental condition gains on the control.

    Parameters
    ----------
    curves : Curves
        With both conditions among its algorithms.
    control, experimental : str
        The two conditions: from scratch and with transfer, baseline and change.
    optimum : float, optional
        The best possible score. Without it the best observed mean score stands in, and the
        calibrated transfer ratio must not be compared across tasks.
    window : (start, stop), optional
        The steps to compare, both included; all by default.
    until_asymptote : float, optional
        End the window at the first step from which both mean curves stay within this share
        of their range around their final mean.
    threshold : float, optional
        The score of time to threshold; by default the mean of the runs of both conditions over
        the last tenth of the steps, which does not depend on which run is of which condition.
    hold : int
        At how many consecutive steps a run must be at the threshold to have reached it.
    integration : "sum" or "trapezoid"
        How areas are computed: as the papers' sums over steps, or by trapezoids, which suit
        steps at unequal distances.
    confidence : float
        Of the intervals, between 0 and 1.
    interval : "inverted", "student" or "percentile", optional
        Which interval is shown, where a metric has it. Inverted, all values that the shuffle
        test does not reject, is the default. The average relative reduction has none: its
        default is Student's, by the logarithm and its standard error. That of the time to
        threshold is percentile, quantiles of resamples, widened for few runs; inverted is that
        of a factor of all times. Every interval holds "no effect" if, and only if, p is above
        1 - confidence; that of times holds it also where the medians are the same.
    n_resamples : int
        How many resamples; 0 leaves out the percentile and Student's intervals.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `compare`, for p and the resamples. For the average relative reduction all
        relabellings are visited when there are at most ``n_shuffles`` or 50,000, whichever is
        more, and at most 2,000,000; for the other metrics as in `compare`. "auto" settles the p of every metric at 1 - confidence; it and "precise"
        give up at 2²⁰ shuffles. A checkpoint holds the shuffles; the resamples are drawn
        again, the same ones.
    allow_optimum_below : bool
        Accept an optimum that some scores exceed.

    Returns
    -------
    Transfer
        Nine metrics, each with an interval and p, and which one to quote; and when the runs
        reach the threshold, as survival data.

    Raises
    ------
    CurvesError
        If a condition is unknown, or blocks do not hold both equally often.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> found = cw.transfer(curves, control="A2", experimental="A1", optimum=100, rng=0)
    >>> found.calibrated_transfer_ratio.value
    0.0936
    """
    check_curves(curves, "transfer()")
    options = TransferOptions(
        control,
        experimental,
        optimum=optimum,
        window=window,
        until_asymptote=until_asymptote,
        threshold=threshold,
        hold=hold,
        integration=integration,
        confidence=confidence,
        interval=interval,
        n_resamples=n_resamples,
        allow_optimum_below=allow_optimum_below,
    )
    with shuffling_work(
        "transfer",
        *(curves, options),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=2,
    ) as work:
        return transfer_curves(curves, options, work)


def transfer_curves(
    curves: Curves, options: TransferOptions, work: Work, n_tasks: int = 1
) -> Transfer:
    """Measure a gain as `transfer` does, by itself or on one of several tasks."""
    whole = select_conditions(curves, options.control, options.experimental)
    if options.window is not None:
        whole = whole.window(*options.window)
    chosen = until_levelled_off(whole, options)
    conditions = TwoConditions.of(chosen, options, n_tasks)
    settings, sign = conditions.settings, conditions.sign
    resample_key, shuffle_key = work.keys
    with single_blas():
        observed = conditions.resampled(np.ones((1, chosen.n_runs)))[:, 0]
        resampled = resample_metrics(
            conditions, int(options.n_resamples), resample_key, n_jobs=work.n_jobs
        )
        left_out = leave_out(conditions)
        shuffling = replace(work, keys=(shuffle_key,))
        tests, sampling = shuffle_metrics(
            conditions, observed, shuffling, alpha=options.alpha
        )
    means = [sign * mean for mean in conditions.means()]
    best_observed = sign * max(float(mean.max()) for mean in conditions.means())
    done = chosen.preparation
    survival = survival_of(
        conditions,
        int(options.hold),
        pvalue=tests["time_to_threshold"].pvalue,
        exact=tests["time_to_threshold"].exact,
        failed_never_reach=done is not None and done.short == "worst",
    )
    metrics = _metrics(
        conditions,
        options,
        dict(zip(METRICS, observed.tolist(), strict=True)),
        resampled,
        left_out,
        tests,
        survival=survival,
    )
    return Transfer(
        control=options.control,
        experimental=options.experimental,
        n_runs=conditions.n_runs,
        n_blocks=chosen.n_blocks,
        steps=chosen.steps,
        mean_control=means[0],
        mean_experimental=means[1],
        metrics=metrics,
        recommended=_recommended(metrics, optimum_known=options.optimum_known),
        optimum=best_observed if options.optimum is None else float(options.optimum),
        optimum_known=options.optimum_known,
        shift=settings.shift,
        threshold=conditions.threshold,
        threshold_given=options.threshold is not None,
        times=survival.medians,
        survival=survival,
        asymptotes=(
            float(means[0][-settings.n_last :].mean()),
            float(means[1][-settings.n_last :].mean()),
        ),
        integration=options.integration,
        confidence=float(options.confidence),
        higher_is_better=curves.higher_is_better,
        n_resamples=0 if resampled is None else int(options.n_resamples),
        sampling=sampling,
        caveats=transfer_caveats(chosen, whole, conditions, options, sampling),
        source=curves.source,
        preparation=curves.preparation,
    )


def _metrics(
    conditions: TwoConditions,
    options: TransferOptions,
    observed: Mapping[str, float],
    resampled: Mapping[str, Floats] | None,
    left_out: Mapping[str, Floats] | None,
    tests: Mapping[str, MetricTest],
    *,
    survival: Survival,
) -> dict[str, Metric]:
    """Put together what is known of every metric."""
    settings = conditions.settings
    control, experimental = conditions.means()  # higher is better
    last = min(float(experimental[-settings.n_last :].mean()), float(experimental.max()))
    context = MetricContext(
        options.control,
        options.experimental,
        survival.medians,
        shifted=settings.shift > 0,
        threshold=survival.threshold,
        control_gets_there=float(control.max()) >= last,
    )
    metrics = {}
    for name, record in RECORDS.items():
        is_undefined = math.isnan(observed[name])
        # Differences keep the sign of the scores as given, also where lower is better.
        sign = conditions.sign if record.unit else 1.0
        value = sign * observed[name] + 0.0
        test = tests[name]
        resamples = None if is_undefined or resampled is None else sign * resampled[name]
        without = None if is_undefined or left_out is None else left_out[name]
        settled = {}
        if not is_undefined:
            settled = _intervals(
                conditions, record, value, test, resamples, without, options.alpha
            )
        wanted = options.interval, record.interval
        shown = next((kind for kind in (*wanted, *settled) if kind in settled), None)
        error = None
        if without is not None:
            error = jackknife_error(without, conditions.strata)
        metrics[name] = Metric(
            name=name,
            value=None if is_undefined else value,
            interval=None if shown is None else settled[shown][0],
            interval_kind=shown,
            intervals={kind: own for kind, (own, _) in settled.items()},
            # That of a difference is moved by no more than chance in the shuffles.
            moved_by_test=shown in {"student", "percentile"} and settled[shown][1],
            confidence=float(options.confidence),
            pvalue=test.pvalue,
            exact=test.exact,
            comparable=record.is_comparable(optimum_known=options.optimum_known),
            context=context,
            undefined=record.why_undefined(
                survival.medians, sum(survival.n_reached), conditions.n_steps
            )
            if is_undefined
            else None,
            error=None if error is None else error[0],
            error_df=None if error is None else error[1],
            resamples=resamples,
            null_distribution=None if is_undefined else sign * test.null_distribution,
        )
    return metrics


def _intervals(
    conditions: TwoConditions,
    record: MetricRecord,
    value: float,
    test: MetricTest,
    resamples: Floats | None,
    without: Floats | None,
    alpha: float,
) -> dict[IntervalKind, tuple[Interval, bool]]:
    """Return the intervals that there are, and of each whether its test moved an end."""
    ends: dict[IntervalKind, tuple[float, float] | None] = {"inverted": test.ends}
    if resamples is not None:
        if without is not None and not record.tested_as:
            ends["student"] = student_ends(
                record, value, without, conditions.strata, alpha
            )
        ends["percentile"] = percentile_ends(resamples, conditions.n_units, alpha)
    return {
        kind: settled_interval(
            record,
            value,
            own,
            resamples if kind != "inverted" or test.among is None else test.among,
            test.pvalue,
            alpha,
        )
        for kind, own in ends.items()
        if own is not None
    }


def settled_interval(
    record: MetricRecord,
    value: float,
    ends: tuple[float, float],
    resamples: Floats | None,
    p: float | None,
    alpha: float,
) -> tuple[Interval, bool]:
    """Return an interval that agrees with p about no effect, and whether that moved an end.

    It lies within the bounds of the metric and holds the value, and "no effect" if and only
    if p is above alpha: the shuffle test is exact, and resamples of few runs are not. An end
    that is moved off "no effect" goes to the nearest of the resamples, or of what was tried.
    """
    inside = ends
    # An interval that says nothing stays unbounded, and is seen to say nothing.
    if not all(map(math.isinf, ends)):
        least, most = record.bounds
        inside = max(ends[0], least), min(ends[1], most)
    rejected = p is not None and p <= alpha
    candidates = np.empty(0) if resamples is None else resamples
    low, high = agreeing(inside, value, record.no_effect, candidates, rejected=rejected)
    holds = min(inside[0], value) <= record.no_effect <= max(inside[1], value)
    # Adding 0 turns -0.0 into 0.0.
    return Interval(low + 0.0, high + 0.0), holds == rejected


def _recommended(metrics: Mapping[str, Metric], *, optimum_known: bool) -> str:
    """Return the metric to quote (Gorski & Laird 2009, sections 6 and 7)."""
    ratio = metrics["calibrated_transfer_ratio"]
    reduction = metrics["average_relative_reduction"]
    if optimum_known and ratio.defined:
        return ratio.name
    # A reduction of 1 says that the control never gets there, not how much is gained.
    if reduction.value is not None and reduction.value < 1:
        return reduction.name
    # Measured against its own best score, an optimal condition always has all of it.
    if ratio.value is not None and ratio.value < 1:
        return ratio.name
    return "average_gain"
