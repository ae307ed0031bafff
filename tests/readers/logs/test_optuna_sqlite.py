from __future__ import annotations

import csv
import json
import math
import sqlite3
from typing import TYPE_CHECKING

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all

if TYPE_CHECKING:
    from pathlib import Path

# As Optuna 3 and later create them, without what is not read.
SCHEMA = """
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER,
    state VARCHAR(8) NOT NULL, datetime_start DATETIME, datetime_complete DATETIME);
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER,
    param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_user_attributes (trial_user_attribute_id INTEGER PRIMARY KEY,
    trial_id INTEGER, "key" VARCHAR(512), value_json TEXT);
CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER PRIMARY KEY,
    trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value FLOAT,
    intermediate_value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, step));
"""


def categorical(*choices: object) -> str:
    return json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": choices}})


@pytest.fixture
def database(tmp_path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(tmp_path / "hpo.db")
    database.executescript(SCHEMA)
    database.execute("INSERT INTO studies VALUES (1, 'a'), (2, 'b')")
    database.executemany(
        "INSERT INTO trials VALUES (?, ?, ?, ?, NULL, NULL)",
        [
            (1, 0, 1, "COMPLETE"),
            (2, 0, 2, "PRUNED"),
            (3, 1, 1, "FAIL"),
            (4, 1, 2, "RUNNING"),
            (5, 2, 1, "WAITING"),
        ],
    )
    database.executemany(
        "INSERT INTO trial_params VALUES (NULL, ?, ?, ?, ?)",
        [
            (1, "agent", 1.0, categorical("dqn", "ppo")),
            (1, "layers", 2.0, '{"name": "IntDistribution", "attributes": {}}'),
            (2, "agent", 0.0, categorical("ppo", "dqn")),
        ],
    )
    database.execute("INSERT INTO trial_user_attributes VALUES (NULL, 1, 'seed', '7')")
    database.executemany(
        "INSERT INTO trial_intermediate_values VALUES (NULL, ?, ?, ?, ?)",
        [
            (1, 10, 0.5, "FINITE"),
            (2, 0, 0.25, "FINITE"),
            (1, 20, None, "NAN"),
            (1, 30, None, "INF_POS"),
            (1, 40, None, "INF_NEG"),
        ],
    )
    database.commit()
    return database


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    runs = read_all("stores.optuna_database", logs / "optuna")
    named = {place.removeprefix("study.db#"): run for place, run in runs.items()}
    assert_as_recorded(logs / "optuna", named)
    with (logs / "optuna" / "runs.csv").open() as file:
        for row in csv.DictReader(file):
            config = named[row["path"]].config
            assert (config["optimizer"], config["seed"]) == (row["algorithm"], int(row["run"]))
    assert named["trial 7"].status == "failed"


@pytest.mark.parametrize(
    "directions",
    [
        (
            "CREATE TABLE study_directions (study_id INTEGER, direction VARCHAR(8));"
            "INSERT INTO study_directions VALUES (1, 'MINIMIZE'), (2, 'MAXIMIZE');"
        ),
        (
            "ALTER TABLE studies ADD COLUMN direction VARCHAR(8);"
            "UPDATE studies SET direction = iif(study_id = 1, 'MINIMIZE', 'MAXIMIZE');"
        ),
    ],
)
def test_whether_a_study_minimizes(
    database: sqlite3.Connection, tmp_path: Path, directions: str
) -> None:
    database.executescript(directions)
    database.close()
    runs = read_all("stores.optuna_database", tmp_path).values()
    assert [run.lower_is_better for run in runs] == [True, False, True, False]


def test_studies_trials_and_their_parameters(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.close()
    runs = read_all("stores.optuna_database", tmp_path)
    assert [(key, run.status) for key, run in runs.items()] == [
        ("hpo.db#a/trial 0", ""),
        ("hpo.db#b/trial 0", "pruned"),
        ("hpo.db#a/trial 1", "failed"),
        ("hpo.db#b/trial 1", "running"),
    ]
    first, second, *others = runs.values()
    assert first.config == {"study": "a", "agent": "ppo", "layers": 2, "seed": 7}
    assert second.config == {"study": "b", "agent": "ppo"}
    assert points(second, "intermediate") == [(0, 0.25)]
    series = first.series["intermediate"]
    assert series.steps.tolist() == [10, 20, 30, 40]
    assert math.isnan(series.scores[1])
    assert series.scores[[0, 2, 3]].tolist() == [0.5, math.inf, -math.inf]
    assert all(run.series == {} for run in others)


def test_before_version_3_no_value_was_nan(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("ALTER TABLE trial_intermediate_values DROP COLUMN intermediate_value_type")
    database.execute("DROP TABLE trial_user_attributes")
    database.commit()
    database.close()
    runs = read_all("stores.optuna_database", tmp_path)
    scores = runs["hpo.db#a/trial 0"].series["intermediate"].scores
    assert scores[0] == 0.5
    assert all(math.isnan(score) for score in scores[1:])


def test_a_report_that_is_no_number_is_said(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute(
        "UPDATE trial_intermediate_values SET intermediate_value = 'x' WHERE trial_id = 2"
    )
    database.commit()
    database.close()
    with pytest.raises(CurvesError, match="what trial 2 reported is no number"):
        read_all("stores.optuna_database", tmp_path)


def test_another_metric_is_not_there(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.close()
    runs = read_all("stores.optuna_database", tmp_path, wanted=Wanted(frozenset({"loss"})))
    assert len(runs) == 4
    assert all(run.series == {} for run in runs.values())


def test_mlflow_does_not_claim_it(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.close()
    assert homes("stores.mlflow_database", tmp_path) == {}
