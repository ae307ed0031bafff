"""DVCLive: a table for each metric below ``plots/metrics``, with a column ``step``.

Recognised by these tables. ``metrics.json`` beside them holds only the last values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.readers.logged import Claim, LoggedRun, Series
from curvewise.readers.parsing.log_tables import header_of, read_log_table
from curvewise.readers.parsing.recording import chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

# Today, and before DVCLive 1.0.
PLACES = (("plots", "metrics"), ("plots", "scalars"), ("scalars",))
ENDING = ".tsv"
STEP, TIMESTAMP = "step", "timestamp"
LAST_VALUES = "metrics.json"


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the run whose folder this is: the one above ``plots``."""
    for place in PLACES:
        below = folder.find(*place)
        tables = [] if below is None else [*_tables(below)]
        if tables:
            # What else was plotted, and the last values, are no logs of their own.
            top = folder.folders[place[0]]
            others = [file for each in top.tree() for file in each.files.values()]
            if LAST_VALUES in folder.files:
                others.append(folder.files[LAST_VALUES])
            yield Claim(folder.path, tuple(dict.fromkeys([*tables, *others])))
            return


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run; the name of a metric is its path, with slashes and without the ending."""
    for claim in claims:
        named = ((_metric(claim.home, file), file) for file in claim.files)
        tables = {
            name: file for name, file in named if name is not None and name in wanted
        }
        run = LoggedRun()
        if tables:
            # Only some metrics may have been logged with their times.
            has_times = any(TIMESTAMP in header_of(file) for file in tables.values())
            offered = (STEP, "time") if has_times else (STEP,)
            run.x, run.other_x = chosen_x(wanted, offered)
        for metric, file in tables.items():
            _add(run, metric, file)
        if run.x == "time":
            starts = [series.steps.min() for series in run.series.values()]
            start = min(starts, default=0.0)
            for series in run.series.values():
                series.steps[:] = (series.steps - start) / 1000  # from milliseconds
        yield run


def _tables(below: Folder) -> Iterator[File]:
    """Yield the tables of metrics; one that holds only its header counts as well."""
    for folder in below.tree():
        for file in folder.files.values():
            if file.name.endswith(ENDING) and STEP in file.first_line().split("\t"):
                yield file


def _metric(home: Path, file: File) -> str | None:
    """Return the name of the metric that a file holds, if it is a table of one."""
    for place in PLACES:
        top = home.joinpath(*place)
        if file.path.is_relative_to(top) and file.name.endswith(ENDING):
            return (
                file.path.relative_to(top)
                .with_name(file.name.removesuffix(ENDING))
                .as_posix()
            )
    return None


def _add(run: LoggedRun, metric: str, file: File) -> None:
    """Add the records of a table: numbers in the last column that counts no steps."""
    header = header_of(file)
    names = [name for name in header if name not in {STEP, TIMESTAMP}]
    counted = TIMESTAMP if run.x == "time" else STEP
    if not names or counted not in header:
        lacking = "times" if names else "scores"
        run.notes.append(f"{metric} was logged without {lacking} and was left out")
        return
    table = read_log_table(file, [counted, names[-1]])
    run.notes += [note for note in table.notes if note not in run.notes]
    steps, has_step = table.numbers(counted)
    scores, has_score = table.numbers(names[-1])
    keep = has_step & has_score
    if keep.any():
        run.series[metric] = Series(steps[keep], scores[keep])
