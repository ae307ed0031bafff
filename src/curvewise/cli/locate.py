"""``curvewise locate``: at which steps, from when, until when?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Literal

import typer

import curvewise
from curvewise.cli import options as o
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.cli.spreading import progress
from curvewise.present.where import window_line

__all__ = ["locate"]


def locate(
    file: o.File,
    algorithm: o.Algorithm = None,
    run: o.Run = None,
    step: o.Step = None,
    score: o.Score = None,
    block: o.Block = None,
    only: o.Only = None,
    start: o.From = None,
    stop: o.To = None,
    lower_is_better: o.LowerIsBetter = False,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="FROM TO",
            help="Test this window of steps; its p allows for having been chosen by looking.",
        ),
    ] = None,
    adjust: Annotated[
        Literal["max-f", "step-down"],
        typer.Option(
            help="How p at each step is adjusted for all steps; step-down finds a little more."
        ),
    ] = "max-f",
    cluster_threshold: Annotated[
        float | None,
        typer.Option(
            metavar="F",
            help="F from which on neighbouring steps make a cluster.  [default: what F "
            "exceeds at one step with probability alpha]",
        ),
    ] = None,
    alpha: o.Alpha = 0.05,
    shuffles: o.Shuffles = "9999",
    resamples: Annotated[
        int,
        typer.Option(
            help="Resamples for shares, difference band and crossing; 0 for none."
        ),
    ] = 1_999,
    exact: o.Exact = None,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    as_json: o.AsJson = False,
    as_markdown: o.AsMarkdown = False,
    as_latex: o.AsLatex = False,
    figure: o.Plot = None,
    windows_figure: Annotated[
        Path | None,
        typer.Option(
            "--plot-windows", metavar="FILE", help="Save a map of p over all windows."
        ),
    ] = None,
) -> None:
    """At which steps do the curves in FILE differ, from when, until when?

    Every p allows for all the steps, or windows, that were looked at: the chance of any
    false claim is at most alpha. --from and --to cut the curves before anything is tested;
    --window asks about a part of what is left.

    Example: curvewise locate runs.csv --only DQN --only Rainbow --plot where.png
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    with answering():
        check_plot(figure)
        check_plot(windows_figure)
        curves = o.read_curves(
            file,
            algorithm=algorithm,
            run=run,
            step=step,
            score=score,
            block=block,
            only=only,
            start=start,
            stop=stop,
            lower_is_better=lower_is_better,
        )
        if window is not None:
            curves.window(*window)  # refuses a window without steps before any work
        with progress():
            where = curvewise.locate(
                curves,
                adjust=adjust,
                cluster_threshold=cluster_threshold,
                alpha=alpha,
                n_shuffles=o.shuffle_count(shuffles),
                n_resamples=resamples,
                exact=exact,
                n_jobs=jobs,
                rng=seed,
            )
        lines, record = {}, {}
        if window is not None:
            asked = where.window(*window)
            lines["Window"] = window_line(asked)
            record["window"] = asked.to_dict()
        if figure is not None:
            save_plot(lambda: curvewise.plot_location(curves, where), figure)
        if windows_figure is not None:
            save_plot(lambda: curvewise.plot_window_maps(where), windows_figure)
        show([where], style, lines=lines, record=record)
        for path in (figure, windows_figure):
            if path is not None:
                note(f"Figure saved as {path}")
