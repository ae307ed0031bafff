from __future__ import annotations

import math
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all

if TYPE_CHECKING:
    from pathlib import Path

START = 1_700_000_000_000
# As MLflow 2 and 3 create them, without what is not read.
SCHEMA = """
CREATE TABLE experiments (experiment_id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(256)
    UNIQUE NOT NULL, artifact_location VARCHAR(256), lifecycle_stage VARCHAR(32));
CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL PRIMARY KEY, name VARCHAR(250),
    status VARCHAR(9), start_time BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20),
    experiment_id INTEGER);
CREATE TABLE metrics ("key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL,
    timestamp BIGINT NOT NULL, run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL,
    is_nan BOOLEAN DEFAULT '0' NOT NULL, CONSTRAINT metric_pk PRIMARY KEY
    ("key", timestamp, step, run_uuid, value, is_nan));
CREATE TABLE params ("key" VARCHAR(250) NOT NULL, value VARCHAR(8000) NOT NULL,
    run_uuid VARCHAR(32) NOT NULL, CONSTRAINT param_pk PRIMARY KEY ("key", run_uuid));
CREATE TABLE tags ("key" VARCHAR(250) NOT NULL, value VARCHAR(8000),
    run_uuid VARCHAR(32) NOT NULL, CONSTRAINT tag_pk PRIMARY KEY ("key", run_uuid));
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO experiments VALUES (1, 'walker', '', 'active'), (2, 'old', '', 'deleted');
"""


