"""``curvewise criteria``: which metric can be trusted with what?"""

from __future__ import annotations

from typing import Annotated

import typer

import curvewise
from curvewise.cli.options import (  # noqa: TC001 (typer reads the annotations)
    AsJson,
    AsLatex,
    AsMarkdown,
    Plot,
    Seed,
)
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show
from curvewise.errors import OptionError, nearest
from curvewise.results.criteria import CRITERIA

__all__ = ["criteria"]


def criteria(
    criterion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of them: {', '.join(CRITERIA)}."),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    figure: Plot = None,
) -> None:
    """Which learning-comparison metric meets which of ten criteria, by running them?

    The criteria are those of Gorski & Laird (2009). The figure shows the curves that decide
    a criterion or, when none is named, those that decide otherwise than the paper.
    """
    style = Style.chosen(json=as_json, markdown=as_markdown, latex=as_latex)
    with answering():
        check_plot(figure)
        if criterion is not None and criterion.lower() not in CRITERIA:
            msg = f"No criterion is called {criterion!r}; {nearest(criterion, CRITERIA)}"
            raise OptionError(msg)
        found = curvewise.check_criteria(rng=seed)
        if criterion is not None:
            found = found.select(criterion)
        if figure is not None:
            from curvewise.present.criteria_plots import figure_of_criteria

            save_plot(lambda: figure_of_criteria(found), figure)
        show([found], style)
        if figure is not None:
            note(f"Figure saved as {figure}")
