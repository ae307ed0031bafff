"""Tables: which columns, rows and steps are read, and long tables as runs × steps.

Any frame that narwhals supports can be read. The table is not pivoted by the frame library:
names become small integers and the scores are scattered into an array, in time and memory
proportional to the number of rows.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypedDict, TypeVar, get_args

import numpy as np

from curvewise.data.checks import (
    as_float,
    as_integer,
    as_names,
    as_steps,
    check_choice,
    check_exact,
    refuse_option,
)
from curvewise.data.points import Duplicates, RunLog, in_window, one_score_per_step
from curvewise.errors import CurvesError, refuse
from curvewise.text import argument, did_you_mean, encodable, plural, shown_value, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import narwhals as nw
    import numpy.typing as npt

    from curvewise.kernels import Array, Booleans, Floats, Integers


Names = np.ndarray[tuple[int], np.dtype[np.object_]]
Key = TypeVar("Key")
Value = TypeVar("Value")


def name_of(value: object) -> str | None:
    """Return a value as a name; None if it is missing.

    Whole numbers are written without a point: frame libraries turn them into floats in a
    column with gaps. Raise CurvesError if the value is none that names anything, such as a
    list, or an object that is written differently in each process.

    >>> name_of("DQN"), name_of(3.0), name_of(b"PPO"), name_of(float("nan"))
    ('DQN', '3', 'PPO', None)
    """
    if isinstance(value, str):
        return encodable(str(value))  # NumPy has texts of its own
    if _is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    kind = type(value)
    is_anonymous = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    if is_anonymous or isinstance(value, frozenset) or not _is_hashable(value):
        refuse(f"{shown_value(value)} is no name. Names must be text or numbers.")
    try:
        return encodable(str(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        refuse(f"{shown_value(value)} is too long for a name. Shorten it.")


def _is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, a date that is none, the NA of pandas."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 (NaN differs from itself)
    except TypeError:  # NA is neither equal nor unequal to itself
        return True
    except ValueError:  # an array
        return False


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key; keys in the order in which they first come.

    >>> grouped([("ppo", 1), ("sac", 2), ("ppo", 3)])
    {'ppo': [1, 3], 'sac': [2]}
    """
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names as people do, ``run 2`` before ``run 10``.

    >>> natural_order(["run 10", "nan", "run 2", "-1", "0.5"])
    ['-1', '0.5', 'nan', 'run 2', 'run 10']
    """

    def key(name: str) -> tuple[int, float, list[tuple[int, int, str]], str]:
        try:
            number = float(name)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return 0, number, [], name
        # Also what Python takes for a number that has no place among others: nan, infinity.
        # Numbers of any length: the longer one is the larger one.
        parts = [
            (0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part)
            for part in re.split(r"(\d+)", name)
        ]
        return 1, 0.0, parts, name

    return sorted(names, key=key)


def numbered(labels: Names) -> Names:
    """Return names for runs: numbers from 0 within each algorithm."""
    counts: dict[str, count[int]] = defaultdict(count)
    return np.array([str(next(counts[label])) for label in labels], dtype=object)


# What people write where there is no score: such cells are missing rather than wrong. A dash
# or a point alone may be what is left of a number.
BLANK_CELLS = frozenset({"", "na", "n/a", "nan", "null", "none"})
PLAIN_NUMBERS = (
    "Write decimals with a point, and numbers without thousands separators, units and percent "
    "signs."
)
POINTED = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


def number_of(value: object) -> float:
    """Return a cell as a number, NaN if it is none; infinity if it is too large for a double.

    >>> number_of("1.5"), number_of(10**400), number_of("1_000"), number_of(None)
    (1.5, inf, nan, nan)
    """
    if isinstance(value, str) and "_" in value:
        return math.nan  # float() accepts 1_000, which in data is rather a name or a slip
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return math.nan


def check_points(values: Floats, texts: Callable[[], Iterable[str | None]], where: str) -> None:
    """Raise CurvesError if points part thousands, as in 500, 1.000, 1.500.

    How numbers are written tells it: three digits behind every point, zeros at the end among
    them, and no point in smaller numbers. Texts are asked for only if values may be such.
    """
    known = values[np.isfinite(values)]
    if not 1 <= np.abs(known).max(initial=0.0) < 1_000 or not np.allclose(
        1_000 * known, np.rint(1_000 * known), rtol=0, atol=1e-6
    ):
        return
    found = {text.strip() for text in texts() if text and text.strip()[-1].isdecimal()}
    pointed = {text for text in found if "." in text}
    zeros = sorted(text for text in pointed if text.endswith("0"))
    if zeros and found - pointed - {"0"} and all(map(POINTED.fullmatch, pointed)):
        whole = zeros[0].replace(".", "")
        refuse(
            f"{where}: the point of {zeros[0]!r} may part thousands, since other numbers have "
            f"none. Write {whole} if that is meant, or else {float(zeros[0]):g}."
        )


def numbers(series: nw.Series[Any]) -> Floats:
    """Return a column as numbers; cells that are missing or not numbers become NaN."""
    import narwhals as nw

    is_polars = series.implementation.is_polars()
    # Others turn decimals into the nearest number but one.
    is_exact = is_polars or series.dtype != nw.Decimal
    if (series.dtype.is_numeric() and is_exact) or series.dtype == nw.Boolean:
        with suppress(Exception):  # of a library that refuses integers beyond 2**53
            values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
            if is_polars:
                values.setflags(write=False)  # nobody can change it, so nobody need copy it
            return values
    return np.array([number_of(value) for value in series.to_list()], dtype=np.float64)


def score_numbers(series: nw.Series[Any]) -> tuple[Floats, Booleans | None]:
    """Return a column of scores as numbers, and mark the cells without a score, if any.

    A NaN that was written as such is a score. Frames of pandas cannot tell it from an empty
    cell, for which it is taken there.

    Raises
    ------
    CurvesError
        If a cell holds something else than a number.
    """
    import narwhals as nw

    values = numbers(series)
    is_missing = None
    if series.null_count():
        is_missing = np.array(series.is_null().to_numpy(), dtype=np.bool_)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return values, is_missing
    is_missing = np.zeros(len(values), dtype=np.bool_) if is_missing is None else is_missing
    for row in np.flatnonzero(np.isnan(values) & ~is_missing).tolist():
        cell = series[row]
        text = str(cell).strip().lower()
        if text not in BLANK_CELLS:
            refuse(
                f"Scores must be numbers; column {series.name!r} has {shown_value(cell)} in "
                f"data row {row + 1}. Name another column as the score, or mend the cell."
            )
        is_missing[row] = text != "nan"
    check_points(values, lambda: map(str, series), f"Column {series.name!r}")
    return values, is_missing if is_missing.any() else None


def step_numbers(series: nw.Series[Any], is_missing: Booleans | None) -> Array:
    """Return a column of steps as numbers, whole or not as they come.

    Those of rows without a score do not matter. Raises CurvesError if a cell holds no number, or
    one that is too large to be exact.
    """
    values: Array
    import narwhals as nw

    is_known = series.dtype.is_integer() and series.dtype not in (nw.Int128, nw.UInt128)
    if is_known and not series.null_count():
        values = series.to_numpy()
    else:
        values = numbers(series)
        if not series.dtype.is_numeric():
            check_points(values, lambda: map(str, series), f"Column {series.name!r}")
        if is_missing is not None:
            values = np.where(is_missing & ~np.isfinite(values), 0.0, values)
    low, high = float(values.min()), float(values.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        bad = np.flatnonzero(~np.isfinite(values))
        refuse(
            f"Steps must be numbers; column {series.name!r} has no number in "
            f"{plural(bad.size, 'row')}, the first being data row {bad[0] + 1} "
            f"({shown_value(series[int(bad[0])])}). Name another column as the step, or fix or "
            "drop these rows."
        )
    check_exact(max(-low, high))
    return values


class NamesAndCodes(NamedTuple):
    """The names in a column, in natural order, and the place of each row's name among them."""

    names: list[str]
    codes: Integers


