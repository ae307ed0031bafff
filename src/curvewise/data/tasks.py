"""Tasks: the curves of the same algorithms on several tasks; a baseline and a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from curvewise.data.checks import as_names, check_choice
from curvewise.data.curves import Curves, Unaligned
from curvewise.data.tables import Selection, SelectionOptions, WideTable, check_algorithms
from curvewise.errors import CurvesError, refuse
from curvewise.text import argument, in_python, listed, plural, quoted, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Unpack

    from curvewise.data.points import RunLog
    from curvewise.data.tables import TaskRows


Missing = Literal["refuse", "drop", "keep"]
Part = TypeVar("Part")

MAX_NAMED = 6  # tasks that a message lists


class FrameOptions(SelectionOptions, total=False):
    """The arguments of `Curves.from_frame`, but for the frame and its columns."""

    higher_is_better: bool | None
    source: str


class Tasks(Mapping[str, Curves]):
    """A mapping from the name of a task to its curves, in the order given.

    Tasks may have their own steps and numbers of runs. They have the same algorithms, unless
    they are kept as they are, and scores of the same direction.

    Parameters
    ----------
    tables : mapping from name to Curves, or pairs of them
        At least one task; no name twice.
    algorithms : sequence of str, optional
        The algorithms to keep, in this order; all by default.
    missing : "refuse", "drop" or "keep"
        What happens to a task that lacks an algorithm: it is refused, left out with its
        runs, or kept as it is, for questions that are asked of each task by itself.
    without : sequence of str
        Further tasks, which have none of the algorithms to keep and so no curves.

    Attributes
    ----------
    algorithms : tuple of str
        Those that every task has.
    dropped : tuple of str
        The tasks that were left out because they lacked an algorithm, now or before.
    higher_is_better : bool

    Raises
    ------
    CurvesError
        If there is no task, a name stands twice, a task lacks an algorithm, or scores are
        better higher in some tasks and lower in others.

    Examples
    --------
    >>> pong = Curves([[1, 2], [2, 3], [0, 1]], ["A", "A", "B"])
    >>> Tasks({"pong": pong, "freeway": pong.window(0, 0)})
    Tasks(2 tasks: 'pong', 'freeway'; 2 algorithms: 'A', 'B')
    >>> Tasks({"pong": pong, "freeway": pong.select("A")}, missing="drop").dropped
    ('freeway',)
    """

    __slots__ = ("_tables", "algorithms", "dropped", "higher_is_better")

    _tables: dict[str, Curves]
    algorithms: tuple[str, ...]
    dropped: tuple[str, ...]
    higher_is_better: bool

    def __init__(
        self,
        tables: Mapping[str, Curves] | Iterable[tuple[str, Curves]],
        *,
        algorithms: Sequence[str] | None = None,
        missing: Missing = "refuse",
        without: Sequence[str] = (),
    ) -> None:
        check_choice("missing", missing, get_args(Missing))
        named = _named(tables)
        without = as_names("without", without) or ()
        everyone = tuple(dict.fromkeys(name for own in named.values() for name in own.algorithms))
        if algorithms is None:
            wanted = everyone
        else:
            algorithms = as_names("algorithms", algorithms) or ()
            check_algorithms(algorithms, everyone)
            wanted = tuple(dict.fromkeys(algorithms))
        lacking = {
            task: absent
            for task, own in named.items()
            if (absent := [name for name in wanted if name not in own.algorithms])
        }
        lacking |= {task: list(wanted) for task in without}
        n_tasks = len(named) + len(without)
        if missing == "refuse" and lacking:
            refuse(_refusal(lacking, n_tasks))
        if missing == "drop":
            if len(lacking) == n_tasks:
                refuse(
                    f"No task has all of {listed(wanted, MAX_NAMED)}, so none is left. "
                    f"Choose algorithms that some tasks share."
                )
            named = {task: own for task, own in named.items() if task not in lacking}
        if algorithms is not None:
            named = {
                task: own if own.algorithms == chosen else own.select(*chosen)
                for task, own in named.items()
                if (chosen := tuple(name for name in wanted if name in own.algorithms))
            }
        self._tables = named
        self.algorithms = tuple(
            name for name in wanted if all(name in own.algorithms for own in named.values())
        )
        earlier = tables.dropped if isinstance(tables, Tasks) else ()
        self.dropped = (*earlier, *(lacking if missing == "drop" else ()))
        self.higher_is_better = _direction(named)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        task: str,
        algorithm: str,
        run: str,
        step: str,
        score: str,
        missing: Missing = "refuse",
        **options: Unpack[FrameOptions],
    ) -> Tasks:
        """Build tasks from a long table with one row per task, run and step.

        The order of the rows does not matter: tasks, algorithms and runs come in natural order.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table
        task, algorithm, run, step, score : str
            The names of the columns.
        missing : "refuse", "drop" or "keep"
            What happens to a task that lacks an algorithm that others have, or that ``only``
            names.
        **options
            All others as in `Curves.from_frame`. Each task is brought to common steps by
            itself.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame(
        ...     {"game": ["go", "go", "chess", "chess"], "agent": ["A", "B", "A", "B"],
        ...      "seed": 1, "epoch": 0, "elo": [1, 2, 3, 4]},
        ... )
        >>> columns = dict(algorithm="agent", run="seed", step="epoch", score="elo")
        >>> Tasks.from_frame(frame, task="game", **columns)
        Tasks(2 tasks: 'chess', 'go'; 2 algorithms: 'A', 'B')
        """
        from curvewise.data.tables import frame_of, rows_by_task

        columns = [task, algorithm, run, step, score]
        if options.get("block"):
            columns.append(str(options["block"]))
        table = frame_of(frame, columns)
        only = options.get("only")
        parts = rows_by_task(table, task, algorithm, only)

        def curves_of(part: TaskRows) -> Curves:
            own: FrameOptions = {**options, "only": part.only}
            return Curves.from_frame(
                table[part.rows], algorithm=algorithm, run=run, step=step, score=score, **own
            )

        tables = each_task(
            {name: part for name, part in parts.items() if part.only != []}, curves_of
        )
        without = [name for name in parts if name not in tables]
        return cls(tables, algorithms=only, missing=missing, without=without)

    def select(self, *algorithms: str) -> Tasks:
        """Return the tasks with these algorithms only, in the order they are named."""
        if not algorithms:
            refuse("Name the algorithms to select.")
        return Tasks(self, algorithms=algorithms)

    def keep(self, *tasks: str) -> Tasks:
        """Return these tasks only, in the order they are named."""
        if not tasks:
            refuse("Name the tasks to keep.")
        check_algorithms(tasks, tuple(self), "task")
        return Tasks([(task, self._tables[task]) for task in tasks], missing="keep")

    def window(
        self,
        start: float | Mapping[str, tuple[float | None, float | None]] | None = None,
        stop: float | None = None,
    ) -> Tasks:
        """Return the tasks between two steps, both included.

        ``start`` may be a mapping from task to the first and the last step of that task;
        tasks that it does not name stay whole.
        """
        if isinstance(start, Mapping):
            check_algorithms(start, tuple(self), "task")
            windows = dict(start)
        else:
            windows = dict.fromkeys(self._tables, (start, stop))
        cut = each_task(
            {task: (own, windows.get(task)) for task, own in self._tables.items()},
            lambda part: part[0].window(*part[1]) if part[1] else part[0],
        )
        windowed = Tasks(cut, missing="keep")
        windowed.dropped = self.dropped
        return windowed

    def __getitem__(self, task: str) -> Curves:
        return self._tables[task]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        direction = "" if self.higher_is_better else "; lower is better"
        return (
            f"Tasks({plural(len(self), 'task')}: {quoted(tuple(self))}; "
            f"{plural(len(self.algorithms), 'algorithm')}: {quoted(self.algorithms)}{direction})"
        )


def each_task(parts: Mapping[str, Part], curves_of: Callable[[Part], Curves]) -> dict[str, Curves]:
    """Make the curves of each of several tasks; errors have the task's name before them."""
    tables = {}
    for task, part in parts.items():
        try:
            tables[task] = curves_of(part)
        except CurvesError as error:
            if len(parts) == 1:
                raise
            refuse(f"Task {task!r}: {error}")
    return tables


