"""Monitor files of Stable-Baselines3 and OpenAI baselines: a row for each episode.

Each environment of a run writes its own file, so the files of a folder are one run. Steps are
the running sum of the lengths of episodes, in the order in which these ended. They lag behind
the true number by the episodes under way.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun, Series
from curvewise.readers.parsing.json_documents import as_number, parsed
from curvewise.readers.parsing.json_records import JsonRecords
from curvewise.readers.parsing.log_tables import CUT_LINE, cells_of
from curvewise.readers.parsing.parts import home_above, part_of
from curvewise.readers.parsing.recording import chosen_x
from curvewise.text import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

NAME = re.compile(r"(?:(.*?)[._-])?monitor\.(?:csv|json)", re.IGNORECASE | re.DOTALL)
HEADER = re.compile(r"#?\s*\{.*\"t_start\"")
# The number of an environment at the end of a name: 3, 0.1, env_3, worker-3.
NUMBER = re.compile(r"[._-]?\d+(?:[._-]\d+)*$")
# Names after which a number tells a run, not one of its environments.
RUNS = re.compile(r"(?:^|[._-])(?:seed|run|trial|rep)s?$", re.IGNORECASE)
# An episode: its return, its length, its time, and whatever else.
ROW = re.compile(
    r"[-+]?[\d.]+(?:e[-+]?\d+)?,\d+,[\d.]+(?:e[-+]?\d+)?(?:,.*)?", re.IGNORECASE
)
COLUMNS = ["r", "l", "t"]
AXES = ("step", "episode", "time")
TRUTHS = {"true": 1.0, "false": 0.0}


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the monitor files of a folder: one claim for each run and part of it."""
    groups: dict[str, list[File]] = {}
    for file in folder.files.values():
        if not file.name.lower().endswith((".csv", ".json")):
            continue
        match = NAME.fullmatch(file.name)
        line = file.first_line()
        is_bare = not line or line.replace(" ", "") == "r,l,t" or ROW.fullmatch(line)
        if HEADER.match(line) or (match and is_bare):
            stem = (match[1] or "") if match else file.name.rpartition(".")[0]
            groups.setdefault(NUMBER.sub("", stem), []).append(file)
    above = home_above(folder)
    prefix = f"{part_of(folder.path.name)}/" if above else ""
    home = above or folder.path
    runs = [base for base in groups if base and not part_of(base)]
    for base, files in groups.items():
        if base in runs and (len(runs) > 1 or RUNS.search(base)):
            for file in files:
                yield Claim(file.path, (file,), prefix)
        else:
            part = part_of(base)
            yield Claim(home, tuple(files), f"{part}/" if part else prefix)


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home: rewards, lengths and what else the rows hold.

    Raises CurvesError if a file is damaged, or the steps that are wanted are not offered.
    """
    x, other_x = chosen_x(wanted, AXES)
    run = LoggedRun(x=x, other_x=other_x)
    for claim in claims:
        rows = _Rows(claim.prefix, wanted)
        for file in claim.files:
            rows.read(file)
        run.notes += rows.notes
        run.config = {**rows.config, **run.config}
        _add_series(run, rows)
    yield run


@dataclass
class _Rows:
    """The episodes of one or more files.

    A session ends where the time falls back within a file: then the run was resumed.
    """

    prefix: str
    wanted: Wanted
    table: JsonRecords = field(default_factory=JsonRecords)
    sessions: array[int] = field(default_factory=lambda: array("q"))
    starts: array[float] = field(default_factory=lambda: array("d"))
    config: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def metric(self, name: str) -> str:
        """Return the name of a metric from that of its column."""
        return f"monitor:{self.prefix}{name}"

    def _is_kept(self, name: str) -> bool:
        return name in {"l", "t"} or self.metric(name) in self.wanted

    def read(self, file: File) -> None:
        """Add the episodes of a file."""
        names: list[str] = []
        session, start, before = 0, 0.0, -np.inf
        damaged = 0
        for line, is_whole in file.lines():
            text = line.decode("utf-8", errors="replace").strip().strip("\0")
            if not is_whole:
                self.notes.append(CUT_LINE.format(name=file.path.name))
                break
            header = _header(text)
            if header is not None:
                session += bool(np.isfinite(before))
                start, before = as_number(header.get("t_start")) or 0.0, -np.inf
                if header.get("env_id") not in {None, "None"}:
                    self.config.setdefault("env_id", header["env_id"])
                continue
            if not text or (names and text == ",".join(names)):
                continue
            if not names and not text.startswith("{"):
                names, is_row = self._names(text, file)
                if not is_row:
                    continue
            episode = _episode(text, names)
            if episode is None:
                damaged += 1
                continue
            if episode["t"] < before:
                session += 1
            before = episode["t"]
            self.table.add(episode, self._is_kept)
            self.sessions.append(session)
            self.starts.append(start)
        if damaged:
            self.notes.append(
                f"{plural(damaged, 'damaged line')} of {file.path.name} "
                f"{'was' if damaged == 1 else 'were'} left out"
            )

    def _names(self, text: str, file: File) -> tuple[list[str], bool]:
        """Return the columns of a file from its first line, and whether that is a row already.

        Stable-Baselines3 writes no header where it was told to append, even to a new file.
        Raises CurvesError if the line is neither a header nor a row.
        """
        cells = [cell.strip() for cell in text.split(",")]
        if ROW.fullmatch(text):
            self.notes.append(
                f"{file.path.name} has no header: its first columns are taken for {listed(COLUMNS)}"
            )
            others = [f"column{number}" for number in range(4, len(cells) + 1)]
            return [*COLUMNS, *others], True
        if not {*COLUMNS} <= set(cells):
            msg = f"{file.path.name} is damaged: it has no columns {listed(COLUMNS)}."
            raise CurvesError(msg)
        return cells, False


def _header(text: str) -> Mapping[str, Any] | None:
    """Return what the line before the rows says; None if the line is a row."""
    if not HEADER.match(text):
        return None
    found = parsed(text.lstrip("# "))
    return found if isinstance(found, dict) else {}


def _episode(text: str, names: list[str]) -> dict[str, float] | None:
    """Return the numbers of a row; None if it is damaged, as by two processes that write."""
    if text.startswith("{"):
        found = parsed(text)
        if not isinstance(found, dict):
            return None
        values = {key: _number(str(value)) for key, value in found.items()}
    else:
        cells = cells_of(text, ",")
        if len(cells) != len(names):
            return None
        values = {name: _number(cell) for name, cell in zip(names, cells, strict=True)}
    episode = {name: value for name, value in values.items() if value is not None}
    is_whole = {*COLUMNS} <= set(episode)
    return episode if is_whole and episode["l"] > 0 and episode["t"] >= 0 else None


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return TRUTHS.get(cell.strip().lower())


def _add_series(run: LoggedRun, rows: _Rows) -> None:
    """Add the metrics of some rows to a run, in the order in which episodes ended."""
    table = rows.table
    sessions = np.array(rows.sessions, dtype=np.int64)
    starts = np.array(rows.starts, dtype=np.float64)
    clocks = starts + table.numbers("t")[0]
    order = np.lexsort((clocks, sessions))
    steps = {
        "step": np.cumsum(table.numbers("l")[0][order]),
        "episode": np.arange(1.0, table.n_rows + 1),
        "time": _elapsed(clocks[order], sessions[order], starts[order]),
    }[run.x]
    for name in table.columns:
        if name == "t" or rows.metric(name) not in rows.wanted:
            continue
        scores, present = table.numbers(name)
        kept = present[order]
        run.series[rows.metric(name)] = Series(
            steps[kept], scores[order][kept], sessions[order][kept], of_episodes=True
        )


def _elapsed(clocks: Floats, sessions: Integers, starts: Floats) -> Floats:
    """Return the seconds of training: a session goes on where the one before it ended."""
    elapsed = np.zeros(len(clocks))
    before = 0.0
    for session in np.unique(sessions):
        inside = sessions == session
        elapsed[inside] = before + clocks[inside] - starts[inside].min()
        before = elapsed[inside][-1]
    return elapsed