def first_rows(columns: Iterable[nw.Series[Any]]) -> Integers:
    """Return the rows at which one of some columns is not as on the row before, and the first.

    Every row, if a column is of a type whose values cannot be compared.
    """
    starts = [np.zeros(1, dtype=np.int64)]
    for own in columns:
        if not _is_plain(own) or _has_gaps(own):
            return np.arange(len(own))
        is_new = (own.head(len(own) - 1) != own.tail(len(own) - 1)).to_numpy()
        starts.append(np.flatnonzero(is_new) + 1)
    return np.unique(np.concatenate(starts))


def names_and_codes(
    series: nw.Series[Any], what: str, rows: Integers | None = None
) -> NamesAndCodes:
    """Return the names in a column and where they are, on all rows or on some.

    Raises CurvesError if a name is missing, or is none; ``what`` says what it names.
    """
    looked_at = np.arange(len(series)) if rows is None else rows
    found = series if len(looked_at) == len(series) else series[looked_at]
    codes, values = _distinct(found)
    names = _names(values, series.name)
    if None in names:
        is_missing = np.array([name is None for name in names])[codes]
        is_missing = np.repeat(is_missing, np.diff(looked_at, append=len(series)))
        missing = np.flatnonzero(is_missing)
        refuse(
            f"The {what} is missing in {plural(len(missing), 'row')}, the first being data "
            f"row {missing[0] + 1} (column {series.name!r}). Fill it in, or drop these rows."
        )
    order = natural_order({str(name) for name in names})
    places = {name: place for place, name in enumerate(order)}
    return NamesAndCodes(order, np.array([places[str(name)] for name in names])[codes])


