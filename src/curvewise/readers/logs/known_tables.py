"""Files of known names and columns: DVCLive, CatBoost, monitor files, evaluations.npz, Dopamine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import refuse
from curvewise.readers.parsing.files import archive_names, damaged, read_archive
from curvewise.readers.parsing.json_files import JsonRecords, as_number, parsed
from curvewise.readers.parsing.series import chosen_x, home_above, part_of
from curvewise.readers.parsing.text_tables import (
    cells_of,
    header_of,
    lines_left_out,
    read_log_table,
    whole_lines,
)
from curvewise.readers.walk import DOUBLE, SINGLE, Claim, LoggedRun, Series
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.walk import File, Folder, Wanted


@dataclass(frozen=True)
class TableFormat:
    """A format of tables in known places: a row here is all that it needs.

    Attributes
    ----------
    tables : re.Pattern
        The names of the tables.
    step : str
        The column of steps, which all of them have.
    names : callable
        What the scores are called by their columns, given the path of a table below its place
        without the ending, and its columns of scores.
    places : tuple of tuple of str
        Where tables lie below the folder of the run, in the folder itself by default. The first
        place that has any counts, and nothing else there is a log of its own.
    time : str
        The column of times in milliseconds, which some may have.
    beside : tuple of str
        Files in the folder of the run that only repeat the tables.
    """

    tables: re.Pattern[str]
    step: str
    names: Callable[[str, list[str]], dict[str, str]]
    places: tuple[tuple[str, ...], ...] = ((),)
    time: str = ""
    beside: tuple[str, ...] = ()

    def claims(self, folder: Folder) -> Iterator[Claim]:
        """Yield the run whose folder this is; a table that holds only its header counts."""
        for place in self.places:
            files = folder.files_below(*place) if place else folder.files.values()
            named = [file for file in files if self.tables.fullmatch(file.name)]
            tables = [file for file in named if self.step in header_of(file)]
            if tables:
                others = folder.files_below(place[0]) if place else []
                others += [folder.files[name] for name in self.beside if name in folder.files]
                yield Claim(folder.path, tuple(dict.fromkeys([*tables, *others])))
                return

    def read(self, claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
        """Yield the run; a metric without the steps or times that are wanted is left out."""
        for claim in claims:
            run = LoggedRun()
            tables = {file: self._metrics(claim, file, wanted) for file in claim.files}
            headers = {file: header_of(file) for file, metrics in tables.items() if metrics}
            has_times = bool(self.time) and any(self.time in each for each in headers.values())
            if headers or not self.time:
                offered = [self.step, "time"] if has_times else [self.step]
                run.x, run.other_x = chosen_x(wanted, offered)
            counted = self.time if run.x == "time" else self.step
            for file, header in headers.items():
                lacking = [name for name in (*tables[file], counted) if name not in header]
                if lacking:
                    what = "times" if lacking == [counted] else "scores"
                    for metric in tables[file].values():
                        run.notes.append(f"{metric} was logged without {what} and was left out")
                    continue
                table = read_log_table(file, {counted, *tables[file]}.__contains__)
                run.notes += [note for note in table.notes if note not in run.notes]
                steps, has_step = table.numbers(counted)
                for column, metric in tables[file].items():
                    scores, has_score = table.numbers(column)
                    kept = has_step & has_score
                    if kept.any():
                        run.series[metric] = Series(steps[kept], scores[kept])
            if run.x == "time":
                start = min((series.steps.min() for series in run.series.values()), default=0.0)
                for series in run.series.values():
                    series.steps[:] = (series.steps - start) / 1000  # from milliseconds
            yield run

    def _metrics(self, claim: Claim, file: File, wanted: Wanted) -> dict[str, str]:
        """Return what is wanted of a file, by its columns; nothing if it is no table."""
        for place in self.places:
            top = claim.home.joinpath(*place)
            if self.tables.fullmatch(file.name) and file.path.is_relative_to(top):
                path = file.path.relative_to(top).with_name(file.name.rpartition(".")[0])
                columns = [name for name in header_of(file) if name not in {self.step, self.time}]
                metrics = self.names(path.as_posix(), columns)
                return {column: name for column, name in metrics.items() if name in wanted}
        return {}


def _error_names(path: str, columns: list[str]) -> dict[str, str]:
    """Return what CatBoost's ``get_evals_result`` calls metrics.

    A metric on one of several test sets has their number, but none on the last of them.

    >>> _error_names("test_error", ["AUC:0", "AUC"])
    {'AUC:0': 'validation_0-AUC', 'AUC': 'validation_1-AUC'}
    """
    if path == "learn_error":
        return {column: f"learn-{column}" for column in columns}
    numbered = {column: re.fullmatch(r"(.+):(\d+)", column) for column in columns}
    numbers = [int(match[2]) for match in numbered.values() if match]
    last = f"_{max(numbers) + 1}" if numbers else ""
    return {
        column: f"validation_{match[2]}-{match[1]}" if match else f"validation{last}-{column}"
        for column, match in numbered.items()
    }


# A table for each metric, today and before DVCLive 1.0; what else is there has last values.
dvclive = TableFormat(
    re.compile(r".*\.tsv", re.DOTALL),
    "step",
    lambda path, columns: {(columns or [""])[-1]: path},
    (("plots", "metrics"), ("plots", "scalars"), ("scalars",)),
    time="timestamp",
    beside=("metrics.json",),
)
# In the folder ``catboost_info``; the event files in it hold the same numbers again.
catboost = TableFormat(
    re.compile(r"(?:learn|test)_error\.tsv"),
    "iter",
    _error_names,
    beside=("time_left.tsv", "catboost_training.json", "meta.tsv"),
)


# Monitor files of Stable-Baselines3 and OpenAI baselines: a row for each episode.
#
# Each environment of a run writes its own file, so the files of a folder are one run. Steps are
# the running sum of the lengths of episodes, in the order in which these ended. They lag behind
# the true number by the episodes under way.

MONITOR = re.compile(r"(?:(.*?)[._-])?monitor\.(?:csv|json)", re.IGNORECASE | re.DOTALL)
HEADER = re.compile(r"#?\s*\{.*\"t_start\"")
# The number of an environment at the end of a name: 3, 0.1, env_3, worker-3.
NUMBER = re.compile(r"[._-]?\d+(?:[._-]\d+)*$")
# Names after which a number tells a run, not one of its environments.
RUNS = re.compile(r"(?:^|[._-])(?:seed|run|trial|rep)s?$", re.IGNORECASE)
# An episode: its return, its length, its time, and whatever else.
ROW = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?,\d+,[\d.]+(?:e[-+]?\d+)?(?:,.*)?", re.IGNORECASE)
COLUMNS = ["r", "l", "t"]
# Which session an episode is of, and when that began; no column is called so.
SESSION, START = "\0session", "\0start"
MONITOR_AXES = ("step", "episode", "time")
TRUTHS = {"true": 1.0, "false": 0.0}


def monitor_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the monitor files of a folder: one claim for each run and part of it."""
    groups: dict[str, list[File]] = {}
    for file in folder.files.values():
        if not file.name.lower().endswith((".csv", ".json")):
            continue
        match = MONITOR.fullmatch(file.name)
        line = file.first_line()
        is_bare = not line or line.replace(" ", "") == "r,l,t" or ROW.fullmatch(line)
        if HEADER.match(line) or (match and is_bare):
            stem = (match[1] or "") if match else file.name.rpartition(".")[0]
            groups.setdefault(NUMBER.sub("", stem), []).append(file)
    above = home_above(folder)
    prefix = f"{part_of(folder.path.name)}/" if above else ""
    home = above or folder.path
    runs = [base for base in groups if base and not part_of(base)]
    for base, files in groups.items():
        if base in runs and (len(runs) > 1 or RUNS.search(base)):
            for file in files:
                yield Claim(file.path, (file,), prefix)
        else:
            part = part_of(base)
            yield Claim(home, tuple(files), f"{part}/" if part else prefix)


