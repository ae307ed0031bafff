"""``curvewise gate``: is a candidate not worse than a baseline by more than a margin?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.exit_codes import FAILED, SUCCESS, UNDECIDED
from curvewise.cli.gate_files import check_junit, summary_place, write_files
from curvewise.cli.interrupts import begin_writing
from curvewise.cli.measures import measure_of
from curvewise.cli.options import Alpha, Center  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading, check_not_read, note_reading
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import CurvesError, OptionError
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.questions.gate.result import Gate, Gates

__all__ = ["GateReading", "gate"]

EXIT_CODES = {"pass": SUCCESS, "fail": FAILED, "undecided": UNDECIDED}
MEASURES = {"mean": "mean", "final": "final", "every-step": "every step"}
MAX_NAMED = 6  # algorithms that a message lists


@dataclass(frozen=True)
class GateReading(Reading):
    """What is read: one place with both algorithms, or that of the baseline and the candidate's."""

    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Where both algorithms are (with --candidate and --baseline); or two paths, "
            "first that of the baseline, then that of the candidate. Tables, or training logs.",
        ),
    ]
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The metric of the gate; repeat for several, which must all pass.",
        ),
    ] = None  # type: ignore[assignment]

    @property
    def metrics(self) -> list[str | None]:
        """The metrics to read; None is the one that stands out."""
        return list(self.metric) if self.metric else [None]

    def members(self, names: dict[str, str | None]) -> dict[str, Curves]:
        """Read the curves of each metric and task, and say what was read."""
        found: dict[str, Curves] = {}
        for metric in self.metrics:
            with progress("reading"):
                tasks = self._tasks(metric, names)
            for task, curves in tasks.items():
                of_many = [
                    metric if len(self.metrics) > 1 else None,
                    task if len(tasks) > 1 else None,
                ]
                name = ", ".join(part for part in of_many if part)
                found[name or metric or task or ""] = curves
        note_reading(found, "metric" if len(found) == len(self.metrics) > 1 else "task")
        return found

    def _tasks(
        self, metric: str | None, names: dict[str, str | None]
    ) -> Mapping[str | None, Curves]:
        selection: dict[str, Any] = {**self._selection(), "metric": metric}
        if len(self.paths) == 2:
            from curvewise.readers.sides import read_sides

            return read_sides(*self.paths, names=names, **selection)
        if not self.only and all(names.values()):
            # The runs of others shall not decide at which steps these two are compared.
            selection["only"] = list(names.values())
        if self.task is not None:
            found = curvewise.read_tasks(self.paths, **selection)
            return dict(found.items())
        return {None: curvewise.read(self.paths, **selection)}

    def reference(self, path: Path | None, baseline: str | None) -> Curves | None:
        """Read the runs whose standard deviation is the unit of the margin.

        Of several algorithms those of the baseline.
        """
        if path is None:
            return None
        if len(self.metrics) > 1:
            msg = "--sd-from goes with one metric; ask for each by itself."
            raise OptionError(msg, option="sd_from")
        selection = {**self._selection(), "metric": self.metrics[0]}
        found = curvewise.read([path], **selection)
        return found.select(baseline) if baseline in found.algorithms else found