def names_of_rows(series: nw.Series[Any]) -> list[str | None]:
    """Return the name on each row, None where it is missing; raise if one is no name."""
    codes, values = _distinct(series)
    names = _names(values, series.name)
    return [names[code] for code in codes.tolist()]


def _names(values: Iterable[object], column: str) -> list[str | None]:
    """Return values as names, None where they are missing; raise if one is no name."""
    try:
        names = [name_of(value) for value in values]
    except CurvesError as error:
        refuse(f"Column {column!r} does not hold names: {error} Name another column.")
    return [None if name is None else name.strip() for name in names]


def _distinct(series: nw.Series[Any]) -> tuple[Integers, list[Any]]:
    """Return the values of a column, and which of them each row has.

    Each value is there once, if the column is of a type whose values can be compared.
    """
    if not _is_plain(series) or _has_gaps(series):
        values = series.to_list()
        return np.arange(len(values)), values
    import narwhals as nw

    try:
        values = series.unique().to_list()
    except UnicodeError:  # pandas holds texts that it cannot write
        values = series.to_list()
        return np.arange(len(values)), values
    codes = series.replace_strict(values, range(len(values)), return_dtype=nw.Int32)
    return codes.to_numpy(), values


def _is_plain(series: nw.Series[Any]) -> bool:
    """Whether a column holds values of one type that frame libraries can compare."""
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        return not dtype.is_decimal()
    return dtype in {nw.String, nw.Categorical, nw.Enum, nw.Boolean}


def _has_gaps(series: nw.Series[Any]) -> bool:
    """Whether a value is missing, or NaN."""
    if series.null_count():
        return True
    return series.dtype.is_float() and bool(series.is_nan().any())


How = Literal["linear", "previous", "bins"]
Policy = Literal["refuse", "prefix", "worst", "carry", "drop"]

MAX_STEPS_ASKED = 10**7  # more than any curve is read with


