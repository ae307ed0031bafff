"""The study of power: its cells, its page, and that it goes on where it was."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import studies.power.__main__ as runner
from studies import measured_page
from studies.power import (
    closed_pairs,
    crying_wolf,
    first_test,
    gates,
    many_tasks,
    page,
    pilots,
    sequential,
    times,
    typical_runs,
    unequal_spread,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One cell of each kind, of few data sets, kept in a folder of its own."""
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    monkeypatch.setattr(measured_page, "OUT", tmp_path / "page")
    monkeypatch.setattr(measured_page, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(first_test, "N_TO_CHOOSE", 20)
    monkeypatch.setattr(sequential, "ADVISED", sequential.Design(2, 4, "linear"))
    monkeypatch.setattr(pilots, "N_PILOTS", (5,))
    monkeypatch.setattr(pilots, "N_EXPERIMENTS", 100)
    monkeypatch.setattr(gates, "RUNS", ((3, 3), (3, 10)))
    monkeypatch.setattr(gates, "N_EQUAL", (3,))
    for module, name, keys in (
        (first_test, "KINDS", ("AR(1)",)),
        (first_test, "DIFFERENCES", ("shift",)),
        (typical_runs, "KINDS", ("normal",)),
        (closed_pairs, "DESIGNS", ("0 0 0 3 3",)),
        (many_tasks, "TRUTHS", ("same shift, 10 × 3",)),
        (many_tasks, "COUNTED", ("10 × 4, 9 by 4 SD",)),
        (unequal_spread, "DESIGNS", ("5 + 5, equal spreads, one moved",)),
        (gates, "KINDS", ("normal", "15% fail")),
        (gates, "SCENES", ("relative, 5 + 5, normal", "time, lognormal, 5 + 5, as long")),
        (times, "SCENARIOS", ("twice as fast (exponential times)",)),
        (sequential, "DESIGNS", ("5 batches of 4, obf",)),
    ):
        kept = {key: getattr(module, name)[key] for key in keys}
        monkeypatch.setattr(module, name, kept)
        if hasattr(page, name) and getattr(page, name) is not kept and module is first_test:
            monkeypatch.setattr(page, name, kept)
    monkeypatch.setattr(times, "N_RUNS", (5,))
    monkeypatch.setattr(crying_wolf, "N_RUNS", (5, 6))
    return tmp_path


def test_all_relabellings_of_few_runs_are_visited_once() -> None:
    rng = np.random.default_rng(0)
    signs = first_test.relabellings(4, rng)
    assert signs.shape == (35, 8)
    assert len({tuple(row) for row in signs.tolist()}) == 35
    assert (signs.sum(axis=1) == 0).all()
    assert (signs[0] == np.repeat([1, -1], 4)).all()
    many = first_test.relabellings(6, rng)
    assert many.shape == (first_test.N_SHUFFLES + 1, 12)
    assert (many[0] == np.repeat([1, -1], 6)).all()


def test_a_large_difference_is_found_by_the_tests_that_look_for_it() -> None:
    rng = np.random.default_rng(1)
    noise = np.stack([first_test.autoregressive(rng, 10) for _ in range(10)])
    signs = first_test.relabellings(5, rng)
    effect = np.zeros((10, first_test.N_STEPS))
    effect[:5] = 30 * first_test.DIFFERENCES["shift"]
    everything, height, shape, step, standardised = first_test.plain_powers(noise + effect, signs)
    assert everything == height == step == standardised == 1
    assert shape < 0.5


def test_the_size_is_one_that_the_second_best_test_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_test, "N_TO_CHOOSE", 40)
    size = first_test.chosen_size("AR(1)", "shift", 5, 3)
    assert 0.5 < size < 2


@pytest.mark.slow
def test_the_page_has_every_table(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["power", "--sets", "3"])
    runner.main()
    text = (small / "page" / "measured-power.md").read_text(encoding="utf-8")
    assert "PROVENANCE" not in text
    for heading in (
        "differ at all?",
        "Typical runs",
        "Pairs",
        "Many tasks",
        "Unequal spread",
        "pilots tell",
        "Looks after batches",
        "Gates",
    ):
        assert heading in text
    assert "| 5 + 5, combined |" in text
    assert "seed 1, 3 data sets for each cell" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") >= 3 for line in tables)
    assert "Written:" in capsys.readouterr().out
    assert not (small / "docs").exists()
    # Nothing is measured again.
    runner.main()
    assert " s" not in capsys.readouterr().err


def test_failing_runs_win_as_often_as_is_said() -> None:
    rng = np.random.default_rng(0)
    leads = np.array([0.0, 1.0])
    for kind in many_tasks.KINDS:
        runs = rng.normal(size=(2, 2, 100_000))
        if kind != "normal":
            runs -= many_tasks.DEPTH * (rng.random(runs.shape) < 0.12)
        ours, theirs = runs
        spread = ours.std()
        wins = np.mean(ours + spread * leads[:, None] > theirs, axis=1)
        assert wins == pytest.approx(many_tasks._chance(leads, kind), abs=0.01)


def test_a_rate_has_two_decimals() -> None:
    assert page.rate(0.0512) == ".05"
    assert page.rate(1.0) == "1.00"
    assert page.rate(None) == "–"
