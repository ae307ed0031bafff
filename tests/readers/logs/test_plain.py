"""Numbers and little else."""

from __future__ import annotations

import csv
import gzip
import json
import math
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import numpy as np
import pytest

import curvewise
from curvewise import CurvesError
from curvewise.readers.walk import SINGLE, LoggedRun  # noqa: TC001
from tests.readers.logs.reading import homes, points, read_all, read_one
from tests.simulation import some_curves

MODULE = "histories.plain"


def only(run: LoggedRun) -> list[tuple[float, float]]:
    (metric,) = run.series
    return points(run, metric)


def test_real_logs(logs: Path) -> None:
    folder = logs / "plain"
    truth: dict[str, list[tuple[float, float]]] = {}
    with (folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            place = truth.setdefault(f"{row['algorithm']} {row['run']}", [])
            place.append((float(row["step"]), float(row["score"])))
    runs = read_all(MODULE, folder)
    assert len(runs) == 24
    for who, expected in truth.items():
        algorithm, number = who.split()
        assert only(runs[f"lists/{algorithm}_seed{number}.txt"]) == expected
        assert points(runs[f"returns.json#{who}"], "return") == expected
        of_matrix = runs[f"matrix/{algorithm}.npy#{int(number) - 1}"]
        assert points(of_matrix, "score") == expected[:121]


def test_texts(tmp_path: Path) -> None:
    texts = {
        "one.txt": "# returns\n1\n2.5\n\nnan\n",
        "two.dat": "0 1.5\n10 2.5\n",
        "three.csv": "1,2,3\n1,5,6\n",
        "cut.txt": "1\n2\n3",
        "ragged.txt": "1 2 3\n4 5\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    runs = read_all(MODULE, tmp_path)
    assert only(runs["one.txt"])[:2] == [(0, 1.0), (1, 2.5)]
    assert math.isnan(only(runs["one.txt"])[2][1])
    assert only(runs["two.dat"]) == [(0, 1.5), (10, 2.5)]
    assert only(runs["three.csv#1"]) == [(0, 1.0), (1, 5.0), (2, 6.0)]
    assert only(runs["cut.txt"]) == [(0, 1.0), (1, 2.0)]
    assert runs["cut.txt"].notes == ["the last line of cut.txt is cut and was left out"]
    assert only(runs["ragged.txt#1"]) == [(0, 4.0), (1, 5.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n" * 5_000 + "oops\n", "line 5001 holds more than numbers"),
        ("5 1\n3 2\n4 3\n1 9\n2 2\n1 1\n", "the first does not count steps"),
        ("0 1 2\n1 1 2\n2 1 2\n", "3 columns without names"),
    ],
)
def test_texts_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(CurvesError, match=message):
        read_all(MODULE, tmp_path)


def test_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "ppo.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    np.save(tmp_path / "dqn_losses.npy", np.array([3, 2]))
    np.savez(tmp_path / "all.npz", a=[[1.0, 2.0]], b=[[3.0, 4.0]], steps=[5, 10])
    np.save(tmp_path / "pairs.npy", np.array([[0, 5.0], [10, 6.0], [20, 7.0]]))
    packed = gzip.compress((tmp_path / "ppo.npy").read_bytes())
    (tmp_path / "packed.npy.gz").write_bytes(packed)
    runs = read_all(MODULE, tmp_path)
    assert only(runs["ppo.npy#1"]) == [(0, 4.0), (1, 5.0), (2, 6.0)]
    assert runs["ppo.npy#1"].series["score"].precision == SINGLE
    assert runs["ppo.npy#1"].labels == {"run": "1"}
    assert only(runs["pairs.npy"]) == [(0, 5.0), (10, 6.0), (20, 7.0)]
    assert points(runs["dqn_losses.npy"], "loss") == [(0, 3.0), (1, 2.0)]
    assert only(runs["all.npz#b 0"]) == [(5, 3.0), (10, 4.0)]
    assert runs["all.npz#b 0"].labels == {"algorithm": "b", "run": "0"}
    assert only(runs["packed.npy.gz#0"]) == only(runs["ppo.npy#0"])


def test_arrays_that_are_called_by_their_scores(tmp_path: Path) -> None:
    np.savez(tmp_path / "ppo-0.npz", timesteps=[5, 10], returns=[1.0, 2.0], losses=[4.0, 3.0])
    np.savez(tmp_path / "ppo.npz", reward=[[1.0, 2.0], [3.0, 4.0]])
    runs = read_all(MODULE, tmp_path)
    assert set(runs) == {"ppo-0.npz", "ppo.npz#0", "ppo.npz#1"}
    assert points(runs["ppo-0.npz"], "returns") == [(5, 1.0), (10, 2.0)]
    assert points(runs["ppo-0.npz"], "losses") == [(5, 4.0), (10, 3.0)]
    assert runs["ppo-0.npz"].labels == {}
    assert points(runs["ppo.npz#1"], "reward") == [(0, 3.0), (1, 4.0)]


def test_arrays_named_as_scores_are_metrics(tmp_path: Path) -> None:
    returns, lengths = [[1.0, 2.0], [3.0, 4.0]], [[7, 8], [9, 9]]
    np.savez(tmp_path / "ppo.npz", timesteps=[5, 10], returns=returns, lengths=lengths)
    np.savez(tmp_path / "dqn_s1.npz", returns=returns[0], lengths=lengths[0])
    runs = read_all(MODULE, tmp_path)
    assert points(runs["ppo.npz#1"], "returns") == [(5, 3.0), (10, 4.0)]
    assert points(runs["dqn_s1.npz"], "lengths") == [(0, 7.0), (1, 8.0)]
    assert [run.labels for run in runs.values()] == [{}, {"run": "0"}, {"run": "1"}]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 2, 2)), "2 × 2 × 2 of type float64"),
        (np.array([{}, 1], dtype=object), "could run code"),
        (np.array(["a"]), "not numbers"),
        (np.array(3.0), "a single value"),
    ],
)
def test_arrays_that_are_refused(tmp_path: Path, array: np.ndarray[Any, Any], message: str) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(CurvesError, match=message):
        read_all(MODULE, tmp_path)