@dataclass(frozen=True)
class AlignmentOptions:
    """How runs are brought to common steps, and what short runs count as.

    Attributes
    ----------
    how : "linear", "previous" or "bins"
        What is taken between the logged steps: the straight line, the value before, or the mean
        of each of several equal bins.
    n_steps : int, optional
        How many evenly spaced steps, or bins; by default the steps of the run that was logged
        least often.
    short : "refuse", "prefix", "worst", "carry" or "drop"
        What is done if runs end early, diverge or are empty.
    reason : str, optional
        Why short runs may be dropped.
    min_steps : int, optional
        How many steps are enough where all runs are cut to a prefix.

    Raises
    ------
    OptionError
        If a value cannot be used, alone or with the others.
    """

    how: How = "linear"
    n_steps: int | None = None
    short: Policy = "refuse"
    reason: str | None = None
    min_steps: int | None = None

    def __post_init__(self) -> None:
        check_choice("align", self.how, get_args(How))
        check_choice("short", self.short, get_args(Policy))
        for name, least in (("n_steps", 2), ("min_steps", 1)):
            value = getattr(self, name)
            if value is None:
                continue
            if (as_integer(value) or 0) < least:
                refuse_option(name, f"must be an integer of {least} or more, not {value!r}.")
            if value > MAX_STEPS_ASKED:
                refuse_option(name, f"must be {MAX_STEPS_ASKED:,} at most, not {value:,}.")
        given = isinstance(self.reason, str) and bool(self.reason.strip())
        if self.short == "drop" and not given:
            text = (
                f"is needed with {argument('short', 'drop')}: say why the runs failed, in a "
                "few words that stand in every verdict. Dropping is right only where failing "
                "had nothing to do with the scores."
            )
            refuse_option("reason", text)
        if self.short != "drop" and self.reason is not None:
            refuse_option("reason", f"goes with {argument('short', 'drop')} only.")
        if self.short != "prefix" and self.min_steps is not None:
            refuse_option("min_steps", f"goes with {argument('short', 'prefix')} only.")

    @property
    def asks_for_steps(self) -> bool:
        """Whether steps are asked for that need not be those of any run."""
        return self.n_steps is not None or self.how == "bins"


class SelectionOptions(TypedDict, total=False):
    """The arguments that say which part is read, and how runs come to common steps."""

    block: str | None
    only: Sequence[str] | None
    start: float | None
    stop: float | None
    align: How
    n_steps: int | None
    short: Policy
    reason: str | None
    min_steps: int | None
    duplicates: Duplicates | None


class Columns(NamedTuple):
    """The column of each part; None where it was not named, or there is none."""

    algorithm: str | None = None
    run: str | None = None
    step: str | None = None
    score: str | None = None
    block: str | None = None

    def described(self) -> str:
        """Say which column is read as what.

        >>> Columns("agent", "seed").described()
        "algorithm from 'agent', run from 'seed'"
        """
        return ", ".join(
            f"{part} from {column!r}" for part, column in self._asdict().items() if column
        )


