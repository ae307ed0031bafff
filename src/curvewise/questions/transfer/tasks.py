"""How much, on several tasks: each task by itself, and what may be said across them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvewiseError, OptionError
from curvewise.inference.effects import Interval
from curvewise.inference.requirements import as_generator
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.bootstrap.intervals import percentile, studentised
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.transfer.question import transfer
from curvewise.questions.transfer.result import AcrossTasks, Transfers

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.transfer.result import Metric, Transfer

__all__ = ["transfer_many"]

# The metrics that mean the same on every task.
COMPARABLE = ("calibrated_transfer_ratio", "average_relative_reduction")


def transfer_many(
    tasks: Mapping[str, Curves],
    *,
    control: str,
    experimental: str,
    optimum: float | Mapping[str, float] | None = None,
    rng: RNGLike = None,
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
        The best score there can be, for all tasks or for each.
    rng, **options
        As in `transfer`.

    Returns
    -------
    Transfers
        A mapping from task to Transfer; ``across`` has the means over tasks of the metrics
        that may be compared across tasks. Runs of different tasks are taken to be
        independent of each other.
    """
    given: object = tasks
    if not isinstance(given, Mapping) or not tasks:
        msg = "Give a mapping from names of tasks to Curves, with at least one of them."
        raise OptionError(msg)
    optima = optimum if isinstance(optimum, Mapping) else dict.fromkeys(tasks, optimum)
    unknown = [str(name) for name in optima if name not in tasks]
    if unknown:
        msg = f"There is an optimum for {unknown[0]!r}, and no such task."
        raise OptionError(msg)
    streams = as_generator(rng).spawn(len(tasks) + 1)
    found: dict[str, Transfer] = {}
    for (name, curves), stream in zip(tasks.items(), streams[:-1], strict=True):
        try:
            found[name] = transfer(
                curves,
                control=control,
                experimental=experimental,
                optimum=optima.get(name),
                rng=stream,
                **options,
            )
        except CurvewiseError as refused:
            msg = f"Task {name!r}: {refused}"
            raise type(refused)(msg) from None
    across = {}
    for metric in COMPARABLE:
        mean = _across(metric, found, streams[-1])
        if mean is not None:
            across[metric] = mean
    seed = int(rng) if isinstance(rng, int | np.integer) else None
    return Transfers(found, across, control, experimental, seed)


def _across(
    name: str, found: Mapping[str, Transfer], rng: np.random.Generator
) -> AcrossTasks | None:
    """Average a metric over the tasks in which it may be compared.

    Tasks are resampled and shuffled independently of each other; the tasks themselves are
    taken as given.
    """
    metrics = [task.metrics[name] for task in found.values()]
    usable = [each for each in metrics if each.comparable and each.value is not None]
    if len(usable) < 2:
        return None
    value = float(np.mean([each.value for each in usable]))
    n_shuffles = 9_999
    # Any relabelling of one task goes with any of another.
    drawn = [
        rng.choice(each.null_distribution, n_shuffles)  # type: ignore[arg-type]
        for each in usable
    ]
    means = np.mean(drawn, axis=0)
    undefined = np.isnan(means)
    slack = TIE * max(abs(value), 1.0)
    tails = (means >= value - slack) | undefined, (means <= value + slack) | undefined
    # Losses have no bound and gains do, so the smaller tail counts, twice.
    n_extreme = min(2 * min(int(np.sum(tail)) for tail in tails), n_shuffles)
    return AcrossTasks(
        name,
        value,
        _interval(value, usable),
        usable[0].confidence,
        pvalue(n_extreme, n_shuffles, exact=False),
        len(usable),
        len(metrics),
    )


def _interval(value: float, metrics: list[Metric]) -> Interval | None:
    """Return the studentised interval of the mean, or the percentile one if need be."""
    alpha = 1 - metrics[0].confidence
    values, errors = [], []
    for metric in metrics:
        if metric.resamples is None or metric.resample_errors is None:
            return None
        values.append(metric.resamples)
        errors.append(metric.resample_errors)
    n_some = min(map(len, errors))
    means = np.mean(values, axis=0)
    own = np.sqrt(np.sum([each[:n_some] ** 2 for each in errors], axis=0)) / len(metrics)
    error = math.sqrt(sum((each.error or 0.0) ** 2 for each in metrics)) / len(metrics)
    if math.isfinite(error) and np.isfinite(own).all() and np.isfinite(means).all():
        ends = studentised(value, error, means[:n_some], own, alpha)
    else:
        low, high = (np.where(np.isnan(means), end, means) for end in (-np.inf, np.inf))
        ends = percentile(low, alpha)[0], percentile(high, alpha)[1]
    # Neither metric can be above 1.
    return Interval(ends[0], min(ends[1], max(1.0, value)))
