"""curvewise report: one HTML file from a table or a folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import invoke, one_line, run_process

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", 99)


def write_table(
    path: Path, lift: float = 5.0, algorithms: str = "AB", task: bool = False, start: int = 0
) -> Path:
    names = ["task"] * task + ["agent", "seed", "step", "score"]
    rows = [",".join(names)]
    for number in range(start, start + 1 + task):
        for place, name in enumerate(algorithms):
            for seed in range(4):
                for step in range(5):
                    noise = (7 * seed + 3 * step + 11 * place + number) % 5
                    score = noise + number / 9 + lift * place
                    first = [f"task{number}"] * task
                    rows.append(",".join(map(str, [*first, name, seed, step, score])))
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return path


def test_a_table_becomes_a_report(tmp_path: Path) -> None:
    table, place = write_table(tmp_path / "my runs.csv"), tmp_path / "report.html"
    result = invoke("report", table, "-o", place)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("B beats A by ")
    assert re.search(r"Report saved as \S+report\.html \(\d+ kB\)", one_line(result.stderr))
    text = place.read_text(encoding="utf-8")
    assert "<title>My runs: A and B</title>" in text
    assert "SHA-256" in text
    assert "<dt>Command</dt>" in text
    assert "agent" in text
    assert '"windows":{"n_places":5' in text
    # The words name flags of the command.
    assert 'spread="' not in text


def test_the_same_curves_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    table = write_table(tmp_path / "runs.csv", algorithms="ABC")
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    for place in (first, second):
        figures = ("compare", table, *FEW, "--plot", place.with_suffix(".svg"))
        assert invoke(*figures).exit_code == 0
        assert run_process("report", table, *FEW, "--output", place).returncode == 0
    assert "curvewise report" in first.read_text(encoding="utf-8")
    for suffix in (".html", ".svg"):
        one, other = (place.with_suffix(suffix) for place in (first, second))
        assert one.read_bytes() == other.read_bytes()


def test_options_change_what_is_in_it(tmp_path: Path) -> None:
    table, place = (write_table(tmp_path / "runs.csv", algorithms="ABC"), tmp_path / "r.html")
    names = ["--title", "T <b>", "--step-name", "frames", "--score-name", "return"]
    result = invoke("report", table, "-o", place, *names, "--no-runs", "--no-windows", *FEW)
    assert result.exit_code == 0, result.output
    text = place.read_text(encoding="utf-8")
    assert "<title>T &lt;b&gt;</title>" in text
    assert '"step_name":"frames"' in text
    assert '"score_name":"return"' in text
    assert '"scores":null' in text
    assert '"windows":null' in text
    assert "Which algorithms may be the best?" in text
    assert "Which algorithms differ?" in text


def test_several_tasks_become_one_report(tmp_path: Path) -> None:
    table, place = write_table(tmp_path / "runs.csv", task=True), tmp_path / "r.html"
    result = invoke("report", table, "-o", place, "--windows", "task1", *FEW)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("B beats A on these 2 tasks, with probability 1.00 (")
    text = place.read_text(encoding="utf-8")
    assert text.count('<details class="task">') == 2
    assert text.count('"windows":null') == 1
    result = invoke("report", table, "-o", place, "--windows", "task7", *FEW)
    assert result.exit_code == 3
    assert "No task is called 'task7'; there are 'task0', 'task1'" in result.stderr
    result = invoke("report", table, "-o", place, "--windows", "task1", "--no-windows")
    assert result.exit_code == 3
    assert "--windows and --no-windows exclude each other" in result.stderr


def test_tables_side_by_side_are_tasks_as_for_the_tasks_command(tmp_path: Path) -> None:
    folder, place = tmp_path / "results", tmp_path / "r.html"
    folder.mkdir()
    for start, name in enumerate(["one", "two"]):
        write_table(folder / f"{name}.csv", start=start)
    result = invoke("report", folder, "-o", place, *FEW)
    assert result.exit_code == 0, result.output
    assert "<title>Results: 2 tasks</title>" in place.read_text(encoding="utf-8")
    result = invoke("report", folder, "--task", "two", "-o", place, *FEW)
    assert result.exit_code == 0, result.output
    assert "<title>Results: A and B</title>" in place.read_text(encoding="utf-8")


def test_one_of_several_tasks_can_be_chosen(tmp_path: Path) -> None:
    table, place = write_table(tmp_path / "runs.csv", task=True), tmp_path / "r.html"
    result = invoke("report", table, "-o", place, "--task", "task0", *FEW)
    assert result.exit_code == 0, result.output
    assert '<details class="task">' not in place.read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    for place in (tmp_path / "no" / "r.html", tmp_path):
        result = invoke("report", tmp_path / "missing.csv", "-o", place)
        assert result.exit_code == 3
        assert "report" in result.stderr
        assert "missing.csv" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("works", [True, False])
def test_a_browser_is_asked_to_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: asked.append(url) or works)  # type: ignore[func-returns-value]
    table, place = write_table(tmp_path / "runs.csv"), tmp_path / "r.html"
    result = invoke("report", table, "-o", place, "--open", *FEW)
    assert result.exit_code == 0, result.output
    assert asked == [place.resolve().as_uri()]
    assert ("open the file yourself" in result.stderr) != works


def test_counts_of_each_question_are_kept_in_files_of_their_own(tmp_path: Path) -> None:
    table, place = (write_table(tmp_path / "runs.csv", algorithms="ABC"), tmp_path / "r.html")
    kept = tmp_path / "work.npz"
    arguments = ["report", table, "-o", place, "--checkpoint", kept, "--sampled", *FEW]
    for _ in range(2):
        result = invoke(*arguments)
        assert result.exit_code == 0, result.output
    names = {path.name for path in tmp_path.glob("work.npz.*")}
    assert names == {f"work.npz.{name}" for name in ("compare", "locate", "best", "pairs")}


def test_tasks_without_common_algorithms_are_still_reported(tmp_path: Path) -> None:
    for name, algorithms in (("one", "AB"), ("two", "CD")):
        write_table(tmp_path / f"{name}.csv", algorithms=algorithms)
    both = tmp_path / "both.csv"
    rows = ["task,agent,seed,step,score"]
    for name in ("one", "two"):
        lines = (tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        rows += [f"{name},{line}" for line in lines[1:]]
    both.write_text("\n".join(rows), encoding="utf-8")
    result = invoke("report", both, "-o", tmp_path / "r.html", *FEW)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("The curves differ in 2 of 2 tables")