@dataclass(frozen=True)
class Selection:
    """What is read of a table, and what its scores mean.

    Attributes
    ----------
    columns : Columns
        The column of each part.
    only : sequence of str, optional
        The algorithms to keep; all of them when there is none.
    start, stop : float, optional
        The first and the last step to keep.
    higher_is_better : bool
        Whether a higher score is a better one.
    alignment : AlignmentOptions
        How runs are brought to common steps where theirs differ.
    duplicates : "mean" or "last", optional
        What holds for several scores of a run at one step; refused by default.
    where : mapping from column to value
        Rows without these values are left out.
    """

    columns: Columns = field(default_factory=Columns)
    only: Sequence[str] | None = None
    start: float | None = None
    stop: float | None = None
    higher_is_better: bool = True
    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    duplicates: Duplicates | None = None
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "only", as_names("only", self.only))
        if self.duplicates is not None:
            check_choice("duplicates", self.duplicates, get_args(Duplicates))

    @property
    def direction(self) -> str:
        """What is said of the direction, after what was read."""
        return "" if self.higher_is_better else "; lower is better"

    def keeps_algorithms(self, names: npt.ArrayLike) -> Booleans:
        """Mark the names that are kept; raise if one to keep is not among them."""
        present = np.asarray(names, dtype=object)
        if not self.only:
            return np.ones(len(present), dtype=np.bool_)
        check_algorithms(self.only, list(dict.fromkeys(present)))
        return np.isin(present, list(self.only))

    @property
    def window(self) -> tuple[float, float]:
        """The first and the last step to keep; infinite where there is no limit."""
        return (
            -math.inf if self.start is None else as_float(self.start),
            math.inf if self.stop is None else as_float(self.stop),
        )

    def keeps_steps(self, steps: Array) -> Booleans:
        """Mark the steps that are kept; raise if there are none."""
        return in_window(steps, self.start, self.stop)


def check_algorithms(
    asked: Iterable[str], algorithms: Sequence[str], what: str = "algorithm"
) -> None:
    """Raise if a name that is asked for is not that of an algorithm, or of ``what`` is named."""
    try:
        names = list(asked)
    except TypeError:
        refuse(
            f"Name algorithms in a list, such as {list(algorithms)[:2]}, not {shown_value(asked)}."
        )
    for name in names:
        if not isinstance(name, str) or name not in algorithms:
            close = did_you_mean(str(name), algorithms)
            refuse(f"No {what} is called {shown_value(name)}; {close}")


@dataclass(frozen=True, eq=False)
class Records:
    """A score of a run at a step on each row, in any order.

    Attributes
    ----------
    rows : array of int, (n_records,)
        The place of each record's run among the runs.
    steps, scores : array, (n_records,)
    labels, runs : sequence of str, (n_runs,)
        The algorithm and the name of each run.
    blocks : sequence of str, (n_runs,), or None
    precision : float
        The machine epsilon of the type that scores were stored in.
    """

    rows: npt.NDArray[np.int32]
    steps: Array
    scores: Floats
    labels: Sequence[str]
    runs: Sequence[str]
    blocks: Sequence[str] | None
    precision: float

    def where(self, keep: Booleans) -> Self:
        """Return some of the records; the runs stay, if need be without any."""
        return replace(self, rows=self.rows[keep], steps=self.steps[keep], scores=self.scores[keep])

    def check_repeats(self) -> None:
        """Raise if a run has several different scores at a step."""
        order = np.lexsort((self.steps, self.rows))
        rows, steps, scores = self.rows[order], self.steps[order], self.scores[order]
        same = (rows[1:] == rows[:-1]) & (steps[1:] == steps[:-1])
        if not same.any():
            return
        differ = same & (scores[1:] != scores[:-1])
        differ &= ~(np.isnan(scores[1:]) & np.isnan(scores[:-1]))
        if not differ.any():
            return  # the same row again says nothing new
        place = int(np.flatnonzero(differ)[0])
        run, step = int(rows[place]), steps[place]
        n_scores = int(((rows == run) & (steps == step)).sum())
        n_repeated = int(same.sum())
        refuse(
            f"{plural(n_repeated, 'row')} {'repeats' if n_repeated == 1 else 'repeat'} a run "
            f"and step: run {self.runs[run]!r} of {self.labels[run]!r} has {n_scores} scores at "
            f"step {step_text(step)}. If these are several observations, use "
            f"{argument('duplicates', 'mean')}; if a run was resumed and the later row holds, "
            f"{argument('duplicates', 'last')}. Otherwise choose one task or metric if the table "
            f"holds several ({argument('where')} keeps the rows of a file with a value), or name "
            "the column that tells the runs apart as the run."
        )

    def logs(self, duplicates: Duplicates | None) -> list[RunLog]:
        """Return a log per run, empty for a run without records.

        Of several records of a step the mean is taken, unless the last is to hold.
        """
        order = np.argsort(self.rows, kind="stable")
        ends = np.cumsum(np.bincount(self.rows, minlength=len(self.labels)))
        logs = []
        for place, own in enumerate(np.split(order, ends[:-1])):
            found = one_score_per_step(
                self.steps[own], self.scores[own], duplicates=duplicates or "mean"
            )
            logs.append(
                RunLog(
                    self.labels[place],
                    self.runs[place],
                    "score",
                    found.steps,
                    found.scores,
                    block=None if self.blocks is None else self.blocks[place],
                    notes=found.notes if duplicates else (),
                    precision=self.precision,
                )
            )
        return logs