def monitor_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home: rewards, lengths and what else the rows hold.

    Raises CurvesError if a file is damaged, or the steps that are wanted are not offered.
    """
    x, other_x = chosen_x(wanted, MONITOR_AXES)
    run = LoggedRun(x=x, other_x=other_x)
    for claim in claims:
        rows = _Rows(claim.prefix, wanted)
        for file in claim.files:
            rows.read(file)
        run.notes += rows.notes
        run.config = {**rows.config, **run.config}
        _add_series(run, rows)
    yield run


@dataclass
class _Rows:
    """The episodes of one or more files.

    A session ends where the time falls back within a file: then the run was resumed.
    """

    prefix: str
    wanted: Wanted
    table: JsonRecords = field(default_factory=JsonRecords)
    config: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def metric(self, name: str) -> str:
        """Return the name of a metric from that of its column."""
        return f"monitor:{self.prefix}{name}"

    def _is_kept(self, name: str) -> bool:
        return name in {"l", "t", SESSION, START} or self.metric(name) in self.wanted

    def read(self, file: File) -> None:
        """Add the episodes of a file."""
        names: list[str] = []
        session, start, before = 0, 0.0, -np.inf
        damaged: list[int] = []
        for number, line in whole_lines(file, self.notes):
            text = line.decode("utf-8", errors="replace").strip().strip("\0")
            header = _header(text)
            if header is not None:
                session += bool(np.isfinite(before))
                start, before = as_number(header.get("t_start")) or 0.0, -np.inf
                if header.get("env_id") not in {None, "None"}:
                    self.config.setdefault("env_id", header["env_id"])
                continue
            if not text or (names and text == ",".join(names)):
                continue
            if not names and not text.startswith("{"):
                names, is_row = self._names(text, file)
                if not is_row:
                    continue
            episode = _episode(text, names)
            if episode is None:
                damaged.append(number)
                continue
            session += episode["t"] < before
            before = episode["t"]
            self.table.add({**episode, SESSION: session, START: start}, self._is_kept)
        if damaged:
            self.notes.append(lines_left_out(damaged, file.path.name, "damaged"))

    def _names(self, text: str, file: File) -> tuple[list[str], bool]:
        """Return the columns of a file from its first line, and whether that is a row already.

        Stable-Baselines3 writes no header where it was told to append, even to a new file.
        Raises CurvesError if the line is neither a header nor a row.
        """
        cells = [cell.strip() for cell in cells_of(text, ",")]
        if ROW.fullmatch(text):
            self.notes.append(
                f"{file.path.name} has no header: its first columns are taken for {listed(COLUMNS)}"
            )
            others = [f"column{number}" for number in range(4, len(cells) + 1)]
            return [*COLUMNS, *others], True
        if not {*COLUMNS} <= set(cells):
            raise damaged(file, f"it has no columns {listed(COLUMNS)}")
        return cells, False


def _header(text: str) -> Mapping[str, Any] | None:
    """Return what the line before the rows says; None if the line is a row."""
    if not HEADER.match(text):
        return None
    found = parsed(text.lstrip("# "))
    return found if isinstance(found, dict) else {}


def _episode(text: str, names: list[str]) -> dict[str, float] | None:
    """Return the numbers of a row; None if it is damaged, as by two processes that write."""
    if text.startswith("{"):
        found = parsed(text)
        if not isinstance(found, dict):
            return None
        values = {key: _number(str(value)) for key, value in found.items()}
    else:
        cells = cells_of(text, ",")
        if len(cells) != len(names):
            return None
        values = {name: _number(cell) for name, cell in zip(names, cells, strict=True)}
    episode = {name: value for name, value in values.items() if value is not None}
    is_whole = {*COLUMNS} <= set(episode)
    return episode if is_whole and episode["l"] > 0 and episode["t"] >= 0 else None


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return TRUTHS.get(cell.strip().lower())


def _add_series(run: LoggedRun, rows: _Rows) -> None:
    """Add the metrics of some rows to a run, in the order in which episodes ended."""
    table = rows.table
    sessions = table.numbers(SESSION)[0].astype(np.int64)
    starts = table.numbers(START)[0]
    clocks = starts + table.numbers("t")[0]
    order = np.lexsort((clocks, sessions))
    steps = {
        "step": np.cumsum(table.numbers("l")[0][order]),
        "episode": np.arange(1.0, table.n_rows + 1),
        "time": _elapsed(clocks[order], sessions[order], starts[order]),
    }[run.x]
    for name in table.columns:
        if name not in {"t", SESSION, START} and rows.metric(name) in rows.wanted:
            scores, present = table.numbers(name)
            episodes = Series(steps, scores[order], sessions[order], of_episodes=True)
            run.series[rows.metric(name)] = episodes.rows(present[order])


def _elapsed(clocks: Floats, sessions: Integers, starts: Floats) -> Floats:
    """Return the seconds of training: a session goes on where the one before it ended."""
    elapsed = np.zeros(len(clocks))
    before = 0.0
    for session in np.unique(sessions):
        inside = sessions == session
        elapsed[inside] = before + clocks[inside] - starts[inside].min()
        before = elapsed[inside][-1]
    return elapsed


# ``evaluations.npz`` of Stable-Baselines3: evaluations of one run, several episodes each.

ARCHIVE = "evaluations.npz"
KEYS = {"timesteps", "results"}
ARCHIVE_AXES = ("timesteps", "row")


def evaluations_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the archives of a folder that hold timesteps and results."""
    for file in folder.files.values():
        is_named = file.path.name == ARCHIVE
        if is_named or (file.name.endswith(".npz") and {*archive_names(file)} >= KEYS):
            home = (home_above(folder) or folder.path) if is_named else file.path
            yield Claim(home, (file,))