def create(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    return database


def add_run(
    database: sqlite3.Connection,
    run_id: str,
    records: list[tuple[str, float, int, int, int]],
    *,
    status: str = "FINISHED",
    stage: str = "active",
    experiment: int = 1,
    start: int = START,
) -> None:
    """Records are key, value, time since the start, step, is_nan."""
    database.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, NULL, ?, ?)",
        (run_id, f"name-{run_id}", status, start, stage, experiment),
    )
    for key, value, time, step, is_nan in records:
        database.execute(
            "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)",
            (key, value, START + time, run_id, step, is_nan),
        )
    database.execute("INSERT INTO params VALUES ('algo', ?, ?)", (f"a-{run_id}", run_id))
    database.execute("INSERT INTO tags VALUES ('mlflow.user', 'me', ?)", (run_id,))
    database.execute("INSERT INTO tags VALUES ('note', NULL, ?)", (run_id,))
    database.commit()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of several runs."""
    database = create(tmp_path / "tracking.sqlite")
    big = sys.float_info.max
    add_run(
        database,
        "late",
        [("val/acc", 0.5, 1, 0, 0), ("val/acc", 0.75, 2, 10, 0), ("loss", 2, 3, 5, 0)],
        start=START + 5,
    )
    add_run(
        database,
        "early",
        [
            ("loss", 1, 1, 1, 0),
            ("loss", 0, 2, 2, 1),
            ("loss", big, 3, 3, 0),
            ("loss", -big, 4, 4, 0),
        ],
        status="KILLED",
    )
    add_run(database, "gone", [("loss", 1, 1, 1, 0)], stage="deleted", start=START + 6)
    add_run(database, "gone2", [("loss", 1, 1, 1, 0)], experiment=2, start=START + 7)
    add_run(database, "empty", [], status="RUNNING", start=START + 8)
    database.close()
    return tmp_path / "tracking.sqlite"


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    runs = read_all("stores.mlflow_database", logs / "mlflow-sqlite")
    assert_as_recorded(logs / "mlflow-sqlite", runs)
    assert sorted(run.status for run in runs.values()) == [""] * 8 + ["deleted", "failed"]


def test_runs_are_read_in_the_order_in_which_they_began(path: Path) -> None:
    runs = read_all("stores.mlflow_database", path.parent)
    assert list(runs) == [
        f"tracking.sqlite#{name}" for name in ("early", "late", "gone", "gone2", "empty")
    ]
    assert [run.status for run in runs.values()] == ["killed", "", "deleted", "deleted", "running"]
    early, late, gone, gone2, empty = runs.values()
    assert points(late, "val/acc") == [(0, 0.5), (10, 0.75)]
    assert points(late, "loss") == [(5, 2)]
    assert gone.series == gone2.series == empty.series == {}
    assert early.config == {
        "algo": "a-early",
        "experiment": "walker",
        "run_name": "name-early",
        "note": "",
    }


def test_nan_is_a_mark_and_infinity_the_largest_number(path: Path) -> None:
    scores = read_all("stores.mlflow_database", path.parent)["tracking.sqlite#early"].series["loss"]
    assert scores.scores[0] == 1
    assert math.isnan(scores.scores[1])
    assert scores.scores[2:].tolist() == [math.inf, -math.inf]


def test_only_what_is_wanted_is_read(path: Path) -> None:
    runs = read_all("stores.mlflow_database", path.parent, wanted=Wanted(frozenset({"val/acc"})))
    assert [list(run.series) for run in runs.values()] == [[], ["val/acc"], [], [], []]


def test_records_without_steps_are_numbered_in_order_of_time(tmp_path: Path) -> None:
    database = create(tmp_path / "mlflow.db")
    add_run(database, "r", [("acc", 0.25, 9, 0, 0), ("acc", 0.5, 3, 0, 0)])
    database.close()
    (run,) = read_all("stores.mlflow_database", tmp_path).values()
    assert points(run, "acc") == [(0, 0.5), (1, 0.25)]
    assert run.x == "record"


def test_what_is_only_in_the_wal_file_is_read(tmp_path: Path) -> None:
    """A program that still runs has not moved its records into the database."""
    database = create(tmp_path / "mlflow.db")
    database.execute("PRAGMA journal_mode=wal")
    add_run(database, "r", [("acc", 0.25, 1, 7, 0)])
    assert (tmp_path / "mlflow.db-wal").stat().st_size > 0
    ((claim,),) = homes("stores.mlflow_database", tmp_path).values()
    names = {file.path.name for file in claim.files}
    assert names == {"mlflow.db", "mlflow.db-wal", "mlflow.db-shm"}
    (run,) = read_all("stores.mlflow_database", tmp_path).values()
    assert points(run, "acc") == [(7, 0.25)]
    database.close()


def test_a_damaged_database_is_said(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(CurvesError, match=r"tracking.sqlite is damaged: .*malformed"):
        read_all("stores.mlflow_database", tmp_path)


def test_a_record_that_is_no_number_is_said(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("UPDATE metrics SET value = 'many' WHERE run_uuid = 'late'")
    database.commit()
    database.close()
    with pytest.raises(CurvesError, match=r"damaged: 'val/acc' of run 'late' is no number"):
        read_all("stores.mlflow_database", path.parent)


def test_an_encrypted_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_bytes(bytes(range(256)) * 32)
    with pytest.raises(CurvesError, match="is not an SQLite database or is encrypted"):
        read_all("stores.mlflow_database", tmp_path)


def test_other_databases_are_not_claimed(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "other.db")
    database.execute("CREATE TABLE runs (id INTEGER)")
    database.commit()
    database.close()
    (tmp_path / "empty.db").write_bytes(b"")
    assert homes("stores.mlflow_database", tmp_path) == {}


def test_databases_of_old_versions(tmp_path: Path) -> None:
    """Before 1.0 metrics had neither steps nor a mark for NaN."""
    database = create(tmp_path / "mlflow.db")
    add_run(database, "r", [])
    database.executescript(
        "DROP TABLE metrics; DROP TABLE tags;"
        "CREATE TABLE metrics (key VARCHAR, value FLOAT, timestamp BIGINT, run_uuid VARCHAR);"
        "INSERT INTO metrics VALUES ('acc', 0.5, 2, 'r'), ('acc', 0.25, 1, 'r');"
    )
    database.close()
    (run,) = read_all("stores.mlflow_database", tmp_path).values()
    assert points(run, "acc") == [(0, 0.25), (1, 0.5)]


def test_a_run_that_only_holds_others_together_is_told(tmp_path: Path) -> None:
    database = create(tmp_path / "mlflow.db")
    add_run(database, "sweep", [("best", 1, 9, 0, 0)])
    database.execute("INSERT INTO params VALUES ('k', '5', 'sweep')")
    add_run(database, "child", [("acc", 1, 1, 1, 0), ("acc", 2, 2, 2, 0)])
    database.execute("INSERT INTO tags VALUES ('mlflow.parentRunId', 'sweep', 'child')")
    database.commit()
    database.close()
    sweep, child = read_all("stores.mlflow_database", tmp_path).values()
    assert (sweep.status, child.status) == ("parent", "")
    assert child.config["parent"] == "name-sweep"
    assert (child.config["k"], child.config["algo"]) == ("5", "a-child")
