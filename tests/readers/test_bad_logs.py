"""Folders that are not as they should be, through the command: a sentence, never half in silence."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import socket
import sqlite3
import struct
import threading
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import curvewise as cw
from curvewise.readers import walk as folders
from curvewise.readers.parsing import files
from curvewise.readers.walk import File
from tests.cli.running import invoke, one_line
from tests.platforms import needs_links
from tests.readers.logs.test_optuna_sqlite import SCHEMA
from tests.readers.logs.writing import (
    block_log,
    curve,
    event_bytes,
    frame,
    history,
    masked,
    scalar,
    write_events,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

ANSWERED, UNUSABLE = 0, 3
N_RUNS, N_STEPS = 3, 6


def scores(algorithm: str, seed: int, n_steps: int = N_STEPS) -> list[float]:
    rng = np.random.default_rng([ord(algorithm[0]), seed])
    return [float(score) for score in rng.normal(size=n_steps).round(6)]


def table(algorithm: str, seed: int) -> str:
    rows = [f"{step},{score}\n" for step, score in enumerate(scores(algorithm, seed))]
    return "".join(["step,score\n", *rows])


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three runs of two algorithms, as tables."""
    for algorithm in "ab":
        for seed in range(N_RUNS):
            folder = tmp_path / algorithm / f"seed{seed}"
            folder.mkdir(parents=True)
            (folder / "progress.csv").write_text(table(algorithm, seed))
    return tmp_path


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Three runs of two algorithms, as event files."""
    for algorithm in "ab":
        for seed in range(N_RUNS):
            folder = tmp_path / algorithm / f"seed{seed}"
            write_events(folder, curve("score", scores(algorithm, seed)))
    return tmp_path


def first_file(folder: Path) -> Path:
    return next(folder.iterdir())


def said(result: Result, exit_code: int) -> str:
    """What a command printed, if it ended as it should."""
    is_exit = result.exception is None or isinstance(result.exception, SystemExit)
    assert is_exit, result.exception
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    # Nothing in a name acts on the terminal.
    assert not {"\x1b", "\u202e"} & set(result.output)
    return one_line(result.output)


def inspected(path: Path | str, exit_code: int = ANSWERED, *options: str) -> str:
    return said(invoke("inspect", path, *options), exit_code)


def compared(path: Path | str, exit_code: int = ANSWERED, *options: str) -> str:
    return said(invoke("compare", path, "--shuffles", "50", *options), exit_code)


def listed(path: Path) -> dict[str, Any]:
    """What inspect finds, as JSON."""
    result = invoke("inspect", path, "--json")
    said(result, ANSWERED)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def n_points(path: Path) -> dict[str, int]:
    """How many points of the score each run has."""
    return {
        run["path"]: run["metrics"].get("score", {"n_points": 0})["n_points"]
        for run in listed(path)["runs"]
    }


def n_of(paths: Any) -> dict[str, int]:
    """How many runs of each algorithm are read."""
    return dict(Counter(cw.read(paths).labels))


ALL_WHOLE = {f"{a}/seed{s}": N_STEPS for a in "ab" for s in range(N_RUNS)}


# --- nothing to answer with


def test_empty_folder(tmp_path: Path) -> None:
    for command in (inspected, compared):
        assert "holds no file" in command(tmp_path, UNUSABLE)


def test_folder_of_other_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, start in {
        "plot.png": b"\x89PNG\r\n",
        "model.pt": b"PK\x03\x04",
        "weights.npz": b"PK\x03\x04",
        "model.safetensors": b"",
        "train.py": b"import torch\n",
        "notes.txt": b"run and score of the first step\n",
        "people.csv": b"name,city\nann,ulm\n",
    }.items():
        rest = b"" if start.endswith(b"\n") else rng.bytes(5000)
        (tmp_path / name).write_bytes(start + rest)
    for command in (inspected, compared):
        text = command(tmp_path, UNUSABLE)
        assert "None of the 7 files" in text
        assert ".png" in text


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    assert "There is no file or folder" in inspected(tmp_path / "nowhere", UNUSABLE)
    assert "Nothing matches the pattern" in compared(f"{tmp_path}/*/x", UNUSABLE)


def test_a_socket_and_a_pipe_are_not_opened(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    os.mkfifo("pipe.csv")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert len(listed(runs)["skipped"]) == 2
        assert "not a regular file" in inspected(runs)
        assert "2 logs skipped" in compared(runs)


# --- runs that lack something


def test_a_metric_that_some_runs_have(runs: Path) -> None:
    path = runs / "a" / "seed0" / "progress.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{lines[0]},extra", *(f"{x},1" for x in lines[1:]), ""]))
    assert listed(runs)["metrics"]["extra"]["n_runs"] == 1
    text = compared(runs, UNUSABLE, "--metric", "extra")
    assert "extra" in text
    assert "'b'" in text or "of b" in text


def test_a_run_without_a_point_is_counted(runs: Path) -> None:
    (runs / "a" / "seed0" / "progress.csv").write_text("step,score\n")
    assert "0 is empty" in inspected(runs)
    text = compared(runs, UNUSABLE)
    assert "1 of 3 runs of a" in text
    assert "--short" in text


def test_two_runs_that_claim_to_be_the_same_stay_two(runs: Path) -> None:
    for algorithm in "ab":
        for seed in range(N_RUNS):
            config = {"algo": algorithm, "seed": max(seed, 1)}
            folder = runs / algorithm / f"seed{seed}"
            (folder / "config.json").write_text(json.dumps(config))
    found = listed(runs)["runs"]
    names = {(run["algorithm"], run["run"]) for run in found}
    assert len(found) == len(names) == 2 * N_RUNS


def test_scores_that_are_never_numbers(runs: Path) -> None:
    for path in runs.rglob("*.csv"):
        path.write_text("step,score\n0,nan\n1,nan\n2,nan\n")
    assert "No run of 6 has a finite score" in compared(runs, UNUSABLE)


# --- damage


def test_an_event_file_cut_in_the_middle(events: Path) -> None:
    path = first_file(events / "a" / "seed0")
    path.write_bytes(path.read_bytes()[:-11])
    assert n_points(events) == {**ALL_WHOLE, "a/seed0": N_STEPS - 1}
    assert "is cut and was left out" in inspected(events)
    assert "1 of 3 runs of a" in compared(events, UNUSABLE)
    text = compared(events, ANSWERED, "--short", "prefix")
    assert "is cut and was left out" in text


def test_a_damaged_record_in_the_middle(events: Path) -> None:
    path = first_file(events / "a" / "seed0")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert n_points(events)["a/seed0"] < N_STEPS
    for command in (inspected, compared):
        assert "damaged" in command(events)


def nested(depth: int) -> bytes:
    """A message in a message, and so on."""
    payload = b""
    for _ in range(depth):
        size, length = len(payload), b""
        while True:
            size, part = size >> 7, size & 0x7F
            length += bytes([part | (0x80 if size else 0)])
            if not size:
                break
        payload = b"\x2a" + length + payload
    return payload


def test_messages_without_end(events: Path) -> None:
    for seed, payload in enumerate((nested(20_000), b"\x2a\xff\xff\xff\xff\x0f", b"\xff" * 99)):
        path = first_file(events / "a" / f"seed{seed}")
        path.write_bytes(path.read_bytes() + frame(payload))
    path = first_file(events / "b" / "seed0")
    header = struct.pack("<Q", 2**62)
    path.write_bytes(path.read_bytes() + header + masked(header))
    assert n_points(events) == ALL_WHOLE
    notes = {run["path"]: " ".join(run["notes"]) for run in listed(events)["runs"]}
    assert "1 damaged record" in notes["a/seed1"]
    assert "1 damaged record" in notes["a/seed2"]
    assert "the last record" in notes["b/seed0"]


def test_bombs(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_UNPACKED_SIZE", 2**22)
    with gzip.open(runs / "a" / "other.csv.gz", "wb") as packed:
        packed.write(b"step,score\n" + b"0,1\n" * 2**21)
    with gzip.open(runs / "a" / "events.out.tfevents.1.x.gz", "wb") as packed:
        packed.write(bytes(2**23))
    with zipfile.ZipFile(runs / "offline-1.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("task.json", '{"hyperparams": {}}')
        archive.writestr("metrics.jsonl", b"[" * 2**27)
    shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }"
    with zipfile.ZipFile(runs / "evaluations.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        header = f"{shape:<117}\n".encode()
        archive.writestr("timesteps.npy", b"\x93NUMPY\x01\x00v\x00" + header)
        archive.writestr("results.npy", bytes(10**6))
    found = listed(runs)
    assert {each["path"].rpartition("/")[2] for each in found["skipped"]} == {
        *("other.csv.gz", "events.out.tfevents.1.x.gz", "offline-1.zip", "evaluations.npz")
    }
    assert [run for run in found["runs"] if run["status"] != "unreadable"]


def test_files_of_nothing(runs: Path) -> None:
    for name in ("huge.csv", "metrics.jsonl", "events.out.tfevents.9.x", "run.log", "m.db"):
        with (runs / "a" / name).open("wb") as file:
            file.truncate(2**36)
    began = time.perf_counter()
    whole = {path: points for path, points in n_points(runs).items() if points}
    assert time.perf_counter() - began < 20
    assert whole == ALL_WHOLE


def test_one_line_without_end(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_LINE_SIZE", 2**16)
    with (runs / "a" / "seed0" / "metrics.jsonl").open("wb") as file:
        file.write(b'{"step": 0, "loss": 1}\n')
        file.truncate(2**24)
    assert "has a line of more than" in inspected(runs)


def test_files_that_may_not_be_read(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_file = Path.open

    def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.parent == runs / "a" / "seed0" and path.name == "progress.csv":
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    reason = "a/seed0/progress.csv cannot be read: Permission denied"
    assert reason in inspected(runs)
    with pytest.warns(cw.CurvewiseWarning, match=reason):
        assert "5 runs" in compared(runs)
    with pytest.warns(cw.CurvewiseWarning, match=reason):
        assert n_of(runs) == {"a": 2, "b": 3}


def test_a_folder_that_may_be_listed_but_not_entered(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = [runs / "a" / "seed0"]
    (closed[0] / "config.yaml").write_text("lr: 0.1")
    status, open_file = os.stat, Path.open

    def check(path: Any) -> None:
        if isinstance(path, str | Path) and not {*closed}.isdisjoint(Path(path).parents):
            raise PermissionError(13, "Permission denied", str(path))

    def stat(path: Any, **options: Any) -> os.stat_result:
        check(path)
        return status(path, **options)

    def opened(path: Path, *arguments: Any, **options: Any) -> Any:
        check(path)
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(Path, "open", opened)
    reason = "a/seed0/progress.csv cannot be read: Permission denied"
    assert reason in inspected(runs)
    files = [runs / place / "progress.csv" for place in ALL_WHOLE]
    for paths in ([runs], files):
        with pytest.warns(cw.CurvewiseWarning, match="Permission denied"):
            assert n_of(paths) == {"a": 2, "b": 3}
    closed += [runs / algorithm / f"seed{seed}" for algorithm in "ab" for seed in range(3)]
    assert "can be read: a/seed0/" in compared(runs, UNUSABLE)
    with pytest.raises(cw.CurvesError, match="cannot be read: Permission denied"):
        cw.read(runs)


def test_a_file_that_vanishes_while_it_is_read(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = runs / "b" / "seed1" / "progress.csv"
    content = File.content

    def vanish(file: File) -> tuple[bytes, bool]:
        if file.path == gone:
            gone.unlink(missing_ok=True)
            raise OSError(errno.ESTALE, "Stale file handle")  # as of a server
        return content(file)

    monkeypatch.setattr(File, "content", vanish)
    with pytest.warns(cw.CurvewiseWarning, match=r"progress\.csv cannot be read: "):
        assert n_of(runs) == {"a": 3, "b": 2}


@needs_links
def test_links_that_lead_nowhere_are_said(runs: Path) -> None:
    (runs / "a" / "seed3").symlink_to("/nowhere/else")
    (runs / "a" / "round").symlink_to(runs / "a" / "round")
    for paths in (runs, f"{runs}/*/*"):
        with pytest.warns(cw.CurvewiseWarning, match="a/seed3: "):
            assert n_of(paths) == {"a": 3, "b": 3}


def test_encrypted_files(runs: Path) -> None:
    rng = np.random.default_rng(1)
    (runs / "mlflow.db").write_bytes(b"SQLite format 3\0" + rng.bytes(8192))
    (runs / "a" / "optuna.db").write_bytes(rng.bytes(8192))
    assert n_points(runs) == ALL_WHOLE
    assert "is not an SQLite database or is encrypted" in inspected(runs)
    assert "skipped" in compared(runs)


def test_configurations_that_are_broken_or_run_code(runs: Path) -> None:
    target = runs / "pwned"
    for algorithm, seed, text in (
        ("a", 0, f"!!python/object/apply:os.system ['touch {target}']\n"),
        ("b", 0, f"!!python/object/apply:os.system ['touch {target}']\n"),
        ("a", 1, "a: [1, 2\nb: {\n"),
        ("b", 1, "a: [1, 2\nb: {\n"),
        ("b", 2, "[" * 1_500),
    ):
        (runs / algorithm / f"seed{seed}" / "config.yaml").write_text(text)
    (runs / "a" / "seed0" / "params.json").write_text("[" * 100_000 + "]" * 100_000)
    for command in (inspected, compared):
        text = command(runs)
        assert "config.yaml cannot be read" in text
        assert "params.json cannot be read and was left out (it is nested too deeply)" in text
    assert not target.exists()
    assert n_points(runs) == ALL_WHOLE


def test_deep_json(runs: Path) -> None:
    deep = '{"a":' * 50_000 + "1" + "}" * 50_000 + "\n"
    later = '{"loss": [' + "0.5, " * 2000 + "0.5]" + ', "a": ' + "[" * 900 + "]" * 900 + "}"
    for name in ("metrics.jsonl", "history.json", "all_scalars.json", "trainer_state.json"):
        (runs / "a" / name).write_text(deep)
        (runs / "b" / name).write_text(later)
    whole = {path: points for path, points in n_points(runs).items() if points}
    assert whole == ALL_WHOLE


# --- links, names, depths, numbers


@needs_links
def test_loops_of_links(runs: Path) -> None:
    (runs / "a" / "loop").symlink_to(runs)
    (runs / "again").symlink_to(runs / "b")
    (runs / "self").symlink_to(runs / "self")
    assert n_points(runs) == ALL_WHOLE
    assert "self: not a regular file, or a broken link" in inspected(runs)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred\x1b[0m", "\u202eevil", "seed\udcff"])
def test_names_that_would_act_on_the_terminal(tmp_path: Path, name: str) -> None:
    for algorithm in (name, "plain"):
        for seed in range(N_RUNS):
            folder = tmp_path / algorithm / f"seed{seed}"
            folder.mkdir(parents=True)
            (folder / "progress.csv").write_text(table(algorithm, seed))
    (tmp_path / f"{name}.npz").write_bytes(b"PK\x03\x04")
    os.mkfifo(tmp_path / f"{name}.csv")
    texts = [
        inspected(tmp_path),
        inspected(tmp_path, ANSWERED, "--json"),
        compared(tmp_path, ANSWERED, "--group-by", "path1"),
    ]
    for text in texts:
        assert not {"\x1b", "\u202e", "\udcff"} & set(text)
    assert all("plain" in text for text in texts)


def test_metrics_with_any_name(tmp_path: Path) -> None:
    names = ("l\n\x1b[31moss", "été/准确率", "x__MIN", " ", "a;b,c")
    for algorithm in "ab":
        for seed in range(N_RUNS):
            tags = [record for name in names for record in curve(name, scores(algorithm, seed))]
            write_events(tmp_path / algorithm / f"seed{seed}", tags)
    assert set(listed(tmp_path)["metrics"]) == set(names)
    assert "Which metric?" in compared(tmp_path, UNUSABLE)
    for name in names:
        compared(tmp_path, ANSWERED, "--metric", name)


def test_steps_as_text_are_not_steps(runs: Path) -> None:
    for path in runs.rglob("*.csv"):
        path.write_text(path.read_text().replace("\n", "\ns"))
    for command in (inspected, compared):
        assert "no column of steps: its rows are counted" in command(runs)


def test_steps_below_zero(runs: Path) -> None:
    for path in runs.rglob("*.csv"):
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], *(f"-{line}" for line in lines[1:]), ""]))
    assert "-5 to 0" in inspected(runs)
    compared(runs)


def test_steps_that_cannot_be_told_apart(runs: Path) -> None:
    for path in runs.rglob("*.csv"):
        rows = [f"{10**18 + step},{step}\n" for step in range(5)]
        path.write_text("".join(["step,score\n", *rows]))
    for command in (inspected, compared):
        assert "go beyond 2^53" in command(runs, UNUSABLE)


@pytest.mark.slow
def test_a_table_of_ten_thousand_columns(tmp_path: Path) -> None:
    names = [f"m{place}" for place in range(10_000)]
    lines = [",".join(["step", *names])]
    lines += [",".join([str(step), *["1.5"] * len(names)]) for step in range(3)]
    (tmp_path / "progress.csv").write_text("\n".join([*lines, ""]))
    began = time.perf_counter()
    assert len(listed(tmp_path)["metrics"]) == 10_000
    assert time.perf_counter() - began < 20


@pytest.mark.slow
def test_two_hundred_folders_deep(runs: Path) -> None:
    deepest = runs.joinpath(*["d"] * 200)
    deepest.mkdir(parents=True)
    for algorithm in "ab":
        (runs / algorithm).rename(deepest / algorithm)
    assert len(n_points(runs)) == 2 * N_RUNS
    compared(runs)


@pytest.mark.parametrize("n_runs", [200, pytest.param(1_000, marks=pytest.mark.slow)])
def test_many_small_runs(n_runs: int, tmp_path: Path) -> None:
    for seed in range(n_runs):
        folder = tmp_path / "ab"[seed % 2] / f"seed{seed}"
        folder.mkdir(parents=True)
        (folder / "progress.csv").write_text("step,score\n0,1\n1,2\n2,3\n")
    began = time.perf_counter()
    assert len(n_points(tmp_path)) == n_runs
    assert time.perf_counter() - began < 0.04 * n_runs


# --- folders that are written to while they are read


def value(step: int) -> float:
    """The score that is written at a step; one that is cut would be another."""
    return 1000.0 + step


def written_in_pieces(path: Path, pieces: Callable[[int], bytes], stop: threading.Event) -> None:
    """Write records, each in two halves, until told to stop."""
    step = 0
    with path.open("ab", buffering=0) as file:
        while not stop.is_set():
            piece = pieces(step)
            file.write(piece[: len(piece) // 2])
            file.write(piece[len(piece) // 2 :])
            step += 1
            time.sleep(1e-4)


LIVE: dict[str, tuple[str, bytes, Callable[[int], bytes]]] = {
    "event file": (
        "events.out.tfevents.1700000000.host.1.0",
        event_bytes([]),
        lambda step: event_bytes([scalar("score", step, value(step))], with_version=False),
    ),
    "table": ("progress.csv", b"step,score\n", lambda step: f"{step},{value(step)}\n".encode()),
    "JSON lines": (
        "metrics.jsonl",
        b"",
        lambda step: json.dumps({"step": step, "score": value(step)}).encode() + b"\n",
    ),
    "monitor file": (
        "monitor.csv",
        b'#{"t_start": 1, "env_id": "x"}\nr,l,t\n',
        lambda step: f"{value(step + 1)},1,{step + 1}\n".encode(),
    ),
}


@pytest.mark.parametrize("kind", LIVE)
def test_a_log_that_is_being_written(tmp_path: Path, kind: str) -> None:
    name, start, piece = LIVE[kind]
    folder = tmp_path / "a" / "seed0"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(start + piece(0))
    stop = threading.Event()
    writer = threading.Thread(
        target=written_in_pieces, args=(folder / name, lambda step: piece(step + 1), stop)
    )
    writer.start()
    try:
        lengths = []
        for _ in range(15):
            found = cw.scan(tmp_path).run_logs()
            (log,) = [one for one in found if one.metric in {"score", "monitor:r"}]
            np.testing.assert_array_equal(log.scores, [value(int(k)) for k in log.steps])
            lengths.append(log.n_points)
    finally:
        stop.set()
        writer.join()
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0]


@pytest.mark.parametrize("kind", LIVE)
def test_a_log_that_was_looked_at_before_it_had_anything(runs: Path, kind: str) -> None:
    name, start, piece = LIVE[kind]
    folder = runs / "a" / "seed9"
    folder.mkdir()
    (folder / name).write_bytes(b"")
    cw.scan(runs)
    (folder / name).write_bytes(start + piece(0))
    assert {log.n_points for log in cw.scan(runs).run_logs() if log.run == "9"} == {1}
    (folder / name).write_bytes(start + piece(0) + piece(1))
    assert {log.n_points for log in cw.scan(runs).run_logs() if log.run == "9"} == {2}


def test_a_database_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("PRAGMA journal_mode=WAL")
    writing.executescript(SCHEMA)
    writing.execute("INSERT INTO studies VALUES (1, 's')")
    writing.execute(
        "INSERT INTO trials (trial_id, number, study_id, state) VALUES (1, 0, 1, 'RUNNING')"
    )
    for step in range(20):
        writing.execute("BEGIN")
        writing.execute(
            "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, "
            "intermediate_value_type) VALUES (1, ?, ?, 'FINITE')",
            (step, value(step)),
        )
        if step:
            (log,) = cw.scan(path).run_logs()
            assert log.steps.tolist() == list(range(step))  # without what is not committed
            np.testing.assert_array_equal(log.scores, [value(k) for k in range(step)])
        writing.execute("COMMIT")
    writing.close()


def test_a_wandb_file_that_is_being_written(tmp_path: Path) -> None:
    folder = tmp_path / "wandb" / "run-20261116_045337-ab"
    folder.mkdir(parents=True)
    data = block_log([history(step, score=value(step)) for step in range(30)])
    for end in range(7, len(data), 97):
        (folder / "run-ab.wandb").write_bytes(data[:end])
        (log,) = cw.scan(tmp_path).run_logs()
        np.testing.assert_array_equal(log.scores, [value(int(k)) for k in log.steps])
    assert log.n_points > 20


# --- what would take for ever

MERGES = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], z{n}: 1}}\n" for n in range(1, 13)
)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("config.yaml", MERGES, "its aliases repeat more than settings can be"),
        ("config.yaml", "a: &a [*a]\n", "its aliases repeat"),
        ("config.yaml", "when: !!timestamp xyz\n", "not settings"),
        ("config.yaml", "far: !!float 1e999999:59\nd: !!int 1:-\n", "cannot be read"),
        ("config.yaml", "a: [" * 20_000 + "1," * 200_000, "too deeply, or too long"),
        ("config.json", '{"a": ' + "1" * 5_000 + "}", "cannot be read"),
    ],
)
def test_configurations_that_are_bombs(runs: Path, name: str, text: str, reason: str) -> None:
    (runs / "a" / "seed0" / name).write_text(text)
    began = time.perf_counter()
    found = inspected(runs)
    assert time.perf_counter() - began < 10
    assert reason in found
    assert name in found
    assert n_of(runs) == {"a": 3, "b": 3}


@pytest.mark.parametrize("kind", ["yaml", "toml"])
def test_settings_of_thousands_of_digits(runs: Path, kind: str) -> None:
    sign = ": " if kind == "yaml" else " = "
    digits = "0x" + "f" * 4_000
    for algorithm in "ab":
        text = f"size{sign}{digits}\nlist{sign}[1, {digits}]\n"
        (runs / algorithm / f"config.{kind}").write_text(text)
    assert n_of(runs) == {"a": 3, "b": 3}
    assert "6 runs" in inspected(runs)


def test_aliases_as_people_write_them(runs: Path) -> None:
    text = "usual: &usual {lr: 0.1, layers: [1, 2]}\nrun: {<<: *usual, name: x}\n"
    (runs / "a" / "seed0" / "config.yaml").write_text(text)
    assert "config.yaml" not in inspected(runs)


def endless(path: Path) -> None:
    """Write a database of MLflow whose metrics are a view without end."""
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE runs (run_uuid, status, lifecycle_stage, start_time, name, experiment_id);
            CREATE TABLE experiments (experiment_id, name, lifecycle_stage);
            CREATE TABLE params (run_uuid, key, value);
            INSERT INTO runs VALUES ('1', 'FINISHED', 'active', 1, 'x', 0);
            CREATE VIEW metrics AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1
                FROM more) SELECT n || '' AS run_uuid, 'm' AS key, n AS timestamp, 1.0 AS value,
                n AS step, 0 AS is_nan FROM more;
        """)


