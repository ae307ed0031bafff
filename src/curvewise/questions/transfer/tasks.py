"""How much, on several tasks: each task by itself, and what may be said across them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.families import ask_each, check_members
from curvewise.inference.member_caveats import gathered
from curvewise.inference.requirements import as_generator, check_curves, random_keys
from curvewise.inference.work import shuffling_work
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.transfer.caveats import tasks_left_out
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.options import TransferOptions
from curvewise.questions.transfer.question import settled_interval, transfer_curves
from curvewise.questions.transfer.shuffled_metrics import smaller_tail_twice, tail_counts
from curvewise.questions.transfer.transfers import AcrossTasks, Transfers

if TYPE_CHECKING:
    import os

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Interval
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.transfer.metric import Metric
    from curvewise.questions.transfer.metrics import MetricRecord
    from curvewise.questions.transfer.result import Transfer

__all__ = ["transfer_many"]

N_SHUFFLES_ACROSS = 9_999  # relabellings of all tasks at once


def transfer_many(
    tasks: Mapping[str, Curves],
    *,
    control: str,
    experimental: str,
    optimum: float | Mapping[str, float] | None = None,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
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
    >>> tasks = {
    ...     "maze": cw.Curves.from_dict({"old": [[1, 3], [2, 4]], "new": [[3, 5], [2, 6]]}),
    ...     "pong": cw.Curves.from_dict({"old": [[0, 4], [2, 6]], "new": [[4, 8], [6, 6]]}),
    ... }
    >>> found = cw.transfer_many(tasks, control="old", experimental="new", optimum=10)
    >>> found.across["calibrated_transfer_ratio"].value
    0.3143
    """
    check_members(tasks, "Curves")
    for curves in tasks.values():
        check_curves(curves, "transfer_many()")
    optima = optimum if isinstance(optimum, Mapping) else dict.fromkeys(tasks, optimum)
    unknown = [str(name) for name in optima if name not in tasks]
    if unknown:
        msg = f"There is an optimum for {unknown[0]!r}, and no such task."
        raise OptionError(msg, option="optimum")
    asked = [
        TransferOptions(control, experimental, optima.get(name), **options)
        for name in tasks
    ]
    with shuffling_work(
        "transfer_many",
        *(tasks, asked),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        # Without rng, the key with which the work was begun stands in for it.
        generator = as_generator(work.key if rng is None else rng)
        *streams, stream_across = generator.spawn(len(tasks) + 1)
        members = {
            name: (
                curves,
                own,
                replace(work, keys=tuple(random_keys(stream, 2)), seed=None),
            )
            for (name, curves), own, stream in zip(
                tasks.items(), asked, streams, strict=True
            )
        }
        found = ask_each(
            members,
            lambda _, member: transfer_curves(*member, n_tasks=len(tasks)),
            label="Task",
        )
    means = (
        _mean_across(record, found, asked[0].alpha, stream_across)
        for record in RECORDS.values()
        if record.averaged
    )
    across = {mean.name: mean for mean in means if mean is not None}
    return Transfers(
        found,
        across,
        control,
        experimental,
        (
            *gathered({name: own.caveats for name, own in found.items()}),
            *tasks_left_out(found, across),
        ),
        work.seed,
    )


def _mean_across(
    record: MetricRecord,
    found: Mapping[str, Transfer],
    alpha: float,
    rng: np.random.Generator,
) -> AcrossTasks | None:
    """Average a metric over the tasks in which it may be compared; None for fewer than two.

    Tasks are resampled and shuffled independently of each other; the tasks themselves are
    taken as given.
    """
    metrics = [task.metrics[record.name] for task in found.values()]
    usable = [
        metric for metric in metrics if metric.comparable and metric.value is not None
    ]
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