def _named(tables: Any) -> dict[str, Curves]:
    """Return the tables by the text of their names; raise if a name stands twice."""
    if isinstance(tables, Curves):
        refuse(
            "These are the curves of one task. Give a mapping from names of tasks to Curves, "
            "such as read_tasks() returns."
        )
    pairs = tables.items() if isinstance(tables, Mapping) else tables
    try:
        pairs = [(task, own) for task, own in pairs]
    except (TypeError, ValueError):
        refuse(f"Give a mapping from names of tasks to Curves, not {shown_value(tables)}.")
    named: dict[str, Curves] = {}
    for task, own in pairs:
        name = str(task)
        if not isinstance(own, Curves):
            refuse(f"Task {name!r} must be Curves, not {type(own).__name__}.")
        if name in named:
            refuse(f"Task {name!r} is named twice. Give each task a name of its own.")
        named[name] = own
    if not named:
        refuse("There are no tasks. Give a mapping from names to Curves.")
    return named


def _refusal(lacking: Mapping[str, Sequence[str]], n_tasks: int) -> str:
    """Say which tasks lack which algorithms, and what can be done."""
    which = "; ".join(
        f"{task!r} lacks {listed(absent, MAX_NAMED)}"
        for task, absent in list(lacking.items())[:MAX_NAMED]
    )
    more = f"; and {len(lacking) - MAX_NAMED} more" if len(lacking) > MAX_NAMED else ""
    remedy = f", or leave such tasks out with {argument('missing', 'drop')}"
    if len(lacking) == n_tasks:  # nothing would be left
        remedy = " that tasks share"
    return (
        f"{len(lacking)} of {plural(n_tasks, 'task')} "
        f"{'lacks' if len(lacking) == 1 else 'lack'} an algorithm that others have: "
        f"{which}{more}. Name the algorithms to compare{remedy}."
    )