def test_a_database_without_end(runs: Path) -> None:
    endless(runs / "mlflow.db")
    began = time.perf_counter()
    found = inspected(runs)
    assert "mlflow.db takes more work to read than a log of its size can" in found
    assert time.perf_counter() - began < 60
    assert {place for place, points in n_points(runs).items() if points} == {*ALL_WHOLE}
    (runs / "mlflow.db").unlink()  # as the sentence says
    assert n_of(runs) == {"a": 3, "b": 3}


def test_rows_without_end_are_not_kept(runs: Path) -> None:
    """Each row of a view may cost little work, and be kept."""
    with sqlite3.connect(runs / "mlflow.db") as database:
        database.executescript("""
            CREATE TABLE runs (run_uuid, status, lifecycle_stage, start_time, name, experiment_id);
            CREATE TABLE experiments (experiment_id, name, lifecycle_stage);
            CREATE TABLE metrics (run_uuid, key, timestamp, value, step, is_nan);
            CREATE VIEW params AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1
                FROM more) SELECT n AS run_uuid, n AS key, n AS value FROM more;
        """)
    database.close()
    began = time.process_time()
    assert "mlflow.db takes more work to read than a log of its size can" in inspected(runs)
    assert time.process_time() - began < 20


def test_a_database_can_be_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless(tmp_path / "mlflow.db")
    monkeypatch.setattr(files, "MAX_OPERATIONS", 10**15)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cw.scan(tmp_path)
