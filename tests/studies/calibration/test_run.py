"""The run: kept parts, the page, the picture, the exit code; the quick form is a slow test."""

from __future__ import annotations

import csv
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from studies.calibration import __main__ as runner
from studies.calibration import measuring
from studies.calibration.bounds import MAX_FALSE_PAGE, Rate, clopper_pearson, exceeds
from studies.calibration.claims import Claim
from studies.calibration.measuring import Row, measure, rates_of
from studies.calibration.page import cell_lines, csv_text, page_text, table_lines
from studies.calibration.picture import draw
from studies.calibration.plan import QUICK, Cell
from studies.calibration.questions import QUESTIONS
from studies.calibration.verdicts import findings

if TYPE_CHECKING:
    from pathlib import Path

DOCS = runner.DOCS
SMALL = (
    Cell("compare", "AR(1)", "5 + 5", "nothing differs", 60),
    Cell("compare", "last spread × 3", "5 + 5", "nothing differs", 20),
    Cell("best", "integer ties", "3 × 5", "near ties", 40),
)


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    monkeypatch.setattr(runner, "OUT", tmp_path)
    monkeypatch.setattr(runner, "DOCS", tmp_path / "docs")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.setattr(sys, "argv", ["calibration", "--jobs", "1", *options])
    return runner.main()


def row(n_wrong: int, n_sets: int = 1_000, process: str = "AR(1)", **claim: float) -> Row:
    cell = Cell("compare", process, "5 + 5", "nothing differs", n_sets)
    claimed = Claim("height found", lambda *_: None, "method.md", **claim)  # type: ignore[arg-type]
    return Row(cell, claimed, Rate(n_wrong, n_sets))


def check_rates(rows: list[Row]) -> None:
    """Hold every promised rate against its promise, with a chance of error of one in 2,000."""
    n_rates = 100 * len(rows)
    for each in rows:
        if each.is_promised:
            told = f"{each.cell}: {each.claim.name} in {each.rate.n_wrong}"
            assert not exceeds(each.rate, each.claim.promised, n_rates), told


def test_bounds_are_exact() -> None:
    # P(X = 0) at the upper bound, and P(X = n) at the lower, is half of 1 %.
    low, high = clopper_pearson(Rate(0, 20))
    assert low == 0
    assert (1 - high) ** 20 == pytest.approx(0.005)
    low, high = clopper_pearson(Rate(20, 20))
    assert low**20 == pytest.approx(0.005)
    assert high == 1
    assert exceeds(Rate(1, 1), 0.049)
    assert not exceeds(Rate(1, 1), 0.051)
    assert not exceeds(Rate(1, 1), 0.049, 2)
    assert not exceeds(Rate(0, 10), 0.0)
    assert MAX_FALSE_PAGE == 0.05


@pytest.mark.parametrize(
    ("found", "verdict", "page"),
    [
        (row(50), "holds", ""),
        (row(20), "conservative", ""),
        (row(90), "does not hold", "method.md"),
        (row(90, promised=0.1), "above nominal", "method.md"),
        (row(50, promised=0.1), "holds", ""),
        (row(150, promised=0.1), "does not hold", "method.md"),
        (row(300, process="last spread × 3"), "not promised", "method.md"),
        (row(50, process="last spread × 3", needs_equal_spread=False), "holds", ""),
    ],
)
def test_verdicts_follow_from_the_bounds(found: Row, verdict: str, page: str) -> None:
    (finding,) = findings([found])
    assert finding.verdict == verdict
    assert finding.page == page


def test_one_bad_cell_is_not_hidden_by_many_good_ones() -> None:
    claim = row(0).claim
    good = [row(40)._replace(claim=claim) for _ in range(20)]
    (finding,) = findings([*good, row(100)._replace(claim=claim)])
    assert not exceeds(finding.rate, 0.05)
    assert finding.verdict == "does not hold"
    assert finding.worst.rate.n_wrong == 100
    # Nor are many cells, each a little too high, excused one by one.
    little = [row(60)._replace(claim=claim) for _ in range(20)]
    (finding,) = findings(little)
    assert not any(exceeds(each.rate, 0.05, 40) for each in little)
    assert finding.verdict == "does not hold"


def test_the_short_form_keeps_its_promises(out: Path) -> None:
    rows = measure(SMALL, 1, 1, quick=True)
    assert {each.cell for each in rows} == set(SMALL)
    check_rates(rows)


def test_the_digits_do_not_depend_on_the_jobs_or_on_other_cells(out: Path) -> None:
    cells = [cell._replace(n_sets=5) for cell in SMALL]
    rows = measure(cells, 1, 2, quick=False)
    alone = rates_of(cells[2], 1, range(5))
    assert alone == {each.claim.name: list(each.rate) for each in rows if each.cell == cells[2]}
    halves = [rates_of(cells[0], 1, part) for part in (range(3), range(3, 5))]
    for each in rows:
        if each.cell == cells[0]:
            parts = [Rate(*half[each.claim.name]) for half in halves]
            assert each.rate == parts[0] + parts[1]


