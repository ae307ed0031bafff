"""``curvewise monitor``: may I stop, or do I need more runs?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading
from curvewise.cli.simulating import check_stated

__all__ = ["BatchReading", "monitor"]


@dataclass(frozen=True)
class BatchReading(Reading):
    """What is read; the blocks of the curves are their batches."""

    block: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="COL",
            help="Column, or key of the configuration, with the batch of each run. Batches "
            "come in the order of their names: 2 before 10, dates as they follow.",
        ),
    ] = None


def monitor(
    reading: BatchReading,
    *,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="What relabellings are drawn from; the same at every look.  [required, unless "
            "--plan-file has it]",
        ),
    ] = None,
    n_batches: Annotated[
        int | None,
        typer.Option(
            "--n-batches",
            metavar="N",
            help="Batches planned at most; a look after each.  [default: 5]",
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Runs planned of each algorithm in a batch; 2 or more.  [default: 4]",
        ),
    ] = None,
    spending: Annotated[
        Literal["linear", "obf"] | None,
        typer.Option(
            help="How alpha is spent: the same at every look, or little at first (O'Brien and "
            "Fleming), which leaves more for the last.  [default: linear]"
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(metavar="X", help="Significance level.  [default: 0.05]"),
    ] = None,
    effect: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The smallest difference worth finding: lift, stretch, speed, or a, b, c, d (the "
            "papers' modifications). Where it has little chance to be found, stopping is advised.",
        ),
    ] = None,
    size: Annotated[
        float | None,
        typer.Option(metavar="X", help="Its size; with --effect."),
    ] = None,
    unit: Annotated[
        Literal["score", "sd"],
        typer.Option(
            help="What a lift is in: units of the score, or SDs of curve means."
        ),
    ] = "score",
    shuffles: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Random relabellings, where not all are visited.  [default: 9999]",
        ),
    ] = None,
    give_up: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Of three algorithms or more: one that gets no more runs although not all of "
            "its pairs are decided; repeat for more.",
        ),
    ] = None,
    plan_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the plan to this file at the first look, and take it from there at later "
            "ones; another one is refused.",
        ),
    ] = None,
    output: Output,
) -> None:
    """May I stop, or do the algorithms in PATH need more runs?

    Runs come in batches, with a look after each; PATH has all runs so far. The plan (batches,
    their size, spending, alpha, shuffles, seed) is fixed before the first look, and the same at
    every look.

    Example: curvewise monitor runs.csv --batch week --n-batches 5 --batch-size 4 --seed 1
    --plan-file plan.json, and later curvewise monitor runs.csv --batch week --plan-file plan.json
    """
    stated = _scenario(effect, size, unit)
    given = {
        "seed": seed,
        "n_batches": n_batches,
        "batch_size": batch_size,
        "spending": spending,
        "alpha": alpha,
        "n_shuffles": shuffles,
    }
    plan = _plan(given, plan_file)
    curves = reading.curves()
    with progress("shuffling"):
        found = curvewise.monitor(
            curves,
            **plan,
            effect=stated,
            give_up=give_up or (),
            plan_file=plan_file,
        )
    output.save(found, curves)
    output.show(found)


def _plan(given: dict[str, Any], plan_file: Path | None) -> dict[str, Any]:
    """Return what was given of the plan, and what the file of earlier looks has of the rest."""
    from curvewise.questions.monitor.plan_file import known_plan

    known = {} if plan_file is None else known_plan(plan_file)
    plan = {
        name: known.get(name) if value is None else value for name, value in given.items()
    }
    if plan["seed"] is None:
        msg = "Give one at the first look; at later ones it must be the same."
        raise typer.BadParameter(msg, param_hint="'--seed'")
    return {name: value for name, value in plan.items() if value is not None}


def _scenario(
    effect: str | None, size: float | None, unit: Literal["score", "sd"]
) -> curvewise.Scenario | None:
    from curvewise.inference.scenarios import KINDS

    check_stated(effect, size, tuple(KINDS))
    if effect is None or size is None:
        return None
    return curvewise.scenario(effect, size, unit=unit)
