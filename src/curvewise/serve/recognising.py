"""What was recognised in the files: which column is what, how many runs, what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError, CurvewiseError
from curvewise.readers import read_all
from curvewise.readers.parsing.run_columns import TIME
from curvewise.readers.request import Request
from curvewise.readers.scanning import scan
from curvewise.readers.tables.columns import step_columns, task_column, usual_column
from curvewise.readers.tables.formats import format_by_name
from curvewise.readers.tables.single_table import is_single_table
from curvewise.readers.tables.table import columns_of
from curvewise.text import argument, listed, number_text, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.readers.scan import Scan

__all__ = ["check_size", "recognise"]

PARTS = ("algorithm", "run", "step", "score")
# What the options of training logs are called, where they are called otherwise.
OF_LOGS = {"algorithm": "group_by", "run": "run_by", "step": "x", "score": "metric"}
MAX_NAMED = 8
BYTES_OF_NUMBER = 8


@dataclass(frozen=True)
class Part:
    """What a part of the data was taken from, and what else it could be.

    Attributes
    ----------
    flag : str
        The option of the command that chooses it, as refusals name it.
    chosen : str or None
        What it is taken from, where one name says it.
    choices : tuple of str
    """

    flag: str
    chosen: str | None
    choices: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "flag": self.flag,
            "chosen": self.chosen,
            "choices": list(self.choices),
        }


def recognise(paths: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Say what files would be taken for, as JSON-ready data.

    Parameters
    ----------
    paths : sequence of str
    options : mapping
        Arguments of `read`, as far as they were chosen.

    Returns
    -------
    dict
        ``parts``: of algorithm, run, step, score and block, what each is taken from and what it
        could be taken from. ``task``, ``tasks``: the same of tasks, and their names. ``summary``: how
        many algorithms, runs and steps. ``source``, ``notes``: what was read, and what is to
        know of it. ``refused``: why it cannot be compared yet, in the words of the library.
    """
    refused = None
    try:
        request = Request(**options)
    except CurvewiseError as error:  # what is what can be told all the same
        refused = str(error)
        telling = (*PARTS, "block", "task", "where", "only")
        kept: dict[str, Any] = {name: options.get(name) for name in telling}
        request = Request(**kept)
    is_table = len(paths) == 1 and is_single_table(Path(paths[0]), request)
    found = _of_table(Path(paths[0]), request) if is_table else _of_logs(paths, request)
    found |= {"summary": "", "source": "", "higher_is_better": None}
    found.setdefault("notes", [])
    found["refused"] = found.pop("unreadable", None) or refused
    if found["refused"] is not None:
        return found
    try:
        tables = read_all(paths, **options)
    except CurvewiseError as error:
        found["refused"] = str(error)
        return found
    first = next(iter(tables.values()))
    everyone = [name for own in tables.values() for name in own.display.everyone]
    names = [name for own in tables.values() for name in own.algorithms]
    found["summary"] = _summary(tables)
    found["source"] = first.source
    found["algorithms"] = list(dict.fromkeys(everyone or names))
    found["higher_is_better"] = first.higher_is_better
    found["notes"] += [
        f"{note}."
        for own in tables.values()
        if own.preparation is not None
        for note in own.preparation.notes
    ][:MAX_NAMED]
    if not found["tasks"] and list(tables) != [""]:
        found["tasks"] = list(tables)
    return found


def check_size(paths: Sequence[str], most: int) -> None:
    """Raise CurvesError if a Parquet file holds more than ``most`` bytes of numbers unpacked.

    Its footer tells how many rows there are; a small file can hold billions of equal ones.
    """
    for path in map(Path, paths):
        inside = path.rglob("*") if path.is_dir() else [path]
        for own in inside:
            if own.suffix.lower() not in {".parquet", ".pq"}:
                continue
            size = _parquet_size(own)
            if size > most:
                msg = (
                    f"{own.name} holds {size / 1e6:,.0f} MB of numbers when it is unpacked, and "
                    f"the page takes up to {most / 1e6:,.0f} MB. Name it on the command line: "
                    "curvewise serve FILE reads files in place."
                )
                raise CurvesError(msg)


def _parquet_size(path: Path) -> int:
    import polars as pl

    try:
        frame = pl.scan_parquet(path)
        n_rows = int(frame.select(pl.len()).collect().item())
        return n_rows * len(frame.collect_schema()) * BYTES_OF_NUMBER
    except (pl.exceptions.PolarsError, OSError):
        return 0  # the reader says what is wrong with it


