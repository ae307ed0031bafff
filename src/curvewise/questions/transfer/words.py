"""What `transfer` and `transfer_many` found, in words a person can quote."""

from __future__ import annotations

import math
from functools import partial, singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.phrases import one_line
from curvewise.questions.transfer import survival_words
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.result import Transfer
from curvewise.questions.transfer.transfers import Transfers
from curvewise.text import (
    about_step,
    interval_text,
    listed,
    number_text,
    p_short,
    percent,
    plural,
    printable,
    step_text,
    threshold_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.inference.result import Result
    from curvewise.questions.transfer.metric import Metric, MetricContext
    from curvewise.questions.transfer.metrics import UndefinedKind
    from curvewise.questions.transfer.transfers import AcrossTasks

__all__ = [
    "advice",
    "describe",
    "headline",
    "moved",
    "reading",
    "reason",
    "undefined_text",
]

# Why a metric is undefined, after its name and a colon.
UNDEFINED: dict[UndefinedKind, str] = {
    "no area under the control": (
        "the area under {control} is 0, and nothing can be divided by it."
    ),
    "all scores equal": "all scores are equal, so the curves span no box.",
    "nothing left to improve": (
        "{control} is optimal, or better than the optimum, so nothing is left to improve."
    ),
    "single step": "with a single step there is no training to be saved.",
    "no range of performance": (
        "{experimental} ends at the performance that {control} begins with, or below it at "
        "levels it never reaches, so there is no range of performance to average over."
    ),
    "threshold not reached": "no run reaches the threshold. Choose another one.",
    "medians not reached": (
        "fewer than half of the runs of either reach the threshold, so there are no medians to "
        "divide."
    ),
    "threshold reached at step 0": (
        "half of the runs of {control} are at the threshold at step 0, before any training."
    ),
}


@singledispatch
def describe(result: Result) -> str:
    """Say how much was gained, by the metric to quote, how sure that is, and how known."""
    raise TypeError(type(result).__name__)


@describe.register
def _(transfer: Transfer) -> str:
    metric = transfer.metrics[transfer.recommended]
    sentences = [printable(metric.reading), _sureness(metric), _method(transfer)]
    if not transfer.quotes_scores:
        sentences = [_unsized(metric, transfer), _method(transfer)]
    if transfer.threshold_given:
        sentences.insert(-1, survival_words.sentence(transfer))
    return " ".join(sentence for sentence in sentences if sentence)


def headline(transfer: Transfer | Transfers) -> str:
    """Say in one line how much was gained by the metric to quote, and how surely."""
    if isinstance(transfer, Transfers):
        return describe(transfer)
    metric = transfer.metrics[transfer.recommended]
    if metric.value is None or metric.pvalue is None:
        return describe(transfer)
    p = f"{'exact ' if metric.exact else ''}p = {p_short(metric.pvalue)}"
    size = ""
    if transfer.quotes_scores:
        size = f" {number_text(metric.value)}"
        if metric.interval is not None and not any(map(math.isinf, metric.interval)):
            size += f" ({interval_text(metric.interval)})"
    sure = "" if metric.significant else ", not significant"
    return one_line(
        lambda one, other: f"{one} against {other}: {metric.title}{size}; {p}{sure}.",
        transfer.experimental,
        transfer.control,
    )


def _unsized(metric: Metric, transfer: Transfer) -> str:
    """Say who is ahead by a metric without its size, which depends on a fill."""
    if metric.value is None or metric.pvalue is None:
        return ""
    one, other = printable(transfer.experimental), printable(transfer.control)
    p = f"{'exact ' if metric.exact else ''}p = {p_short(metric.pvalue)}"
    if not metric.significant:
        return f"{one} and {other} do not differ detectably by the {metric.title} ({p})."
    return f"{one} and {other} differ by the {metric.title} ({p})."


def _sureness(metric: Metric) -> str:
    """Quote the metric with its interval and p, and say whether it is significant."""
    if metric.value is None or metric.pvalue is None:
        return ""
    parts = [f"{metric.title} {number_text(metric.value)}"]
    if metric.interval is not None:
        level = percent(metric.confidence)
        if all(map(math.isinf, metric.interval)):
            parts.append(f"too few runs, or shuffles, for a {level} interval")
        else:
            parts.append(f"{level} interval {interval_text(metric.interval)}")
    parts.append(f"{'exact ' if metric.exact else ''}p = {p_short(metric.pvalue)}")
    verdict = "is" if metric.significant else "is not"
    sentence = f"This {verdict} statistically significant ({'; '.join(parts)})."
    explained = moved(metric)
    return f"{sentence} B{explained[1:]}" if explained else sentence


def moved(found: Metric | AcrossTasks) -> str:
    """Say which of interval and p to trust where they disagreed; "" where they did not."""
    if not found.moved_by_test:
        return ""
    alone, instead = "leaves out", "is stretched to it"
    if found.significant:
        alone, instead = "includes", "ends before it"
    return (
        f'by itself the interval {alone} "no effect"; the shuffle test, which is exact with '
        f"few runs, decides, and the interval {instead}."
    )


def _method(transfer: Transfer) -> str:
    n_control, n_experimental = transfer.n_runs
    steps = "1 step"
    if len(transfer.steps) > 1:
        first, last = step_text(transfer.steps[0]), step_text(transfer.steps[-1])
        steps = f"{len(transfer.steps)} steps, {first} to {last}"
    observed = f" ({number_text(transfer.optimum)})" if transfer.quotes_scores else ""
    areas = "as sums over steps" if transfer.integration == "sum" else "by trapezoids"
    optimum = (
        f"best possible score {step_text(transfer.optimum)}"
        if transfer.optimum_known
        else f"best possible score unknown, the best mean score observed{observed} in its place"
    )
    within = f" in {plural(transfer.n_blocks, 'block')}" if transfer.n_blocks else ""
    return (
        f"{printable(transfer.control)} ({plural(n_control, 'run')}) is the control, "
        f"{printable(transfer.experimental)} ({plural(n_experimental, 'run')}) the "
        f"experimental condition{within}; {steps}; areas {areas}; {optimum}."
    )


@describe.register
def _(transfers: Transfers) -> str:
    if len(transfers) == 1:
        return describe(next(iter(transfers.values())))
    control, experimental = map(printable, (transfers.control, transfers.experimental))
    tasks = plural(len(transfers), "task")
    if not transfers.across:
        return (
            f"{experimental} against {control} on {tasks}: no metric is defined and "
            "comparable on two of them, so nothing is said across tasks."
        )
    quoted = transfers.quotes_scores
    first, *others = transfers.across.values()
    # One of the means is the claim; the others are told behind it.
    means = f"{_mean(first, quoted=quoted)}{_significance(first, quoted=quoted)}"
    if others:
        means += f". As further description, {'; '.join(_mean(mean, quoted=quoted) for mean in others)}"
    never = [
        record.title
        for record in RECORDS.values()
        if record.shown_across_tasks and not record.averaged
    ]
    return (
        f"{experimental} against {control} on {tasks}: {means}. Only metrics that mean the "
        f"same on every task are averaged; {listed(never)} do not."
    )


def _significance(mean: AcrossTasks, *, quoted: bool) -> str:
    verdict = "which is" if mean.significant else "which is not"
    explained = f"; {moved(mean)[:-1]}" if mean.moved_by_test and quoted else ""
    return f", {verdict} statistically significant{explained}"


def _mean(mean: AcrossTasks, *, quoted: bool) -> str:
    interval = ""
    if mean.interval is not None:
        interval = f", {percent(mean.confidence)} interval {interval_text(mean.interval)}"
    among = "" if mean.n_tasks == mean.n_all else f" over {mean.n_tasks} of them"
    size = f" is {number_text(mean.value)}{interval}" if quoted else ""
    return f"the mean {mean.title}{among}{size} (p = {p_short(mean.pvalue)})"


def advice(transfer: Transfer) -> str:
    """Say why the recommended metric is the one to quote."""
    record = RECORDS[transfer.recommended]
    if not record.averaged:
        return "Quote this one: the metrics that mean the same on every task say nothing here."
    if record.comparable == "always":
        return (
            f"Quote this one: without a known optimum, the {record.title} still means the "
            "same on every task, since it compares times to equal performance."
        )
    if transfer.optimum_known:
        return (
            f"Quote this one: the optimum is known, and the {record.title} measures against "
            "it, so it means the same on every task."
        )
    return (
        "Quote this one, with a caveat: the best observed score stands in for the optimum, "
        "so it holds for this task only."
    )


def reason(metric: Metric) -> str:
    """Say why a metric has no value; "" where it has one."""
    if metric.undefined is None:
        return ""
    context = metric.context
    return undefined_text(metric.undefined, context.control, context.experimental)


def undefined_text(kind: UndefinedKind, control: str, experimental: str) -> str:
    """Say why a metric of two conditions is undefined."""
    return UNDEFINED[kind].format(control=control, experimental=experimental)


def reading(metric: Metric) -> str:
    """Say what the value of a metric means; "" where it has none."""
    if metric.value is None:
        return ""
    if metric.value == metric.no_effect:
        context = metric.context
        both = f"{context.experimental} and {context.control}"
        if metric.name == "time_to_threshold" and metric.significant:
            # The medians are compared, and all times are tested.
            return f"{both} do not differ in the median, and differ in other runs."
        return f"{both} do not differ by this metric."
    return READINGS[metric.name](metric.value, metric.context)


def _size(value: float) -> str:
    return f"{abs(value):.1%}" if math.isfinite(value) else ""


def _transfer_ratio(value: float, context: MetricContext) -> str:
    shifted = ""
    if context.shifted:
        shifted = " (both shifted so that the worst mean score is 0)"
    return (
        f"The area under {context.experimental}'s curve is {number_text(value)} times "
        f"{context.control}'s{shifted}."
    )


def _transfer_regret(value: float, context: MetricContext) -> str:
    return (
        f"{context.experimental} is {'better' if value > 0 else 'worse'}: the area between the "
        f"curves is {_size(value)} of the box that both span."
    )


def _calibrated_transfer_ratio(value: float, context: MetricContext) -> str:
    if value > 0:
        return (
            f"{context.experimental} achieved {_size(value)} of the improvement still possible "
            f"over {context.control}."
        )
    return (
        f"{context.experimental} fell short of {context.control} by {_size(value)} of the "
        "improvement still possible."
    )


def _average_relative_reduction(value: float, context: MetricContext) -> str:
    if value == 1:
        return (
            f"{context.control} never reaches any of the scores between its own first one and "
            f"where {context.experimental} ends."
        )
    unreached = ""
    if not context.control_gets_there:
        unreached = f"; scores that {context.control} never reaches count as 100% less"
    return (
        f"{context.experimental} reached the same performance with {_size(value)} "
        f"{'less' if value > 0 else 'more'} training than {context.control}, averaged over "
        f"performance{unreached}."
    )


def _time_to_threshold(value: float, context: MetricContext) -> str:
    control, experimental = context.control, context.experimental
    threshold = f"the threshold, a score of {threshold_text(context.threshold)}"
    if math.isinf(value):
        return (
            f"Fewer than half of the runs of {experimental} reach {threshold}; of {control} "
            f"half do by step {about_step(context.times[0])}."
        )
    if value == 0 and math.isinf(context.times[0]):
        return (
            f"Half of the runs of {experimental} reach {threshold}, by step "
            f"{about_step(context.times[1])}; of {control} fewer than half do."
        )
    if value == 0:
        return (
            f"Half of the runs of {experimental} are at {threshold}, at step 0; of {control} "
            "fewer are."
        )
    more = f"{1 - value:.1%} less" if value < 1 else f"{value - 1:.1%} more"
    return (
        f"The median run of {experimental} needs {more} training than that of {control} to "
        f"reach {threshold}."
    )


def _difference(where: str, value: float, context: MetricContext) -> str:
    return (
        f"{context.experimental} scores {number_text(abs(value))} "
        f"{'more' if value > 0 else 'less'} than {context.control} {where}."
    )


# What a value that is not that of no effect means.
READINGS: dict[str, Callable[[float, MetricContext], str]] = {
    "transfer_ratio": _transfer_ratio,
    "transfer_regret": _transfer_regret,
    "calibrated_transfer_ratio": _calibrated_transfer_ratio,
    "average_relative_reduction": _average_relative_reduction,
    "jumpstart": partial(_difference, "at the first step"),
    "asymptotic_advantage": partial(_difference, "at the end"),
    "area_difference": partial(_difference, "summed over training"),
    "average_gain": partial(_difference, "on average over training"),
    "time_to_threshold": _time_to_threshold,
}
