"""How much does one condition gain on another? The learning-comparison metrics.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_names
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.asking import (
    Number,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_connected,
    check_design,
    question,
)
from curvewise.inference.caveats import gathered
from curvewise.inference.result import Interval
from curvewise.inference.work import as_generator, ask_each, random_keys
from curvewise.kernels.invert import agreeing
from curvewise.kernels.pvalues import jackknife_error, pvalue
from curvewise.questions.transfer.method import (
    Integration,
    TransferOptions,
    TwoConditions,
    leave_out,
    levelled_off,
    percentile_ends,
    resample_metrics,
    shuffle_metrics,
    smaller_tail_twice,
    student_ends,
    survival_of,
    tail_counts,
)
from curvewise.questions.transfer.metrics import RECORDS, AcrossTasks, IntervalKind, Metric
from curvewise.questions.transfer.result import (
    Transfer,
    Transfers,
    tasks_left_out,
    transfer_caveats,
)
from curvewise.shuffling.visit import single_blas
from curvewise.text import about_step, did_you_mean, shown_value, threshold_text

if TYPE_CHECKING:
    from curvewise.inference.asking import Asked
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.method import Ends, MetricTest, Survival
    from curvewise.questions.transfer.metrics import MetricRecord


@question(TransferOptions, n_keys=2)
def transfer(
    curves: Curves,
    *,
    control: str,
    experimental: str,
    optimum: Number | None = None,
    window: tuple[float, float] | None = None,
    until_asymptote: float | None = None,
    threshold: Number | None = None,
    hold: int = 1,
    integration: Integration = "sum",
    confidence: Share = 0.95,
    interval: IntervalKind | None = None,
    n_resamples: int = 9_999,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
    allow_optimum_below: bool = False,
) -> Transfer:
    """Measure how much the experimental condition gains on the control.

    Parameters
    ----------
    curves : Curves
        With both conditions among its algorithms.
    control : str
        The control: from scratch, the baseline.
    experimental : str
        What is compared with the control: with transfer, the change.
    optimum : float, optional
        The best possible score. Without it the best observed mean score stands in, and the
        calibrated transfer ratio must not be compared across tasks.
    window : (start, stop), optional
        The steps to compare, both included. By default all.
    until_asymptote : float, optional
        End the window at the first step from which both mean curves stay within this share
        of their range around their final mean, such as 0.05.
    threshold : float, optional
        The score of time to threshold; with it the figure also shows who has not reached it
        yet. By default where the runs of both end: their mean over the last tenth of the steps,
        which does not depend on which run is of which condition.
    hold : int
        At how many consecutive steps a run must be at the threshold to have reached it.
    integration : "sum" or "trapezoid"
        How areas are computed: as the papers' sums over steps, or by trapezoids, which suit
        steps at unequal distances.
    confidence : float
        The confidence of the intervals, between 0 and 1.
    interval : "inverted", "student" or "percentile", optional
        Which interval is shown: values that the shuffle test does not reject, Student's t, or
        quantiles of resamples. By default "inverted", "student" for reductions, "percentile"
        for times. The average relative reduction has none that is inverted; Student's is by the
        logarithm and its standard error. That of the time to threshold is widened for few runs;
        inverted it is that of a factor of all times. Every interval holds "no effect" if, and only if, p is above
        1 - confidence; that of times holds it also where the medians are the same.
    n_resamples : int
        How many resamples, for reductions and times; 0 for none. Without them there are no
        percentile and Student's intervals.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `compare`, for p and the resamples. For the average relative reduction all
        relabellings are visited when there are at most ``n_shuffles`` or 50,000, whichever is
        more, and at most 2,000,000; for the other metrics as in `compare`. "auto" settles the p of every metric at 1 - confidence; it and "precise"
        give up at 2²⁰ shuffles. A checkpoint holds the shuffles; the resamples are drawn
        again, the same ones.
    allow_optimum_below : bool
        Whether scores may be better than the optimum.

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
    return ask(transfer, locals(), transfer_curves)


