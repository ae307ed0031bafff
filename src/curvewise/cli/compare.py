"""``curvewise compare``: do the curves differ, in height or in shape?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Literal

import typer

import curvewise
from curvewise.cli import options as o
from curvewise.cli.digest import digest
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.cli.spreading import on_cluster, progress

__all__ = ["compare"]


def compare(
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
    error: o.Error = "split",
    spread: Annotated[
        Literal["equal", "unequal"],
        typer.Option(
            help="Unequal: compare means of algorithms that vary differently from run to "
            "run; use it when run counts differ as well."
        ),
    ] = "equal",
    alpha: o.Alpha = 0.05,
    shuffles: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Random shuffles, when not every relabelling is visited; auto: until the "
            "verdict is settled; precise: until p is known to a tenth.",
        ),
    ] = "9999",
    exact: o.Exact = None,
    seed: o.Seed = 0,
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
    as_json: o.AsJson = False,
    as_markdown: o.AsMarkdown = False,
    as_latex: o.AsLatex = False,
    figure: o.Plot = None,
) -> None:
    """Do the curves in FILE differ, in height or in shape?

    FILE has one row per run and step (long form), or one row per run and a column per
    step (wide form). Whole curves are shuffled among the algorithms, so no assumption is
    made about how scores along a curve depend on each other. Columns that are not named
    are recognised by their usual names: agent, seed, epoch, return and the like.

    After the verdict one line says where the curves differ, and with more than two
    algorithms one says who leads.

    Example: curvewise compare runs.csv --only DQN --only Rainbow --plot figure.png
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
        n_jobs = jobs if jobs is not None else (-1 if cluster else 1)
        with on_cluster(cluster), progress():
            comparison = curvewise.compare(
                curves,
                error=error,
                spread=spread,
                alpha=alpha,
                n_shuffles=o.shuffle_count(shuffles),
                exact=exact,
                n_jobs=n_jobs,
                rng=seed,
                checkpoint=checkpoint,
            )
        more = digest(
            curves,
            comparison,
            n_shuffles=o.shuffle_count(shuffles),
            exact=exact,
            n_jobs=n_jobs,
            seed=seed,
        )
        # Before anything is printed: whoever reads the output may stop reading it.
        if figure is not None:
            save_plot(lambda: curvewise.plot_comparison(curves, comparison), figure)
        show([comparison], style, lines=more.lines, record=more.record)
        if figure is not None:
            note(f"Figure saved as {figure}")
