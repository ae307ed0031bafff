"""``curvewise pairs``: which algorithms differ, and who may be the best?"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import curvewise
from curvewise.cli import options as o
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.cli.spreading import progress

__all__ = ["pairs"]


def pairs(
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
    adjust: Annotated[
        Literal["holm", "bonferroni", "max-t"],
        typer.Option(
            help="How p is adjusted for all pairs. Holm is exact; max-t, approximate, finds "
            "more with few runs of many algorithms."
        ),
    ] = "holm",
    error: o.Error = "split",
    alpha: o.Alpha = 0.05,
    shuffles: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Random shuffles of a pair, when not every relabelling is visited.  "
            "[default: 9999, or as many as the number of pairs asks for]",
        ),
    ] = None,
    exact: o.Exact = None,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    as_json: o.AsJson = False,
    as_markdown: o.AsMarkdown = False,
    as_latex: o.AsLatex = False,
    figure: o.Plot = None,
) -> None:
    """Which algorithms in FILE differ, and which may be the best?

    Every pair is compared on its own curves, in height and in shape, and p is adjusted for
    the number of pairs. The leader is held against each of the others.

    Example: curvewise pairs runs.csv --adjust max-t --plot pairs.png
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    with answering():
        check_plot(figure)
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
        n_shuffles = None if shuffles is None else o.shuffle_count(shuffles)
        with progress():
            found = curvewise.compare_pairs(
                curves,
                adjust=adjust,
                error=error,
                alpha=alpha,
                n_shuffles=n_shuffles,
                exact=exact,
                n_jobs=jobs,
                rng=seed,
            )
            leading = curvewise.best(
                curves,
                adjust="max-t" if adjust == "max-t" else "bonferroni",
                alpha=alpha,
                n_shuffles=9_999 if n_shuffles is None else n_shuffles,
                exact=exact,
                rng=seed,
            )
        if figure is not None:
            from curvewise.present.pair_plots import figure_of

            save_plot(lambda: figure_of(found), figure)
        show([found, leading], style, record={"best": leading.to_dict()})
        if figure is not None:
            note(f"Figure saved as {figure}")
