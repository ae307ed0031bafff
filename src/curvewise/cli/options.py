"""Options that several commands share, as groups, and what is done with them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.cluster import on_cluster
from curvewise.cli.printing import Style, check_plot, note, save_plot, show
from curvewise.cli.progress import progress
from curvewise.data.choices import check_choice
from curvewise.errors import OptionError
from curvewise.inference.scenarios import KINDS
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result

__all__ = [
    "Alpha",
    "Center",
    "Error",
    "GroupBy",
    "Output",
    "Paths",
    "Reading",
    "RunBy",
    "Seed",
    "Shuffling",
    "Simulating",
    "Task",
    "X",
    "check_stated",
    "note_reading",
    "numbers_of",
]

MAX_NOTES = 5  # lines about single runs

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

    def tasks(self) -> dict[str, Curves]:
        """Read the curves of each task, and say what was read."""
        with progress("reading"):
            tasks = curvewise.read_tasks(self.paths, **self._selection())
        note_reading(tasks)
        return tasks

    def _selection(self) -> dict[str, Any]:
        """Return the arguments of read() and read_tasks()."""
        selection = asdict(self)
        del selection["paths"]
        return selection


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
        with on_cluster(self.cluster), progress("shuffling"):
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


@dataclass(frozen=True)
class Simulating:
    """Which difference is looked for, and how experiments that look for it are simulated."""

    effect: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The difference to find: lift, stretch, speed, or a, b, c, d (the papers' "
            "modifications); observed takes that of the pilots, shrunk.  [required]",
        ),
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="The smallest size worth finding.  [required, unless it is observed]",
        ),
    ] = None
    unit: Annotated[
        Literal["score", "sd"],
        typer.Option(
            help="What a lift is in: units of the score, or SDs of curve means."
        ),
    ] = "score"
    base: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The algorithm whose mean curve is changed.  [default: the first]",
        ),
    ] = None
    noise: Annotated[
        Literal["gaussian", "resample"],
        typer.Option(
            help="How runs vary: normally, as much as the pilots; or as pilots drawn again "
            "(from 20 on)."
        ),
    ] = "gaussian"
    pool: Annotated[
        bool,
        typer.Option(
            "--pool/--no-pool",
            help="Take the pilots of all algorithms to vary alike, or each for itself.",
        ),
    ] = True
    n_algorithms: Annotated[
        int,
        typer.Option(
            "--algorithms", metavar="N", help="How many algorithms will be compared."
        ),
    ] = 2
    ratio: Annotated[
        float,
        typer.Option(help="Runs of the first algorithm for one run of each other."),
    ] = 1.0
    blocks: Annotated[
        bool,
        typer.Option(
            "--blocks",
            help="Runs in blocks with one of each algorithm, such as pairs with the same "
            "seed; the pilots must have them (--block).",
        ),
    ] = False
    overall: Annotated[
        Literal["combined", "F"], typer.Option(help="The overall test.")
    ] = "combined"
    alpha: Alpha = 0.05
    experiments: Annotated[
        int,
        typer.Option(metavar="N", help="Simulated experiments for each number of runs."),
    ] = 2_000
    shuffles: Annotated[
        int, typer.Option(metavar="N", help="Shuffles of each simulated experiment.")
    ] = 999
    confidence: Annotated[
        float, typer.Option(help="That of ranges and Monte Carlo intervals.")
    ] = 0.9
    seed: Seed = 0
    jobs: Annotated[int, typer.Option(help="Threads to use; -1 for all cores.")] = 1

    @property
    def sizes(self) -> list[float] | None:
        """The sizes of the effect: one number, or several joined by commas; None if observed."""
        check_stated(self.effect, self.size, (*KINDS, "observed"))
        return None if self.size is None else numbers_of("size", self.size)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a question that simulates experiments, with the first size."""
        names = ("base", "noise", "pool", "n_algorithms", "ratio", "blocks", "overall")
        return {
            **{name: getattr(self, name) for name in names},
            "effect": self._scenario,
            "alpha": self.alpha,
            "n_experiments": self.experiments,
            "n_shuffles": self.shuffles,
            "confidence": self.confidence,
            "rng": self.seed,
            "n_jobs": self.jobs,
        }

    @property
    def _scenario(self) -> Any:
        sizes = self.sizes
        if self.effect is None or sizes is None:
            return self.effect
        return curvewise.scenario(self.effect, sizes[0], unit=self.unit)


def check_stated(effect: str | None, size: object, kinds: Sequence[str]) -> None:
    """Raise unless a difference is stated as a kind and a size, or not at all."""
    if effect is not None:
        check_choice("effect", effect, tuple(kinds))
    if effect == "observed":
        if size is not None:
            msg = "--effect observed has a size of its own. Leave --size out."
            raise OptionError(msg, option="size")
    elif (effect is None) != (size is None):
        msg = "--effect and --size belong together, as in --effect lift --size 5."
        raise OptionError(msg, option="size" if size is None else "effect")


def numbers_of(option: str, text: str) -> list[float]:
    """Read numbers that are joined by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        msg = f"--{option} must be numbers joined by commas, such as 5,10,20; it is {text!r}."
        raise OptionError(msg, option=option) from None
