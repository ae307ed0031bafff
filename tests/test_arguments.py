"""Hostile values for every argument of every public function: refused in words, or answered."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import curvewise as cw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOSTILE: list[Any] = [
    *(None, float("nan"), float("inf"), 2**70, 2**5000, -1, 0, 1.5, True),
    *("no", b"x", [], {}, ["a"], object(), np.array(3), np.array([1, 2])),
]
# What reaches for files, machines or many seconds is tried elsewhere.
APART = {"checkpoint", "plan_file", "n_jobs", "path", "name"}
SCORES = np.random.default_rng(0).normal(size=(12, 4))
CURVES = cw.Curves(SCORES[:8], list("AAAABBBB"), blocks=[1, 1, 2, 2] * 2)
PLAIN = cw.Curves(SCORES, list("AAAAAABBBBBB"))
TASKS = {"t": PLAIN, "u": cw.Curves(SCORES[::-1] ** 2, PLAIN.labels)}
LOGS = [cw.RunLog("A", str(i), "m", range(4), SCORES[i]) for i in range(3)]
ROWS = [
    {"a": "AB"[row % 2], "r": row // 2, "s": step, "y": value, "t": "t"}
    for row in range(6)
    for step, value in enumerate(SCORES[row])
]
COLUMNS = {"algorithm": "a", "run": "r", "step": "s", "score": "y"}
FEW = {"n_shuffles": 19, "rng": 0}
SIDES = {"control": "A", "experimental": "B", "n_resamples": 99, **FEW}
GATE = {"candidate": "A", "baseline": "B", "margin": 1, **FEW}
SIMULATED = {"effect": cw.scenario("lift", 5), "n_experiments": 20, "n_shuffles": 19}
FRAME = pl.DataFrame(ROWS)
SKLEARN = {"A": ([1, 2, 3], np.ones((3, 2)), np.ones((3, 2)))}

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "Curves": (cw.Curves, (SCORES, list(PLAIN.labels)), {}),
    "from_dict": (cw.Curves.from_dict, ({"A": SCORES[:2]},), {}),
    "from_learning_curve": (cw.Curves.from_learning_curve, (SKLEARN,), {}),
    "from_frame": (cw.Curves.from_frame, (FRAME,), COLUMNS),
    "Tasks": (cw.Tasks, (TASKS,), {}),
    "Tasks.from_frame": (cw.Tasks.from_frame, (FRAME,), {"task": "t", **COLUMNS}),
    "window": (CURVES.window, (), {}),
    "with_blocks": (CURVES.with_blocks, ([1, 2] * 4,), {}),
    "select": (CURVES.select, ("A",), {}),
    "Tasks.window": (cw.Tasks(TASKS).window, (), {}),
    "Tasks.keep": (cw.Tasks(TASKS).keep, ("t",), {}),
    "align": (cw.align, (LOGS,), {}),
    "RunLog": (cw.RunLog, ("A", "1", "m", [0, 1], [1.0, 2.0]), {}),
    "compare": (cw.compare, (CURVES,), FEW),
    "overview": (cw.overview, (CURVES,), FEW),
    "compare_many": (cw.compare_many, (TASKS,), FEW),
    "locate": (cw.locate, (CURVES,), {**FEW, "n_resamples": 99}),
    "compare_pairs": (cw.compare_pairs, (CURVES,), FEW),
    "best": (cw.best, (CURVES,), FEW),
    "best_many": (cw.best_many, (TASKS,), FEW),
    "contrast": (cw.contrast, (CURVES, {"A": 1, "B": -1}), FEW),
    "contrast_many": (cw.contrast_many, (CURVES, {"x": {"A": 1, "B": -1}}), FEW),
    "transfer": (cw.transfer, (PLAIN,), SIDES),
    "transfer_many": (cw.transfer_many, (TASKS,), SIDES),
    "gate": (cw.gate, (PLAIN,), GATE),
    "gate_many": (cw.gate_many, (TASKS,), GATE),
    "compare_tasks": (cw.compare_tasks, (TASKS,), FEW),
    "aggregate": (cw.aggregate, (TASKS,), {"rng": 0, "n_multipliers": 99}),
    "calibrate": (cw.calibrate, (PLAIN,), {"rng": 0, "n_splits": 100}),
    "monitor": (*(cw.monitor, (CURVES.with_blocks([1] * 8),)), {"seed": 0, "n_shuffles": 99}),
    "estimate_power": (cw.estimate_power, (PLAIN,), {**SIMULATED, "rng": 0}),
    "plan": (cw.plan, (PLAIN,), {**SIMULATED, "rng": 0, "max_runs": 6}),
    "noise": (cw.noise, (), {"sd": 1}),
    "scenario": (cw.scenario, ("lift",), {}),
    "plot_curves": (cw.plot_curves, (PLAIN,), {}),
    "report": (cw.report, (PLAIN, cw.compare(PLAIN, n_shuffles=19, rng=0)), {}),
    "describe": (cw.describe, (cw.compare(PLAIN, n_shuffles=19, rng=0),), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_words_or_answers_come_of_hostile_values(name: str) -> None:
    function, given, options = CALLS[name]
    wrong = []
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.name in APART or parameter.kind is parameter.VAR_KEYWORD:
            continue
        for value in HOSTILE:
            positional, named = list(given), dict(options)
            if place < len(given):
                positional[place] = value
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional.append(value)
            else:
                named[parameter.name] = value
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*positional, **named)
            except cw.CurvewiseError:
                pass
            except Exception as error:  # noqa: BLE001 (that is what is looked for)
                wrong.append(f"{parameter.name}={str(value)[:20]}: {error!r}"[:160])
    assert not wrong


FLAGS: list[tuple[str, str]] = [
    *(("Curves", "higher_is_better"), ("locate", "windows"), ("plot_curves", "runs")),
    *(("transfer", "allow_optimum_below"), ("plot_curves", "xlog"), ("plan", "cautious")),
    *(("plot_curves", "ylog"), ("RunLog", "of_episodes"), ("report", "runs")),
    *(("gate", "two_sided"), ("estimate_power", "pool"), ("estimate_power", "blocks")),
    *(("plan", "reuse_pilot"), ("from_learning_curve", "shared"), ("compare", "exact")),
]


@pytest.mark.parametrize(("name", "flag"), FLAGS)
@pytest.mark.parametrize("value", ["no", 1, float("nan"), [], np.array([1, 2])])
def test_flags_are_booleans(name: str, flag: str, value: object) -> None:
    function, given, options = CALLS[name]
    with pytest.raises(cw.OptionError, match=f"{flag} must be True or False"):
        function(*given, **{**options, flag: value})


@pytest.mark.parametrize(
    ("name", "option", "value", "message"),
    [
        ("report", "title", 5, "title must be a name, not 5"),
        ("Curves", "precision", "no", "precision must be a number below 1, not 'no'"),
        ("locate", "n_resamples", 2**63, "n_resamples must be 10,000,000 at most"),
        ("plot_curves", "ax", 5, "ax must be Axes of matplotlib, not 5"),
        ("Curves", "source", 5, "source must be a name, not 5"),
        ("gate", "candidate", ["A"], r"candidate must be a name, not \['A'\]"),
    ],
)
def test_what_is_refused_is_named(name: str, option: str, value: object, message: str) -> None:
    function, given, options = CALLS[name]
    with pytest.raises(cw.OptionError, match=message):
        function(*given, **{**options, option: value})


def test_one_name_may_stand_for_a_list_of_names(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    FRAME.drop("t").write_csv(path)
    options: dict[str, Any] = {**COLUMNS}
    names: list[Any] = ["A", ["A"], np.array(["A"])]
    for only in names:
        assert cw.Curves.from_frame(FRAME, **options, only=only).algorithms == ("A",)
        assert cw.read(path, **options, only=only).algorithms == ("A",)
        assert cw.Tasks(TASKS, algorithms=only).algorithms == ("A",)


@pytest.mark.parametrize("option", ["group_by", "run_by", "task", "x", "metric", "only"])
@pytest.mark.parametrize("value", HOSTILE)
def test_reading_refuses_hostile_values_in_words(tmp_path: Path, option: str, value: Any) -> None:
    path = tmp_path / "runs.csv"
    FRAME.drop("t").write_csv(path)
    for function in (cw.read, cw.read_tasks, cw.scan):
        if option in inspect.signature(function).parameters:
            found: object = None
            try:
                found = function(path, **{option: value})
            except cw.CurvewiseError as refusal:
                found = str(refusal)
            # What is not refused was read; a refusal has words.
            is_told = isinstance(found, str) and len(found.split()) > 3
            assert is_told or isinstance(found, cw.Curves | cw.Tasks | cw.Scan)
