"""How much does one condition gain on another? The learning-comparison metrics.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.requirements import (
    as_generator,
    check_choice,
    check_curves,
    resample_count,
    whole_number,
)
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.transfer.metrics import METRICS, first_reached
from curvewise.questions.transfer.conditions import (
    as_window,
    both_conditions,
    levelled_off,
    measured_problem,
    until_levelled_off,
)
from curvewise.questions.transfer.readings import (
    NO_EFFECT,
    UNITS,
    advice,
    reading,
    undefined,
)
from curvewise.questions.transfer.resampling import (
    metric_intervals,
    n_as_extreme,
    resample_metrics,
    shuffle_metrics,
)
from curvewise.questions.transfer.result import (
    Integration,
    IntervalKind,
    Metric,
    Transfer,
)
from curvewise.shuffling.parallel import single_blas
from curvewise.text import number_text, step_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.resampling import Problem, Resampled

__all__ = ["transfer"]

TOLERANCE = 0.05  # of the range of the mean curves, for "has it levelled off?"


def transfer(
    curves: Curves,
    *,
    control: str,
    experimental: str,
    optimum: float | None = None,
    window: tuple[float, float] | None = None,
    until_asymptote: float | None = None,
    threshold: float | None = None,
    integration: Integration = "sum",
    confidence: float = 0.95,
    interval: IntervalKind | None = None,
    n_resamples: int = 9_999,
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    rng: RNGLike = None,
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
        The best score there can be. Without it the best observed one stands in, and the
        calibrated transfer ratio is flagged.
    window : (start, stop), optional
        The steps to compare, both included; all by default.
    until_asymptote : float, optional
        End the window at the first step from which both mean curves stay within this share
        of their range around their final mean.
    threshold : float, optional
        The score of time to threshold; by default what the control reaches in the end.
    integration : "sum" or "trapezoid"
        How areas are taken: the papers' sum over steps, or trapezoids, which suit steps at
        unequal distances.
    confidence : float
        Of the intervals.
    interval : "percentile", "bca" or "studentised", optional
        Which interval is shown. By default studentised, which covers best with 5 to 10 runs,
        and percentile for time to threshold.
    n_resamples, n_shuffles, exact, rng
        Resamples for the intervals; shuffles for p, as in `compare`.
    allow_optimum_below : bool
        Accept an optimum that some scores exceed.

    Returns
    -------
    Transfer

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> found = cw.transfer(curves, control="A2", experimental="A1", optimum=100, rng=0)
    >>> found.calibrated_transfer_ratio.value
    0.0936
    """
    check_curves(curves, "transfer()")
    check_choice("integration", integration, get_args(Integration))
    if interval is not None:
        check_choice("interval", interval, get_args(IntervalKind))
    alpha = 1 - _confidence(confidence)
    n_resamples, n_most = resample_count(n_resamples), whole_number(n_shuffles)
    generator = as_generator(rng)
    chosen = both_conditions(curves, control, experimental)
    if window is not None:
        chosen = chosen.window(*as_window(window))
    whole = chosen
    if until_asymptote is not None:
        chosen = until_levelled_off(chosen, control, until_asymptote)
    problem = measured_problem(
        chosen, control, optimum, threshold, integration, allow_below=allow_optimum_below
    )
    keys = [int(k) for k in generator.integers(2**64, size=2, dtype=np.uint64)]
    with single_blas():
        observed = problem.values(np.ones((1, chosen.n_runs)))
        resampled = resample_metrics(problem, n_resamples, keys[0])
        null, exact, count = shuffle_metrics(problem, n_most, keys[1], exact)
    sign = 1.0 if curves.higher_is_better else -1.0
    means = [
        problem.scores[problem.member == side].mean(axis=0) * sign for side in (0, 1)
    ]
    setting = problem.setting
    level = setting.threshold - setting.slack
    times = [
        float(first_reached(sign * mean[None, :], level, setting.steps)[0])
        for mean in means
    ]
    metrics = {
        name: _metric(
            name,
            problem,
            observed,
            resampled,
            null,
            alpha=alpha,
            kind=interval,
            exact=exact,
            sides=(control, experimental),
            times=(times[0], times[1]),
            sign=sign,
            optimum_known=optimum is not None,
        )
        for name in METRICS
    }
    best = (
        max(float(means[0].max()), float(means[1].max()))
        if sign > 0
        else min(float(means[0].min()), float(means[1].min()))
    )
    recommended, why = advice(metrics, optimum_known=optimum is not None)
    return Transfer(
        control=control,
        experimental=experimental,
        n_runs=(int(np.sum(problem.member == 0)), int(np.sum(problem.member == 1))),
        n_blocks=None if chosen.blocks is None else len(set(chosen.blocks)),
        steps=chosen.steps,
        mean_control=means[0],
        mean_experimental=means[1],
        metrics=metrics,
        recommended=recommended,
        advice=why,
        optimum=best if optimum is None else float(optimum),
        optimum_known=optimum is not None,
        shift=setting.shift,
        threshold=sign * setting.threshold,
        times=(times[0], times[1]),
        asymptotes=(
            float(means[0][-setting.n_last :].mean()),
            float(means[1][-setting.n_last :].mean()),
        ),
        integration=integration,
        confidence=float(confidence),
        higher_is_better=curves.higher_is_better,
        n_resamples=n_resamples if resampled is not None else 0,
        n_shuffles=count,
        exact=exact,
        seed=int(rng) if isinstance(rng, int | np.integer) else None,
        warnings=_warnings(chosen, whole, problem, optimum, until_asymptote, sign),
        source=curves.source,
    )


