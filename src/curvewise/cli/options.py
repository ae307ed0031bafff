"""Options that several commands share, and what is read with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.output import note

if TYPE_CHECKING:
    from curvewise.curves import Curves

__all__ = [
    "Algorithm",
    "Alpha",
    "AsJson",
    "AsLatex",
    "AsMarkdown",
    "Block",
    "Error",
    "Exact",
    "File",
    "From",
    "Jobs",
    "LowerIsBetter",
    "Only",
    "Plot",
    "Run",
    "Score",
    "Seed",
    "Shuffles",
    "Step",
    "To",
    "read_curves",
    "read_tasks",
    "shuffle_count",
]

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, Parquet, JSON lines or NPZ; see the README."
    ),
]
Algorithm = Annotated[
    str | None, typer.Option(metavar="COL", help="Column with the algorithm.")
]
Run = Annotated[
    str | None, typer.Option(metavar="COL", help="Column that tells the runs apart.")
]
Step = Annotated[
    str | None, typer.Option(metavar="COL", help="Column with the amount of training.")
]
Score = Annotated[str | None, typer.Option(metavar="COL", help="Column with the score.")]
Block = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column of what runs of different algorithms share (seed, fold, task); "
        "runs are then shuffled only within it.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Keep this algorithm; repeat for more."),
]
From = Annotated[
    float | None, typer.Option("--from", metavar="STEP", help="First step to keep.")
]
To = Annotated[
    float | None, typer.Option("--to", metavar="STEP", help="Last step to keep.")
]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="Scores are losses or costs.")
]
Alpha = Annotated[float, typer.Option(help="Significance level.")]
Error = Annotated[
    Literal["split", "pooled"],
    typer.Option(
        help="Error term: split keeps height and shape apart; pooled is the papers'."
    ),
]
Shuffles = Annotated[
    str,
    typer.Option(
        metavar="N", help="Random shuffles, when not every relabelling is visited."
    ),
]
Exact = Annotated[
    bool | None,
    typer.Option(
        "--exact/--sampled",
        help="Visit every relabelling, or sample. By default exact when it is quick.",
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option(help="The same seed gives the same digits, whatever the jobs.")
]
Jobs = Annotated[int, typer.Option(help="Threads to use; -1 for all cores.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]
AsLatex = Annotated[bool, typer.Option("--latex", help="Print LaTeX tables (booktabs).")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Save a figure (.png, .pdf, .svg, …)."),
]


def read_curves(file: Path, *, lower_is_better: bool, **options: Any) -> Curves:
    """Read the curves that the options name, and say what was read."""
    curves = curvewise.read(file, higher_is_better=not lower_is_better, **options)
    note(f"Read {curves.source}")
    return curves


def read_tasks(file: Path, *, lower_is_better: bool, **options: Any) -> dict[str, Curves]:
    """Read the curves of several tasks, and say what was read."""
    tasks = curvewise.read_tasks(file, higher_is_better=not lower_is_better, **options)
    source = next(iter(tasks.values())).source
    note(f"Read {source}; {len(tasks)} tasks from {options['task']!r}")
    return tasks


def shuffle_count(text: str) -> Any:
    """Read a number of shuffles, such as 10000 or 1e6; a word is left as it is."""
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