def transfer_curves(asked: TransferOptions, work: Work, n_tasks: int = 1) -> Transfer:
    """Measure a gain as `transfer` does, by itself or on one of several tasks."""
    curves = asked.curves
    whole = _two_of(curves, asked.control, asked.experimental)
    # Of single runs metrics are told, and that they prove nothing; of a task among others too.
    if n_tasks == 1 and whole.n_runs > 2:
        check_design(whole)
    if asked.window is not None:
        whole = whole.window(*asked.window)
    chosen, first_level = whole, None
    if asked.until_asymptote is not None:
        first_level = levelled_off(whole, asked.control, float(asked.until_asymptote))
    # Curves that are level from the start have no training to cut off.
    if first_level:
        chosen = whole.window(None, whole.steps[first_level])
    conditions = TwoConditions(chosen, asked, n_tasks)
    settings, sign = conditions.settings, conditions.sign
    varies = conditions.n_units.min() >= 2
    n_resamples = int(asked.n_resamples) if varies else 0
    resample_key, shuffle_key = work.keys
    resampled = left_out = None
    with single_blas():
        observed = conditions.resampled(np.ones((1, chosen.n_runs)))[:, 0]
        if n_resamples:
            resampled = resample_metrics(conditions, n_resamples, resample_key, n_jobs=work.n_jobs)
        if varies:
            left_out = leave_out(conditions)
        shuffling = replace(work, keys=(shuffle_key,))
        tests, sampling = shuffle_metrics(conditions, observed, shuffling, alpha=asked.alpha)
    done = chosen.preparation
    survival = survival_of(
        conditions,
        int(asked.hold),
        tests["time_to_threshold"],
        failed_never_reach=done is not None and done.short == "worst",
    )
    metrics = _metrics(conditions, asked, observed, resampled, left_out, tests, survival)
    control, experimental = (sign * mean for mean in conditions.means)
    return Transfer(
        control=asked.control,
        experimental=asked.experimental,
        n_runs=conditions.n_runs,
        n_blocks=chosen.n_blocks,
        steps=chosen.steps,
        mean_control=control,
        mean_experimental=experimental,
        metrics=metrics,
        recommended=_recommended(metrics, optimum_known=asked.optimum_known),
        optimum=asked.optimum if asked.optimum_known else sign * float(np.max(conditions.means)),
        optimum_known=asked.optimum_known,
        shift=settings.shift,
        threshold=conditions.threshold,
        threshold_given=asked.threshold is not None,
        times=survival.medians,
        survival=survival,
        asymptotes=(
            float(control[-settings.n_last :].mean()),
            float(experimental[-settings.n_last :].mean()),
        ),
        integration=asked.integration,
        confidence=asked.confidence,
        higher_is_better=curves.higher_is_better,
        n_resamples=n_resamples,
        sampling=sampling,
        caveats=tuple(transfer_caveats(chosen, first_level, conditions, asked, sampling)),
        source=curves.source,
        preparation=curves.preparation,
    )


def _two_of(curves: Curves, control: str, experimental: str) -> Curves:
    """Return the curves of two conditions, the control first; raise if they cannot be measured."""
    check_names(control=control, experimental=experimental)
    for side, name in (("control", control), ("experimental", experimental)):
        if name not in curves.algorithms:
            refuse(
                f"No condition is called {shown_value(name)} ({side}); "
                f"{did_you_mean(str(name), curves.algorithms)}"
            )
    if control == experimental:
        refuse(
            f"Control and experimental condition are both {control!r}: name two.",
            option="experimental",
        )
    chosen = curves.select(control, experimental)
    check_connected(chosen)
    if not chosen.has_even_blocks:
        refuse(
            "Blocks do not hold both conditions equally often, so their mean curves are not "
            "of the same blocks. Keep the blocks that hold both, or leave blocks out."
        )
    return chosen


def _facts(conditions: TwoConditions, asked: TransferOptions, survival: Survival) -> dict[str, str]:
    """Return what sentences about metrics take from the conditions."""
    control, experimental = conditions.means
    end = min(experimental[-conditions.settings.n_last :].mean(), experimental.max())
    gets_there = control.max() >= end
    control_time, time = (
        "" if math.isinf(median) else about_step(median) for median in survival.medians
    )
    return {
        "control": asked.control,
        "experimental": asked.experimental,
        "shifted": " (both shifted so that the worst mean score is 0)"
        if conditions.settings.shift > 0
        else "",
        "unreached": ""
        if gets_there
        else f"; scores that {asked.control} never reaches count as 100% less",
        "period": conditions.period,
        "threshold": threshold_text(conditions.threshold),
        "control_time": control_time,
        "time": time,
    }


