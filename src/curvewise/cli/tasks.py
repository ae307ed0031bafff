"""``curvewise tasks``: which algorithm is better on many tasks, as a whole and on each?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import curvewise
from curvewise.cli.command import Output, Reading, Shuffling, asks, measure_of
from curvewise.cli.terminal import note, save_plots
from curvewise.errors import CurvesError
from curvewise.records import json_ready
from curvewise.text import listed, words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from curvewise.data.tasks import Tasks
    from curvewise.questions.aggregate.result import Aggregate
    from curvewise.rendering.figures import Figure


# How p of the best on each task is adjusted for the tasks, by how that of differences is.
ADJUST_OF_BEST: dict[str, Literal["bh", "bonferroni"]] = {"bh": "bh", "holm": "bonferroni"}
PROFILES_SIZE = (7.0, 4.2)  # inches
PICTURES = words("tasks pairs aggregate curves profiles best")


@dataclass(frozen=True, kw_only=True)
class TasksReading(Reading):
    """What is read: the runs of all tasks, and which tasks are kept.

    Parameters
    ----------
    paths
        A table with a column for the task; several tables, or a folder of them, one for each
        task; or training logs. 'curvewise inspect PATH' lists what is there.
    keep
        Keep this task; repeat for more.
    missing
        A task that lacks an algorithm is refused, or left out for all algorithms.
    """

    keep: Annotated[tuple[str, ...], "TASK"] = ()
    missing: Literal["refuse", "drop"] = "refuse"

    def tasks(self) -> Tasks:
        """Read the curves of the tasks to keep, and say what was read."""

        def read(*paths: Any, **selection: Any) -> Tasks:
            if not self.keep:
                return curvewise.read_tasks(*paths, missing=self.missing, **selection)
            # What others lack does not matter.
            found = curvewise.read_tasks(*paths, missing="keep", **selection).keep(*self.keep)
            return curvewise.Tasks(
                found, algorithms=selection["only"] or None, missing=self.missing
            )

        found = self.tables(read)
        if found.dropped:
            note(f"Left out for lack of an algorithm: {listed(found.dropped)}.")
        return found


@dataclass(frozen=True, kw_only=True)
class TasksOutput(Output):
    """How the result is printed, and where its figures are saved.

    Parameters
    ----------
    plot
        Save figures: NAME.pdf makes NAME-tasks.pdf (of two algorithms, else NAME-pairs.pdf),
        NAME-aggregate.pdf, NAME-curves.pdf, NAME-profiles.pdf and NAME-best.pdf; all of them or
        none. Also .png, .svg, …
    """

    without = "title xlabel ylabel"

    def place(self, picture: str) -> Path:
        """Return the file of one of the figures."""
        assert self.plot is not None  # noqa: S101 (asked only if there are figures)
        if not self.plot.name:
            return self.plot  # which is refused
        return self.plot.with_name(f"{self.plot.stem}-{picture}{self.plot.suffix}")

    @property
    def places(self) -> list[Path]:
        """The files that may be written."""
        return [] if self.plot is None else [self.place(own) for own in PICTURES]

    def save_all(self, draws: Mapping[str, Callable[..., Any]]) -> None:
        """Save all figures, if they were asked for, or none of them if one fails."""
        if self.plot is not None:
            drawn = {self.place(own): partial(draw, **self.drawing) for own, draw in draws.items()}
            save_plots(drawn, self.dpi)

    def saved(self) -> str:
        """Say where the figures are."""
        return f"Figures saved as {self.place('*')}"


@asks("aggregate compare_tasks", without="a b missing confidence n_multipliers")
def tasks(
    reading: TasksReading,
    shuffling: Shuffling,
    output: TasksOutput,
    *,
    baseline: str | None = None,
    on: Annotated[str, "WHAT"] = "mean",
    reference: Annotated[str | None, "FILE"] = None,
    adjust: Literal["bh", "holm"],
    alpha: float,
    **asked: Any,
) -> None:
    """Which algorithm in PATH is better on many tasks?

    Two questions with a p each: is one better on the whole, and do they differ on any task? Then
    on how many tasks at least, and on which; an aggregate of each algorithm with an interval
    that holds with few runs; and which algorithms may be the best on each task. Runs are
    shuffled inside tasks, and scores of different tasks are never averaged for a test. What is
    concluded is about these tasks.

    Examples: curvewise tasks runs.csv --task game --plot figures.pdf

    curvewise tasks atari/ --only DQN --only Rainbow --reference human.csv --latex

    Parameters
    ----------
    baseline
        Compare every other algorithm with this one.  [default: every two]
    on
        What is taken of each run for aggregates: mean (over training), final (the last tenth of
        the steps), FROM:TO (in steps). Tests look at whole curves.
    reference
        CSV or JSON with the scores of each task that count as 0 and as 1 (columns task, low,
        high); raw takes scores as they are.  [default: the worst and the best of this data]
    """
    from curvewise.data.checks import check_alpha

    measure = measure_of(on, {"mean": "mean", "final": "final"})
    check_alpha(alpha)
    found = reading.tasks()
    aggregates = {**asked, "reference": reference, "confidence": 1 - alpha, "rng": shuffling.rng}
    # Cheap, and refuses options that cannot be used before any shuffling.
    aggregate, why_not = _aggregate(found, on=measure, **aggregates)
    with shuffling.working():
        compared = curvewise.compare_tasks(
            found, b=baseline, adjust=adjust, alpha=alpha, **shuffling.options
        )
        best = curvewise.best_many(
            found, adjust=ADJUST_OF_BEST[adjust], alpha=alpha, **shuffling.options_of_best
        )
    if why_not:
        note(f"Note: there are no aggregates. {why_not}")
    first = "tasks" if isinstance(compared, curvewise.TaskComparison) else "pairs"
    draws: dict[str, Callable[..., Any]] = {first: compared.figure, "best": best.figure}
    if aggregate is not None:
        draws |= {"aggregate": aggregate.figure, "profiles": partial(_profiles, aggregate)}
        n_steps = {curves.n_steps for curves in found.values()}
        if len(n_steps) == 1 or 1 not in n_steps:
            every_step = partial(curvewise.aggregate, found, on="every step", **aggregates)
            draws["curves"] = lambda **page: every_step().figure(**page)
        elif output.plot is not None:
            note(
                "Note: there is no figure of aggregate curves, since some tasks have a single "
                "step and others more."
            )
    output.save_all(draws)
    results = [own for own in (compared, aggregate, best) if own is not None]
    record = {"aggregate": json_ready(aggregate), "best": best.to_dict()}
    output.show(*results, record=record)


def _aggregate(found: Tasks, **options: Any) -> tuple[Aggregate | None, str]:
    """Return the aggregates; None, and why, if this data gives none."""
    try:
        return curvewise.aggregate(found, **options), ""
    except CurvesError as error:
        if options["reference"] is not None or not isinstance(options["on"], str):
            raise
        return None, str(error)


def _profiles(aggregate: Aggregate, **page: Any) -> Figure:
    """Draw the performance profiles for a page."""
    from curvewise.rendering.figures import one_axes
    from curvewise.rendering.page import Page

    sheet = Page(**page)
    with sheet.type_sizes():
        drawn = one_axes(curvewise.plot_profiles, aggregate.profile(), PROFILES_SIZE)
        return sheet.set(drawn)
