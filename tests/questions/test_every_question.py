"""What every question must provide, whatever it asks: one conformance test for all slices."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from matplotlib.figure import Figure

import curvewise as cw
from curvewise import cli
from curvewise.inference.result import Result
from curvewise.shuffling.visit import reporting_progress
from curvewise.text import markdown_text, naming_flags
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
SHUFFLING = {"n_shuffles", "exact", "n_jobs", "rng", "checkpoint"}


class Asked(NamedTuple):
    """A question, and how to ask it; few shuffles, so that the test is quick."""

    folder: str
    function: Callable[..., Result]
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def ask(self, **options: Any) -> Result:
        given = {"rng": 0, **self.options, **options}
        if not {"rng", "seed"} & set(inspect.signature(self.function).parameters):
            pytest.fail("every question takes rng, or a seed that must stay the same")
        if self.takes_seed:
            given["seed"] = given.pop("rng")
        return self.function(*self.arguments, **given)

    @property
    def takes_seed(self) -> bool:
        """Whether it takes a seed instead of rng, since it is asked again with the same one."""
        return "seed" in inspect.signature(self.function).parameters

    @property
    def curves(self) -> cw.Curves | None:
        given = self.arguments[0] if self.arguments else None
        return given if isinstance(given, cw.Curves) else None

    @property
    def shuffles(self) -> bool:
        """Whether it visits relabellings of the curves that it is given, as all questions do."""
        parameters = inspect.signature(self.function).parameters
        simulates = "n_experiments" in parameters
        return "n_shuffles" in parameters and not simulates and not self.takes_seed


@cache
def _curves() -> cw.Curves:
    curves = some_curves(3, (5, 5, 5))
    scores = curves.scores + 2.0 * np.repeat([0, 1, 2], 5)[:, None]
    return cw.Curves(scores, curves.labels, curves.steps, source="simulated")


@cache
def _aligned(short: str) -> cw.Curves:
    """The same curves from logs: C was logged twice as often, and two more runs failed."""
    curves, logs = _curves(), []
    halves = np.arange(0, 5.1, 0.5)
    for label, run, row in zip(curves.labels, curves.runs, curves.scores, strict=True):
        steps = curves.steps if label != "C" else halves
        scores = np.interp(steps, curves.steps, row)
        logs.append(cw.RunLog(label, run, "score", steps, scores))
    few = halves[:7]
    logs += [cw.RunLog("C", run, "score", few, 4 + np.sqrt(few)) for run in "56"]
    reason = "the node broke" if short == "drop" else None
    return cw.align(logs, short=short, reason=reason)  # type: ignore[arg-type]


def _asked(given: cw.Curves | None = None) -> dict[str, Asked]:
    curves = _curves() if given is None else given
    two, far = curves.select("A", "B"), curves.select("A", "C")
    sides: dict[str, Any] = {"control": "A", "experimental": "B"}
    gated: dict[str, Any] = {"candidate": "B", "baseline": "A", "margin": 1.0}
    few: dict[str, Any] = {"n_shuffles": 199}
    sampled: dict[str, Any] = {"n_shuffles": 199, "exact": False}
    resampled: dict[str, Any] = {**sampled, "n_resamples": 99}
    simulated: dict[str, Any] = {
        "effect": cw.scenario("lift", 2, unit="sd"),
        "n_shuffles": 99,
        "n_experiments": 200,
    }
    one = {"A": 1, "B": -1}
    three = {"A": 1, "B": -0.5, "C": -0.5}
    family = {"one": one, "three": three}
    tables = {"all": curves, "two": two}
    same = {"one": curves, "two": curves}
    tasks = {"pong": curves, "maze": _turned(curves), "chess": _turned(_turned(curves))}
    return {
        "compare": Asked("compare", cw.compare, (curves,), sampled),
        "compare unequal": Asked(
            "compare", cw.compare, (curves,), {**sampled, "spread": "unequal"}
        ),
        "compare typical": Asked(
            "compare", cw.compare, (curves,), {**sampled, "center": "trimmed"}
        ),
        "compare ranks": Asked("compare", cw.compare, (two,), {**sampled, "center": "ranks"}),
        "compare_many": Asked("compare", cw.compare_many, (tables,), sampled),
        "locate": Asked("locate", cw.locate, (two,), resampled),
        "compare_pairs": Asked("pairs", cw.compare_pairs, (curves,), sampled),
        "compare_pairs holm": Asked(
            "pairs", cw.compare_pairs, (curves,), {**sampled, "adjust": "holm"}
        ),
        "compare_pairs max-t": Asked(
            "pairs", cw.compare_pairs, (curves,), {**sampled, "adjust": "max-t"}
        ),
        "best": Asked("best", cw.best, (curves,), sampled),
        "best ranks": Asked("best", cw.best, (curves,), {**sampled, "center": "ranks"}),
        "best_many": Asked("best", cw.best_many, (tables,), {**sampled, "missing": "keep"}),
        "best max-t": Asked("best", cw.best, (curves,), {**sampled, "adjust": "max-t"}),
        "contrast": Asked("contrast", cw.contrast, (curves, one), sampled),
        "contrast typical": Asked(
            "contrast", cw.contrast, (curves, one), {**sampled, "center": "trimmed"}
        ),
        "contrast of three": Asked("contrast", cw.contrast, (curves, three), few),
        "contrast_many": Asked("contrast", cw.contrast_many, (curves, family), few),
        "transfer": Asked("transfer", cw.transfer, (curves,), {**sides, **resampled}),
        "transfer_many": Asked("transfer", cw.transfer_many, (tables,), {**sides, **resampled}),
        "gate": Asked("gate", cw.gate, (curves,), {**gated, **sampled}),
        "gate unequal": Asked("gate", cw.gate, (curves,), {**gated, **few, "spread": "unequal"}),
        "gate every step": Asked(
            "gate", cw.gate, (curves,), {**gated, **sampled, "on": "every step"}
        ),
        "gate_many": Asked("gate", cw.gate_many, (tables,), {**gated, **sampled}),
        "aggregate": Asked("aggregate", cw.aggregate, (same,), {}),
        "aggregate every step": Asked(
            "aggregate",
            cw.aggregate,
            (same,),
            {"on": "every step", "n_multipliers": 199, "statistic": "iqm"},
        ),
        "compare_tasks": Asked(
            "tasks", cw.compare_tasks, (tasks,), {**sampled, "a": "A", "b": "C"}
        ),
        "compare_tasks of three": Asked("tasks", cw.compare_tasks, (tasks,), sampled),
        "calibrate": Asked("calibrate", cw.calibrate, (curves,), {}),
        "check_criteria": Asked("criteria", cw.check_criteria, (), {}),
        "overview": Asked("overview", cw.overview, (curves,), sampled),
        "monitor": Asked("monitor", cw.monitor, (far,), _batches(far)),
        "monitor of three": Asked("monitor", cw.monitor, (curves,), _batches(curves)),
        "estimate_power": Asked("power", cw.estimate_power, (curves,), simulated),
        "estimate_power observed": Asked(
            "power", cw.estimate_power, (curves,), {**simulated, "effect": "observed"}
        ),
        "plan": Asked("plan", cw.plan, (curves,), simulated),
    }


def _turned(curves: cw.Curves) -> cw.Curves:
    """The same runs with other scores, as those of another task."""
    return cw.Curves(
        1.5 * curves.scores[:, ::-1] + 1,
        curves.labels,
        curves.steps,
        preparation=curves.preparation,
        display=curves.display,
    )


def _batches(curves: cw.Curves) -> dict[str, Any]:
    """Two batches, and a plan that they fit."""
    place = [int(np.sum(curves.labels[:row] == own)) for row, own in enumerate(curves.labels)]
    return {"batch": [1 + at % 2 for at in place], "n_batches": 2, "n_shuffles": 199}


QUESTIONS = list(_asked())
SHUFFLED = [name for name, asked in _asked().items() if asked.shuffles]
SIMULATED = [name for name in QUESTIONS if _asked()[name].folder in {"power", "plan"}]
# Questions that another question's command answers.
COMMANDS = {"best": "pairs", "overview": "compare", "aggregate": "tasks"}
PAGES = {"aggregate": "tasks"}


@cache
def answer(name: str) -> Result:
    return _asked()[name].ask()


def numbers(value: Any) -> list[float]:
    """Every number in JSON-ready data, in sentences too, without sign and as a percentage."""
    if isinstance(value, dict):
        return [n for each in (*value.values(), *value) for n in numbers(each)]
    if isinstance(value, list):
        return [n for each in value for n in numbers(each)]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, str):
        return [float(n) for n in re.findall(r"\d+\.?\d*", value)]
    return [abs(value), abs(100 * value)]


def decimals(cell: str) -> list[tuple[float, float]]:
    """Every decimal number of a cell, without sign, and how far it may be rounded."""
    found = re.findall(r"(?<![\w.])\d+\.(\d+)(?:e([-+]\d+))?", cell)
    texts = re.findall(r"(?<![\w.])\d+\.\d+(?:e[-+]\d+)?", cell)
    return [
        (float(text), 0.5001 * 10.0 ** (int(exponent or 0) - len(places)))
        for text, (places, exponent) in zip(texts, found, strict=True)
    ]


def test_every_folder_of_questions_is_asked() -> None:
    folders = {path.parent.name for path in (ROOT / "src/curvewise/questions").glob("*/ask.py")}
    assert folders == {asked.folder for asked in _asked().values()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_result_is_frozen_data(name: str) -> None:
    result: Any = answer(name)
    assert isinstance(result, Result)
    fields = dataclasses.fields(result)
    for field in fields:
        value = getattr(result, field.name)
        assert not callable(value), field.name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, value)
    same = pickle.loads(pickle.dumps(result))  # noqa: S301 (its own)
    assert json.dumps(same.to_dict()) == json.dumps(result.to_dict())


@pytest.mark.parametrize("name", QUESTIONS)
def test_to_dict_is_json_and_holds_every_number_of_the_tables(name: str) -> None:
    result = answer(name)
    record = result.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["question"]
    assert record["warnings"] == list(result.warnings)
    known = np.array(numbers(record))
    for table in result.tables():
        for row in table.rows:
            for cell in row:
                for shown, rounding in decimals(cell):
                    nearest = np.abs(known - shown).min()
                    assert nearest <= rounding, f"{shown} of {row} is not in to_dict()"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_result_prints_describes_draws_and_warns(name: str) -> None:
    result = answer(name)
    verdict = result.describe()
    assert verdict == cw.describe(result)
    assert verdict.endswith(".")
    assert "  " not in verdict
    assert all(table.text() in str(result) for table in result.tables())
    html = result._repr_html_()
    assert html.startswith("<p><strong>")
    assert html.index("<p>") < html.index("<table>")
    assert result._repr_markdown_().startswith(markdown_text(result.describe()))
    assert isinstance(result.warnings, tuple)
    assert all(isinstance(warning, str) for warning in result.warnings)
    assert len(result.caveats) == len(result.warnings)
    assert isinstance(result.figure(_asked()[name].curves), Figure)
    assert isinstance(result.figure(), Figure)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_headline_is_one_line(name: str) -> None:
    line = answer(name).headline()
    assert 10 < len(line) <= 110
    assert line.endswith((".", "…"))
    assert "\n" not in line
    assert "  " not in line


LONG = {"A": "an algorithm of a long name " * 9, "B": "b" * 300, "C": "\x1b[31mred"}


@pytest.mark.parametrize("name", ["compare", "locate", "compare_pairs", "best", "gate"])
def test_long_names_leave_headlines_short(name: str) -> None:
    curves = _curves()
    labels = [LONG[own] for own in curves.labels]
    renamed = cw.Curves(curves.scores, labels, curves.steps)
    asked = _asked()[name]
    options: dict[str, Any] = {"n_shuffles": 99, "rng": 0}
    if name == "gate":
        options |= {"candidate": LONG["B"], "baseline": LONG["A"], "margin": 1.0}
    line = asked.function(renamed, **options).headline()
    assert len(line) <= 110
    assert "\x1b" not in line


@pytest.mark.parametrize("name", QUESTIONS)
def test_words_name_flags_where_flags_are_typed(name: str) -> None:
    result = answer(name)
    python = [result.describe(), str(result)]
    with naming_flags():
        flags = [result.describe(), str(result)]
    assert not any("--" in text for text in python), "a flag in words for Python"
    assert not any(re.search(r"\w=\"", text) for text in flags), "an argument among flags"


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_rng_gives_the_same_digits_and_another_others(name: str) -> None:
    asked = _asked()[name]
    record = json.dumps(asked.ask().to_dict())
    assert record == json.dumps(answer(name).to_dict())
    other = json.dumps(asked.ask(rng=1).to_dict())
    assert record != other


@pytest.mark.parametrize("name", SHUFFLED)
def test_every_question_that_shuffles_takes_the_same_options(name: str) -> None:
    parameters = inspect.signature(_asked()[name].function).parameters
    assert set(parameters) >= SHUFFLING
    assert all(parameters[option].kind is inspect.Parameter.KEYWORD_ONLY for option in SHUFFLING)


@pytest.mark.parametrize("name", SHUFFLED)
def test_neither_jobs_nor_a_checkpoint_change_a_digit(name: str, tmp_path: Path) -> None:
    asked = _asked()[name]
    many = {"n_shuffles": 9_000}
    plain = asked.ask(**many)
    reports: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: reports.append((done, total))):
        kept = asked.ask(**many, n_jobs=2, checkpoint=tmp_path / "work.npz")
    assert reports, "progress is reported"
    assert reports[-1][0] == reports[-1][1]
    resumed = asked.ask(**many, checkpoint=tmp_path / "work.npz")
    for other in (kept, resumed):
        assert json.dumps(other.to_dict()) == json.dumps(plain.to_dict())
    with pytest.raises(cw.CurvesError, match="checkpoint of another question"):
        asked.ask(**many, checkpoint=tmp_path / "work.npz", rng=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_jobs_change_no_digit_of_simulated_experiments(name: str) -> None:
    reports: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: reports.append((done, total))):
        found = _asked()[name].ask(n_jobs=2, n_experiments=1_100)
    assert reports[-1][0] == reports[-1][1] > 0, "progress is reported"
    alone = _asked()[name].ask(n_experiments=1_100)
    assert json.dumps(found.to_dict()) == json.dumps(alone.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["auto", "precise"])
@pytest.mark.parametrize("name", SHUFFLED)
def test_auto_and_precise_are_understood(name: str, rule: str) -> None:
    result = _asked()[name].ask(n_shuffles=rule)
    assert result.describe()


@pytest.mark.parametrize("name", [*SHUFFLED, *SIMULATED])
@pytest.mark.parametrize(
    ("option", "value"), [("n_shuffles", "many"), ("n_shuffles", 0), ("n_jobs", 0), ("rng", -1)]
)
def test_bad_options_are_refused_by_name(name: str, option: str, value: object) -> None:
    with pytest.raises(cw.OptionError, match=f"^{option} must be") as refused:
        _asked()[name].ask(**{option: value})
    assert refused.value.option == option


@pytest.mark.parametrize("folder", sorted({asked.folder for asked in _asked().values()}))
def test_command_page_and_tests_of_the_same_name_exist(folder: str) -> None:
    command, page = COMMANDS.get(folder, folder), PAGES.get(folder, folder)
    assert command in cli.COMMANDS
    assert (ROOT / f"docs/{page}.md").is_file()
    assert (ROOT / f"tests/questions/{folder}").is_dir()
    for module in ("ask", "result", "tell"):
        assert (ROOT / f"src/curvewise/questions/{folder}/{module}.py").is_file()


ABOUT_CURVES = [name for name in QUESTIONS if name != "check_criteria"]
POLICIES = ["prefix", "worst", "carry", "drop"]


@pytest.mark.parametrize("name", ABOUT_CURVES)
def test_a_part_of_training_is_not_called_training(name: str) -> None:
    curves = _curves().window(1, 3)
    assert curves.period == "from step 1 to 3"
    found = _asked(curves)[name].ask()
    said = [found.describe(), found.headline(), str(found), json.dumps(found.to_dict())]
    assert "over training" not in " ".join(said)


@pytest.mark.parametrize("name", ABOUT_CURVES)
def test_curves_that_were_not_prepared_say_nothing_of_it(name: str) -> None:
    result = answer(name)
    assert result.to_dict()["preparation"] is None
    assert "Aligned" not in result.describe()


@pytest.mark.parametrize("short", POLICIES)
@pytest.mark.parametrize("name", ABOUT_CURVES)
def test_how_runs_became_curves_is_told_once(name: str, short: str) -> None:
    curves = _aligned(short)
    assert curves.preparation is not None
    result = _asked(curves)[name].ask()
    told = curves.preparation.sentence()
    assert told.startswith("Aligned: ")
    assert "0 of 5 runs of A, 0 of 5 of B and 2 of 7 of C" in told
    assert result.describe().count(told) == 1
    kinds = [caveat.kind for caveat in result.caveats]
    more = {"worst": "filled with worst", "carry": "carried on", "drop": "runs dropped"}
    for kind in ("runs failed", "schedules differ", more.get(short, "runs failed")):
        assert kinds.count(kind) == 1
    record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    families = [
        record[key] for key in ("comparisons", "tasks", "contrasts", "gates") if key in record
    ]
    for member in families[0].values() if families else [record]:
        assert member["preparation"]["short"] == short
        assert member["preparation"]["sentence"] == told
        assert ("depends_on_fill" in member["preparation"]) == (short == "worst")
    with naming_flags():
        assert f"(--short {short}" in result.describe()


# Sizes in units of the score, or of what depends on them, in the words of each question.
SIZES = re.compile(
    r"scores [\d.]+ (more|less)|% interval|too few runs, or|Hedges|range from|[<>] \w+ by|, is -?\d"
    r"|training \(-?\d|that is -?\d|\(-?\d+\.\d+(, p|\))|[\d.]+% (less|more|of)|is -?[\d.]+, 95%"
)


@pytest.mark.parametrize("name", [name for name in ABOUT_CURVES if name != "locate"])
def test_sizes_that_depend_on_a_fill_are_not_quoted(name: str) -> None:
    told = _aligned("carry").preparation
    assert told is not None
    plain = _asked(_aligned("carry"))[name].ask().describe().replace(told.sentence(), "")
    no_sizes = {"compare_many", "gate_many", "calibrate", "estimate_power observed"}
    no_sizes |= {"best_many", "compare_tasks", "compare_tasks of three"}
    if name not in no_sizes:
        assert SIZES.search(plain), plain
    result = _asked(_aligned("worst"))[name].ask()
    assert not result.quotes_scores
    assert "nothing is quoted in units of the score" in result.describe()
    done = _aligned("worst").preparation
    assert done is not None
    words = result.describe().replace(done.sentence(), "")
    # P(A beats B) is no size.
    assert not SIZES.search(re.sub(r"in \d+% of pairs", "", words)), words
    for key in result.in_score_units:
        first = key.partition(".")[0]
        assert first in result.to_dict(), key


def test_members_of_a_family_that_were_prepared_are_named() -> None:
    tables = {"one": _curves(), "two": _aligned("prefix"), "three": _aligned("prefix")}
    found = cw.compare_many(tables, n_shuffles=199, rng=0)
    assert " two and three: Aligned: " in found.describe()
    assert found.describe().count("Aligned") == 1
