"""What a caller asks to be read, as one object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.data.alignment_options import AlignmentOptions
from curvewise.data.choices import refuse_option
from curvewise.data.selection import Columns, Selection, SelectionOptions
from curvewise.errors import CurvesError
from curvewise.text import shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.data.alignment import Unaligned
    from curvewise.data.alignment_options import How, Policy
    from curvewise.data.records import Duplicates

__all__ = ["Naming", "Options", "PathLike", "Request", "RunsByTask", "as_paths"]

PathLike = str | os.PathLike[str]
# The arguments that are names of columns, keys, tasks or metrics.
NAMES = (
    *("task", "metric", "x", "group_by", "run_by"),
    *("algorithm", "run", "step", "score", "block"),
)


class RunsByTask(dict["str | None", "Callable[[], Unaligned]"]):
    """A function for each task that reads its runs; None is the task of runs without one.

    ``without`` names the tasks in which none of the algorithms to keep was found.
    """

    without: tuple[str, ...] = ()


def as_paths(path: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """Return one path, or several, as a list; raise CurvesError if there is none."""
    given: Any = path
    try:
        paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    except TypeError:
        paths = [given]
    for each in paths:
        if not isinstance(each, str | os.PathLike):
            msg = f"Name files or folders to read; {shown_value(each)} is not the name of one."
            raise CurvesError(msg)
    if not paths:
        msg = "There is nothing to read: name a file or a folder."
        raise CurvesError(msg)
    for each in paths:
        if str(each) == "":
            msg = "The name of a file or folder to read is empty; for this folder write a dot."
            raise CurvesError(msg)
        if "\0" in str(each):
            msg = f"{shown_value(str(each))} has a null character, which no name of a file has."
            raise CurvesError(msg)
    return paths


@dataclass(frozen=True)
class Naming:
    """What runs are told apart by, and what their steps are, where the caller says so.

    Attributes
    ----------
    group_by, run_by : str, optional
        A key of the configuration, a part of the path, or a pattern with named parts.
    task : str, optional
        The task to keep, or what tells tasks apart.
    block : str, optional
        What runs of different algorithms share.
    x : str, optional
        What the steps are.
    tables_are_tasks : bool
        Whether tables that lie side by side, and hold several algorithms each, are tasks if
        nothing else tells any.
    """

    group_by: str | None = None
    run_by: str | None = None
    task: str | None = None
    block: str | None = None
    x: str | None = None
    tables_are_tasks: bool = False


class Options(SelectionOptions, total=False):
    """The arguments of `read`, but for the path and the task."""

    metric: str | None
    x: str | None
    group_by: str | None
    run_by: str | None
    algorithm: str | None
    run: str | None
    step: str | None
    score: str | None
    higher_is_better: bool | None
    where: Mapping[str, str] | None


@dataclass(frozen=True)
class Request:
    """The arguments of `read`, but for the path; what each means is said there."""

    task: str | None = None
    metric: str | None = None
    x: str | None = None
    group_by: str | None = None
    run_by: str | None = None
    algorithm: str | None = None
    run: str | None = None
    step: str | None = None
    score: str | None = None
    block: str | None = None
    only: Sequence[str] | None = None
    start: float | None = None
    stop: float | None = None
    align: How = "linear"
    n_steps: int | None = None
    short: Policy = "refuse"
    reason: str | None = None
    min_steps: int | None = None
    duplicates: Duplicates | None = None
    higher_is_better: bool | None = None
    where: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        # Values that cannot be used are refused before anything is read.
        for option in NAMES:
            value = getattr(self, option)
            if value is not None and not isinstance(value, str):
                refuse_option(option, f"must be a name, not {shown_value(value)}.")
        where: object = self.where
        if where is not None and not isinstance(where, Mapping):
            example = "such as {'game': 'pong'}"
            text = f"must map columns to values, {example}, not {shown_value(where)}."
            refuse_option("where", text)
        self.selection(higher_is_better=True)

    @property
    def columns(self) -> Columns:
        """The columns of a table, as far as they are named."""
        return Columns(
            self.algorithm or self.group_by,
            self.run or self.run_by,
            self.step or self.x,
            self.score or self.metric,
            self.block,
        )

    @property
    def naming(self) -> Naming:
        """What runs in logs are told apart by."""
        return Naming(
            self.group_by or self.algorithm,
            self.run_by or self.run,
            self.task,
            self.block,
            self.x or self.step,
        )

    @property
    def alignment(self) -> AlignmentOptions:
        """How runs are brought to common steps."""
        return AlignmentOptions(
            self.align, self.n_steps, self.short, self.reason, self.min_steps
        )

    def selection(self, *, higher_is_better: bool) -> Selection:
        """Return which part is read, and how runs are brought to common steps."""
        return Selection(
            self.columns,
            self.only,
            self.start,
            self.stop,
            higher_is_better,
            self.alignment,
            self.duplicates,
            {str(column): str(value) for column, value in (self.where or {}).items()},
        )