def _metric(
    name: str,
    problem: Problem,
    observed: dict[str, Floats],
    resampled: dict[str, Resampled] | None,
    null: dict[str, Floats],
    *,
    alpha: float,
    kind: IntervalKind | None,
    exact: bool,
    sides: tuple[str, str],
    times: tuple[float, float],
    sign: float,
    optimum_known: bool,
) -> Metric:
    value = float(observed[name][0])
    comparable = name == "average_relative_reduction" or (
        name == "calibrated_transfer_ratio" and optimum_known
    )
    reason = (
        undefined(name, sides, times, problem.scores.shape[1])
        if math.isnan(value)
        else ""
    )
    # Differences are told in scores as they were given.
    turned = sign if UNITS[name] else 1.0
    shared = {
        "name": name,
        "confidence": 1 - alpha,
        "no_effect": NO_EFFECT[name],
        "exact": exact,
        "unit": UNITS[name],
        "comparable": comparable,
    }
    if math.isnan(value):
        return Metric(
            value=None,
            interval=None,
            interval_kind=None,
            intervals={},
            pvalue=None,
            reading="",
            reason=reason,
            **shared,  # type: ignore[arg-type]
        )
    intervals, chosen = {}, None
    if resampled is not None:
        intervals = metric_intervals(name, value, resampled[name], alpha, turned)
        chosen = kind or ("percentile" if name == "time_to_threshold" else "studentised")
        chosen = chosen if chosen in intervals else "percentile"
    n_extreme = n_as_extreme(name, value, null[name])
    told = value * turned + 0.0
    return Metric(
        value=told,
        interval=intervals.get(chosen) if chosen else None,
        interval_kind=chosen,
        intervals=intervals,
        pvalue=pvalue(n_extreme, len(null[name]), exact=exact),
        reading=reading(
            name,
            value,
            sides,
            times,
            shifted=problem.setting.shift > 0,
            higher_is_better=sign > 0,
        ),
        error=None if resampled is None else resampled[name].error,
        resamples=None if resampled is None else turned * resampled[name].values,
        resample_errors=None if resampled is None else resampled[name].errors,
        null_distribution=turned * null[name],
        **shared,  # type: ignore[arg-type]
    )


def _warnings(
    chosen: Curves,
    whole: Curves,
    problem: Problem,
    optimum: float | None,
    until_asymptote: float | None,
    sign: float,
) -> tuple[str, ...]:
    said = []
    sizes = np.bincount(problem.strata)
    if sizes.min() < 2:
        what = "condition" if chosen.blocks is None else "table"
        unit = "run" if chosen.blocks is None else "block"
        said.append(
            f"A {what} has a single {unit}: how much runs vary is not known, so there are no "
            "intervals. Repeat the training with other seeds."
        )
    if sign < 0:
        said.append(
            "Lower scores are better: shares and ratios count a lower score as a gain. "
            "Differences are told in scores as given, so below 0 is better."
        )
    if problem.setting.shift > 0:
        said.append(
            f"The transfer ratio needs curves that are not negative: "
            f"{number_text(problem.setting.shift)} was added to both mean curves, and the "
            "ratio depends on that. Its interval takes the addition as given."
        )
    if optimum is None:
        said.append(
            "No optimum was given: the best mean score observed stands in for it, so the "
            "calibrated transfer ratio must not be compared across tasks."
        )
    control = str(chosen.algorithms[0])
    if chosen.n_steps > 1 and until_asymptote is None:
        if levelled_off(chosen, control, TOLERANCE) is None:
            said.append(
                "The curves have not levelled off within the window: what depends on the end "
                "(asymptotic advantage, average relative reduction, areas) would change with "
                "more training."
            )
    elif until_asymptote is not None and chosen.n_steps == whole.n_steps:
        level = levelled_off(whole, control, until_asymptote) == 0
        why = "Both curves are level throughout" if level else "No asymptote was reached"
        said.append(
            f"{why} within the steps; the whole window, up to step "
            f"{step_text(whole.steps[-1])}, is compared."
        )
    elif until_asymptote is not None:
        said.append(
            f"The window ends at step {step_text(chosen.steps[-1])}: from there on both mean "
            f"curves stay within {until_asymptote:.3g} of their range around their end."
        )
    return tuple(said)


def _confidence(confidence: object) -> float:
    if not isinstance(confidence, float | int | np.number) or not 0 < confidence < 1:
        msg = f"confidence must lie between 0 and 1, such as 0.95; it is {confidence!r}."
        raise OptionError(msg)
    return float(confidence)
