"""Optuna's database: an SQLite file of studies, whose trials reported intermediate values.

Recognised by its tables. Read with the standard library, for reading only.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim
from curvewise.readers.parsing.databases import columns_of, database_claims, opened
from curvewise.readers.parsing.json_documents import as_number
from curvewise.readers.parsing.optuna_trials import Trial, logged_trials, parameter

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

TABLES = frozenset({"studies", "trials", "trial_params", "trial_intermediate_values"})
NOT_FINITE = {"NAN": math.nan, "INF_POS": math.inf, "INF_NEG": -math.inf}


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the databases of Optuna."""
    for files in database_claims(folder, TABLES):
        yield Claim(files[0].path, files)


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trials of all studies that have begun."""
    for claim in claims:
        with opened(claim.files[0]) as database:
            n_studies = database.execute("SELECT count(*) FROM studies").fetchone()[0]
            yield from logged_trials(_trials(database), n_studies, wanted)


def _trials(database: sqlite3.Connection) -> Iterator[Trial]:
    params: dict[int, dict[str, Any]] = defaultdict(dict)
    for trial, name, value, distribution in database.execute(
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
        "ORDER BY param_id"
    ):
        params[trial][name] = parameter(value, distribution)
    attributes: dict[int, dict[str, Any]] = defaultdict(dict)
    if columns_of(database, "trial_user_attributes"):
        for trial, name, value in database.execute(
            "SELECT trial_id, key, value_json FROM trial_user_attributes"
        ):
            attributes[trial][name] = _attribute(value)
    minimizes = _minimizes(database)
    rows = database.execute(
        "SELECT trial_id, study_id, study_name, number, state FROM trials JOIN studies "
        "USING (study_id) ORDER BY trial_id"
    ).fetchall()
    for trial, study_id, study, place, state in rows:
        yield Trial(
            study,
            place,
            state,
            params[trial],
            attributes[trial],
            _values(database, trial),
            minimizes.get(study_id),
        )


def _minimizes(database: sqlite3.Connection) -> dict[int, bool]:
    """Tell of each study whether it minimizes. Before Optuna 2.4 studies had one direction."""
    for table in ("study_directions", "studies"):
        if {"study_id", "direction"} <= set(columns_of(database, table)):
            rows = database.execute(f"SELECT study_id, direction FROM {table}")  # noqa: S608
            return {study: direction == "MINIMIZE" for study, direction in rows}
    return {}


def _values(database: sqlite3.Connection, trial: int) -> dict[int, float]:
    """Read what a trial reported. Before Optuna 3 there was no type: no value was NaN."""
    columns = columns_of(database, "trial_intermediate_values")
    kind = "intermediate_value_type" if "intermediate_value_type" in columns else "''"
    rows = database.execute(
        f"SELECT step, intermediate_value, {kind} FROM trial_intermediate_values "  # noqa: S608
        "WHERE trial_id = ? ORDER BY trial_intermediate_value_id",
        (trial,),
    )
    values = {}
    for step, value, kind in rows:
        score = NOT_FINITE.get(kind, math.nan) if value is None else as_number(value)
        if (
            score is None or as_number(step) is None
        ):  # columns are not held to their types
            msg = f"The database is damaged: what trial {trial} reported is no number."
            raise CurvesError(msg)
        values[step] = score
    return values


def _attribute(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text