def _of_table(path: Path, request: Request) -> dict[str, Any]:
    known = format_by_name(path)
    if known is None or not known.is_table:
        return {"kind": "arrays", "parts": {}, "task": None, "tasks": []}
    available = list(columns_of(path, known))
    named = {part: getattr(request, part) for part in PARTS}
    task = request.task if request.task in available else None
    taken = {name for name in (*named.values(), task) if name is not None}
    for part in PARTS:
        if named[part] is None:
            left = [name for name in available if name not in taken]
            named[part] = _usual(part, left)
            taken.add(named[part])
    left = [name for name in available if name not in taken]
    task = task or task_column(left)
    # The columns of a wide table are steps, not parts.
    choices = tuple(name for name in available if name not in step_columns(available))
    # Nothing is a block unless somebody says so; the run often is.
    named["block"] = request.block
    parts = {
        part: Part(argument(part), own, choices).record() for part, own in named.items()
    }
    every = replace(request, task=task, where=None, only=None)
    return {
        "kind": "table",
        "parts": parts,
        "task": Part(argument("task"), task, choices).record(),
        "tasks": [] if task is None else _tasks(path, every),
    }


def _usual(part: str, available: list[str]) -> str | None:
    try:
        return usual_column(part, available)
    except CurvesError:
        return None  # several could be; the refusal says so


def _tasks(path: Path, request: Request) -> list[str]:
    from curvewise.readers import runs_by_task

    try:
        return [str(name) for name in runs_by_task(path, request) if name is not None]
    except CurvewiseError:
        return []


def _of_logs(paths: Sequence[str], request: Request) -> dict[str, Any]:
    empty: dict[str, Any] = {"kind": "logs", "parts": {}, "task": None, "tasks": []}
    naming = request.naming
    try:
        found = scan(paths, x=naming.x, group_by=naming.group_by, run_by=naming.run_by)
    except CurvewiseError as error:
        return {**empty, "unreadable": str(error)}
    metric = _metric(found, request)
    spans = [run.metrics[metric] for run in found.runs if metric in run.metrics]
    axes = dict.fromkeys(span.x for span in spans)
    # Time is steps only if somebody says so.
    counted = [axis for axis in axes if axis != TIME]
    candidates = tuple(each.name for each in found.candidates)
    ways = tuple(dict.fromkeys([*axes, *found.other_x]))
    chosen = {
        "algorithm": (naming.group_by, candidates),
        "run": (naming.run_by, candidates),
        "step": (naming.x or next(iter(counted), None), ways),
        "score": (metric, tuple(found.metrics)),
        "block": (naming.block, candidates),
    }
    parts = {
        part: Part(argument(OF_LOGS.get(part, part)), own, choices).record()
        for part, (own, choices) in chosen.items()
    }
    return {
        **empty,
        "parts": parts,
        "task": Part(argument("task"), None, ()).record(),
        "tasks": list(found.tasks),
        "notes": list(found.warnings),
    }


def _metric(found: Scan, request: Request) -> str | None:
    try:
        return found.choose_metric(request.metric or request.score).name
    except CurvewiseError:
        return request.metric or request.score


def _summary(tables: Mapping[str, Curves]) -> str:
    """Say how many algorithms, runs and steps there are."""
    extents = {name: _extent(own) for name, own in tables.items()}
    if len(tables) == 1:
        (curves,) = tables.values()
        ends = [
            number_text(float(own)) for own in (curves.scores.min(), curves.scores.max())
        ]
        return f"{_extent(curves)}; scores from {ends[0]} to {ends[1]}"
    count = plural(len(tables), "task")
    if len(set(extents.values())) == 1:
        alike = next(iter(extents.values()))
        return f"{count} ({listed(list(tables), MAX_NAMED)}), each {alike}"
    lines = [f"{name}: {extent}" for name, extent in extents.items()]
    return f"{count}: {'; '.join(lines[:MAX_NAMED])}"


def _extent(curves: Curves) -> str:
    sizes = sorted(set(curves.sizes))
    runs = plural(sizes[-1], "run")
    if len(sizes) > 1:
        runs = f"{sizes[0]} to {runs}"
    ends = [step_text(float(curves.steps[place])) for place in (0, -1)]
    return (
        f"{plural(len(curves.algorithms), 'algorithm')} × {runs} × "
        f"{plural(curves.n_steps, 'step')}, from {ends[0]} to {ends[1]}"
    )
