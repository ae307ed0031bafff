"""From tasks to one table per algorithm: a row for each run of every task, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.errors import CurvesError, OptionError
from curvewise.inference.measures import (
    EVERY_STEP,
    final_weights,
    mean_weights,
    window_weights,
)
from curvewise.inference.requirements import check_choice, check_number
from curvewise.kernels.aggregates import StratifiedRuns
from curvewise.questions.aggregate.references import RAW, references
from curvewise.text import argument, listed, plural

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Tasks
    from curvewise.kernels import Floats

__all__ = ["On", "Scaling", "Stacked", "check_on", "stacked"]

On = Literal["mean", "final", "every step"] | tuple[float, float]
Scaling = Literal["reference", "data", "raw"]

NAMES_OF_ON = ("mean", "final", EVERY_STEP)
MIN_RUNS = 2  # of an algorithm in a task; fewer say nothing of how runs vary
MAX_NAMED = 6  # tasks that a message lists


@dataclass(frozen=True, eq=False)
class Stacked:
    """The runs of each algorithm, tasks in the order of their names, on one scale.

    Attributes
    ----------
    runs : mapping from algorithm to StratifiedRuns
        A column for each step, or a single one. Higher is better.
    measure : str
        What the number of a run is called.
    steps : array or None
        The common steps, or shares of training where tasks have steps of their own; None for
        one number a run.
    in_shares : bool
        Whether the steps are shares of training.
    scaling : "reference", "data" or "raw"
    scales : mapping from task to (float, float), or None
        The scores that count as 0 and as 1; None for raw scores.
    without_scale : tuple of str
        The tasks that were left out, since all of their runs have the same number and this
        data is all there is to normalise by.
    """

    runs: Mapping[str, StratifiedRuns]
    measure: str
    steps: np.ndarray[Any, Any] | None
    in_shares: bool
    scaling: Scaling
    scales: Mapping[str, tuple[float, float]] | None
    without_scale: tuple[str, ...] = ()


def check_on(on: object) -> None:
    """Raise unless ``on`` is a name that is known, or two steps."""
    if isinstance(on, Sequence) and not isinstance(on, str) and len(on) == 2:
        for name, step in zip(("start", "stop"), on, strict=True):
            check_number("on", step, f"step as the {name} of a window")
        return
    if isinstance(on, str):
        check_choice("on", on, NAMES_OF_ON)
        return
    msg = f"on must be 'mean', 'final', 'every step' or (start, stop) in steps; it is {on!r}."
    raise OptionError(msg, option="on")


def stacked(tasks: Tasks, on: On, reference: object) -> Stacked:
    """Measure every run, put the numbers on one scale, and gather them by algorithm.

    Raises
    ------
    CurvesError
        If a task has a single run of an algorithm, steps do not fit what is asked, or no task
        has any variation to normalise by.
    OptionError
        If the reference does not fit the tasks.
    """
    _check_runs(tasks)
    names = sorted(tasks)
    scaling: Scaling = "data"
    if isinstance(reference, str) and reference == RAW:
        scaling = "raw"
    elif reference is not None:
        scaling = "reference"
    steps, in_shares = None, False
    if on == EVERY_STEP:
        steps, in_shares = _common_steps(tasks)
        numbers = {name: _at(tasks[name], steps, in_shares=in_shares) for name in names}
        measure = "mean over training"
    else:
        numbers, measure = _numbers(tasks, on)
    scales = None
    without_scale: tuple[str, ...] = ()
    if scaling == "reference":
        direction = tasks.higher_is_better
        scales = references(reference, list(tasks), higher_is_better=direction)
    elif scaling == "data":
        scales = _scales_of(numbers, higher_is_better=tasks.higher_is_better)
        without_scale = tuple(task for task in tasks if task not in scales)
        names = [name for name in names if name in scales]
    sign = 1.0 if tasks.higher_is_better else -1.0
    for name in names:
        low, high = (0.0, sign) if scales is None else scales[name]
        numbers[name] = (numbers[name] - low) / (high - low)
    runs = {}
    for algorithm in tasks.algorithms:
        own = [
            _in_order(numbers[name][tasks[name].labels == algorithm]) for name in names
        ]
        codes = np.repeat(np.arange(len(own)), [len(rows) for rows in own])
        runs[algorithm] = StratifiedRuns(np.vstack(own), codes)
    if scales is not None:
        scales = {name: scales[name] for name in tasks if name in scales}
    return Stacked(runs, measure, steps, in_shares, scaling, scales, without_scale)


def _check_runs(tasks: Tasks) -> None:
    """Raise if an algorithm has a single run on a task, naming them."""
    single = [
        f"{name} on {task}"
        for task, curves in tasks.items()
        for name, size in zip(curves.algorithms, curves.sizes, strict=True)
        if size < MIN_RUNS
    ]
    if single:
        msg = (
            f"{plural(MIN_RUNS, 'run')} of an algorithm on each task are needed to tell how "
            f"much runs vary, and there is 1 of {listed(single, MAX_NAMED)}. Repeat the "
            "training with other seeds, or leave these tasks out."
        )
        raise CurvesError(msg)


def _numbers(tasks: Tasks, on: On) -> tuple[dict[str, Floats], str]:
    """Return one number for each run of each task, as a column, and what it is called."""
    numbers, labels = {}, {}
    for task, curves in tasks.items():
        if on == "mean":
            weights, label = mean_weights(curves.steps)
        elif on == "final":
            weights, label = final_weights(curves.steps)
        else:
            try:
                weights, label = window_weights(curves.steps, float(on[0]), float(on[1]))
            except CurvesError as error:
                msg = f"Task {task!r}: {error}"
                raise CurvesError(msg) from None
        # Summed run by run: a product of matrices may round a row by where it stands.
        numbers[task] = (curves.scores * weights).sum(axis=1, keepdims=True)
        labels[label] = task
    same = len(labels) == 1
    return numbers, next(iter(labels)) if same else "mean of the last tenth of the steps"


def _common_steps(tasks: Tasks) -> tuple[np.ndarray[Any, Any], bool]:
    """Return the steps of all tasks, or as many shares of training as the shortest has steps."""
    every = [curves.steps for curves in tasks.values()]
    first = every[0]
    if all(
        len(steps) == len(first) and np.allclose(steps, first, rtol=1e-9, atol=0)
        for steps in every
    ):
        return first, False
    single = [task for task, curves in tasks.items() if curves.n_steps == 1]
    if single:
        msg = (
            f"Tasks have steps of their own, and {listed(single, MAX_NAMED)} a single one, so "
            f"there is no share of training to compare them at. Use {argument('on', 'final')}."
        )
        raise CurvesError(msg)
    return np.linspace(0, 1, min(len(steps) for steps in every)), True


def _at(curves: Curves, steps: np.ndarray[Any, Any], *, in_shares: bool) -> Floats:
    """Return the scores at the common steps; between logged ones they are interpolated."""
    if not in_shares:
        return np.array(curves.scores)
    first, last = float(curves.steps[0]), float(curves.steps[-1])
    own = (curves.steps - first) / (last - first)
    return np.array([np.interp(steps, own, scores) for scores in curves.scores])


def _scales_of(
    numbers: Mapping[str, Floats], *, higher_is_better: bool
) -> dict[str, tuple[float, float]]:
    """Return the worst and the best number of each task, over the runs of all algorithms.

    Tasks whose numbers are all the same have no scale, and are left out; raises if all are.
    """
    scales = {}
    for task, own in numbers.items():
        low, high = float(own.min()), float(own.max())
        if low < high:
            scales[task] = (low, high) if higher_is_better else (high, low)
    if not scales:
        flat = listed(list(numbers), MAX_NAMED)
        msg = (
            f"All runs of {flat} have the same score, so this data gives no scale to normalise "
            f"{'it' if len(numbers) == 1 else 'them'} by. Give {argument('reference')}."
        )
        raise CurvesError(msg)
    return scales


def _in_order(rows: Floats) -> Floats:
    """Return the runs in an order of their scores, so that no digit depends on theirs."""
    return np.array(sorted(rows, key=lambda row: row.tobytes()))
