"""MLflow's database: an SQLite file, such as mlflow.db, that holds all runs.

Recognised by its tables. Read with the standard library, for reading only.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim
from curvewise.readers.parsing.databases import columns_of, database_claims, opened
from curvewise.readers.parsing.mlflow_runs import (
    DELETED,
    PARENT_ID,
    RUN_NAME,
    MlflowMetric,
    MlflowRun,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

TABLES = frozenset({"runs", "metrics", "params", "experiments"})


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the databases of MLflow, and those that cannot be opened: `read` says why."""
    for files in database_claims(folder, TABLES, unreadable=True):
        yield Claim(files[0].path, files)


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs in the order in which they began, each with its id as the key.

    Raises CurvesError where the database cannot be read; runs before that are yielded.
    """
    for claim in claims:
        with opened(claim.files[0]) as database:
            for run_id, run in _runs(database):
                if not run.is_deleted:
                    run.metrics = _metrics(database, run_id, wanted)
                yield run.logged(wanted, key=run_id)


def _runs(database: sqlite3.Connection) -> Iterator[tuple[str, MlflowRun]]:
    """Yield the id of each run, and what is known of it without its metrics."""
    params, tags = _texts(database, "params"), _texts(database, "tags")
    parents = {values[PARENT_ID] for values in tags.values() if PARENT_ID in values}
    names = dict(database.execute("SELECT run_uuid, name FROM runs"))
    rows = database.execute(
        "SELECT run_uuid, status, runs.lifecycle_stage, start_time, runs.name, "
        "experiments.name, experiments.lifecycle_stage FROM runs "
        "LEFT JOIN experiments USING (experiment_id) ORDER BY start_time, runs.rowid"
    )
    for (
        run_id,
        status,
        stage,
        start,
        name,
        experiment,
        experiment_stage,
    ) in rows.fetchall():
        parent = tags[run_id].get(PARENT_ID, "")
        is_deleted = DELETED in {stage, experiment_stage}
        yield (
            run_id,
            MlflowRun(
                status=status or "",
                stage=DELETED if is_deleted else "",
                is_parent=run_id in parents and not _has_curve(database, run_id),
                start=start,
                name=name or "",
                parent=tags[parent].get(RUN_NAME) or names.get(parent) or "",
                experiment=experiment or "",
                params=params[run_id],
                parent_params=params[parent],
                tags=tags[run_id],
            ),
        )


def _has_curve(database: sqlite3.Connection, run_id: str) -> bool:
    """Whether a run has a metric of several records."""
    rows = database.execute(
        "SELECT 1 FROM metrics WHERE run_uuid = ? GROUP BY key HAVING COUNT(*) > 1 LIMIT 1",
        (run_id,),
    )
    return rows.fetchone() is not None


def _texts(database: sqlite3.Connection, table: str) -> dict[str, dict[str, str]]:
    """Return the keys and values of each run in a table of texts, if there is one."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    if columns_of(database, table):
        query = f"SELECT run_uuid, key, value FROM {table}"  # noqa: S608 (our own names)
        for run_id, key, value in database.execute(query):
            texts[run_id][key] = "" if value is None else str(value)
    return texts


def _metrics(
    database: sqlite3.Connection, run_id: str, wanted: Wanted
) -> dict[str, MlflowMetric]:
    """Read the records of a run, as they were written.

    A database holds no NaN, which is a mark beside the value, and no infinity, which is
    MLflow's largest number.
    """
    database.create_function("is_wanted", 1, wanted.__contains__, deterministic=True)
    columns = columns_of(database, "metrics")
    step = "step" if "step" in columns else "0"  # before MLflow 1.0
    is_nan = "is_nan" if "is_nan" in columns else "0"
    rows = database.execute(
        f"SELECT key, timestamp, value, {step}, {is_nan} FROM metrics "  # noqa: S608
        "WHERE run_uuid = ? AND is_wanted(key) ORDER BY rowid",
        (run_id,),
    )
    metrics: dict[str, MlflowMetric] = defaultdict(MlflowMetric)
    for key, time, value, at, is_not_a_number in rows:
        try:
            score = math.nan if is_not_a_number else _score(value)
            metrics[key].add(time, score, at)
        except (TypeError, OverflowError):  # SQLite does not hold columns to their types
            msg = f"The database is damaged: {key!r} of run {run_id!r} is no number."
            raise CurvesError(msg) from None
    return dict(metrics)


def _score(value: float) -> float:
    is_finite = abs(value) < sys.float_info.max
    return value if is_finite else math.copysign(math.inf, value)
