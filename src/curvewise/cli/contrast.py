"""``curvewise contrast``: is a weighted sum of algorithms different from zero?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli import options as o
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.errors import OptionError

__all__ = ["contrast"]


def contrast(
    file: o.File,
    coefficients: Annotated[
        list[str],
        typer.Option(
            "--coefficient",
            "-c",
            metavar="NAME=NUMBER",
            help="Coefficient of an algorithm; repeat for each. They sum to 0.",
        ),
    ],
    algorithm: o.Algorithm = None,
    run: o.Run = None,
    step: o.Step = None,
    score: o.Score = None,
    block: o.Block = None,
    start: o.From = None,
    stop: o.To = None,
    lower_is_better: o.LowerIsBetter = False,
    over: Annotated[
        Literal["mean", "trend", "area"],
        typer.Option(
            help="What is taken of each curve: its mean, its slope, or the area under it."
        ),
    ] = "mean",
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Take the mean over these steps only."),
    ] = None,
    alternative: Annotated[
        Literal["two-sided", "greater", "less"],
        typer.Option(help="Which departures from 0 count."),
    ] = "two-sided",
    alpha: o.Alpha = 0.05,
    shuffles: o.Shuffles = "9999",
    exact: o.Exact = None,
    seed: o.Seed = 0,
    as_json: o.AsJson = False,
    as_markdown: o.AsMarkdown = False,
    as_latex: o.AsLatex = False,
    figure: o.Plot = None,
) -> None:
    """Is a weighted sum of algorithms in FILE different from zero?

    Example: curvewise contrast runs.csv -c Rainbow=1 -c DQN=-0.5 -c C51=-0.5
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    numbers = dict(_coefficient(text) for text in coefficients)
    with answering():
        check_plot(figure)
        weights = _weights(over, window)
        if len(numbers) < len(coefficients):
            msg = "An algorithm has two coefficients; give each one."
            raise OptionError(msg)
        curves = o.read_curves(
            file,
            algorithm=algorithm,
            run=run,
            step=step,
            score=score,
            block=block,
            start=start,
            stop=stop,
            lower_is_better=lower_is_better,
        )
        found = curvewise.contrast(
            curves,
            numbers,
            weights=weights,
            alternative=alternative,
            alpha=alpha,
            n_shuffles=o.shuffle_count(shuffles),
            exact=exact,
            rng=seed,
        )
        if figure is not None:
            from curvewise.present.pair_plots import figure_of

            save_plot(lambda: figure_of(found), figure)
        show([found], style)
        if figure is not None:
            note(f"Figure saved as {figure}")


def _coefficient(text: str) -> tuple[str, float]:
    # The last sign counts: a name may hold one itself.
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        msg = f"{text!r} is no coefficient: write NAME=NUMBER, such as DQN=-0.5."
        raise typer.BadParameter(msg) from None


def _weights(over: str, window: tuple[float, float] | None) -> Any:
    if window is None:
        return None if over == "mean" else over
    if over != "mean":
        msg = f"--window takes a mean; for the {over} of a part use --from and --to."
        raise OptionError(msg)
    return ("window", *window)
