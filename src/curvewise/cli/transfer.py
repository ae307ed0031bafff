"""``curvewise transfer``: how much does one condition gain on another?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import OptionError

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.questions.transfer.result import Transfer
    from curvewise.questions.transfer.transfers import Transfers

__all__ = ["transfer"]


def transfer(
    reading: Reading,
    *,
    control: Annotated[
        str, typer.Option(metavar="NAME", help="The control: from scratch, the baseline.")
    ],
    experimental: Annotated[
        str, typer.Option(metavar="NAME", help="What is compared with the control.")
    ],
    optimum: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORE",
            help="The best possible score; with --task also TASK=SCORE, repeated.",
        ),
    ] = None,
    allow_optimum_below: Annotated[
        bool,
        typer.Option(
            "--allow-optimum-below", help="Scores may be better than the optimum."
        ),
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
            help="Score of time to threshold; with it --plot also draws who has not reached "
            "it yet.  [default: where the runs of both end]",
        ),
    ] = None,
    hold: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="At how many consecutive steps a run must be at the threshold.",
        ),
    ] = 1,
    integration: Annotated[
        Literal["sum", "trapezoid"],
        typer.Option(help="Areas as sums over steps, or by trapezoids."),
    ] = "sum",
    confidence: Annotated[
        float, typer.Option(help="Confidence of the intervals.")
    ] = 0.95,
    interval: Annotated[
        Literal["inverted", "student", "percentile"] | None,
        typer.Option(
            help="Values the shuffle test does not reject, Student's t, or quantiles of "
            "resamples.  [default: inverted; student for reductions, percentile for times]"
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option(help="Resamples for reductions and times; 0 for none.")
    ] = 9_999,
    shuffling: Shuffling,
    output: Output,
) -> None:
    """How much does one condition in PATH gain on another?

    Nine learning-comparison metrics, each with an interval, a p-value and a sentence that
    says what it means; the one to quote is marked. With --task COLUMN each task is measured by
    itself.

    Example: curvewise transfer runs.csv --control scratch --experimental pretrained
    """
    options: dict[str, Any] = {
        "control": control,
        "experimental": experimental,
        "optimum": _optimum(optimum or [], reading.task),
        "allow_optimum_below": allow_optimum_below,
        "window": window,
        "until_asymptote": until_asymptote,
        "threshold": threshold,
        "hold": hold,
        "integration": integration,
        "confidence": confidence,
        "interval": interval,
        "n_resamples": resamples,
        **shuffling.options,
    }
    if window is not None and until_asymptote is not None:
        msg = "--window and --until-asymptote both end the window; choose one."
        raise OptionError(msg, option="window")
    if not reading.only:
        # The runs of others shall not decide at which steps these two are compared.
        reading = replace(reading, only=[control, experimental])
    curves: Curves | None = None
    found: Transfer | Transfers
    tasks = {} if reading.task is None else reading.tasks()
    if len(tasks) > 1:
        with shuffling.working():
            found = curvewise.transfer_many(tasks, **options)
    else:
        curves = next(iter(tasks.values()), None) or reading.curves()
        with shuffling.working():
            found = curvewise.transfer(curves, **options)
    output.save(found, curves)
    output.show(found)


def _optimum(given: list[str], task: str | None) -> float | dict[str, float] | None:
    """Read one optimum for all, or one for each task."""
    if not given:
        return None
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        # The last sign counts: a name may contain one itself.
        pairs = [text.rpartition("=") for text in given]
        optima = {name: float(number) for name, _, number in pairs}
    except ValueError:
        optima = {}
    if task is None or not optima or "" in optima:
        msg = "--optimum must be a score or, with --task, TASK=SCORE for each task."
        raise typer.BadParameter(msg)
    return optima