@dataclass(frozen=True)
class WideTable:
    """Scores as runs × steps.

    Those of a long table are in natural order, whatever the order of its rows.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
    steps : array, (n_steps,)
    labels : sequence of str, (n_runs,)
        The algorithm of each run.
    runs, blocks : sequence of str, (n_runs,), or None
        The name and the block of each run, where the table has them.
    precision : float
        The machine epsilon of the type that scores were stored in.
    is_missing : array of bool, (n_runs, n_steps), or None
        The cells without a score, where there are any.
    """

    scores: Floats
    steps: Array
    labels: Sequence[str]
    runs: Sequence[str] | None
    blocks: Sequence[str] | None
    precision: float
    is_missing: Booleans | None = None

    def logs(self) -> list[RunLog]:
        """Return a log per run, of the scores that are there."""
        n_runs, n_steps = self.scores.shape
        names = numbered(np.array(self.labels, dtype=object)).tolist()
        rows = np.repeat(np.arange(n_runs, dtype=np.int32), n_steps)
        points = rows, np.tile(self.steps, n_runs), self.scores.ravel()
        records = Records(*points, self.labels, self.runs or names, self.blocks, self.precision)
        if self.is_missing is not None:
            records = records.where(~self.is_missing.ravel())
        return records.logs(None)


def long_table(frame: Any, selection: Selection) -> WideTable | list[RunLog]:
    """Turn a long table into runs × steps, or into a log per run if their steps differ.

    All columns but that of the block must be named in the selection. Rows without a score are
    no records, and count as nothing.

    Raises
    ------
    CurvesError
        If a cell is missing or is no number, or a run has several scores at a step and nothing
        was said about them.
    """
    columns = selection.columns
    named = [*columns[:4]] + ([] if columns.block is None else [columns.block])
    table = frame_of(frame, [str(name) for name in named])
    score_values, is_missing = score_numbers(table[str(columns.score)])
    step_values = step_numbers(table[str(columns.step)], is_missing)
    precision = _precision(table[str(columns.score)])
    stretches, runs = _runs(table, selection)
    del table  # tables of ten million rows should not be in memory twice
    if selection.only:
        keep = selection.keeps_algorithms([label for label, _, _ in runs])
        is_kept = keep[stretches.runs]
        if not is_kept.all():
            rows = np.repeat(is_kept, stretches.lengths)
            step_values, score_values = step_values[rows], score_values[rows]
            is_missing = None if is_missing is None else is_missing[rows]
            stretches = Stretches(stretches.runs[is_kept], stretches.lengths[is_kept])
            # Runs keep their order; those that are left out leave no number behind.
            stretches = stretches._replace(runs=(np.cumsum(keep) - 1)[stretches.runs])
            runs = [run for run, kept in zip(runs, keep, strict=True) if kept]
    labels, names, blocks = zip(*runs, strict=True)
    about = labels, names, None if columns.block is None else blocks, precision
    asks_for_window = selection.start is not None or selection.stop is not None
    if not (asks_for_window or selection.alignment.asks_for_steps or is_missing is not None):
        order = stretches.alike(step_values)
        if order is not None:
            scores = score_values.reshape(len(runs), -1)
            if (np.diff(order) < 0).any():
                scores = scores[order]
            steps = as_steps(step_values[: scores.shape[1]])
            return WideTable(scores, steps, *about)
    whose = np.repeat(stretches.runs.astype(np.int32), stretches.lengths)
    records = Records(whose, as_steps(step_values), score_values, *about)
    if is_missing is not None:
        records = records.where(~is_missing)
        if not len(records.scores):
            return records.logs(None)
    windowed = records
    if asks_for_window:
        windowed = records.where(selection.keeps_steps(records.steps))
    if not selection.alignment.asks_for_steps:
        places, steps = _compact(windowed.steps)
        found = _scattered(windowed, places, len(steps))
        if found is not None:
            return WideTable(found, steps, *about)
    if selection.duplicates is None:
        windowed.check_repeats()
    return records.logs(selection.duplicates)