def evaluations_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home: at each evaluation the mean over its episodes.

    Raises CurvesError if an archive is damaged, or does not have the steps that are wanted.
    """
    x, other_x = chosen_x(wanted, ARCHIVE_AXES)
    run = LoggedRun(x=x, other_x=other_x)
    for claim in claims:
        for file in claim.files:
            for metric, series in _series(read_archive(file), file, x):
                if metric in wanted:
                    run.series.setdefault(metric, series)
    yield run


def _series(arrays: dict[str, np.ndarray], file: File, x: str) -> Iterator[tuple[str, Series]]:
    """Yield each array with a value for each evaluation, or for each episode of it."""
    steps = arrays.pop("timesteps", None)
    if steps is None or steps.ndim != 1 or steps.dtype.kind not in "iuf":
        raise damaged(file, "it has no timesteps")
    for key, values in arrays.items():
        if values.dtype.kind not in "biuf" or not values.ndim:
            continue
        if len(values) != len(steps):
            raise damaged(file, f"it has {len(steps)} timesteps but {len(values)} rows of {key}")
        rows = values.reshape(len(values), -1).astype(np.float64)
        if rows.shape[1]:
            at = steps.astype(np.float64) if x == ARCHIVE_AXES[0] else np.arange(float(len(rows)))
            precision = SINGLE if values.dtype == np.float32 else DOUBLE
            yield f"evaluations:{key}", Series(at, rows.mean(axis=1), precision=precision)


# Dopamine's logs: pickles, which are claimed only to say why they are not read.

LOG = re.compile(r"log_\d+")
# The first byte of a pickle, and its protocol.
PICKLE = re.compile(rb"\x80[\x02-\x05]")


def dopamine_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the pickles ``log_N`` of a run; its home is the folder above ``logs``."""
    logs = folder.files_that(lambda file: LOG.fullmatch(file.name) and PICKLE.match(file.head()))
    if logs:
        has_own_folder = folder.path.name == "logs" and folder.parent is not None
        yield Claim(folder.path.parent if has_own_folder else folder.path, tuple(logs))


def dopamine_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:  # noqa: ARG001
    """Raise CurvesError: a pickle can run any code when it is loaded."""
    refuse(
        "Dopamine's logs are pickles, which are not read because they could run code. If you "
        "trust them, load them with pickle.load and save the returns per iteration as a CSV with "
        "the columns algorithm, run, step and score."
    )
