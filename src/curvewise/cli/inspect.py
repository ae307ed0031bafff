"""``curvewise inspect``: what is in files and folders of training logs?"""

from __future__ import annotations

from typing import Annotated

import typer

import curvewise
from curvewise.cli.printing import Style, print_json, show
from curvewise.cli.progress import progress
from curvewise.cli.reading import GroupBy, Paths, RunBy, Task, X  # noqa: TC001 (typer reads the annotations)

__all__ = ["inspect"]


def inspect(
    paths: Paths,
    *,
    x: X = None,
    group_by: GroupBy = None,
    run_by: RunBy = None,
    task: Task = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print what was found as JSON, and nothing else."),
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Which runs, algorithms, tasks and metrics are in PATH?

    What cannot be read is listed as well. Formats are recognised by what files hold.
    Algorithms, runs and tasks are inferred from configurations and paths; the first lines say
    from what, and --group-by, --run-by and --task overrule it.

    Example: curvewise inspect runs/
    """
    style = Style.chosen(json=json, markdown=markdown, latex=False)
    with progress("reading"):
        found = curvewise.scan(paths, x=x, group_by=group_by, run_by=run_by, task=task)
    if style is Style.JSON:
        print_json(found.to_dict())
    else:
        show([found], style)