class Stretches(NamedTuple):
    """Rows of one run that follow one another: the place of the run, and how many they are."""

    runs: Integers
    lengths: Integers

    def alike(self, steps: Array) -> Integers | None:
        """Return the order of the stretches by run if each is a run with the same steps.

        None if a run is in several stretches, or steps differ or do not increase.
        """
        length = int(self.lengths[0])
        if (self.lengths != length).any():
            return None
        order = np.argsort(self.runs)
        if (np.diff(self.runs[order]) == 0).any():
            return None
        table = steps.reshape(-1, length)
        if (np.diff(table[0]) <= 0).any() or not all(
            np.array_equal(own, table[0]) for own in table
        ):
            return None
        return order


def _runs(
    table: nw.DataFrame[Any], selection: Selection
) -> tuple[Stretches, list[tuple[str, str, str]]]:
    """Tell runs apart: return where their rows are, and the algorithm, name and block of each.

    Runs come in natural order of algorithms, then of their names. Raise CurvesError if a run
    lies in several blocks.
    """
    columns = selection.columns
    parts = {"algorithm": columns.algorithm, "run": columns.run, "block": columns.block}
    series = {what: table[name] for what, name in parts.items() if name is not None}
    # Few names on many rows: where rows of a run stand together, only the first is looked at.
    starts = first_rows(series.values())
    coded = {what: names_and_codes(own, what, starts) for what, own in series.items()}
    algorithms, algorithm_codes = coded["algorithm"]
    runs, run_codes = coded["run"]
    # Names are coded in natural order, so sorted keys put the runs into that order too.
    keys = algorithm_codes.astype(np.int64) * len(runs) + run_codes
    places, distinct = _compact(keys)
    rows = places.astype(np.int64)
    lengths = np.diff(starts, append=len(table))
    blocks = [""] * len(distinct)
    labels = [algorithms[key // len(runs)] for key in distinct.tolist()]
    names = [runs[key % len(runs)] for key in distinct.tolist()]
    if "block" in coded:
        blocks = _run_blocks(rows, *coded["block"], labels, names)
    found = list(zip(labels, names, blocks, strict=True))
    return Stretches(rows, lengths), found


def names_in(frame: Any, column: str) -> tuple[str, ...]:
    """Return the names in a column of a table, in natural order; raise if a cell is empty."""
    series = frame_of(frame, [column])[column]
    return tuple(names_and_codes(series, "algorithm", first_rows([series])).names)


class TaskRows(NamedTuple):
    """The rows of a task in a table, and which of the algorithms to keep it has."""

    rows: Integers
    only: list[str] | None


def rows_by_task(
    table: nw.DataFrame[Any], task: str, algorithm: str, only: Sequence[str] | None
) -> dict[str, TaskRows]:
    """Tell the rows of each task apart, in natural order of their names.

    Without ``only`` all algorithms are kept. With it a task keeps those of them that it has,
    which may be none; one that no task has is refused.
    """
    names, codes = names_and_codes(table[task], "task")
    order = np.argsort(codes, kind="stable")
    rows = dict(zip(names, np.split(order, np.bincount(codes).cumsum()[:-1]), strict=True))
    if only is None:
        return {name: TaskRows(own, None) for name, own in rows.items()}
    algorithms, whose = names_and_codes(table[algorithm], "algorithm")
    check_algorithms(only, algorithms)
    found = {}
    for name, own in rows.items():
        there = {algorithms[code] for code in np.unique(whose[own]).tolist()}
        found[name] = TaskRows(own, [one for one in only if one in there])
    return found


def check_columns(named: Iterable[str | None], available: Sequence[object]) -> None:
    """Raise if a column that is named does not exist."""
    for column in named:
        if column is not None and column not in available:
            close = did_you_mean(column, map(str, available))
            refuse(f"No column is called {column!r}; {close}")


def frame_of(frame: Any, columns: list[str]) -> nw.DataFrame[Any]:
    """Return some columns of a frame of any library; raise if one does not exist."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        available = table.collect_schema().names()
    except (TypeError, nw.exceptions.NarwhalsError, ValueError):
        refuse(
            f"A {type(frame).__name__} is not a table that curvewise can read. Give a "
            "pandas, polars or pyarrow frame with a name for each column; for arrays use "
            "Curves.from_dict."
        )
    columns = list(map(str, columns))
    check_columns(columns, available)
    table = table.select(list(dict.fromkeys(columns)))
    table = table.collect() if isinstance(table, nw.LazyFrame) else table
    if len(table) == 0:
        refuse("The table has no rows; it needs one row per run and step.")
    return table


def _precision(series: nw.Series[Any]) -> float:
    import narwhals as nw

    stored = np.float32 if series.dtype == nw.Float32 else np.float64
    return float(np.finfo(stored).eps)


def _compact(values: Array) -> tuple[npt.NDArray[np.int32], Array]:
    """Return the rank of each value among the distinct values, and these in order."""
    low = values.min()
    span = int(values.max() - low) + 1
    if np.issubdtype(values.dtype, np.integer) and span <= 4 * len(values) + 1024:
        # Marking the values that occur is several times faster than sorting them.
        offsets = values - low
        seen = np.zeros(span, dtype=np.bool_)
        seen[offsets] = True
        places = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return places[offsets], np.flatnonzero(seen) + low
    distinct, numbers = np.unique(values, return_inverse=True)
    return numbers.astype(np.int32), distinct


def _scattered(records: Records, places: npt.NDArray[np.int32], n_steps: int) -> Floats | None:
    """Put each score into its run and step; return None unless each has one score."""
    size = len(records.labels) * n_steps
    if len(records.scores) != size:
        return None  # runs × steps may be far larger than the table
    cells = records.rows.astype(np.int64)
    cells *= n_steps
    cells += places
    scores = np.empty(size)
    filled = np.zeros(size, dtype=np.bool_)
    scores[cells] = records.scores
    filled[cells] = True
    return scores.reshape(-1, n_steps) if filled.all() else None


def _run_blocks(
    rows: Integers, blocks: list[str], codes: Integers, labels: Sequence[str], names: Sequence[str]
) -> list[str]:
    """Return the block of each run; raise if a run lies in several."""
    of_run = np.zeros(len(labels), dtype=np.int64)
    of_run[rows] = codes
    conflicts = np.flatnonzero(of_run[rows] != codes)
    if conflicts.size:
        run = int(rows[conflicts[0]])
        both = blocks[codes[conflicts[0]]], blocks[of_run[run]]
        refuse(
            f"A run belongs to one block, but run {names[run]!r} of {labels[run]!r} is in "
            f"{both[0]!r} and {both[1]!r}. Choose as the block a column that is the same on all "
            "rows of a run: a shared seed, a fold, a task."
        )
    return [blocks[code] for code in of_run.tolist()]
