"""Charts exported from the pages of Weights & Biases."""

from __future__ import annotations

import csv
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import pytest

from curvewise import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import homes, points, read_all

MODULE = "wandb.charts"


def write(path: Path, header: list[str], *rows: list[object], end: str = "\n") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([header, *rows])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.removesuffix("\n") + end, encoding="utf-8")


def banded(*names: str) -> list[str]:
    return [f"{name}{band}" for name in names for band in ("", "__MIN", "__MAX")]


def tripled(*values: object) -> list[object]:
    return [value for value in values for _ in range(3)]


def test_real_logs(logs: Path) -> None:
    folder = logs / "wandb-csv"
    with (folder / "runs.csv").open() as file:
        names = {row["path"]: (row["algorithm"], row["run"]) for row in csv.DictReader(file)}
    found = {
        (*names[run.key], metric, step, score)
        for run in read_all(MODULE, folder).values()
        for metric in run.series
        for step, score in points(run, metric)
    }
    with (folder / "truth.csv").open() as file:
        truth = {
            (row["algorithm"], row["run"], row["metric"], float(row["step"]), float(row["score"]))
            for row in csv.DictReader(file)
        }
    assert found == truth
    assert len(truth) == 143


def test_bands_holes_and_names_with_the_separator(tmp_path: Path) -> None:
    write(
        tmp_path / "a.csv",
        ["Step", *banded("ppo - big - eval/return", "dqn - eval/return")],
        [0, *tripled(1.5, "")],
        [10, *tripled("NaN", 2.5)],
        end="",
    )
    runs = read_all(MODULE, tmp_path)
    assert set(runs) == {"a.csv#ppo - big", "a.csv#dqn"}
    big = runs["a.csv#ppo - big"]
    assert (big.x, big.series["eval/return"].steps.tolist()) == ("Step", [0, 10])
    assert points(runs["a.csv#dqn"], "eval/return") == [(10, 2.5)]
    assert big.notes == []


@pytest.mark.parametrize("index", [[""], ["", "Unnamed: 0"]])
def test_a_chart_that_pandas_wrote_again_with_the_numbers_of_its_rows(
    tmp_path: Path, index: list[str]
) -> None:
    header = [*index, "epoch", *banded("ppo - return", "dqn - return")]
    write(
        tmp_path / "a.csv", header, *([*[k] * len(index), k + 1, *tripled(1, 2)] for k in range(2))
    )
    runs = read_all(MODULE, tmp_path)
    assert set(runs) == {"a.csv#ppo", "a.csv#dqn"}
    assert points(runs["a.csv#dqn"], "return") == [(1, 2), (2, 2)]


