"""``curvewise transfer``: how much does one condition gain on another?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli import options as o
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.cli.spreading import progress
from curvewise.errors import OptionError

if TYPE_CHECKING:
    from curvewise.results import Transfer, Transfers

__all__ = ["transfer"]


def transfer(
    file: o.File,
    control: Annotated[
        str, typer.Option(metavar="NAME", help="The control: from scratch, the baseline.")
    ],
    experimental: Annotated[
        str, typer.Option(metavar="NAME", help="What is held against it.")
    ],
    algorithm: o.Algorithm = None,
    run: o.Run = None,
    step: o.Step = None,
    score: o.Score = None,
    block: o.Block = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column with the task; each is measured by itself."
        ),
    ] = None,
    lower_is_better: o.LowerIsBetter = False,
    optimum: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORE",
            help="The best score there can be; with --task also TASK=SCORE, repeated.",
        ),
    ] = None,
    allow_optimum_below: Annotated[
        bool,
        typer.Option("--allow-optimum-below", help="Scores may be better than it."),
    ] = False,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Compare these steps only."),
    ] = None,
    until_asymptote: Annotated[
        float | None,
        typer.Option(
            metavar="TOL",
            help="End where both mean curves stay within this share of their range around "
            "their final mean, such as 0.05.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="SCORE",
            help="Score of time to threshold.  [default: where the control ends]",
        ),
    ] = None,
    integration: Annotated[
        Literal["sum", "trapezoid"],
        typer.Option(help="Areas by sums over steps, or by trapezoids."),
    ] = "sum",
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    interval: Annotated[
        Literal["percentile", "bca", "studentised"] | None,
        typer.Option(
            help="Kind of interval.  [default: studentised; percentile for times]"
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option(help="Resamples for the intervals; 0 for none.")
    ] = 9_999,
    shuffles: o.Shuffles = "9999",
    exact: o.Exact = None,
    seed: o.Seed = 0,
    as_json: o.AsJson = False,
    as_markdown: o.AsMarkdown = False,
    as_latex: o.AsLatex = False,
    figure: o.Plot = None,
) -> None:
    """How much does the experimental condition in FILE gain on the control?

    Nine learning-comparison metrics, each with an interval, a p-value and a sentence that
    says what it means; the one to quote is marked.

    Example: curvewise transfer runs.csv --control scratch --experimental pretrained
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    columns = {"algorithm": algorithm, "run": run, "step": step, "score": score}
    options: dict[str, Any] = {
        "control": control,
        "experimental": experimental,
        "optimum": _optimum(optimum or [], task),
        "window": window,
        "until_asymptote": until_asymptote,
        "threshold": threshold,
        "integration": integration,
        "confidence": confidence,
        "interval": interval,
        "n_resamples": resamples,
        "n_shuffles": o.shuffle_count(shuffles),
        "exact": exact,
        "rng": seed,
        "allow_optimum_below": allow_optimum_below,
    }
    with answering():
        check_plot(figure)
        if window is not None and until_asymptote is not None:
            msg = "--window and --until-asymptote both end the window; choose one."
            raise OptionError(msg)
        found: Transfer | Transfers
        if task is None:
            curves = o.read_curves(
                file, block=block, lower_is_better=lower_is_better, **columns
            )
            with progress():
                found = curvewise.transfer(curves, **options)
        else:
            tasks = o.read_tasks(
                file, task=task, block=block, lower_is_better=lower_is_better, **columns
            )
            with progress():
                found = curvewise.transfer_many(tasks, **options)
        if figure is not None:
            save_plot(lambda: curvewise.plot_transfer(found), figure)
        show([found], style)
        if figure is not None:
            note(f"Figure saved as {figure}")


def _optimum(given: list[str], task: str | None) -> float | dict[str, float] | None:
    """Read one optimum for all, or one for each task."""
    if not given:
        return None
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        # The last sign counts: a name may hold one itself.
        pairs = [text.rpartition("=") for text in given]
        optima = {name: float(number) for name, _, number in pairs}
    except ValueError:
        optima = {}
    if task is None or not optima or "" in optima:
        msg = "--optimum is a score, or with --task TASK=SCORE for each task."
        raise typer.BadParameter(msg)
    return optima
