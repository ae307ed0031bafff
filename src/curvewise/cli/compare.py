"""``curvewise compare``: do the curves differ, in height or in shape?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.output import Style, answering, check_plot, note, plot, show
from curvewise.cli.spreading import on_cluster, progress

__all__ = ["compare"]


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, Parquet, JSON lines or NPZ; see the README."
        ),
    ],
    algorithm: Annotated[
        str | None, typer.Option(metavar="COL", help="Column with the algorithm.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="COL", help="Column that tells the runs apart.")
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column with the amount of training."),
    ] = None,
    score: Annotated[
        str | None, typer.Option(metavar="COL", help="Column with the score.")
    ] = None,
    block: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of what runs of different algorithms share (seed, fold, task); "
            "runs are then shuffled only within it.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Keep this algorithm; repeat for more."),
    ] = None,
    start: Annotated[
        float | None, typer.Option("--from", metavar="STEP", help="First step to keep.")
    ] = None,
    stop: Annotated[
        float | None, typer.Option("--to", metavar="STEP", help="Last step to keep.")
    ] = None,
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="Scores are losses or costs.")
    ] = False,
    error: Annotated[
        Literal["split", "pooled"],
        typer.Option(
            help="Error term: split keeps height and shape apart; pooled is the papers'."
        ),
    ] = "split",
    spread: Annotated[
        Literal["equal", "unequal"],
        typer.Option(
            help="Unequal: compare means of algorithms that vary differently from run to "
            "run; use it when run counts differ as well."
        ),
    ] = "equal",
    alpha: Annotated[float, typer.Option(help="Significance level.")] = 0.05,
    shuffles: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Random shuffles, when not every relabelling is visited; auto: until the "
            "verdict is settled; precise: until p is known to a tenth.",
        ),
    ] = "9999",
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--sampled",
            help="Visit every relabelling, or sample. By default exact when it is quick.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="The same seed gives the same digits, whatever the jobs.")
    ] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Threads to use; -1 for all cores.  [default: 1]")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Send the work to a dask scheduler (tcp://host:port) or ray (ray://host:port).",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep the counts of long work here, and go on from them."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown.")
    ] = False,
    as_latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX tables (booktabs).")
    ] = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Save a figure (.png, .pdf, .svg, …)."
        ),
    ] = None,
) -> None:
    """Do the curves in FILE differ, in height or in shape?

    FILE has one row per run and step (long form), or one row per run and a column per
    step (wide form). Whole curves are shuffled among the algorithms, so no assumption is
    made about how scores along a curve depend on each other. Columns that are not named
    are recognised by their usual names: agent, seed, epoch, return and the like.

    Example: curvewise compare runs.csv --only DQN --only Rainbow --plot figure.png
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    with answering():
        check_plot(figure)
        curves = curvewise.read(
            file,
            algorithm=algorithm,
            run=run,
            step=step,
            score=score,
            block=block,
            only=only,
            start=start,
            stop=stop,
            higher_is_better=not lower_is_better,
        )
        note(f"Read {curves.source}")
        n_jobs = jobs if jobs is not None else (-1 if cluster else 1)
        with on_cluster(cluster), progress():
            comparison = curvewise.compare(
                curves,
                error=error,
                spread=spread,
                alpha=alpha,
                n_shuffles=_number(shuffles),
                exact=exact,
                n_jobs=n_jobs,
                rng=seed,
                checkpoint=checkpoint,
            )
        # Before anything is printed: whoever reads the output may stop reading it.
        if figure is not None:
            plot(curves, comparison, figure)
        show(comparison, style)
        if figure is not None:
            note(f"Figure saved as {figure}")


def _number(text: str) -> Any:
    """Read a number of shuffles, such as 10000 or 1e6; a word is left as it is."""
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
