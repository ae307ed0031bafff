"""curvewise inspect: a listing for people, Markdown, or JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import invoke, json_of, one_line, run_process
from tests.readers.logs.writing import curve, write_events
from tests.readers.trees import progress, study


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six runs in the folder ``runs``, of which one is cut."""
    monkeypatch.chdir(tmp_path)
    study(tmp_path / "runs")
    path = progress(tmp_path / "runs/ppo/seed2", step=[0, 100, 200], eval_return=[1, 2, 3])
    path.write_text(path.read_text(encoding="utf-8") + "300,", encoding="utf-8")
    return Path("runs")


def test_a_listing_for_people(runs: Path) -> None:
    result = invoke("inspect", runs)
    assert result.exit_code == 0
    shown = one_line(result.stdout)
    assert shown.startswith(
        "6 runs in runs (tables). Algorithm from path1 ('dqn' in dqn/seed0), run from seed; to "
        "choose otherwise: --group-by, --run-by, --task."
    )
    assert "ppo 3 3 to 5 200 to 400 0, 1 and 2 2 ends at 200" in shown
    assert "eval_return 6 3 to 5 0 to 400 step" in shown
    cut = "Warning: ppo/seed2: the last line of progress.csv is cut and was left out."
    assert cut in shown
    assert result.stderr == ""


def test_json_and_nothing_else_on_standard_output(runs: Path) -> None:
    done = run_process("inspect", runs, "--json")
    assert done.returncode == 0
    record = json.loads(done.stdout)
    assert record["algorithms"] == ["dqn", "ppo"]
    assert record["metrics"]["loss"]["n_runs"] == 5
    assert record["runs"][-1]["notes"]


def test_markdown(runs: Path) -> None:
    result = invoke("inspect", runs, "--markdown")
    assert "| algorithm" in result.stdout
    assert "**Warning:** ppo/seed2" in result.stdout


def test_what_is_told_apart_by_what_can_be_said(runs: Path) -> None:
    record = json_of("inspect", runs, "--group-by", "{algorithm}/seed{run}")
    assert record["algorithms"] == ["dqn", "ppo"]
    both = json_of("inspect", runs / "ppo", runs / "dqn")
    assert set(both["algorithms"]) == {"dqn", "ppo"}
    by_row = json_of("inspect", runs, "--x", "row")
    assert by_row["metrics"]["eval_return"]["last"] <= 5


def test_the_task_to_keep(tmp_path: Path) -> None:
    study(tmp_path, tasks=("Hopper-v4", "Walker2d-v4"))
    assert len(json_of("inspect", tmp_path)["runs"]) == 12
    assert len(json_of("inspect", tmp_path, "--task", "Hopper-v4")["runs"]) == 6


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Missing argument 'PATH'"),
        (["runs", "--json", "--markdown"], 2, "--json and --markdown exclude each other"),
        (["nowhere"], 3, "There is no file or folder 'nowhere'"),
        (["runs", "--x", "furlongs"], 3, "'furlongs'"),
        (["runs", "--group-by", "colour"], 3, "'colour'"),
    ],
)
def test_exit_codes(runs: Path, arguments: list[str], code: int, message: str) -> None:
    assert runs.is_dir()
    result = invoke("inspect", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in one_line(result.stderr)


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    for name in ("a\x1b[31m", "b"):
        write_events(tmp_path / name / "seed0", curve("loss", [2.0, 1.0]))
        write_events(tmp_path / name / "seed1", curve("loss", [2.0, 1.0]))
    result = invoke("inspect", tmp_path)
    assert result.exit_code == 0
    assert "\x1b[31m" not in result.stdout