def _metrics(
    conditions: TwoConditions,
    asked: TransferOptions,
    observed: Floats,
    resampled: Floats | None,
    left_out: Floats | None,
    tests: Mapping[str, MetricTest],
    survival: Survival,
) -> dict[str, Metric]:
    """Put together what is known of every metric."""
    alpha, facts, metrics = asked.alpha, _facts(conditions, asked, survival), {}
    excluded = {
        "single step": conditions.n_steps > 1,
        "threshold not reached": sum(survival.n_reached) > 0,
        "medians not reached": any(map(math.isfinite, survival.medians)),
    }
    for place, (name, record) in enumerate(RECORDS.items()):
        test, told = tests[name], dict[str, Any]()
        settled: dict[IntervalKind, tuple[Interval, bool]] = {}
        if math.isnan(observed[place]):
            why = next(kind for kind in record.undefined if not excluded.get(kind))
            told |= {"undefined": why, "reason": record.undefined[why].format(**facts)}
        else:
            # Differences keep the sign of the scores as given, also where lower is better.
            sign = conditions.sign if record.unit else 1.0
            value = sign * float(observed[place]) + 0.0
            resamples = None if resampled is None else sign * resampled[place]
            ends: dict[IntervalKind, Ends | None] = {"inverted": test.ends}
            if left_out is not None:
                error = jackknife_error(left_out[place], conditions.strata)
                told["error"], told["error_df"] = error
            if resamples is not None and left_out is not None:
                if not record.tested_as:
                    ends["student"] = student_ends(
                        record, value, left_out[place], conditions.strata, alpha
                    )
                ends["percentile"] = percentile_ends(resamples, conditions.n_units, alpha)
            for kind, own in ends.items():
                if own is not None:
                    among = resamples if kind != "inverted" or test.among is None else test.among
                    settled[kind] = settled_interval(record, value, own, among, test.pvalue, alpha)
            significant = test.pvalue is not None and test.pvalue <= alpha
            told |= {
                "value": value,
                "reading": record.reading(value, facts, significant=significant),
                "resamples": resamples,
                "null_distribution": sign * test.null_distribution,
            }
        wanted = asked.interval, record.interval, *settled
        shown = next((kind for kind in wanted if kind in settled), None)
        metrics[name] = Metric(
            name=name,
            interval=None if shown is None else settled[shown][0],
            interval_kind=shown,
            intervals={kind: own for kind, (own, _) in settled.items()},
            # That of a difference is moved by no more than chance in the shuffles.
            moved_by_test=shown in {"student", "percentile"} and settled[shown][1],
            confidence=asked.confidence,
            pvalue=test.pvalue,
            exact=test.exact,
            comparable=record.comparable == "always" or (record.averaged and asked.optimum_known),
            **told,
        )
    return metrics


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


# --- How much, on several tasks: each task by itself, and what may be said across them.

N_SHUFFLES_ACROSS = 9_999  # relabellings of all tasks at once


@question(n_keys=0, member=transfer)
def transfer_many(
    tasks: Mapping[str, Curves],
    *,
    control: str,
    experimental: str,
    optimum: float | Mapping[str, float] | None = None,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
    **options: Any,
) -> Transfers:
    """Measure the gain on each of several tasks, and across them where that is fair.

    Parameters
    ----------
    tasks : mapping from name to Curves
        Each with both conditions.
    control, experimental : str
        The two conditions.
    optimum : float, or mapping from task to float, optional
        The best possible score, for all tasks or for each.
    n_shuffles, exact, n_jobs, rng
        As in `transfer`, for each task.
    checkpoint : path, optional
        A file for the shuffles of all tasks as they come in. Interrupted work goes on from
        it, task by task, with the digits it would have had.
    **options
        The others of `transfer`, the same for every task.

    Returns
    -------
    Transfers
        A mapping from task to Transfer; ``across`` has the means over tasks of the metrics
        that may be compared across tasks. Runs of different tasks are taken to be
        independent of each other.

    Examples
    --------
    >>> import curvewise as cw
    >>> def curves(scores):
    ...     return cw.Curves.from_dict(scores, rows="runs")
    >>> tasks = {
    ...     "maze": curves({"old": [[1, 3], [2, 4]], "new": [[3, 5], [2, 6]]}),
    ...     "pong": curves({"old": [[0, 4], [2, 6]], "new": [[4, 8], [6, 6]]}),
    ... }
    >>> found = cw.transfer_many(tasks, control="old", experimental="new", optimum=10)
    >>> found.across["calibrated_transfer_ratio"].value
    0.3143
    """
    return ask(transfer_many, locals(), _transferred)