def test_finished_cells_are_kept_until_curvewise_changes(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = SMALL[0]._replace(n_sets=2)
    measure([cell], 1, 1, quick=False)
    (path,) = (out / "store" / "calibration").iterdir()
    record = json.loads(path.read_text())
    record["result"]["height found"] = [2, 2]
    path.write_text(json.dumps(record))
    found = {each.claim.name: each.rate for each in measure([cell], 1, 1, quick=False)}
    assert found["height found"] == Rate(2, 2)
    monkeypatch.setattr(measuring, "_code", lambda: "other")
    found = {each.claim.name: each.rate for each in measure([cell], 1, 1, quick=False)}
    assert found["height found"] != Rate(2, 2)


def test_the_time_that_is_left_is_said(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measuring, "SECONDS_BETWEEN_REPORTS", 0)
    measure([cell._replace(n_sets=2) for cell in SMALL], 1, 1, quick=True)
    told = capsys.readouterr().err
    assert re.search(r"^3 cells, 1 at a time: about \d+ s$", told, re.MULTILINE)
    assert re.search(r"^2 of 3 cells; about \d+ s left$", told, re.MULTILINE)
    assert measuring._duration(600) == "about 10 min"


def test_the_page_sums_up_the_table_and_is_no_doctest() -> None:
    rows = [row(90), row(48, process="log-normal"), row(300, process="last spread × 3")]
    table = table_lines(findings(rows))
    low, high = stats.binomtest(48, 1_000).proportion_ci(0.99)
    bounds = f"{low:.3f},{high:.3f}"
    line = f"compare,height found,heavy tails,1000,0.048,{bounds},0.050,holds,,0.048,log-normal,"
    assert line in csv_text(table)
    text = page_text(table, cell_lines(rows), "Made today.")
    assert "Of 3 rows: 1 does not hold, 1 holds, 1 not promised." in text
    assert "| compare | 1 | .048–.090 | 1 |  |  | 1 | 1 |" in text
    assert "| compare | height found | Gaussian | .090 | .068–.116 | .050 |" in text
    assert "| compare | unequal spread | 1 | .300–.300 | .300 |" in text
    assert "- log-normal (heavy tails): Exponential of AR(1) curves." in text
    assert "Made today." in text
    assert ">>>" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count(" | ") for line in table.splitlines()}) == 1


def test_the_page_of_the_documentation_is_made_of_its_tables_and_short() -> None:
    page = (DOCS / "calibration.md").read_text(encoding="utf-8")
    table, cells = (
        list(csv.DictReader((DOCS / name).read_text(encoding="utf-8").splitlines()))
        for name in ("calibration.csv", "calibration-cells.csv")
    )
    (made,) = re.findall(r"^Made on .*$", page, re.MULTILINE)
    assert page_text(table, cells, made) == page
    assert len(page.split()) <= 3_000
    assert {line["question"] for line in table} == set(QUESTIONS)


def test_the_picture_has_a_panel_for_each_question_and_a_dot_for_each_row() -> None:
    found = findings([row(90), row(48, process="log-normal"), row(300, process="Atari")])
    (axes,) = draw(found).axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert sorted(float(np.ravel(dot.get_xdata())[0]) for dot in dots) == [0.048, 0.09]
    assert [text.get_text() for text in axes.texts] == [".300 ▸"]
    assert axes.get_title(loc="left") == "compare"


def test_the_exit_code_says_whether_all_promises_hold(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = tuple(cell._replace(n_sets=3) for cell in SMALL)
    monkeypatch.setattr(runner, "FULL", cells)
    assert run(monkeypatch) == 0
    page = (out / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert "3 cells, 9 data sets" in page
    table = (out / "docs" / "calibration.csv").read_text(encoding="utf-8")
    assert table.startswith("question,mistake,processes,data sets,rate,lower,upper,promised,")
    every = (out / "docs" / "calibration-cells.csv").read_text(encoding="utf-8")
    assert "\nbest,integer ties,3 × 5,near ties,3," in every
    assert (out / "docs" / "calibration.png").stat().st_size > 10_000
    monkeypatch.setattr(runner, "measure", lambda *_, **__: [row(90)])
    assert run(monkeypatch, "--only", "best") == 1
    told = capsys.readouterr().out
    assert "Does not hold: compare, height found, Gaussian: .090 of 1,000 data sets" in told
    assert (out / "quick" / "calibration.md").exists()


def test_fewer_data_sets_and_questions_can_be_asked_for(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Cell] = []

    def measured(cells: list[Cell], *_: object, **__: object) -> list[Row]:
        asked[:] = cells
        return [row(50)]

    monkeypatch.setattr(runner, "measure", measured)
    run(monkeypatch, "--quick", "--only", "best", "--only", "locate", "--sets", "7")
    assert {cell.question for cell in asked} == {"best", "locate"}
    assert {cell.n_sets for cell in asked} == {7}
    run(monkeypatch, "--quick")
    assert asked == list(QUICK)


def test_a_stopped_run_says_how_to_go_on(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "measure", stopped)
    with pytest.raises(SystemExit, match="run the command again to continue"):
        run(monkeypatch)


@pytest.mark.slow
def test_the_quick_form_measures_every_claim(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Row] = []

    def measured(*arguments: Any, **options: Any) -> list[Row]:
        kept.extend(measure(*arguments, **options))
        return kept

    monkeypatch.setattr(runner, "measure", measured)
    run(monkeypatch, "--quick")
    check_rates(kept)
    told = {(each.cell.question, each.claim.name) for each in kept}
    page = (out / "quick" / "calibration.md").read_text(encoding="utf-8")
    for question, asked in QUESTIONS.items():
        assert f"\n| {question} |" in page
        for claim in asked.claims:
            assert (question, claim.name) in told, claim.name