def test_a_cut_last_row_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ["Step", *banded("a - x")], [0, *tripled(1)], [1, *tripled(25)])
    text = (tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(text[:-3])
    (run,) = read_all(MODULE, tmp_path).values()
    assert points(run, "x") == [(0, 1.0)]
    assert run.notes == ["the last line of a.csv is cut and was left out"]


@pytest.mark.parametrize("end", ["", '"'])
def test_a_cut_header_is_said(tmp_path: Path, end: str) -> None:
    (tmp_path / "a.csv").write_text(f'"Step","adam-1 - loss","sgd-1 - lo{end}')
    for run in read_all(MODULE, tmp_path).values():
        assert run.notes == ["the last line of a.csv is cut and was left out"]


def test_charts_of_a_folder_are_metrics_of_the_same_runs(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", ["Step", *banded("a - loss")], [0, *tripled(1)])
    write(tmp_path / "2.csv", ["Step", *banded("a - acc")], [0, *tripled(0.5)])
    write(tmp_path / "3.csv", ["Step", *banded("a - acc")], [0, *tripled(0.75)])
    assert list(homes(MODULE, tmp_path)) == [tmp_path]
    (run,) = read_all(MODULE, tmp_path).values()
    assert {name: points(run, name) for name in run.series} == {
        "loss": [(0, 1.0)],
        "acc": [(0, 0.5)],
    }
    assert run.notes == ["acc is also in 3.csv, which was left out"]
    (run,) = read_all(MODULE, tmp_path, wanted=Wanted(frozenset({"loss"}))).values()
    assert list(run.series) == ["loss"]


def test_other_axes_come_with_the_steps_of_each_run(tmp_path: Path) -> None:
    names = ["a - _step", "a - loss", "b - _step", "b - loss"]
    write(
        tmp_path / "a.csv",
        ["Relative Time (Process)", *banded(*names)],
        [1.5, *tripled(10, 2.0, "", "")],
        [2.5, *tripled(20, 1.0, 10, 3.0)],
    )
    runs = read_all(MODULE, tmp_path)
    run = runs["a.csv#a"]
    assert (run.x, run.other_x) == ("Relative Time (Process)", ("_step",))
    assert points(run, "loss") == [(1.5, 2.0), (2.5, 1.0)]
    runs = read_all(MODULE, tmp_path, wanted=Wanted(x="_step"))
    assert points(runs["a.csv#a"], "loss") == [(10, 2.0), (20, 1.0)]
    assert points(runs["a.csv#b"], "loss") == [(10, 3.0)]
    # Beside a chart over steps, this one is read over its steps too.
    write(tmp_path / "b.csv", ["Step", *banded("a - acc")], [10, *tripled(0.5)])
    run = read_all(MODULE, tmp_path)[f"{tmp_path.name}#a"]
    assert (run.x, points(run, "loss")) == ("Step", [(10, 2.0), (20, 1.0)])


def test_runs_of_the_same_name_are_not_merged(tmp_path: Path) -> None:
    header = ["Step", *banded("ppo - r"), *banded("ppo - r")]
    write(tmp_path / "a.csv", header, [0, *tripled(1, 2)])
    runs = read_all(MODULE, tmp_path)
    assert {name: points(run, "r") for name, run in runs.items()} == {
        "a.csv#ppo": [(0, 1.0)],
        "a.csv#ppo (2)": [(0, 2.0)],
    }
    assert runs["a.csv#ppo"].notes == ["several runs have the same name: ppo (2)"]


@pytest.mark.parametrize(
    ("name", "band"), [("Group: ppo", (1, 1)), ("algo: ppo", (0, 2)), ("ppo", (0.5, 1.5))]
)
def test_means_of_groups_are_refused(tmp_path: Path, name: str, band: tuple[float, float]) -> None:
    write(tmp_path / "a.csv", ["Step", *banded(f"{name} - r")], [0, 1, *band])
    with pytest.raises(CurvesError, match=r"a.csv shows groups of runs: .* Ungroup"):
        read_all(MODULE, tmp_path)


def test_buckets_of_a_long_run_are_read_and_said(tmp_path: Path) -> None:
    rows: list[list[object]] = [[step, 1.0, 0.9, 1.1] for step in range(600)]
    write(tmp_path / "a.csv", ["Step", *banded("ppo - r")], *rows)
    (run,) = read_all(MODULE, tmp_path).values()
    assert len(points(run, "r")) == 600
    assert run.notes == ["a.csv was exported in buckets: its points are means of several"]


def test_the_table_of_runs_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ["Name", "State", "Notes", "loss"], ["a", "finished", "", 0.5])
    with pytest.raises(CurvesError, match=r"the table of runs .* no curve"):
        read_all(MODULE, tmp_path)


def test_words_among_the_scores_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ["Step", *banded("a - x")], [0, *tripled("oops")])
    with pytest.raises(CurvesError, match=r"a.csv is damaged: .*'oops'"):
        read_all(MODULE, tmp_path)


def test_other_tables_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Step,loss - mean,acc\n0,1,2\n")
    (tmp_path / "b.csv").write_text("step,State\n0,1\n")
    assert homes(MODULE, tmp_path) == {}