def _direction(named: Mapping[str, Curves]) -> bool:
    """Return whether higher scores are better; raise if tasks differ in that."""
    higher = [task for task, own in named.items() if own.higher_is_better]
    if higher and len(higher) < len(named):
        lower = [task for task in named if task not in higher]
        refuse(
            f"Higher scores are better in {listed(higher, MAX_NAMED)} but lower ones in "
            f"{listed(lower, MAX_NAMED)}. Tasks are judged together only in one "
            "direction: turn the sign of the others' scores, or say which holds for all with "
            f"{argument('higher_is_better', value=True)}."
        )
    return bool(higher)


BASELINE, CANDIDATE = "baseline", "candidate"
UNNAMED = ["score"]  # the metric of tables, whatever their column is called


def side_by_side(baseline: Unaligned, candidate: Unaligned) -> Curves:
    """Return the runs of both at common steps, named by their roles.

    All runs are aligned together, as `align` does it with the options of the baseline, so that
    nothing depends on which side a run is on.

    Raises
    ------
    CurvesError
        If a side holds several algorithms, if the metrics or their directions differ, or if the
        runs cannot be brought to common steps.
    """
    sides = {BASELINE: baseline, CANDIDATE: candidate}
    logs = {role: _logs(role, side) for role, side in sides.items()}
    metrics = {role: sorted({log.metric for log in own}) for role, own in logs.items()}
    if UNNAMED not in metrics.values() and metrics[BASELINE] != metrics[CANDIDATE]:
        refuse(
            f"The baseline holds the metric {listed(metrics[BASELINE], 6)}, the "
            f"candidate {listed(metrics[CANDIDATE], 6)}. Choose one that both have, as "
            f"in {argument('metric', metrics[BASELINE][0])}."
        )
    better = baseline.selection.higher_is_better
    if better != candidate.selection.higher_is_better:
        higher, lower = (BASELINE, CANDIDATE) if better else (CANDIDATE, BASELINE)
        refuse(
            f"Higher is better for the {higher}, lower for the {lower}. Say which is right, as "
            f"in {argument('higher_is_better', better)}."
        )
    every = [log for own in logs.values() for log in own]
    display = replace(baseline.display, everyone=(BASELINE, CANDIDATE))
    return Unaligned(every, baseline.selection, _source(sides), display).curves()


def _source(sides: dict[str, Unaligned]) -> str:
    """Say where both sides come from; what is the same of both, once."""
    parts = {role: side.source.partition(": ") for role, side in sides.items()}
    told = {text for _, _, text in parts.values()}
    if len(told) > 1:
        return "; ".join(f"{role}: {side.source}" for role, side in sides.items())
    places = " and ".join(f"{role} {place}" for role, (place, _, _) in parts.items())
    return ", each: ".join(filter(None, [places, *told]))


def _logs(role: str, side: Unaligned) -> list[RunLog]:
    """Return the runs of a side, as those of an algorithm that is called by its role."""
    logs = side.logs()
    names = list(dict.fromkeys(log.algorithm for log in logs))
    if len(names) > 1:
        # In Python both are read by the fixture of tests only.
        in_tests = in_python(f"names={{{role!r}: {names[0]!r}}}")
        refuse(
            f"The {role} must be one algorithm, and there are {len(names)}: "
            f"{listed(names, 6)}. Choose one, as in "
            f"{in_tests or argument(role, names[0])}."
        )
    return [replace(log, algorithm=role) for log in logs]


def unaligned(curves: Curves) -> Unaligned:
    """Return curves as runs that may be aligned with others."""
    table = WideTable(
        curves.scores,
        curves.steps,
        curves.labels.tolist(),
        curves.runs.tolist(),
        None if curves.blocks is None else curves.blocks.tolist(),
        curves.precision,
    )
    selection = Selection(higher_is_better=curves.higher_is_better)
    return Unaligned(table, selection, curves.source, curves.display)
