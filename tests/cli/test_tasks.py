"""curvewise tasks: many tasks, from files to a paragraph, tables and figures."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import curvewise as cw
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line
from tests.data.tables import long_frame

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FAST = ["--shuffles", 199]
ALWAYS = {"aggregate", "curves", "profiles", "best"}


def curves_of(
    seed: int, algorithms: str = "ABC", *, n_runs: int = 5, n_steps: int = 6
) -> cw.Curves:
    """C is better than A and B."""
    rng = np.random.default_rng(seed)
    labels = [name for name in algorithms for _ in range(n_runs)]
    lift = 3.0 * np.array([name == "C" for name in labels])
    scores = rng.normal(size=(len(labels), n_steps)) + lift[:, None]
    return cw.Curves(scores * 10.0**seed, labels)


def four() -> dict[str, cw.Curves]:
    return {name: curves_of(seed) for seed, name in enumerate(("w", "x", "y", "z"))}


def frame_of(tables: Mapping[str, cw.Curves]) -> pl.DataFrame:
    return pl.concat(
        long_frame(own).with_columns(pl.lit(name).alias("game")) for name, own in tables.items()
    )


def csv_of(tables: Mapping[str, cw.Curves], folder: Path) -> Path:
    path = folder / "runs.csv"
    frame_of(tables).write_csv(path)
    return path


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return csv_of(four(), tmp_path)


def test_paragraphs_tables_and_figures(games: Path, tmp_path: Path) -> None:
    result = invoke("tasks", games, *FAST, "--plot", tmp_path / "fig.pdf")
    assert result.exit_code == 0, result.output
    tasks = cw.read_tasks(games)
    with naming_flags():
        found = [
            cw.compare_tasks(tasks, n_shuffles=199, rng=0),
            cw.aggregate(tasks, rng=0),
            cw.best_many(tasks, n_shuffles=199, rng=0),
        ]
        told = [one_line(own.describe()) for own in found]
    text = one_line(result.stdout)
    assert text.startswith(" ".join(told))
    for own in found:
        for table in own.tables():
            assert {row[0] for row in table.rows} <= set(result.stdout.split()) | {
                row[0] for row in table.rows if " " in row[0]
            }
    written = {path.stem.removeprefix("fig-"): path for path in tmp_path.glob("*.pdf")}
    assert set(written) == {"pairs", *ALWAYS}
    assert all(path.read_bytes().startswith(b"%PDF") for path in written.values())
    assert f"Figures saved as {tmp_path / 'fig-*.pdf'}" in result.stderr
    assert "the same for each of 4 tasks" in one_line(result.stderr)


@pytest.mark.slow
def test_two_algorithms_are_drawn_task_by_task(games: Path, tmp_path: Path) -> None:
    two = ["--only", "C", "--only", "A"]
    result = invoke("tasks", games, *two, *FAST, "--plot", tmp_path / "fig.png")
    assert result.exit_code == 0, result.output
    written = {path.stem.removeprefix("fig-") for path in tmp_path.glob("*.png")}
    assert written == {"tasks", *ALWAYS}
    assert one_line(result.stdout).startswith("C beats A on these 4 tasks as a whole")


def test_json_is_what_python_returns(games: Path) -> None:
    record = json_of(
        *("tasks", games, *FAST, "--seed", 3, "--alpha", 0.1),
        *("--adjust", "holm", "--statistic", "gap", "--gamma", 0.5, "--on", "final"),
        *("--reference", "raw", "--baseline", "A"),
    )
    tasks = cw.read_tasks(games)
    with naming_flags():
        compared = cw.compare_tasks(tasks, b="A", adjust="holm", alpha=0.1, n_shuffles=199, rng=3)
        aggregate = cw.aggregate(
            tasks, statistic="gap", gamma=0.5, on="final", reference="raw", confidence=0.9, rng=3
        )
        best = cw.best_many(tasks, adjust="bonferroni", alpha=0.1, n_shuffles=199, rng=3)
        expected = {
            "schema": "curvewise-tasks/1",
            "verdict": compared.describe(),
            **compared.to_dict(),
            "aggregate": aggregate.to_dict(),
            "best": best.to_dict(),
        }
    assert record == json.loads(json.dumps(expected))
    assert {(pair["a"], pair["b"]) for pair in record["pairs"]} == {("B", "A"), ("C", "A")}


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_nothing_is_wider_than_the_terminal(games: Path, columns: int) -> None:
    for only in ([], ["--only", "A", "--only", "C"]):
        result = invoke("tasks", games, *only, *FAST, columns=columns)
        assert result.exit_code == 0, result.output
        assert max(map(len, result.stdout.splitlines())) <= columns


@pytest.mark.parametrize("style", ["--markdown", "--latex"])
def test_tables_to_paste(games: Path, style: str) -> None:
    result = invoke("tasks", games, *FAST, style)
    assert result.exit_code == 0, result.output
    n_tables = len(re.findall(r"^\| :--|\\begin\{tabular\}", result.stdout, re.MULTILINE))
    assert n_tables >= 4


def test_files_folders_and_other_formats_hold_the_same(games: Path, tmp_path: Path) -> None:
    expected = _without_sources(json_of("tasks", games, *FAST))
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, own in four().items():
        long_frame(own).write_csv(folder / f"{name}.csv")
    frame_of(four()).write_parquet(tmp_path / "runs.parquet")
    for paths in ([folder], sorted(folder.iterdir()), [tmp_path / "runs.parquet"]):
        assert _without_sources(json_of("tasks", *paths, *FAST)) == expected


def _without_sources(record: dict[str, Any]) -> dict[str, Any]:
    for own in record["best"]["tasks"].values():
        del own["source"]
    return record


def test_some_tasks_are_kept(games: Path) -> None:
    record = json_of("tasks", games, *FAST, "--keep", "z", "--keep", "x")
    assert list(record["best"]["tasks"]) == ["z", "x"]


def test_tasks_that_lack_an_algorithm(tmp_path: Path) -> None:
    games = csv_of({**four(), "go": curves_of(9, "AB")}, tmp_path)
    refused = invoke("tasks", games, *FAST)
    assert refused.exit_code == 3
    assert "1 of 5 tasks lacks an algorithm that others have: 'go' lacks C." in one_line(
        refused.stderr
    )
    assert "--missing drop" in one_line(refused.stderr)
    dropped = invoke("tasks", games, *FAST, "--missing", "drop")
    assert dropped.exit_code == 0, dropped.output
    assert "Left out for lack of an algorithm: go." in dropped.stderr
    assert one_line(dropped.stdout).count("1 task was left out") >= 1
    some = invoke("tasks", games, *FAST, "--only", "A", "--only", "B")
    assert some.exit_code == 0, some.output
    kept = invoke("tasks", games, *FAST, "--keep", "w", "--keep", "z")
    assert kept.exit_code == 0, kept.output


def test_a_task_on_which_all_runs_are_equal_is_a_draw_everywhere(tmp_path: Path) -> None:
    one = curves_of(1)
    solved = cw.Curves(np.where(np.arange(6) == 5, 1.0, one.scores), one.labels)
    games = csv_of({**four(), "easy": solved}, tmp_path)
    final = ["tasks", games, *FAST, "--on", "final"]
    result = invoke(*final, "--plot", tmp_path / "fig.png")
    assert result.exit_code == 0, result.output
    said = one_line(result.stdout)
    assert "1 of 5 tasks (easy) has the same score in all runs" in said
    assert "Left out, since all runs have the same score: easy." in said
    assert len(list(tmp_path.glob("*.png"))) == 5
    record = json_of(*final)["aggregate"]
    assert (len(record["tasks"]), record["without_scale"]) == (4, ["easy"])
    raw = json_of(*final, "--reference", "raw")["aggregate"]
    assert (len(raw["tasks"]), raw["without_scale"]) == (5, [])
    flat = cw.Curves(np.ones_like(one.scores), one.labels)
    games = csv_of({**four(), "flat": flat}, tmp_path)
    result = invoke("tasks", games, *FAST)
    assert result.exit_code == 0, result.output
    assert "On 1 of 5 tasks all runs have the same curve (flat): it counts" in one_line(
        result.stdout
    )
    found = json_of("tasks", games, *FAST)
    assert len(found["best"]["tasks"]["flat"]["contenders"]) == 3
    assert {pair["tasks"]["flat"]["pvalue"] for pair in found["pairs"]} == {1.0}
    result = invoke("tasks", csv_of({"flat": flat, "too": flat}, tmp_path))
    assert result.exit_code == 3
    assert "On each of 2 tasks all scores are the same" in one_line(result.stderr)


def test_tasks_of_one_step_beside_others_have_no_aggregate_curves(tmp_path: Path) -> None:
    last = cw.Curves(curves_of(5).scores[:, -1:], curves_of(5).labels)
    games = csv_of({**four(), "table": last}, tmp_path)
    result = invoke("tasks", games, *FAST, "--plot", tmp_path / "fig.png")
    assert result.exit_code == 0, result.output
    assert "Note: there is no figure of aggregate curves, since some" in result.stderr
    names = {path.stem for path in tmp_path.glob("*.png")}
    assert names == {"fig-pairs", "fig-best", "fig-aggregate", "fig-profiles"}


@pytest.mark.parametrize(
    ("tables", "options", "message"),
    [
        (
            {"x": curves_of(0, "AB"), "y": curves_of(1, "CD")},
            [],
            "2 of 2 tasks lack an algorithm that others have: 'x' lacks C and D; 'y' lacks A",
        ),
        (
            {"x": curves_of(0, "AB"), "y": curves_of(1, "CD")},
            ["--missing", "drop"],
            "No task has all of A, B, C and D, so none is left.",
        ),
        ({"x": curves_of(0, "A"), "y": curves_of(1, "A")}, [], "two algorithms"),
        ({"x": curves_of(0, n_runs=1), "y": curves_of(1, n_runs=1)}, [], "run"),
        (four(), ["--only", "A", "--only", "D"], "No algorithm is called 'D'"),
        (four(), ["--baseline", "D"], "No algorithm is called 'D'"),
        (four(), ["--keep", "v"], "No task is called 'v'"),
        (four(), ["--keep", "w", "--keep", "w"], "Task 'w' is named twice"),
        (four(), ["--task", "gme"], "did you mean 'game'"),
        (four(), ["--reference", "nowhere.csv"], "nowhere.csv"),
        (four(), ["--gamma", "nan"], "--gamma"),
        (four(), ["--on", "90:95"], "90"),
        (four(), ["--alpha", "2"], "alpha"),
        (four(), ["--shuffles", "few"], "few"),
    ],
)
def test_what_is_refused(
    tables: dict[str, cw.Curves], options: list[str], message: str, tmp_path: Path
) -> None:
    path = csv_of(tables, tmp_path)
    result = invoke("tasks", path, *options, "--plot", tmp_path / "fig.png")
    assert result.exit_code == 3, result.output
    assert result.stdout == ""
    assert message in one_line(result.stderr)
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_of_one_task(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    long_frame(curves_of(0)).write_csv(path)
    result = invoke("tasks", path)
    assert result.exit_code == 3
    assert "Nothing tells tasks apart here" in result.stderr


@pytest.mark.parametrize("name", ["fig", "fig.eps", "no/folder/fig.png"])
def test_places_for_figures_are_checked_before_any_work(
    games: Path, tmp_path: Path, name: str
) -> None:
    result = invoke("tasks", games, "--plot", tmp_path / name)
    assert result.exit_code == 3
    assert "Read" not in result.stderr


def test_what_is_none_of_the_measures(games: Path) -> None:
    result = invoke("tasks", games, "--on", "every-step")
    assert result.exit_code == 2
    assert "is none of mean, final, FROM:TO" in one_line(result.stderr)


def test_a_checkpoint_is_kept_for_either_question(games: Path, tmp_path: Path) -> None:
    place = tmp_path / "work.npz"
    sampled = ["tasks", games, "--sampled", "--shuffles", 299]
    first = json_of(*sampled, "--checkpoint", place)
    assert json_of(*sampled, "--checkpoint", place) == first == json_of(*sampled)


@pytest.mark.slow
def test_eight_real_games(atari: Path) -> None:
    two = ["--only", "DQN", "--only", "Rainbow"]
    record = json_of("tasks", atari, *two, "--from", 100, "--n-steps", 20)
    assert record["on_the_whole"]["pvalue"] < 1e-4
    assert record["best"]["tasks"].keys() == record["tasks"].keys()
    assert len(record["tasks"]) == 8


def test_a_figure_without_a_name_is_refused(table: Path) -> None:
    result = invoke("tasks", table, "--plot", "")
    assert result.exit_code == 3
    assert "A figure cannot be saved as" in result.stderr
