"""Weights & Biases: the .wandb files that its client writes, offline or not.

Read without W&B's package, which has no reader for them and takes 100 MB.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import (
    Claim,
    LoggedRun,
    Series,
    Wanted,
    counts_episodes,
)
from curvewise.readers.parsing.block_log import BlockLog, is_block_log
from curvewise.readers.parsing.homes import stem_of
from curvewise.readers.parsing.json_documents import as_number, parsed
from curvewise.readers.parsing.protobuf_messages import message_classes, text_of
from curvewise.readers.parsing.recording import chosen_x, resumed
from curvewise.readers.tables.columns import step_names
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.folders import File, Folder

__all__ = ["claims", "names", "read"]

# Of wandb/proto/wandb_internal.proto.
MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Record": {
        "history": (2, "History"),
        "config": (5, "Config"),
        "metric": (12, "Metric"),
        "run": (17, "Run"),
        "exit": (18, "Exit"),
    },
    "History": {"item": (1, "repeated Item"), "step": (2, "Step")},
    "Step": {"num": (1, "int64")},
    "Item": {
        "key": (1, "bytes"),
        "nested_key": (2, "repeated bytes"),
        "integer": (5, "int64"),
        "number": (6, "double"),
        "value_json": (16, "bytes"),
    },
    "Config": {"update": (1, "repeated Item"), "remove": (2, "repeated Item")},
    "Metric": {
        "name": (1, "bytes"),
        "glob_name": (2, "bytes"),
        "step_metric": (4, "bytes"),
    },
    "Run": {
        "config": (4, "Config"),
        "run_group": (6, "bytes"),
        "display_name": (8, "bytes"),
    },
    "Exit": {"exit_code": (1, "int32")},
}
STEP, RUNTIME, TIMESTAMP = "_step", "_runtime", "_timestamp"
RUN_FOLDER = re.compile(r"(?:offline-)?run-(\d{8}_\d{6})-.+")
RUN_FILE = re.compile(r"run-(.+)\.wandb")
# What W&B calls its link to the run that began last; a copy where links were not kept.
LATEST = "latest-run"
# Records that are looked at for the name of a run; it stands in one of the first.
N_LOOKED_AT = 20
ALIASES = {"step": STEP, "time": RUNTIME}
INTERNAL_CONFIG = "_wandb"


@cache
def wandb_messages() -> Mapping[str, type[Any]]:
    """Return the classes of the messages in .wandb files."""
    return message_classes("curvewise.wandb", MESSAGES)


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on each .wandb file; its folder is the run if it is named as a run's is.

    A copy in the folder of the latest run goes with the file that it is a copy of.
    """
    files = _run_files(folder)
    beside = folder.parent.folders if folder.parent else {}
    if folder.path.name == LATEST:
        known = {
            name
            for place, other in beside.items()
            if RUN_FOLDER.fullmatch(place)
            for name in other.files
        }
        files = [file for file in files if file.path.name not in known]
    if len(files) == 1 and RUN_FOLDER.fullmatch(folder.path.name):
        name = files[0].path.name
        latest = beside[LATEST].files if LATEST in beside else {}
        copies = [latest[name]] if name in latest else []
        yield Claim(folder.path, (files[0], *copies))
    else:
        yield from (Claim(file.path, (file,)) for file in files)


def _run_files(folder: Folder) -> list[File]:
    """Return the .wandb files in a folder; in that of a run, also one that is damaged."""
    is_of_run = RUN_FOLDER.fullmatch(folder.path.name)
    return [
        file
        for file in folder.files.values()
        if file.name.endswith(".wandb")
        and (is_of_run or is_block_log(file.head()) or not file.size)
    ]


