"""``curvewise tasks``: which algorithm is better on many tasks, as a whole and on each?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.measures import measure_of
from curvewise.cli.options import Alpha  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import FigureOutput
from curvewise.cli.printing import note, save_plots
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading, note_reading
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import CurvesError
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from curvewise.data.tasks import Tasks
    from curvewise.questions.aggregate.result import Aggregate
    from curvewise.rendering.figures import Figure

__all__ = ["TasksOutput", "TasksReading", "tasks"]

# How p of the best on each task is adjusted for the tasks, by how that of differences is.
ADJUST_OF_BEST: dict[str, Literal["bh", "bonferroni"]] = {
    "bh": "bh",
    "holm": "bonferroni",
}
PROFILES_SIZE = (7.0, 4.2)  # inches
PICTURES = ("tasks", "pairs", "aggregate", "curves", "profiles", "best")


@dataclass(frozen=True)
class TasksReading(Reading):
    """What is read: the runs of all tasks, and which tasks are kept."""

    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="A table with a column for the task; several tables, or a folder of them, one "
            "for each task; or training logs. 'curvewise inspect PATH' lists what is there.",
        ),
    ]
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Keep this task; repeat for more."),
    ] = None
    missing: Annotated[
        Literal["refuse", "drop"],
        typer.Option(
            help="A task that lacks an algorithm is refused, or left out for all algorithms."
        ),
    ] = "refuse"

    def tasks(self) -> Tasks:
        """Read the curves of the tasks to keep, and say what was read."""
        selection = self._selection()
        keep = selection.pop("keep")
        if keep:
            # What others lack does not matter.
            selection["missing"] = "keep"
        with progress("reading"):
            found = curvewise.read_tasks(self.paths, **selection)
        if keep:
            kept = found.keep(*keep)
            found = curvewise.Tasks(
                kept, algorithms=self.only or None, missing=self.missing
            )
        note_reading(found)
        if found.dropped:
            note(f"Left out for lack of an algorithm: {listed(found.dropped)}.")
        return found


@dataclass(frozen=True)
class TasksOutput(FigureOutput):
    """How the result is printed, and where its figures are saved."""

    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save figures: NAME.pdf makes NAME-tasks.pdf (of two algorithms, else "
            "NAME-pairs.pdf), NAME-aggregate.pdf, NAME-curves.pdf, NAME-profiles.pdf and "
            "NAME-best.pdf; all of them or none. Also .png, .svg, …",
        ),
    ] = None

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

    def save(self, draws: Mapping[str, Callable[..., Any]]) -> None:
        """Save all figures, if they were asked for, or none of them if one fails."""
        if self.plot is not None:
            save_plots(
                {
                    self.place(picture): partial(draw, **self.drawing)
                    for picture, draw in draws.items()
                },
                self.dpi,
            )

    def _saved(self) -> str:
        """Say where the figures are."""
        return f"Figures saved as {self.place('*')}"


def tasks(
    reading: TasksReading,
    *,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare every other algorithm with this one.  [default: every two]",
            show_default=False,
        ),
    ] = None,
    adjust: Annotated[
        Literal["bh", "holm"],
        typer.Option(
            help="How p of single tasks is adjusted for their number: bh keeps the share of "
            "false ones among the tasks that are named at alpha; holm the chance of any, which "
            "few runs and many tasks can make impossible to reach."
        ),
    ] = "bh",
    statistic: Annotated[
        Literal["iqm", "mean", "gap"] | None,
        typer.Option(
            help="What is aggregated over tasks: the interquartile mean of all runs, their mean, "
            "or how far they are below --gamma.  [default: iqm from 10 tasks on, else mean]",
            show_default=False,
        ),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is taken of each run for aggregates: mean (over training), final (the "
            "last tenth of the steps), FROM:TO (in steps). Tests look at whole curves.",
        ),
    ] = "mean",
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="CSV or JSON with the scores of each task that count as 0 and as 1 (columns "
            "task, low, high); raw takes scores as they are.  [default: the worst and the best "
            "of this data]",
            show_default=False,
        ),
    ] = None,
    gamma: Annotated[
        float,
        typer.Option(
            help="The normalised score that is good enough, for --statistic gap."
        ),
    ] = 1.0,
    alpha: Alpha = 0.05,
    shuffling: Shuffling,
    output: TasksOutput,
) -> None:
    """Which algorithm in PATH is better on many tasks?

    Two questions with a p each: is one better on the whole, and do they differ on any task? Then
    on how many tasks at least, and on which; an aggregate of each algorithm with an interval
    that holds with few runs; and which algorithms may be the best on each task. Runs are
    shuffled inside tasks, and scores of different tasks are never averaged for a test. What is
    concluded is about these tasks.

    Examples: curvewise tasks runs.csv --task game --plot figures.pdf

    curvewise tasks atari/ --only DQN --only Rainbow --reference human.csv --latex
    """
    from curvewise.inference.requirements import check_alpha

    measure = measure_of(on, {"mean": "mean", "final": "final"})
    check_alpha(alpha)
    found = reading.tasks()
    aggregates: dict[str, Any] = {
        "statistic": statistic,
        "reference": reference,
        "gamma": gamma,
        "confidence": 1 - alpha,
        "rng": shuffling.seed,
    }
    # Cheap, and refuses options that cannot be used before any shuffling.
    aggregate, why_not = _aggregate(found, on=measure, **aggregates)
    with shuffling.working():
        compared = curvewise.compare_tasks(
            found, b=baseline, adjust=adjust, alpha=alpha, **shuffling.options
        )
        best = curvewise.best_many(
            found,
            adjust=ADJUST_OF_BEST[adjust],
            alpha=alpha,
            **shuffling.options_of_best,
        )
    if why_not:
        note(f"Note: there are no aggregates. {why_not}")
    is_pair = isinstance(compared, curvewise.TaskComparison)
    draws: dict[str, Callable[..., Any]] = {
        "tasks" if is_pair else "pairs": compared.figure,
        "best": best.figure,
    }
    if aggregate is not None:
        draws |= {
            "aggregate": aggregate.figure,
            "profiles": partial(_profiles, aggregate),
        }
        n_steps = {curves.n_steps for curves in found.values()}
        if len(n_steps) == 1 or 1 not in n_steps:
            draws["curves"] = lambda **page: curvewise.aggregate(
                found, on="every step", **aggregates
            ).figure(**page)
        elif output.plot is not None:
            note(
                "Note: there is no figure of aggregate curves, since some tasks have a single "
                "step and others more."
            )
    output.save(draws)
    results = [own for own in (compared, aggregate, best) if own is not None]
    record = {
        "aggregate": None if aggregate is None else aggregate.to_dict(),
        "best": best.to_dict(),
    }
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
