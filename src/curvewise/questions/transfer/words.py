"""What `transfer` and `transfer_many` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.text import number_text, p_text, plural, printable, step_text

if TYPE_CHECKING:
    from curvewise.questions.transfer.result import Metric, Transfer, Transfers

__all__ = ["describe_transfer", "describe_transfers"]


def describe_transfer(transfer: Transfer) -> str:
    """Say how much was gained, by the metric to quote, how sure that is, and how known."""
    metric = transfer.metrics[transfer.recommended]
    sentences = [printable(metric.reading), _sureness(metric), _method(transfer)]
    return " ".join(sentence for sentence in sentences if sentence)


def _sureness(metric: Metric) -> str:
    """Quote the metric with its interval and p, and say whether chance could do it."""
    if metric.value is None or metric.pvalue is None:
        return ""
    parts = [f"{metric.title} {number_text(metric.value)}"]
    if metric.interval is not None:
        low, high = metric.interval
        percent = f"{100 * metric.confidence:.6g}%"
        parts.append(f"{percent} interval {number_text(low)} to {number_text(high)}")
    exact = "exact " if metric.exact else ""
    parts.append(f"{exact}p = {p_text(metric.pvalue)}")
    # 1 − 0.9 is 0.09999… to a computer, and 0.1 to whoever asked.
    if metric.pvalue <= 1 - metric.confidence + 1e-9:
        verdict = "That is more than chance explains"
    elif metric.interval is None or (
        metric.interval.low <= metric.no_effect <= metric.interval.high
    ):
        verdict = "Chance alone could do that"
    else:
        verdict = (
            "By the shuffle test chance alone could do that, though the interval leaves no "
            "effect out"
        )
    return f"{verdict} ({'; '.join(parts)})."


def _method(transfer: Transfer) -> str:
    n_control, n_experimental = transfer.n_runs
    steps = "1 step"
    if len(transfer.steps) > 1:
        steps = (
            f"{len(transfer.steps)} steps from {step_text(transfer.steps[0])} to "
            f"{step_text(transfer.steps[-1])}"
        )
    how = "sums" if transfer.integration == "sum" else "trapezoids"
    optimum = (
        f"optimum {number_text(transfer.optimum)}"
        if transfer.optimum_known
        else f"the best mean score observed, {number_text(transfer.optimum)}, for an optimum"
    )
    within = f" in {plural(transfer.n_blocks, 'block')}" if transfer.n_blocks else ""
    return (
        f"{printable(transfer.control)} ({plural(n_control, 'run')}) is the control, "
        f"{printable(transfer.experimental)} ({plural(n_experimental, 'run')}) the "
        f"experimental condition{within}; {steps}, areas by {how}, {optimum}."
    )


def describe_transfers(transfers: Transfers) -> str:
    """Say what holds across tasks, and what must not be compared."""
    control, experimental = (
        printable(transfers.control),
        printable(transfers.experimental),
    )
    tasks = plural(len(transfers), "task")
    if len(transfers) == 1:
        return describe_transfer(next(iter(transfers.values())))
    if not transfers.across:
        return (
            f"{experimental} against {control} on {tasks}: no metric is defined and "
            "comparable on two of them, so nothing is said across tasks."
        )
    parts = []
    for mean in transfers.across.values():
        interval = ""
        if mean.interval is not None:
            low, high = mean.interval
            percent = f"{100 * mean.confidence:.6g}%"
            interval = f", {percent} interval {number_text(low)} to {number_text(high)}"
        among = "" if mean.n_tasks == mean.n_all else f" over {mean.n_tasks} of them"
        parts.append(
            f"the mean {mean.title}{among} is {number_text(mean.value)}{interval} "
            f"(p = {p_text(mean.pvalue)})"
        )
    return (
        f"{experimental} against {control} on {tasks}: {'; '.join(parts)}. Only metrics "
        "that mean the same on every task are averaged; transfer ratio and transfer regret "
        "do not."
    )
