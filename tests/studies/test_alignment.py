"""The study of alignment: its logs, its rules, its page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import studies.alignment.__main__ as runner
from studies import measured_page
from studies.alignment import measuring
from studies.alignment.rules import RULES
from studies.alignment.simulated_logs import GAPS, LAST, SCHEDULES, gapped_logs, logs_on

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_rule_makes_curves_of_every_schedule(schedule: str) -> None:
    logs = logs_on(schedule, np.random.default_rng(0))
    assert len(logs) == 20
    for to_curves in RULES.values():
        curves = to_curves(logs)
        assert curves.sizes == (10, 10)
        assert curves.n_steps > 1


def test_schedules_are_those_they_say() -> None:
    rng = np.random.default_rng(0)
    logs = logs_on("A every 1,000, B every 20,000", rng)
    assert {int(np.diff(log.steps)[0]) for log in logs if log.algorithm == "A"} == {1_000}
    assert {int(np.diff(log.steps)[0]) for log in logs if log.algorithm == "B"} == {20_000}
    stopped = logs_on("B stopped at 60%", rng)
    assert {log.steps[-1] for log in stopped if log.algorithm == "B"} == {0.6 * LAST}


def test_rules_that_see_the_schedule_cry_wolf_and_the_default_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    name = "A every 1,000, B every 20,000"
    monkeypatch.setattr(measuring, "SCHEDULES", {name: SCHEDULES[name]})
    rates = {rule.strip("*"): own for rule, own in measuring.schedule_rates(20, 1)[name].items()}
    default, *_ = rates.values()
    assert max(default) <= 0.25  # 6 or more of 20 happen once in 3,000 studies
    assert rates["linear, ends held"][1] > 0.9
    assert rates["row number instead of step"][0] == 1


def test_missing_scores_are_those_it_says() -> None:
    for gaps, chances in GAPS.items():
        logs = gapped_logs(gaps, np.random.default_rng(1))
        for name, chance in zip("AB", chances, strict=True):
            n_points = sum(log.n_points for log in logs if log.algorithm == name)
            expected = 10 if gaps.startswith("the third") and name == "A" else 200 * chance
            assert 200 - n_points == pytest.approx(expected, abs=4 * expected**0.5)


def test_failing_runs_are_those_it_says() -> None:
    for kind in measuring.FAILURES:
        logs = measuring._failing(kind, np.random.default_rng(1))
        ended = {
            name: sum(log.steps[-1] < LAST for log in logs if log.algorithm == name)
            for name in "AB"
        }
        assert (ended["A"] == 0) == ("run again" in kind)
        only_a = "of both" not in kind and ("of A" in kind or "A's runs" in kind)
        assert (ended["B"] == 0) == only_a


def test_the_page_has_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    monkeypatch.setattr(measured_page, "OUT", tmp_path / "page")
    monkeypatch.setattr(sys, "argv", ["studies.alignment", "--sets", "1"])
    runner.main()
    text = (tmp_path / "page" / "alignment.md").read_text(encoding="utf-8")
    assert text.count("| :-- |") == 3
    assert "1 data sets for each cell" in text