def test_damaged_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((10, 100)))
    content = path.read_bytes()
    path.write_bytes(content[:-50])
    with pytest.raises(CurvesError, match=r"a.npy is damaged"):
        read_all(MODULE, tmp_path)
    path.write_bytes(content.replace(b"(10, 100)", b"(10**9,)"))
    with pytest.raises(CurvesError, match=r"a.npy is damaged"):
        read_all(MODULE, tmp_path)
    huge = content.replace(b"(10, 100), }  ", b"(999999999,), ")
    path.write_bytes(huge)
    with pytest.raises(CurvesError, match=r"a.npy is damaged"):
        read_all(MODULE, tmp_path)


def test_an_array_that_lies_the_other_way_is_refused(tmp_path: Path) -> None:
    scores = some_curves(0, (10, 10), 10).scores[:10]
    np.save(tmp_path / "a.npy", np.cumsum(scores, axis=1).T)
    with pytest.raises(CurvesError, match="steps × runs, not runs × steps"):
        read_all(MODULE, tmp_path)


@pytest.mark.parametrize(
    ("document", "labels"),
    [
        (
            {"val_loss": {"ppo": {"1": [2, 1]}}, "return": {"ppo": {"1": [3]}}},
            {"algorithm": "ppo", "run": "1"},
        ),
        (
            {"ppo": {"val_loss": {"1": [2, 1]}, "return": {"1": [3]}}},
            {"algorithm": "ppo", "run": "1"},
        ),
        ({"val_loss": {"1": [2, 1]}, "return": {"1": [3]}}, {"run": "1"}),
    ],
)
def test_metrics_may_stand_above_runs(
    tmp_path: Path, document: dict[str, Any], labels: dict[str, str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    run = read_one(MODULE, tmp_path)
    assert run.labels == labels
    assert points(run, "val_loss") == [(0, 2), (1, 1)]
    assert points(run, "return") == [(0, 3)]


def test_a_level_of_seeds_is_that_of_runs_wherever_it_is(tmp_path: Path) -> None:
    document = {f"seed_{run}": {"ppo": [1, run], "dqn": [2, run]} for run in range(2)}
    (tmp_path / "a.json").write_text(json.dumps(document))
    labels = [run.labels for run in read_all(MODULE, tmp_path).values()]
    assert labels == [
        {"run": f"seed_{run}", "algorithm": algorithm}
        for run in range(2)
        for algorithm in ("ppo", "dqn")
    ]


@pytest.mark.parametrize(
    ("document", "labels"),
    [
        (
            {"dart": {"0": {"fit": {"l2": [1]}, "other": {"l2": [2]}}}},
            {"algorithm": "dart", "run": "0"},
        ),
        (
            {"dart": {"fit": {"l2": [1]}, "other": {"l2": [2]}, "test": {"l2": [3]}}},
            {"algorithm": "dart"},
        ),
    ],
)
def test_data_sets_above_metrics_belong_to_them(
    tmp_path: Path, document: dict[str, Any], labels: dict[str, str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    run = read_one(MODULE, tmp_path)
    assert run.labels == labels
    assert points(run, "fit-l2") == [(0, 1)]
    assert points(run, "other-l2") == [(0, 2)]


def test_means_of_runs_are_refused(tmp_path: Path) -> None:
    document = {"ppo": {"mean": [1, 2], "std": [0.1, 0.2]}}
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(CurvesError, match="from which runs cannot be told"):
        read_all(MODULE, tmp_path)


def test_algorithms_may_be_named_by_their_losses(tmp_path: Path) -> None:
    document = {"mse_loss": {"1": [2, 1]}, "huber_loss": {"1": [3]}}
    (tmp_path / "a.json").write_text(json.dumps(document))
    runs = read_all(MODULE, tmp_path)
    assert [run.labels["algorithm"] for run in runs.values()] == ["mse_loss", "huber_loss"]


def test_documents(tmp_path: Path) -> None:
    documents: dict[str, Any] = {
        "one": [1, 2],
        "rows": [[1, 2], [3]],
        "algorithms": {"ppo": [1, 2], "dqn": [3]},
        "runs": {"0": [1, 2], "1": [3]},
        "nested": {"ppo": {"seed1": [1, None, 3]}, "dqn": {"seed1": [4, 5, 6]}},
        "tasks": {"A": {"ppo": {"1": [7]}}},
        "matrix": {"ppo": [[1, 2], [3, 4]], "steps": [10, 20]},
        "metrics": {"ppo": {"loss": [1.0], "acc": [0.5]}},
        "own": {"ppo": {"s1": {"steps": [5, 9], "return": [1, 2]}, "s2": {"return": [3]}}},
        "scores": {"train_loss": [[3, 2], [1]]},
        "pairs": {"dqn": [[0, 1.5], [10, 1.0], [20, 0.5]]},
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    runs = read_all(MODULE, tmp_path)
    found = {
        name: (dict(run.labels), {metric: points(run, metric) for metric in run.series})
        for name, run in runs.items()
    }
    assert found == {
        "one.json": ({}, {"score": [(0, 1), (1, 2)]}),
        "rows.json#0": ({"run": "0"}, {"score": [(0, 1), (1, 2)]}),
        "rows.json#1": ({"run": "1"}, {"score": [(0, 3)]}),
        "algorithms.json#ppo": ({"algorithm": "ppo"}, {"score": [(0, 1), (1, 2)]}),
        "algorithms.json#dqn": ({"algorithm": "dqn"}, {"score": [(0, 3)]}),
        "runs.json#0": ({"run": "0"}, {"score": [(0, 1), (1, 2)]}),
        "runs.json#1": ({"run": "1"}, {"score": [(0, 3)]}),
        "nested.json#ppo seed1": (
            {"algorithm": "ppo", "run": "seed1"},
            {"score": [(0, 1), (2, 3)]},
        ),
        "nested.json#dqn seed1": (
            {"algorithm": "dqn", "run": "seed1"},
            {"score": [(0, 4), (1, 5), (2, 6)]},
        ),
        "tasks.json#A ppo 1": ({"task": "A", "algorithm": "ppo", "run": "1"}, {"score": [(0, 7)]}),
        "matrix.json#ppo 0": ({"algorithm": "ppo", "run": "0"}, {"score": [(10, 1), (20, 2)]}),
        "matrix.json#ppo 1": ({"algorithm": "ppo", "run": "1"}, {"score": [(10, 3), (20, 4)]}),
        "metrics.json#ppo": ({"algorithm": "ppo"}, {"loss": [(0, 1.0)], "acc": [(0, 0.5)]}),
        "own.json#ppo s1": ({"algorithm": "ppo", "run": "s1"}, {"return": [(5, 1), (9, 2)]}),
        "own.json#ppo s2": ({"algorithm": "ppo", "run": "s2"}, {"return": [(0, 3)]}),
        "scores.json#0": ({"run": "0"}, {"train_loss": [(0, 3), (1, 2)]}),
        "scores.json#1": ({"run": "1"}, {"train_loss": [(0, 1)]}),
        "pairs.json#dqn": ({"algorithm": "dqn"}, {"score": [(0, 1.5), (10, 1), (20, 0.5)]}),
    }


def test_steps_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"ppo": [1, 2, 3], "steps": [1, 2]}))
    with pytest.raises(CurvesError, match="2 steps for a curve of 3 scores"):
        read_all(MODULE, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"ppo": {"1": [1, 2, 3], "2": [4,', "ends in the middle"),
        (b'{"ppo": {"1": [' + b"1, " * 3_000 + b"1]}, \xff", "not text in UTF-8"),
        (b'{"ppo": [' + b"1, " * 3_000 + b'1], "x": "word"}', "more than lists of numbers"),
        (b'{"ppo": [' + b"1, " * 3_000 + b'1], "x": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_damaged_documents_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(CurvesError, match=message):
        read_all(MODULE, tmp_path)


def test_files_that_are_no_curves_are_not_claimed(tmp_path: Path) -> None:
    np.save(tmp_path / "policy_weights.npy", np.zeros((3, 3)))
    np.save(tmp_path / "obs_mean.npy", np.zeros(3))
    (tmp_path / "fake.npy").write_bytes(b"no array")
    (tmp_path / "table.csv").write_text("step,score\n0,1\n")
    (tmp_path / "notes.txt").write_text("3 apples\n")
    (tmp_path / "config.json").write_text('{"layers": [64, 64]}')
    (tmp_path / "other.json").write_text('{"lr": 0.1, "layers": [64, 64]}')
    assert homes(MODULE, tmp_path) == {}


def test_homes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "returns.txt").write_text("1\n2\n")
    np.save(tmp_path / "b" / "returns.npy", np.zeros((2, 3)))
    assert set(homes(MODULE, tmp_path)) == {tmp_path / "a", tmp_path / "b" / "returns.npy"}
    assert set(read_one(MODULE, tmp_path / "a").series) == {"return"}


def test_too_many_levels_of_keys_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": {"b": {"c": {"d": [1, 2]}}}}')
    with pytest.raises(CurvesError, match="4 levels of keys"):
        read_all(MODULE, tmp_path)


def test_archives_that_lie_the_other_way_are_refused(tmp_path: Path) -> None:
    # Five sizes × five folds: only both arrays together tell.
    steps = np.arange(5.0)[:, None]
    noise = np.random.default_rng(0).normal(0, 0.1, (2, 5, 5))
    np.savez(tmp_path / "a.npz", tree=steps + noise[0], nb=steps + noise[1])
    with pytest.raises(CurvesError, match="steps × runs, not runs × steps"):
        read_all(MODULE, tmp_path)
    np.savez(tmp_path / "a.npz", tree=np.zeros((3, 2)), nb=np.ones((3, 4)), steps=[1, 2, 3])
    with pytest.raises(CurvesError, match="has a row per step"):
        read_all(MODULE, tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1\n2\n3 4\n5\n6\n", 3, "2 numbers and most others 1"),
        ("0 1\n1 2 2 3\n3 4\n4 5\n", 2, "4 numbers and most others 2"),
        ("0 1\n10 220 3\n30 4\n40 5\n", 2, "3 numbers and most others 2"),
        ("0,1\n1,2\n2,\n3,4\n", 3, "1 number and most others 2"),
        ("1 2 3\n1 2 4 1 3 5\n1 5 5\n1 2 9\n", 2, "6 numbers and most others 3"),
    ],
)
def test_lost_newlines_and_cut_lines_are_refused(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    (tmp_path / "score.txt").write_text(text)
    with pytest.raises(CurvesError, match=f"score.txt .* line {line} holds {message}"):
        curvewise.read(tmp_path)


@pytest.mark.parametrize("text", ["500\n900\n1.000\n1.100\n", "500 1\n1.000 2\n2.000 3\n"])
def test_points_of_thousands_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "score.txt").write_text(text)
    with pytest.raises(CurvesError, match=r"score.txt: the point of '1.000' .* 1000"):
        curvewise.read(tmp_path)
