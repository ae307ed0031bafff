"""JSON lines: an object for each call of the logger, or one list of such objects.

Recognised by what the lines hold, whatever the name: detectron2, mmengine and others call such
files ``metrics.json``, ``scalars.json`` or ``log``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from curvewise.readers.logged import Claim
from curvewise.readers.parsing.homes import homes_of
from curvewise.readers.parsing.json_documents import (
    as_number,
    beginning,
    flattened,
    parsed,
)
from curvewise.readers.parsing.json_records import BOM, JsonRecords, objects
from curvewise.readers.parsing.run_columns import Layout, is_needed, run_of_table
from curvewise.readers.parsing.score_names import is_score_name
from curvewise.readers.tables.columns import step_names, time_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["ENDINGS", "claims", "first_objects", "read"]

ENDINGS = (".jsonl", ".ndjson", ".jsonlines", ".json-lines", ".jl", ".log.json")
# Files of such names are opened to see whether they hold objects on lines.
OTHER_ENDINGS = (".json", ".log", ".txt", "log")
# Keys whose text says which curve a record belongs to.
SPLITS = ("split", "mode", "phase", "stage", "subset")
# Objects in a record that are settings, not scores.
SETTINGS = {"config", "hparams", "hyperparameters", "params", "args"}
# Records that are looked at to recognise a log: the first may hold settings only.
N_LOOKED_AT = 3
# Objects that are searched for a step before all are taken for records without one.
N_SEARCHED = 1_000
LAYOUT = Layout()


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of records; mmengine writes the same ones into two files."""
    logs = [file for file in folder.files.values() if _holds_records(file)]
    scalars = next((file for file in logs if file.name == "scalars.json"), None)
    copies = [
        file
        for file in logs
        if scalars and file != scalars and file.head() == scalars.head()
    ]
    for home, file in homes_of(folder, [file for file in logs if file not in copies]):
        yield Claim(home, (file, *copies) if file == scalars else (file,))


def _holds_records(file: File) -> bool:
    """Whether a file begins with objects that hold numbers and a step or a score."""
    if any(map(_is_record, first_objects(file))):
        return True
    if not file.name.lower().endswith(ENDINGS):
        return False
    if not file.head():
        return True  # empty so far, or it cannot be read, which `read` says
    # Just opened, or cut inside the first record: a run without a point.
    lines = [line for line in file.first_lines(N_LOOKED_AT) if line.strip()]
    return not lines or (
        len(lines) == 1 and parsed(lines[0]) is None and lines[0][:1] == b"{"
    )


def first_objects(file: File) -> list[dict[str, Any]]:
    """Return the first objects in a file of JSON lines, or with a list of objects.

    There are none if the file is a JSON document of another kind, or no JSON.
    """
    name = file.name.lower()
    if not file.head():
        return []
    start = beginning(file) if name.endswith((*ENDINGS, *OTHER_ENDINGS)) else {}
    if isinstance(start, list):
        found = start[:N_LOOKED_AT]
    elif name.endswith(ENDINGS) or (start is None and file.first_line().startswith("{")):
        lines = file.first_lines(N_LOOKED_AT)
        found = [parsed(line.removeprefix(BOM)) for line in lines if line.strip()]
    else:
        found = []
    return [row for row in found if isinstance(row, dict)]


def _is_record(row: dict[str, Any]) -> bool:
    """Whether an object has numbers, and a key that is usual for steps or for scores."""
    keys = [key for key, value in flattened(row) if as_number(value) is not None]
    return bool(step_names(keys)) or any(map(is_score_name, keys))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of a file, its metrics named by their keys and what they were split by."""
    for claim in claims:
        file = claim.files[0]
        records, config = JsonRecords(), {}
        needed = is_needed(wanted, LAYOUT, claim.prefix)
        for record, settings in _records(objects(file, records.notes)):
            config.update(settings)
            if record:
                records.add(record, needed)
        run = run_of_table(
            records, wanted, LAYOUT, name=file.path.name, prefix=claim.prefix
        )
        run.config = config
        yield run


def _records(
    rows: Iterator[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield for each object the record in it, and the settings in it.

    Objects without a step before the first that has one are settings: the seed, the machine.
    """
    early = []
    for row in rows:
        early.append(row)
        has_step = any(_is_axis(key) and step_names([key]) for key, _ in flattened(row))
        if has_step or len(early) == N_SEARCHED:
            break
    else:
        has_step = False
    for row in early[:-1] if has_step else ():
        values = {key: value for key, value in row.items() if not isinstance(value, list)}
        yield {}, values
    for row in chain(early[-1:] if has_step else early, rows):
        settings = {
            key: value
            for key, value in row.items()
            if key in SETTINGS and isinstance(value, dict)
        }
        yield _record(row, settings), settings


def _record(row: dict[str, Any], without: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an object by name, with what they were split by before it."""
    values = flattened({key: value for key, value in row.items() if key not in without})
    splits = {
        key: row[key] for key in SPLITS if isinstance(row.get(key), str) and row[key]
    }
    prefix = "".join(f"{part}/" for part in splits.values())
    return {
        key if _is_axis(key) else f"{prefix}{key}": value
        for key, value in values
        if key not in splits
    }


@lru_cache(maxsize=4096)
def _is_axis(key: str) -> bool:
    """Whether a key is usual for steps or times, which all curves of a log share."""
    return bool(step_names([key]) or time_names([key]))