def names(claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return the id of a run, which it keeps when it is resumed, and what it is called."""
    from google.protobuf.message import DecodeError

    file = claims[0].files[0]
    match = RUN_FILE.fullmatch(file.name)
    found = (match[1] if match else stem_of(file),)
    parse = wandb_messages()["Record"].FromString
    # A file that cannot be read is dealt with when it is.
    with suppress(DecodeError, CurvesError):
        for data in islice(BlockLog(file).records(), N_LOOKED_AT):
            name = text_of(parse(data).run.display_name)
            if name:
                return (*found, name)
    return found


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run in .wandb files: each key of its history with numbers is a metric.

    A metric that was defined with a step of its own is read over that one. Several files are
    of one run that was resumed, each a session. Raises CurvesError if one is no .wandb file.
    """
    files = sorted((claim.files[0] for claim in claims), key=_begun)
    for file in files:
        if file.size and not is_block_log(file.head()):
            msg = (
                f"{file.path.name} is damaged: it does not begin as such files of W&B do."
            )
            raise CurvesError(msg)
    runs = []
    for file in files:
        reading = _Reading(wanted)
        log = BlockLog(file)
        reading.read(log)
        runs.append(reading.run(log, is_last=file is files[-1]))
        if len(files) > 1 and not reading.n_rows:
            runs[-1].notes.append(
                f"the session in {file.path.parent.name} has no history: it logged nothing, or "
                "broke off before that was written"
            )
    yield resumed(runs)


def _begun(file: File) -> str:
    """Return when a file was begun, as its folder tells."""
    match = RUN_FOLDER.fullmatch(file.path.parent.name)
    return match[1] if match else ""


@dataclass
class _Column:
    """The numbers of one key, and the rows of the history that hold them."""

    rows: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))

    def arrays(self) -> tuple[Integers, Floats]:
        """Return both as arrays."""
        return np.array(self.rows, dtype=np.int64), np.array(
            self.values, dtype=np.float64
        )


