"""``curvewise report`` and ``curvewise serve``: results in the browser, from a file or a page."""

from __future__ import annotations

import shlex
import sys
import threading
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import curvewise
from curvewise.cli.command import Group, Reading, Shuffling, asks, check_not_read
from curvewise.cli.terminal import begin_writing, ignore_closed_pipes, note
from curvewise.errors import refuse
from curvewise.files import check_place
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves


MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class ReportFile(Group):
    """Where a report is written, and how it looks.

    Parameters
    ----------
    output
        Where to save the report.
    open_it
        Show the report in the browser.
    title
        The title.  [default: file and algorithms]
    """

    heading = "Report"
    asks = "report"
    without = "made"

    output: Annotated[Path, "-o", "--output"] = Path("curvewise-report.html")
    open_it: Annotated[bool, "--open"] = False
    title: str | None = None
    asked: dict[str, Any] = field(default_factory=dict)

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
            curves, *results, title=self.title or title, made=made, **self.asked
        )
        begin_writing()
        place = found.save(self.output)
        size = len(found.html.encode("utf-8"))
        note(f"Report saved as {place} ({size / 1000:,.0f} kB)")
        if self.open_it and not webbrowser.open(place.resolve().as_uri()):
            note("No browser could be opened here; open the file yourself.")


@asks("compare", whole=False)
def report(
    reading: Reading,
    shuffling: Shuffling,
    file: ReportFile,
    *,
    alpha: float,
    windows: Annotated[tuple[str, ...], "TASK"] = (),
    no_windows: bool = False,
) -> None:
    """Write curves, verdict, tables and windows into one HTML file.

    The file needs nothing else: it opens offline, from disk or mail. In it any window of
    training can be chosen by looking; its p are those that were counted here. Of several
    tasks each gets its headline, and p are adjusted for all of them. --checkpoint FILE keeps
    the counts of each question in a file beside it, such as FILE.locate.

    Examples: curvewise report runs.csv -o report.html --open;
    curvewise report runs/ --metric eval/return --only ppo --only sac

    Parameters
    ----------
    windows
        Of several tasks, one whose windows can be looked up in the report; repeat for more.
        [default: of one task, its windows; of several, none]
    no_windows
        No windows: a smaller report, in less time.
    """
    from curvewise.readers import read_all
    from curvewise.reports.ask import ask, file_hashes, title_of

    check_not_read(file.output, reading.paths, "output", "report")
    tables = reading.tables(read_all)
    asked = _asked_windows(tables, windows, none=no_windows)
    command = shlex.join(["curvewise", *_asked_of(sys.argv[1:])])
    made = {"Command": command, **file_hashes(reading.paths)}
    where = " ".join(path.stem for path in reading.paths[:1])
    options = {"alpha": alpha, **shuffling.options}
    with shuffling.working():
        results = ask(tables, options, windows=asked)
    whole = tables if len(tables) > 1 else next(iter(tables.values()))
    file.write(whole, *results, title=title_of(where, tables), made=made)
    click.echo(results[0].headline())


def _asked_of(words: list[str]) -> Iterator[str]:
    """Yield the words of a command but for where its report is saved, which is no part of it."""
    after = ""
    for word in words:
        if not {word, after} & {"-o", "--output"} and not word.startswith(("-o", "--output=")):
            yield word
        after = word


def _asked_windows(tables: Mapping[str, Curves], named: tuple[str, ...], *, none: bool) -> set[str]:
    """Return the tasks whose windows are tested."""
    if none:
        if named:
            refuse("--windows and --no-windows exclude each other; choose one.", "windows")
        return set()
    for name in named:
        if name not in tables:
            refuse(f"No task is called {name!r}; {did_you_mean(name, tables)}", "windows")
    return set(tables if len(tables) == 1 else named)


def serve(
    paths: tuple[Path, ...] = (),
    *,
    port: int = 0,
    host: Annotated[str, "ADDRESS"] = "127.0.0.1",
    no_browser: bool = False,
    max_size: Annotated[int, click.IntRange(1), "MB"] = 200,
    max_files: Annotated[int, click.IntRange(1)] = 2_000,
    max_memory: Annotated[int, click.IntRange(1), "GB"] = 4,
) -> None:
    """Open a page in the browser to drop results on.

    It shows what they are, and makes the report. The page is on this computer, and nothing
    leaves it. Files that are dropped are deleted when the page ends, with Ctrl-C or after
    eight hours without use. Needs the extra curvewise[serve].

    Examples: curvewise serve; curvewise serve runs/ --port 8000 --no-browser

    Parameters
    ----------
    paths
        Files or folders to show at once; they are read in place.
    port
        Where to listen; 0 is any port that is free.
    host
        Who can reach the page: only this computer by default.
    no_browser
        Print the address only.
    max_size
        How much can be dropped in all.
    max_files
        How many files can be dropped.
    max_memory
        What a comparison may use.
    """
    from curvewise.serve.app import is_loopback
    from curvewise.serve.app import serve as serve_page
    from curvewise.serve.work import GIGABYTE, Limits

    ignore_closed_pipes()  # a browser may leave while it is answered
    if not is_loopback(host):
        note(
            f"Warning: with --host {host} others on the network can reach this page, and what "
            "it sends is not encrypted. Whoever has the address can read the files."
        )

    def ready(address: str, once: str) -> None:
        click.echo(f"The page is at {address}")
        note("It is for you alone: the address holds a key. Ctrl-C ends it.")
        if not no_browser:
            # Some browsers keep whoever opens them waiting.
            threading.Thread(target=_open, args=[once], daemon=True).start()

    why = serve_page(
        paths,
        host=host,
        port=port,
        limits=Limits(max_size * MEGABYTE, max_files),
        memory=max_memory * GIGABYTE,
        ready=ready,
    )
    idle = "Nobody asked for eight hours. " if why == "idle" else ""
    note(f"{idle}The page has ended; the files that were dropped on it are deleted.")


def _open(address: str) -> None:
    if not webbrowser.open(address):
        note("No browser could be opened here; open the address yourself.")
