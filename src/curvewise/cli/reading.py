"""What a command reads: files and folders, what is what in them, and which part is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.printing import note
from curvewise.cli.progress import progress
from curvewise.errors import OptionError
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Tasks


__all__ = [
    "GroupBy",
    "Paths",
    "Reading",
    "RunBy",
    "Task",
    "X",
    "check_not_read",
    "note_reading",
]

MAX_NOTES = 5  # lines about single runs

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH",
        help="A table (CSV, TSV, Parquet, JSON lines, NPZ), or training logs: folders, "
        "files, patterns. 'curvewise inspect PATH' lists what is there.",
    ),
]
X = Annotated[
    str | None,
    typer.Option(
        "--x",
        metavar="NAME",
        help="What counts as training, where a log has several: steps, epochs, time.",
    ),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="What tells algorithms apart: a key of the configuration, a part of the "
        "path, several joined by commas, or a pattern such as "
        "'{task}/{algorithm}/seed{run}'.",
    ),
]
RunBy = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="What tells runs apart; as --group-by."),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The task to keep; or the column or key that tells tasks apart.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """What is read: files and folders, what is what in them, and which part is kept."""

    heading = "Data"

    paths: Paths
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The metric to compare, where there are several."
        ),
    ] = None
    x: X = None
    group_by: GroupBy = None
    run_by: RunBy = None
    task: Task = None
    algorithm: Annotated[
        str | None, typer.Option(metavar="COL", help="Column with the algorithm.")
    ] = None
    run: Annotated[
        str | None, typer.Option(metavar="COL", help="Column that tells the runs apart.")
    ] = None
    step: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column with the amount of training."),
    ] = None
    score: Annotated[
        str | None, typer.Option(metavar="COL", help="Column with the score.")
    ] = None
    block: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of what runs of different algorithms share (seed, fold, task); "
            "runs are then shuffled only within it.",
        ),
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Keep this algorithm; repeat for more."),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Keep the rows of a table with this value; repeat for more.",
        ),
    ] = None
    start: Annotated[
        float | None,
        typer.Option(
            "--from", metavar="STEP", help="First step to keep; choose it before looking."
        ),
    ] = None
    stop: Annotated[
        float | None,
        typer.Option(
            "--to", metavar="STEP", help="Last step to keep; choose it before looking."
        ),
    ] = None
    align: Annotated[
        Literal["linear", "previous", "bins"],
        typer.Option(
            help="How runs that were logged at different steps are brought to common ones."
        ),
    ] = "linear"
    n_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="So many evenly spaced steps, or bins.  [default: those of the run with "
            "the fewest]",
            show_default=False,
        ),
    ] = None
    short: Annotated[
        Literal["refuse", "prefix", "worst", "carry", "drop"],
        typer.Option(
            help="Runs that end early or fail: refuse; prefix compares all up to where the "
            "first one ends; worst gives them the worst score from there on; carry holds "
            "their last one; drop leaves them out, with --reason."
        ),
    ] = "refuse"
    reason: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Why runs are dropped; told with the verdict."),
    ] = None
    min_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="How many steps --short prefix must leave.  [default: half]"
        ),
    ] = None
    duplicates: Annotated[
        Literal["mean", "last"] | None,
        typer.Option(
            help="Scores of a run at the same step of a table: their mean, or the last."
        ),
    ] = None
    higher_is_better: Annotated[
        bool | None,
        typer.Option(
            "--higher-is-better/--lower-is-better",
            help="Which scores are better.  [default: lower for losses and errors]",
            show_default=False,
        ),
    ] = None

    def curves(self) -> Curves:
        """Read the curves, and say what was read."""
        with progress("reading"):
            curves = curvewise.read(self.paths, **self._selection())
        note_reading({"": curves})
        return curves

    def tasks(self) -> Tasks:
        """Read the curves of each task, and say what was read."""
        with progress("reading"):
            tasks = curvewise.read_tasks(self.paths, **self._selection())
        note_reading(tasks)
        return tasks

    def tables(self) -> dict[str, Curves]:
        """Read the curves of every task there is, one or several, and say what was read."""
        from curvewise.readers import read_all

        with progress("reading"):
            tables = read_all(self.paths, **self._selection())
        note_reading(tables)
        return tables

    def _selection(self) -> dict[str, Any]:
        """Return the arguments of read() and read_tasks()."""
        selection = asdict(self)
        del selection["paths"]
        where: dict[str, str] = {}
        for column, value in map(_column_and_value, self.where or []):
            if where.setdefault(column, value) != value:
                msg = (
                    f"--where asks for {where[column]!r} and for {value!r} in column {column!r}, "
                    "and a row has one of them. Keep several algorithms with --only; else make a "
                    "table of these rows first."
                )
                raise OptionError(msg, option="where")
        selection["where"] = where
        return selection


def _column_and_value(text: str) -> tuple[str, str]:
    """Split COLUMN=VALUE at the first sign."""
    column, sign, value = text.partition("=")
    if not sign or not column:
        msg = f"--where takes COLUMN=VALUE, such as game=pong; it is {text!r}."
        raise OptionError(msg, option="where")
    return column, value


def check_not_read(
    place: Path | None, paths: Sequence[Path], option: str, what: str
) -> None:
    """Raise if a file to write is one of those that are read: it would take their place."""
    for path in paths:
        if place is not None and _is_same_file(place, path):
            msg = (
                f"The {what} would take the place of {str(path)!r}. Choose another name."
            )
            raise OptionError(msg, option=option)


def _is_same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def note_reading(tasks: Mapping[str, Curves], noun: str = "task") -> None:
    """Say in a line what was read, of tasks that differ for the first; then notes on runs."""
    name, first = next(iter(tasks.items()))
    source = first.source
    if len({curves.source for curves in tasks.values()}) > 1:
        source += (
            f"; that is {name}, and likewise {plural(len(tasks) - 1, f'other {noun}')}"
        )
    elif len(tasks) > 1:
        source += f"; the same for each of {plural(len(tasks), noun)}"
    note(f"Read {source}")
    notes = [
        f"{f'{name}, ' if len(tasks) > 1 else ''}{text}"
        for name, curves in tasks.items()
        if curves.preparation is not None
        for text in curves.preparation.notes
    ]
    for text in notes[:MAX_NOTES]:
        note(f"Note: {text}.")
    if len(notes) > MAX_NOTES:
        note(f"And {plural(len(notes) - MAX_NOTES, 'note')} more, which --json lists.")