class _Reading:
    """A run while its file is read."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        # The numbers of each key; None for those that are not needed.
        self._columns: dict[str, _Column | None] = {}
        self.n_rows = 0
        self._config: dict[str, Any] = {}
        self._run: dict[str, str] = {}
        self._exit_code: int | None = None
        # What define_metric said: the key of the steps, by name or by pattern.
        self._step_metrics: dict[str, str] = {}
        self._step_patterns: dict[str, str] = {}
        self._axes = {STEP, RUNTIME, TIMESTAMP, wanted.x}

    def read(self, log: BlockLog) -> None:
        """Read all records of a file."""
        from google.protobuf.message import DecodeError

        parse = wandb_messages()["Record"].FromString
        n_damaged = 0
        for data in log.records():
            try:
                record = parse(data)
            except DecodeError:
                n_damaged += 1
                continue
            if record.HasField("history"):
                self._add_row(record.history)
            elif record.HasField("metric"):
                self._define(record.metric)
            elif record.HasField("run"):
                self._describe(record.run)
            elif record.HasField("config"):
                self._configure(record.config)
            elif record.HasField("exit"):
                self._exit_code = record.exit.exit_code
        if n_damaged:
            log.notes.append(
                f"{plural(n_damaged, 'record')} of {log.name} cannot be decoded"
            )

    def _add_row(self, history: Any) -> None:
        """Take the numbers of one row of the history."""
        found: list[tuple[str, float]] = []
        media: list[str] = []
        for item in history.item:
            path = [text_of(part) for part in item.nested_key] or [text_of(item.key)]
            if path[-1] == "_type":
                media.append(".".join([*path[:-1], ""]))
            elif item.HasField("value_json"):
                found += _numbers(".".join(path), item.value_json)
            elif item.HasField("number"):
                found.append((".".join(path), item.number))
            elif item.HasField("integer"):
                found.append((".".join(path), float(item.integer)))
        if history.HasField("step") and not any(key == STEP for key, _ in found):
            found.append((STEP, float(history.step.num)))
        for key, value in found:
            if media and key.startswith(tuple(media)):
                continue
            if key not in self._columns:
                self._columns[key] = _Column() if self._is_needed(key) else None
            column = self._columns[key]
            if column is not None:
                column.rows.append(self.n_rows)
                column.values.append(value)
        self.n_rows += 1

    def _is_needed(self, key: str) -> bool:
        """Whether a key is wanted, or may count as the steps of one that is."""
        return key in self._wanted or key in self._axes or bool(step_names([key]))

    def _define(self, metric: Any) -> None:
        axis = text_of(metric.step_metric)
        if metric.glob_name and axis:
            self._step_patterns[text_of(metric.glob_name)] = axis
        elif metric.name and axis:
            self._step_metrics[text_of(metric.name)] = axis
        elif metric.name:
            # Defined by name for another reason: patterns do not apply to it.
            self._step_metrics.setdefault(text_of(metric.name), STEP)
        if axis:
            self._axes.add(axis)

    def _describe(self, run: Any) -> None:
        self._configure(run.config)
        for name, value in (("display_name", run.display_name), ("group", run.run_group)):
            if value:
                self._run[name] = text_of(value)

    def _configure(self, config: Any) -> None:
        for item in config.update:
            path = [text_of(part) for part in item.nested_key] or [text_of(item.key)]
            if path[0] == INTERNAL_CONFIG:
                continue
            value = parsed(item.value_json)
            if value is None:
                continue
            inner = self._config
            for part in path[:-1]:
                if not isinstance(inner.get(part), dict):
                    inner[part] = {}
                inner = inner[part]
            inner[path[-1]] = value
        for item in config.remove:
            path = [text_of(part) for part in item.nested_key] or [text_of(item.key)]
            if len(path) == 1:
                self._config.pop(path[0], None)

    def _axis_of(self, key: str) -> str:
        """Return the key of the steps of a metric, as defined."""
        if key in self._step_metrics:
            return self._step_metrics[key]
        patterns = self._step_patterns.items()
        return next((axis for glob, axis in patterns if fnmatchcase(key, glob)), STEP)

    def run(self, log: BlockLog, *, is_last: bool) -> LoggedRun:
        """Return what was read, metric by metric; the last file of a run should be closed.

        Raises CurvesError if the history has not what is wanted as steps.
        """
        axes = [*self._step_metrics.values(), *self._step_patterns.values()]
        others = [key for key in (RUNTIME, TIMESTAMP, *axes) if key in self._columns]
        offered = list(dict.fromkeys([STEP, *others, *step_names(list(self._columns))]))
        x = self._wanted.x
        if x is not None and x not in self._columns and self.n_rows:
            x = ALIASES.get(x, x)
            chosen_x(Wanted(x=x), offered)
        series, used, notes = {}, Counter[str](), []
        for key, column in self._columns.items():
            is_metric = not key.startswith("_") and key not in axes
            if column is None or not is_metric or key not in self._wanted:
                continue
            axis = self._axis_of(key) if x is None else x
            rows, values = column.arrays()
            steps, has_step = self._steps(axis, rows)
            if not has_step.all():
                left_out = plural(int((~has_step).sum()), "record")
                notes.append(f"{left_out} of {key!r} in rows without {axis!r} left out")
            if has_step.any():
                used[axis] += 1
                series[key] = Series(
                    steps[has_step],
                    values[has_step],
                    of_episodes=counts_episodes(key),
                    x=axis,
                )
        name = used.most_common(1)[0][0] if used else x or STEP
        notes = log.notes + notes
        is_open = self._exit_code is None and not log.is_cut and self.n_rows > 0
        if is_open and is_last:
            notes.append(
                f"{log.name} has no closing record: the run broke off or is still under way"
            )
        return LoggedRun(
            series=series,
            x=name,
            other_x=tuple(key for key in offered if key != name),
            config={**self._run, **self._config},
            status="failed" if self._exit_code else "",
            notes=notes,
        )

    def _steps(self, axis: str, rows: Integers) -> tuple[Floats, Any]:
        """Return the steps of rows, and which rows have one."""
        known, values = (self._columns.get(axis) or _Column()).arrays()
        if not known.size:
            return np.full(len(rows), np.nan), np.zeros(len(rows), dtype=bool)
        places = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        return values[places], (known[places] == rows) & np.isfinite(values[places])


def _numbers(key: str, written: bytes) -> Iterable[tuple[str, float]]:
    """Return the numbers in a JSON value: one, or those of an object by their keys."""
    # Nearly all values are numbers; NaN and Infinity are written as Python writes them.
    with suppress(ValueError):
        return [(key, float(written))]
    return list(_numbers_in(key, parsed(written)))


def _numbers_in(key: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        if "_type" not in value:
            for name, inner in value.items():
                yield from _numbers_in(f"{key}.{name}", inner)
    elif (found := as_number(value)) is not None:
        yield key, found
