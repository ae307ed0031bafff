"""How good is each algorithm over many tasks? Aggregates with intervals that hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from curvewise.data.checks import refuse_option
from curvewise.data.curves import Curves
from curvewise.data.tasks import Tasks
from curvewise.inference.asking import Number, RNGLike, Share, asked_of, question
from curvewise.inference.two_groups import EVERY_STEP
from curvewise.inference.work import known_seed, random_keys
from curvewise.questions.aggregate.method import On, Reference, check_on, estimated, stacked
from curvewise.questions.aggregate.result import MIN_TASKS_FOR_IQM, Aggregate, aggregate_caveats

MIN_MULTIPLIERS = 99


@question()
def aggregate(
    tasks: Tasks | Mapping[str, Curves],
    *,
    statistic: Literal["iqm", "mean", "gap"] | None = None,
    on: On = "mean",
    reference: Reference = None,
    gamma: Number = 1.0,
    confidence: Share = 0.95,
    missing: Literal["refuse", "drop"] = "refuse",
    n_multipliers: int = 4_999,
    rng: RNGLike = None,
) -> Aggregate:
    """Aggregate the scores of many tasks into one number for each algorithm, with intervals.

    Every task weighs the same. Intervals are those of a stratified sample (Student's t with
    Satterthwaite's degrees of freedom on the influence of each run), so that they allow for how
    little a few runs tell about their spread; nothing is resampled. Tasks are taken as given:
    conclusions are about these tasks. Runs are taken for independent of each other, also where
    they are in blocks. Means, and their bands above all, are moved by single large scores: where
    runs are very skewed take the IQM (docs/method.md has how often each holds).

    Parameters
    ----------
    tasks : mapping from name to Curves
        With the same algorithms, two or more runs of each on every task.
    statistic : "iqm", "mean" or "gap", optional
        What is aggregated over tasks: the interquartile mean of all runs, their mean, or how
        far they are below ``gamma``. By default "iqm" from 10 tasks on, else "mean". The
        interquartile mean cuts off a quarter of the runs at either end. The last is the
        optimality gap, on average.
    on : "mean", "final", (start, stop) or "every step"
        The number taken of each run: its mean over training, over the last tenth of the steps,
        or over a window of steps; or all of its steps, for aggregate curves with bands, whose
        mean over the steps is the value. Tasks with different steps are then compared at shares
        of their own training, from their first step (0) to their last (1), by linear
        interpolation.
    reference : mapping from task to (float, float), path, or "raw", optional
        For each task the score that counts as 0 (such as that of random play) and the one that
        counts as 1 (such as that of humans); or a CSV or JSON file with columns task, low and
        high, or random and human, whose other rows do not matter. Where lower scores are
        better, the second is the lower one. "raw" takes scores as they are, which is fair if
        all are on one scale, with the sign turned where lower ones are better. By default the
        worst and the best number of any run of any algorithm on the task: such scores
        are not comparable across papers. A task on which all runs have the same number has no
        such scale, and is left out.
    gamma : float
        The normalised score that is good enough, for ``statistic="gap"``.
    confidence : float
        Of each interval, and of each band at all steps at once.
    missing : "refuse" or "drop"
        What happens to a task that lacks an algorithm: it is refused, or left out for all.
    n_multipliers : int
        How many random multipliers find the width of bands, 99 or more.
    rng : numpy Generator or int, optional
        The same gives the same bands. Values and intervals do not depend on it.

    Returns
    -------
    Aggregate
        A mapping from algorithm to `AggregateScore`, best first, with ``differences`` and
        ``profile()``.

    Raises
    ------
    CurvesError
        If a task lacks an algorithm, has a single run of one, or cannot be normalised.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> def curves(scores):
    ...     return cw.Curves.from_dict(scores, rows="runs")
    >>> tasks = {
    ...     "maze": curves({"old": [[1, 3], [2, 4]], "new": [[3, 5], [2, 8]]}),
    ...     "pong": curves({"old": [[0, 4], [2, 6]], "new": [[4, 8], [7, 9]]}),
    ... }
    >>> found = cw.aggregate(tasks, reference={"maze": (0, 10), "pong": (-21, 21)})
    >>> list(found), round(found["new"].value, 4)
    (['new', 'old'], 0.5583)
    >>> found["new"].interval
    Interval(low=0.3801, high=0.7366)
    """
    asked = asked_of(aggregate, **locals())
    check_on(on)
    _check_multipliers(n_multipliers)
    checked = Tasks(tasks, missing=missing)
    names = sorted(checked.algorithms)
    keys = dict(zip(names, random_keys(rng, len(names)), strict=True))
    found = stacked(checked, on, reference)
    checked = _without(checked, found.without_scale)
    chosen = statistic or ("mean" if len(checked) < MIN_TASKS_FOR_IQM else "iqm")
    scores, differences = estimated(
        found.runs,
        chosen,
        asked.gamma,
        asked.confidence,
        int(n_multipliers),
        keys if on == EVERY_STEP else None,
    )
    averaged = {
        name: replace(own, scores=own.scores.mean(axis=1, keepdims=True))
        for name, own in found.runs.items()
    }
    is_path = isinstance(reference, str | os.PathLike) and found.scaling == "reference"
    return Aggregate(
        scores=scores,
        differences=differences,
        statistic=chosen,
        statistic_given=statistic is not None,
        on=on if isinstance(on, str) else (float(on[0]), float(on[1])),
        measure=found.measure,
        gamma=asked.gamma,
        scaling=found.scaling,
        scales=found.scales,
        reference=Path(reference).name if is_path else "",  # type: ignore[arg-type]
        tasks=tuple(checked),
        dropped=checked.dropped,
        without_scale=found.without_scale,
        n_runs={
            task: dict(zip(own.algorithms, own.sizes, strict=True)) for task, own in checked.items()
        },
        confidence=asked.confidence,
        steps=found.steps,
        in_shares=found.in_shares,
        higher_is_better=checked.higher_is_better,
        runs={name: averaged[name] for name in scores},
        n_multipliers=int(n_multipliers),
        stream_keys=keys,
        seed=known_seed(rng),
        caveats=tuple(aggregate_caveats(checked, found, scores, chosen, asked.gamma)),
        preparations={task: own.preparation for task, own in checked.items()},
        display=next(iter(checked.values())).display.of(checked.algorithms),
    )


def _without(tasks: Tasks, out: tuple[str, ...]) -> Tasks:
    """Return the tasks without some; what was dropped before is still known."""
    if not out:
        return tasks
    kept = tasks.keep(*(task for task in tasks if task not in out))
    kept.dropped = tasks.dropped
    return kept


def _check_multipliers(n_multipliers: Any) -> None:
    whole = isinstance(n_multipliers, int | np.integer) and n_multipliers is not True
    if not whole or n_multipliers < MIN_MULTIPLIERS:
        text = f"must be an integer of {MIN_MULTIPLIERS} or more, not {n_multipliers!r}."
        refuse_option("n_multipliers", text)
