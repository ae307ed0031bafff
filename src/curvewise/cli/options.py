"""Options that several commands share, as groups, and what is done with them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.cluster import on_cluster
from curvewise.cli.printing import Style, check_plot, note, save_plot, show
from curvewise.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result

__all__ = ["Alpha", "Center", "Error", "Output", "Reading", "Seed", "Shuffling"]

Alpha = Annotated[float, typer.Option(help="Significance level.")]
Center = Annotated[
    Literal["mean", "trimmed", "ranks"],
    typer.Option(
        help="What of an algorithm's runs is compared: their mean; the typical run, with a "
        "fifth cut off at either end; or the ranks of runs. Choose before looking."
    ),
]
Error = Annotated[
    Literal["split", "pooled"],
    typer.Option(
        help="Error term: split keeps height and shape apart; pooled is the papers'."
    ),
]
Seed = Annotated[
    int, typer.Option(help="The same seed gives the same digits, whatever the jobs.")
]


@dataclass(frozen=True)
class Reading:
    """What is read: the file, its columns, and which algorithms and steps are kept."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, Parquet, JSON lines or NPZ; see the README."
        ),
    ]
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
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="Scores are losses or costs.")
    ] = False
    align: Annotated[
        Literal["linear", "previous", "bins"],
        typer.Option(help="How runs with different steps are brought to common ones."),
    ] = "linear"
    n_steps: Annotated[
        int | None,
        typer.Option(metavar="N", help="So many evenly spaced steps, or bins."),
    ] = None
    short: Annotated[
        Literal["refuse", "prefix", "worst", "carry", "drop"],
        typer.Option(
            help="Runs that end early, diverge or are empty: cut all to a prefix, count the "
            "worst score, carry on the last one, or drop them for a --reason."
        ),
    ] = "refuse"
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why short runs may be dropped.")
    ] = None
    min_steps: Annotated[
        int | None, typer.Option(metavar="N", help="Steps that are enough of a prefix.")
    ] = None
    duplicates: Annotated[
        Literal["mean", "last"] | None,
        typer.Option(help="What holds of several scores of a run at one step."),
    ] = None

    def curves(self) -> Curves:
        """Read the curves, and say what was read."""
        curves = curvewise.read(self.file, **self._selection())
        note(f"Read {curves.source}")
        return curves

    def tasks(self, column: str) -> dict[str, Curves]:
        """Read the curves of each task that a column names, and say what was read."""
        tasks = curvewise.read_tasks(self.file, task=column, **self._selection())
        source = next(iter(tasks.values())).source
        note(f"Read {source}; {len(tasks)} tasks from {column!r}")
        return tasks

    def _selection(self) -> dict[str, Any]:
        """Return the arguments of read() and read_tasks()."""
        selection = asdict(self)
        del selection["file"]
        selection["higher_is_better"] = not selection.pop("lower_is_better")
        return selection


@dataclass(frozen=True)
class Shuffling:
    """How relabellings are visited: which, how many, where, and from which checkpoint."""

    shuffles: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Random shuffles, when not every relabelling is visited; auto: until the "
            "verdict is settled; precise: until p is known to within 10%.",
        ),
    ] = "9999"
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Visit every relabelling, or sample. By default exact when it is quick.",
            show_default=False,
        ),
    ] = None
    seed: Seed = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Threads to use; -1 for all cores.  [default: 1; with --cluster all of it]"
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Send the work to a dask scheduler (tcp://host:port) or ray "
            "(ray://host:port).",
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the counts of long work in this file, and go on from them.",
        ),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that shuffles; n_shuffles only if it was given."""
        options = {
            "n_shuffles": self.n_shuffles,
            "exact": self.exact,
            "n_jobs": self.n_jobs,
            "rng": self.seed,
            "checkpoint": self.checkpoint,
        }
        if self.shuffles is None:
            del options["n_shuffles"]
        return options

    @property
    def n_shuffles(self) -> object:
        """The number of shuffles, such as 10000 or 1e6; a word is left as it is."""
        try:
            number = float(str(self.shuffles).replace("_", ""))
        except ValueError:
            return self.shuffles
        return int(number) if number.is_integer() else number

    @property
    def n_jobs(self) -> int:
        """The number of jobs: one by default, or all that a cluster has."""
        if self.jobs is not None:
            return self.jobs
        return 1 if self.cluster is None else -1

    @contextmanager
    def working(self) -> Iterator[None]:
        """Work on the cluster, if there is one, and show progress, inside the with block."""
        with on_cluster(self.cluster), progress():
            try:
                yield
            except KeyboardInterrupt:
                if self.checkpoint is not None:
                    note(
                        f"The work done so far is in {self.checkpoint}; run the same command "
                        "again to go on."
                    )
                raise


@dataclass(frozen=True)
class Output:
    """How results are printed, and where their figure is saved."""

    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
    ] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False
    latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX tables (booktabs).")
    ] = False
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save a figure (.png, .pdf, .svg, …)."),
    ] = None

    def __post_init__(self) -> None:
        # Before any work is done.
        _ = self.style
        check_plot(self.plot)

    @property
    def style(self) -> Style:
        """The one style that was asked for; several are a usage error."""
        return Style.chosen(json=self.json, markdown=self.markdown, latex=self.latex)

    def save(self, draw: Callable[[], Any]) -> None:
        """Save the figure, if one was asked for.

        To be called before `show`: whoever reads the output may stop reading it.
        """
        if self.plot is not None:
            save_plot(draw, self.plot)

    def show(
        self,
        *results: Result,
        lines: Mapping[str, str] | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Print results, and say where the figure is."""
        show(results, self.style, lines=lines, record=record)
        if self.plot is not None:
            note(f"Figure saved as {self.plot}")