def gate(
    reading: GateReading,
    *,
    margin: Annotated[
        list[str],
        typer.Option(
            metavar="SIZE",
            help="How much worse the candidate may be; chosen before looking. 0 asks whether it "
            "is better. With several metrics or tasks also NAME=SIZE, repeated.",
        ),
    ],
    unit: Annotated[
        Literal["score", "relative", "sd"],
        typer.Option(
            help="What the margin is in: the score, a share of the baseline's mean (0.1 is 10%), "
            "or standard deviations of runs."
        ),
    ] = "score",
    on: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is taken of each run: mean, final (the last tenth of the steps), "
            "FROM:TO (in steps), every-step (not worse at any), reach:SCORE (the time to it; the "
            "margin is then a factor, 1.2 for 20% longer).",
        ),
    ] = "mean",
    candidate: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The algorithm that is the candidate."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The algorithm that is the baseline."),
    ] = None,
    two_sided: Annotated[
        bool,
        typer.Option(
            "--two-sided",
            help="Being better by more than the margin is a fail too (equivalence).",
        ),
    ] = False,
    sd_from: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Runs of an earlier baseline, 10 or more, whose standard deviation is the unit "
            "of --unit sd.",
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Examine metrics or tasks in this order, up to the first that does not pass; "
            "repeat for each.",
        ),
    ] = None,
    spread: Annotated[
        Literal["auto", "equal", "unequal"],
        typer.Option(
            help="Whether the algorithms may vary differently; auto allows for it where they "
            "have different numbers of runs."
        ),
    ] = "auto",
    assumed: Annotated[
        float,
        typer.Option(
            metavar="SIZE",
            help="The true difference for which the needed runs are computed; positive is better.",
        ),
    ] = 0.0,
    power: Annotated[
        float, typer.Option(help="The chance of a pass that the needed runs are to give.")
    ] = 0.8,
    center: Center = "mean",
    alpha: Alpha = 0.05,
    summary: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Add the verdict to this file, in Markdown; auto: to the job summary of GitHub.",
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a report in JUnit's XML."),
    ] = None,
    shuffling: Shuffling,
    output: Output,
) -> None:
    """May the candidate replace the baseline?

    It may if it is not worse by more than a margin. Ends with 0 if the gate passes, with 1 if
    it fails, and with 4 if it is undecided.

    Examples: curvewise gate baseline.csv candidate.csv --margin 2

    curvewise gate runs.csv --baseline old --candidate new --margin 0.05 --unit relative
    """
    from curvewise.data.roles import BASELINE, CANDIDATE

    place = summary_place(summary)
    check_junit(junit)
    check_not_read(place, reading.paths, "summary", "summary")
    check_not_read(junit, reading.paths, "junit", "report")
    names = {BASELINE: baseline, CANDIDATE: candidate}
    margins = _margins(margin)
    measure = measure_of(on, MEASURES, reach=True)
    members = reading.members(names)
    options: dict[str, Any] = {
        **_roles(members, names, n_paths=len(reading.paths)),
        "margin": margins,
        "unit": unit,
        "on": measure,
        "alpha": alpha,
        "two_sided": two_sided,
        "spread": spread,
        "assumed": assumed,
        "power": power,
        "center": center,
        **shuffling.options,
    }
    reference = reading.reference(sd_from, baseline)
    found: Gate | Gates
    with shuffling.working():
        if len(members) == 1:
            (curves,) = members.values()
            if order:
                msg = (
                    "--order is for several metrics or tasks, and there is a single gate."
                )
                raise OptionError(msg, option="order")
            found = curvewise.gate(
                curves,
                **{**options, "margin": _only(margins, members)},
                sd_from=reference,
            )
        else:
            references = None if reference is None else dict.fromkeys(members, reference)
            found = curvewise.gate_many(
                members, **options, order=order, sd_from=references
            )
    output.save(found)
    begin_writing()
    write_files(found, place, junit)
    output.show(found)
    raise typer.Exit(EXIT_CODES[found.answer])


def _margins(given: list[str]) -> float | dict[str, float]:
    """Read one margin for all, or one for each metric or task."""
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        # The last sign counts: a name may contain one itself.
        parts = [text.rpartition("=") for text in given]
        margins = {name: float(number) for name, _, number in parts}
    except ValueError:
        margins = {}
    if not margins or "" in margins or len(margins) < len(given):
        msg = "give a number, or NAME=NUMBER once for each metric or task."
        if any(text.endswith("%") for text in given):
            msg += (
                " A share of the baseline's mean is --margin 0.02 --unit relative for 2%."
            )
        raise typer.BadParameter(msg, param_hint="'--margin'")
    return margins


def _only(margins: float | dict[str, float], members: dict[str, Curves]) -> float:
    """Return the margin of a single gate."""
    if not isinstance(margins, dict):
        return margins
    (name,) = members
    if list(margins) != [name] or not name:
        msg = (
            f"--margin names {listed(list(margins), MAX_NAMED)}, but there is a single gate. Give "
            "its margin as a number."
        )
        raise OptionError(msg, option="margin")
    return margins[name]


def _roles(
    members: dict[str, Curves], names: dict[str, str | None], *, n_paths: int
) -> dict[str, str]:
    """Return who is the candidate, and who the baseline."""
    from curvewise.data.roles import BASELINE, CANDIDATE

    if n_paths == 2:
        return {BASELINE: BASELINE, CANDIDATE: CANDIDATE}
    missing = [role for role, name in names.items() if name is None]
    if missing:
        there = next(iter(members.values())).algorithms
        wanted = " and ".join(f"--{role} NAME" for role in missing)
        msg = (
            f"The algorithms are {listed(there, MAX_NAMED)}; say which is which with {wanted}. Or "
            "give two paths: that of the baseline, then that of the candidate."
        )
        raise CurvesError(msg)
    return {role: str(name) for role, name in names.items()}
