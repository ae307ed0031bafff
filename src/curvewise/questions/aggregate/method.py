"""References: for each task the score that counts as 0 and the one that counts as 1."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from curvewise.data.checks import check_choice, check_number
from curvewise.errors import CurvesError, OptionError, refuse
from curvewise.inference.result import Interval
from curvewise.inference.two_groups import EVERY_STEP, final_weights, mean_weights, window_weights
from curvewise.kernels.contrasts import largest_moves
from curvewise.kernels.pvalues import upper_quantile
from curvewise.kernels.tasks import STATISTICS, StratifiedRuns, spread_of, t_quantiles
from curvewise.questions.aggregate.result import AggregateDifference, AggregateScore, Band
from curvewise.text import argument, did_you_mean, listed, number_text, plural

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Tasks
    from curvewise.kernels import Floats


RAW = "raw"
Reference = Mapping[str, tuple[float, float]] | str | os.PathLike[str] | None

# What the columns of a file may be called.
TASK_COLUMNS = ("task", "game", "env", "environment", "dataset", "benchmark", "problem")
LOW_COLUMNS = ("low", "random", "min", "minimum")
HIGH_COLUMNS = ("high", "human", "expert", "max", "maximum")
MAX_NAMED = 6  # tasks that a message lists


def references(
    given: object, tasks: Sequence[str], *, higher_is_better: bool
) -> dict[str, tuple[float, float]]:
    """Return the two scores of each task, from a mapping or a file.

    Raises
    ------
    OptionError
        If a task has none, a name in a mapping is that of no task, or the scores of a task are
        not finite or not in order: the second must be the better one.
    """
    if isinstance(given, Mapping):
        pairs, where = _from_mapping(given, "the reference"), "The reference"
        unknown = [name for name in pairs if name not in tasks]
        if unknown:
            close = did_you_mean(unknown[0], tasks)
            _refuse(
                f"The reference has {listed(unknown, MAX_NAMED)}, which "
                f"{'is' if len(unknown) == 1 else 'are'} not among the tasks; {close}"
            )
    elif isinstance(given, str | os.PathLike):
        path = Path(given)
        pairs, where = _from_file(path), path.name
    else:
        _refuse(
            "reference must be a mapping from task to two scores (what counts as 0, what "
            f"counts as 1), the path of a file with them, or {RAW!r}; it is {given!r}."
        )
    missing = [name for name in tasks if name not in pairs]
    if missing:
        close = did_you_mean(missing[0], pairs, most=MAX_NAMED)
        _refuse(
            f"{where} lacks {listed(missing, MAX_NAMED)}; {close} Give the two scores of every "
            "task."
        )
    found = {}
    for name in tasks:
        low, high = (_number(own, name, where) for own in pairs[name])
        found[name] = (low, high)
        if (high <= low) if higher_is_better else (high >= low):
            better, since = (
                ("higher", "") if higher_is_better else ("lower", ", since lower scores are better")
            )
            _refuse(
                f"The reference of {name!r} is {number_text(low)} and {number_text(high)}: the "
                f"score that counts as 1 must be {better} than the one that counts as 0{since}. "
                "Swap or correct them."
            )
    return found


Pairs = dict[str, tuple[Any, Any]]


def _from_mapping(given: Mapping[Any, Any], where: str) -> Pairs:
    found: Pairs = {}
    for task, own in given.items():
        pair = own
        if isinstance(own, Mapping):
            pair = [own[_column(own, names, where)] for names in (LOW_COLUMNS, HIGH_COLUMNS)]
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            _refuse(
                f"The reference of {str(task)!r} must be two scores, what counts as 0 and what "
                f"counts as 1; it is {own!r}."
            )
        found[str(task)] = (pair[0], pair[1])
    return found


def _from_file(path: Path) -> Pairs:
    if not os.path.isfile(path):  # noqa: PTH113 (unlike Path.is_file it never raises)
        _refuse(
            f"There is no file {str(path)!r} with the reference. Check the name and the "
            f"folder, or use {RAW!r} for scores that are on one scale already."
        )
    try:
        if path.suffix.lower() == ".json":
            rows = json.loads(path.read_text(encoding="utf-8-sig"))
            if isinstance(rows, Mapping):
                return _from_mapping(rows, path.name)
            if type(rows) is not list or not all(isinstance(row, Mapping) for row in rows):
                _refuse(
                    f"{path.name} must hold an object from task to two scores, or a list of "
                    "objects with task, low and high."
                )
        else:
            from curvewise.readers.table_formats import open_text, separator

            with open_text(path) as file:
                rows = list(csv.DictReader(file, delimiter=separator(path)))
    except OptionError:
        raise
    except OSError as error:
        _refuse(f"{path.name} cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError:
        _refuse(f"{path.name} is not text in UTF-8. Save it with that encoding.")
    except (ValueError, csv.Error) as error:
        _refuse(f"{path.name} cannot be read: {error}. Write the file again.")
    return _from_rows(rows, path.name)


def _from_rows(rows: Sequence[Mapping[Any, Any]], where: str) -> Pairs:
    if not rows:
        _refuse(f"{where} has no rows; it needs one for each task.")
    found: Pairs = {}
    for row in rows:
        task, low, high = (
            row[_column(row, names, where)] for names in (TASK_COLUMNS, LOW_COLUMNS, HIGH_COLUMNS)
        )
        name = str(task).strip()
        if found.setdefault(name, (low, high)) != (low, high):
            _refuse(f"{where} has two rows for {name!r} that differ. Keep one of them.")
    return found


def _column(row: Mapping[Any, Any], names: Sequence[str], where: str) -> Any:
    """Return the key of a row that is called one of ``names``."""
    keys = {str(key).strip().lower(): key for key in row}
    found = [name for name in names if name in keys]
    if not found:
        others = ", ".join(map(repr, names[1:]))
        _refuse(
            f"{where} needs a column called {names[0]!r} (or {others}); it has "
            f"{listed([repr(str(key)) for key in row], MAX_NAMED)}."
        )
    return keys[found[0]]


def _number(value: object, task: str, where: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        _refuse(
            f"{where} has {value!r} for {task!r}, which is not a finite number. Write scores "
            "with a decimal point, and without separators of thousands."
        )
    return number


def _refuse(text: str) -> NoReturn:
    raise OptionError(text, option="reference")


# --- From tasks to one table per algorithm: a row for each run of every task, on one scale.

On = Literal["mean", "final", "every step"] | tuple[float, float]
Scaling = Literal["reference", "data", "raw"]

NAMES_OF_ON = ("mean", "final", EVERY_STEP)
MIN_RUNS = 2  # of an algorithm in a task; fewer say nothing of how runs vary


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
    if isinstance(on, str):
        check_choice("on", on, NAMES_OF_ON)
    elif isinstance(on, Sequence) and len(on) == 2:
        for name, step in zip(("start", "stop"), on, strict=True):
            check_number("on", step, f"step as the {name} of a window")
    else:
        known = "'mean', 'final', 'every step' or (start, stop) in steps"
        refuse(f"on must be {known}; it is {on!r}.", "on")


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
    scaling: Scaling = "data" if reference is None else "reference"
    if isinstance(reference, str) and reference == RAW:
        scaling = "raw"
    steps, in_shares = None, False
    if on == EVERY_STEP:
        steps, in_shares = _common_steps(tasks)
        numbers = {task: _at(tasks[task], steps, in_shares=in_shares) for task in sorted(tasks)}
        measure = _numbers(tasks, "mean")[1]
    else:
        numbers, measure = _numbers(tasks, on)
    higher = tasks.higher_is_better
    scales = dict.fromkeys(tasks, (0.0, 1.0 if higher else -1.0))
    if scaling == "reference":
        scales = references(reference, list(tasks), higher_is_better=higher)
    elif scaling == "data":
        scales = _scales_of(numbers, higher_is_better=higher)
    scales = {task: scales[task] for task in tasks if task in scales}
    for task, (low, high) in scales.items():
        numbers[task] = (numbers[task] - low) / (high - low)
    runs = {}
    for algorithm in tasks.algorithms:
        own = [_in_order(numbers[name][tasks[name].labels == algorithm]) for name in sorted(scales)]
        codes = np.repeat(np.arange(len(own)), [len(rows) for rows in own])
        runs[algorithm] = StratifiedRuns(np.vstack(own), codes)
    without_scale = tuple(task for task in tasks if task not in scales)
    shown = None if scaling == "raw" else scales
    return Stacked(runs, measure, steps, in_shares, scaling, shown, without_scale)


def _check_runs(tasks: Tasks) -> None:
    """Raise if an algorithm has a single run on a task, naming them."""
    single = [
        f"{name} on {task}"
        for task, curves in tasks.items()
        for name, size in zip(curves.algorithms, curves.sizes, strict=True)
        if size < MIN_RUNS
    ]
    if single:
        refuse(
            f"{plural(MIN_RUNS, 'run')} of an algorithm on each task are needed to tell how "
            f"much runs vary, and there is 1 of {listed(single, MAX_NAMED)}. Repeat the "
            "training with other seeds, or leave these tasks out."
        )


def _numbers(tasks: Tasks, on: On) -> tuple[dict[str, Floats], str]:
    """Return one number for each run of each task, as a column, and what it is called."""
    numbers, labels = {}, set()
    for task, curves in tasks.items():
        try:
            if isinstance(on, str):
                weights, label = (final_weights if on == "final" else mean_weights)(curves)
            else:
                weights, label = window_weights(curves.steps, float(on[0]), float(on[1]))
        except CurvesError as error:
            refuse(f"Task {task!r}: {error}")
        # Summed run by run: a product of matrices may round a row by where it stands.
        numbers[task] = (curves.scores * weights).sum(axis=1, keepdims=True)
        labels.add(label)
    several = "mean of the last tenth of the steps"
    return numbers, several if len(labels) > 1 else labels.pop()


def _common_steps(tasks: Tasks) -> tuple[np.ndarray[Any, Any], bool]:
    """Return the steps of all tasks, or as many shares of training as the shortest has steps."""
    every = [curves.steps for curves in tasks.values()]
    same = {len(steps) for steps in every} == {len(every[0])}
    if same and np.allclose(every, every[0], rtol=1e-9, atol=0):
        return every[0], False
    single = [task for task, curves in tasks.items() if curves.n_steps == 1]
    if single:
        refuse(
            f"Tasks have steps of their own, and {listed(single, MAX_NAMED)} a single one, so "
            f"there is no share of training to compare them at. Use {argument('on', 'final')}."
        )
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
        refuse(
            f"All runs of {flat} have the same score, so this data gives no scale to normalise "
            f"{'it' if len(numbers) == 1 else 'them'} by. Give {argument('reference')}."
        )
    return scales


def _in_order(rows: Floats) -> Floats:
    """Return the runs in an order of their scores, so that no digit depends on theirs."""
    return np.array(sorted(rows, key=lambda row: row.tobytes()))


# --- Values, intervals and bands of the algorithms, and of their differences.


def estimated(
    runs: Mapping[str, StratifiedRuns],
    statistic: str,
    gamma: float,
    confidence: float,
    n_multipliers: int,
    keys: Mapping[str, int] | None,
) -> tuple[dict[str, AggregateScore], tuple[AggregateDifference, ...]]:
    """Return the aggregate of each algorithm, best first, and the differences of all pairs.

    Of several steps the value is the mean of the aggregate over the steps. ``keys`` seed the
    multipliers of bands; without them there are no curves and bands.
    """
    from scipy.special import ndtri

    aggregate, alpha = STATISTICS[statistic], 1 - confidence
    averages = {name: aggregate.value(own, gamma) for name, own in runs.items()}
    sign, least = (-1, 0.0) if statistic == "gap" else (1, -math.inf)
    # Those of the same value are in the order of their names.
    names = sorted(runs, key=lambda name: (-sign * float(averages[name].mean()), name))
    rows, values = [runs[name] for name in names], [averages[name] for name in names]
    residuals = [own.residuals(aggregate.influences(own, gamma)) for own in rows]
    # The influence of a run on the mean over steps is the mean of its influences.
    squares = [
        own.squares(rest.mean(axis=1, keepdims=True))
        for own, rest in zip(rows, residuals, strict=True)
    ]
    normal = -float(ndtri(alpha / 2))
    pairs = list(combinations(range(len(names)), 2))
    found: dict[tuple[int, ...], tuple[Any, ...]] = {}
    for places in (*((place,) for place in range(len(names))), *pairs):
        value, *other = (float(values[place].mean()) for place in places)
        value -= sum(other)
        spread = spread_of([squares[place] for place in places])
        error, df = float(spread.error[0]), float(spread.df[0])
        reach = float(t_quantiles(normal, spread.df)[0] * spread.error[0])
        low = value - reach if other else max(value - reach, least)
        interval = Interval(low, value + reach)
        found[places] = value, interval, error, None if math.isnan(df) else df
    if keys is not None:
        squares = [own.squares(rest) for own, rest in zip(rows, residuals, strict=True)]
        spreads = {own: spread_of([squares[place] for place in own]) for own in found}
        seeds = [keys[name] for name in names]
        wanted = [(places, spread.error) for places, spread in spreads.items()]
        largest = largest_moves(residuals, wanted, n_multipliers, seeds)
        for (places, spread), moves in zip(spreads.items(), largest, strict=True):
            curve = values[places[0]]
            if len(places) == 2:
                curve = curve - values[places[1]]
            # From the normal to Student's scale, at the tail of the band.
            across = t_quantiles(upper_quantile(moves, alpha), spread.df) * spread.error
            lower = curve - across
            if len(places) == 1:
                lower = np.maximum(lower, least)
            found[places] += (curve, Band(lower, curve + across))
    scores = {
        name: AggregateScore(name, len(own.tasks), *found[place,])
        for place, (name, own) in enumerate(zip(names, rows, strict=True))
    }
    return scores, tuple(
        AggregateDifference(names[one], names[other], *found[one, other]) for one, other in pairs
    )
