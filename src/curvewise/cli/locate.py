"""``curvewise locate``: at which steps, from when, until when?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.options import Alpha  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import CurveOutput  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.printing import check_plot, note, save_plot
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)

__all__ = ["locate"]


def locate(
    reading: Reading,
    *,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="FROM TO",
            help="Ask about this window of steps: do the curves differ somewhere in it, on "
            "average over it, and does the gap change within it? Each p allows for having "
            "chosen it by looking.",
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
            help="F threshold for clusters of neighbouring steps.  [default: what F exceeds "
            "at one step with probability alpha]",
        ),
    ] = None,
    alpha: Alpha = 0.05,
    resamples: Annotated[
        int,
        typer.Option(help="Resamples for the intervals of shares; 0 for none."),
    ] = 1_999,
    shuffling: Shuffling,
    output: CurveOutput,
    plot_windows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save a map of p over all windows."),
    ] = None,
) -> None:
    """At which steps do the curves in PATH differ?

    Also from when at the latest, until when, and in which windows. Every p allows for all the
    steps, or windows, that were looked at. What is said follows the test at each step, and
    does not wait for the overall test of compare. --from and --to cut the curves before
    anything is tested; --window asks about a part of what is left.

    Example: curvewise locate runs.csv --only DQN --only Rainbow --plot where.png
    """
    check_plot(plot_windows)
    curves = reading.curves()
    if window is not None:
        curves.window(*window)  # raises for a window without steps, before any work
    with shuffling.working():
        found = curvewise.locate(
            curves,
            adjust=adjust,
            cluster_threshold=cluster_threshold,
            alpha=alpha,
            n_resamples=resamples,
            **shuffling.options,
        )
    lines: dict[str, str] = {}
    record: dict[str, Any] = {}
    if window is not None:
        asked = found.window(*window)
        from curvewise.questions.locate.words import window_line

        lines["Window"] = window_line(asked, found.sampling)
        record["window"] = asked.to_dict()
    output.save(found, curves)
    if plot_windows is not None:
        save_plot(lambda: curvewise.plot_window_maps(found), plot_windows)
    output.show(found, lines=lines, record=record)
    if plot_windows is not None:
        note(f"Figure saved as {plot_windows}")
