"""``curvewise report``: curves and what was found about them in one HTML file."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import curvewise
from curvewise.cli.interrupts import begin_writing
from curvewise.cli.options import Alpha  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.printing import note
from curvewise.cli.reading import (  # typer reads the annotations
    Reading,  # noqa: TC001
    check_not_read,
)
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import OptionError
from curvewise.files import check_place
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves

__all__ = ["ReportFile", "report"]


@dataclass(frozen=True)
class ReportFile:
    """Where a report is written, and how it looks."""

    heading = "Report"

    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to save the report."),
    ] = Path("curvewise-report.html")
    open_it: Annotated[
        bool, typer.Option("--open", help="Show the report in the browser.")
    ] = False
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The title.  [default: file and algorithms]"),
    ] = None
    step_name: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What to call steps.  [default: as the table does]"
        ),
    ] = None
    score_name: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What to call scores.  [default: as the table does]"
        ),
    ] = None
    runs: Annotated[
        bool,
        typer.Option("--runs/--no-runs", help="Draw every run, or only means and bands."),
    ] = True

    def __post_init__(self) -> None:
        check_place(self.output, "report")  # before any work is done

    def write(
        self,
        curves: Curves | Mapping[str, Curves],
        *results: Any,
        title: str,
        made: Mapping[str, str],
    ) -> None:
        """Write the report, say where and how large it is, and show it if asked to."""
        found = curvewise.report(
            curves,
            *results,
            title=self.title or title,
            step_name=self.step_name,
            score_name=self.score_name,
            runs=self.runs,
            made=made,
        )
        begin_writing()
        place = found.save(self.output)
        size = len(found.html.encode("utf-8"))
        note(f"Report saved as {place} ({size / 1000:,.0f} kB)")
        if self.open_it and not webbrowser.open(place.resolve().as_uri()):
            note("No browser could be opened here; open the file yourself.")


def report(
    reading: Reading,
    *,
    alpha: Alpha = 0.05,
    windows: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="Of several tasks, one whose windows can be looked up in the report; repeat "
            "for more.  [default: of one task, its windows; of several, none]",
        ),
    ] = None,
    no_windows: Annotated[
        bool,
        typer.Option("--no-windows", help="No windows: a smaller report, in less time."),
    ] = False,
    shuffling: Shuffling,
    file: ReportFile,
) -> None:
    """Write curves, verdict, tables and windows into one HTML file.

    The file needs nothing else: it opens offline, from disk or mail. In it any window of
    training can be chosen by looking; its p are those that were counted here. Of several
    tasks each gets its headline, and p are adjusted for all of them. --checkpoint FILE keeps
    the counts of each question in a file beside it, such as FILE.locate.

    Examples: curvewise report runs.csv -o report.html --open;
    curvewise report runs/ --metric eval/return --only ppo --only sac
    """
    from curvewise.reports.asking import ask, title_of
    from curvewise.reports.provenance import file_hashes

    check_not_read(file.output, reading.paths, "output", "report")
    tables = reading.tables()
    asked = _asked_windows(tables, windows, none=no_windows)
    made = {
        "Command": shlex.join(["curvewise", *sys.argv[1:]]),
        **file_hashes(reading.paths),
    }
    where = " ".join(path.stem for path in reading.paths[:1])
    options = {"alpha": alpha, **shuffling.options}
    with shuffling.working():
        results = ask(tables, options, windows=asked)
    whole = tables if len(tables) > 1 else next(iter(tables.values()))
    file.write(whole, *results, title=title_of(where, tables), made=made)
    typer.echo(results[0].headline())


def _asked_windows(
    tables: Mapping[str, Curves], named: list[str] | None, *, none: bool
) -> set[str]:
    """Return the tasks whose windows are tested."""
    if none:
        if named:
            msg = "--windows and --no-windows exclude each other; choose one."
            raise OptionError(msg, option="windows")
        return set()
    for name in named or ():
        if name not in tables:
            msg = f"No task is called {name!r}; {did_you_mean(name, tables)}"
            raise OptionError(msg, option="windows")
    if len(tables) == 1:
        return set(tables)
    return set(named or ())