def _transferred(asked: Asked, work: Work) -> Transfers:
    tasks, optima = asked.tasks, asked.optimum
    if not isinstance(optima, Mapping):
        optima = dict.fromkeys(tasks, optima)
    unknown = [str(name) for name in optima if name not in tasks]
    if unknown:
        refuse(f"There is an optimum for {unknown[0]!r}, and no such task.", option="optimum")
    options = [
        asked.to(transfer, curves=curves, optimum=optima.get(name), **asked.options)
        for name, curves in tasks.items()
    ]
    # Without rng, the key with which the work was begun stands in for it.
    generator = as_generator(work.key if asked.rng is None else asked.rng)
    *streams, stream_across = generator.spawn(len(tasks) + 1)
    members = {
        name: (own, replace(work, keys=tuple(random_keys(stream, 2)), seed=None))
        for name, own, stream in zip(tasks, options, streams, strict=True)
    }
    found = ask_each(
        members, lambda _, member: transfer_curves(*member, n_tasks=len(tasks)), label="Task"
    )
    means = (
        _mean_across(record, found, options[0].alpha, stream_across)
        for record in RECORDS.values()
        if record.averaged
    )
    across = {mean.name: mean for mean in means if mean is not None}
    return Transfers(
        tasks=found,
        across=across,
        control=asked.control,
        experimental=asked.experimental,
        caveats=(
            *gathered({name: own.caveats for name, own in found.items()}),
            *tasks_left_out(found, across),
        ),
        seed=work.seed,
    )


def _mean_across(
    record: MetricRecord, found: Mapping[str, Transfer], alpha: float, rng: np.random.Generator
) -> AcrossTasks | None:
    """Average a metric over the tasks in which it may be compared; None for fewer than two.

    Tasks are resampled and shuffled independently of each other; the tasks themselves are
    taken as given.
    """
    metrics = [task.metrics[record.name] for task in found.values()]
    usable = [metric for metric in metrics if metric.comparable and metric.value is not None]
    if len(usable) < 2:
        return None
    value = float(np.mean([metric.value for metric in usable]))
    # Any relabelling of one task goes with any of another.
    drawn = [
        rng.choice(metric.null_distribution, N_SHUFFLES_ACROSS)  # type: ignore[arg-type]
        for metric in usable
    ]
    # Losses have no bound and gains do, so the smaller tail counts, twice.
    tails = tail_counts(value, np.mean(drawn, axis=0))
    n_extreme = smaller_tail_twice(tails, N_SHUFFLES_ACROSS)
    p = pvalue(n_extreme, N_SHUFFLES_ACROSS, exact=False)
    interval, moved = _interval_across(record, value, usable, p, alpha)
    return AcrossTasks(
        record.name,
        value,
        interval,
        usable[0].confidence,
        p,
        len(usable),
        len(metrics),
        moved_by_test=moved,
    )


def _interval_across(
    record: MetricRecord, value: float, metrics: list[Metric], p: float, alpha: float
) -> tuple[Interval | None, bool]:
    """Return the interval of a mean of tasks, and whether its test moved an end.

    None where a task has no resamples.

    The mean plus or minus its standard error times a quantile of Student's t. Resamples of few
    runs have a bias that many tasks do not average out, so intervals by their quantiles would
    lie beside the mean.
    """
    from scipy.special import stdtrit

    resamples, variances, dfs = [], [], []
    for metric in metrics:
        if metric.resamples is None or metric.error is None or metric.error_df is None:
            return None, False
        resamples.append(metric.resamples)
        variances.append(metric.error**2)
        dfs.append(metric.error_df)
    total = sum(variances)
    reach = 0.0
    if math.isinf(total):
        reach = math.inf
    elif total > 0:
        squares = sum(own**2 / df for own, df in zip(variances, dfs, strict=True))
        quantile = float(stdtrit(total**2 / squares, 1 - alpha / 2))
        reach = quantile * math.sqrt(total) / len(metrics)
    ends = value - reach, value + reach
    return settled_interval(record, value, ends, np.mean(resamples, axis=0), p, alpha)
