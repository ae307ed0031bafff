"""Golden answers: what every question and command says, over options and designs.

    python tools/golden.py OUT.json
    python tools/golden.py OUT.json --against BASE.json [--only PREFIX] [--rtol 1e-12]

The second prints what differs from BASE and exits with 1 if anything does.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import inspect
import io
import json
import logging
import math
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))
os.environ |= {"COLUMNS": "100", "MPLBACKEND": "Agg", "NO_COLOR": "1"}

import numpy as np

import curvewise as cw
from curvewise.cli import COMMANDS, main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Case = tuple[str, Callable[[], str]]

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
FEW: dict[str, Any] = {"n_shuffles": 199, "rng": 0}
SHUFFLING: dict[str, Any] = {"exact": [False], "n_shuffles": ["auto"], "alpha": [0.2]}
CENTERS = ["trimmed", "ranks"]


# Designs


def curves_of(seed: int, sizes: tuple[int, ...], n_steps: int = 7, **options: Any) -> cw.Curves:
    """Random walks with drift; later algorithms are higher."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(sum(sizes), n_steps)).cumsum(axis=1).round(3)
    names = np.repeat(list("ABCDEFGHIJ")[: len(sizes)], sizes)
    lift = np.repeat(np.arange(len(sizes)), sizes)[:, None] * np.linspace(0, 2.5, n_steps)
    return cw.Curves(scores + 10 + lift, names, 10 * np.arange(n_steps), **options)


def aligned(short: str) -> cw.Curves:
    """Curves of logs with other steps, with gaps, and with runs that ended early."""
    curves, rng = curves_of(5, (5, 5), 9), np.random.default_rng(6)
    logs = []
    for row, (label, run) in enumerate(zip(curves.labels, curves.runs, strict=True)):
        kept = np.sort(rng.choice(9, 7, replace=False))[: 4 if row in {1, 8} else 9]
        kept = np.union1d(kept, [0] if row in {1, 8} else [0, 8])
        logs.append(cw.RunLog(label, run, "score", curves.steps[kept], curves.scores[row, kept]))
    reason = "the node broke" if short == "drop" else None
    return cw.align(logs, short=short, reason=reason)  # type: ignore[arg-type]


def designs() -> dict[str, cw.Curves]:
    """Return each kind of design, small."""
    blocks = curves_of(2, (6, 6, 6))
    ties = curves_of(3, (4, 4, 4))
    two = curves_of(0, (5, 5))
    return {
        "two": two,
        "small": curves_of(9, (3, 3)),
        "three": curves_of(1, (5, 5, 5)),
        "unequal": curves_of(4, (7, 4, 5)),
        "blocks": blocks.with_blocks([f"seed{row % 6}" for row in range(18)]),
        "two blocks": blocks.select("A", "C").with_blocks([row % 6 for row in range(12)]),
        "ties": cw.Curves((ties.scores / 3).round(), ties.labels, ties.steps),
        "same": cw.Curves(np.full((8, 3), 2.5), list("AAAABBBB")),
        "single step": curves_of(7, (6, 6, 5), 1),
        "ten": curves_of(8, (3,) * 10, 4),
        "lower": cw.Curves(20 - two.scores, two.labels, two.steps, higher_is_better=False),
        "many runs": curves_of(10, (30, 26), 12),
        **{f"short {policy}": aligned(policy) for policy in ("prefix", "worst", "carry", "drop")},
    }


def several_tasks(design: cw.Curves, *, lacking: bool = False) -> dict[str, cw.Curves]:
    """Three tasks of one design; in the last an algorithm may be missing."""
    rows: dict[str, Any] = {"labels": design.labels, "higher_is_better": design.higher_is_better}
    turned = cw.Curves(design.scores[:, ::-1] * 1.5 + 1, steps=design.steps, **rows)
    noise = np.random.default_rng(1).normal(size=design.scores.shape).round(2)
    noisy = cw.Curves(design.scores + 3 * noise, steps=design.steps, **rows)
    if lacking:
        noisy = noisy.select(*noisy.algorithms[1:])
    return {"pong": design, "maze": turned, "chess": noisy}


# Questions: how each is asked, and the values of its options that are tried one at a time


def first_and_last(curves: Any) -> tuple[str, str]:
    """Return the names that a question of two is asked about."""
    if isinstance(curves, dict) and curves:
        curves = next(iter(curves.values()))
    names = curves.algorithms if isinstance(curves, cw.Curves) else "AB"
    return names[0], names[-1]


def gated(question: Callable[..., Any]) -> Callable[..., Any]:
    def ask(curves: Any, **options: Any) -> Any:
        baseline, candidate = first_and_last(curves)
        return question(
            curves, **{"candidate": candidate, "baseline": baseline, "margin": 1.0, **options}
        )

    return ask


def transferred(question: Callable[..., Any]) -> Callable[..., Any]:
    def ask(curves: Any, **options: Any) -> Any:
        control, experimental = first_and_last(curves)
        few = {"n_resamples": 99, "control": control, "experimental": experimental}
        return question(curves, **{**few, **options})

    return ask


def contrasted(curves: cw.Curves, **options: Any) -> Any:
    first, last = first_and_last(curves)
    return cw.contrast(curves, options.pop("coefficients", {last: 1, first: -1}), **options)


def contrasted_many(curves: Any, **options: Any) -> Any:
    first, *others = curves.algorithms if isinstance(curves, cw.Curves) else "AB"
    rest = dict.fromkeys(others, -1 / len(others))
    family: Any = {"ends": {others[-1]: 1, first: -1}, "rest": {first: 1, **rest}}
    return cw.contrast_many(curves, family, **options)


def watched(curves: Any, **options: Any) -> Any:
    labels = curves.labels if isinstance(curves, cw.Curves) else np.array(["A", "B"])
    place = [int(np.sum(labels[:row] == own)) for row, own in enumerate(labels)]
    plan = {"batch": [1 + at % 2 for at in place], "n_batches": 2, "seed": options.pop("rng", 0)}
    return cw.monitor(curves, **{**plan, **options})


LIFT = cw.scenario("lift", 2, unit="sd")
SIMULATED = {"effect": LIFT, "n_shuffles": 99, "n_experiments": 100}


def simulated(question: Callable[..., Any]) -> Callable[..., Any]:
    return lambda curves, **options: question(curves, **{**SIMULATED, "rng": 0, **options})


MEASURES = ["final", "last", "best", (20.0, 50.0), ("reach", 12.0)]
OVERALL: dict[str, Any] = {
    "error": ["pooled"],
    "spread": ["unequal"],
    "overall": ["F"],
    "center": CENTERS,
    **SHUFFLING,
}
ONE: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "compare": (cw.compare, {**OVERALL, "n_shuffles": ["auto", "precise", 20_000]}),
    "overview": (cw.overview, OVERALL),
    "locate": (
        lambda curves, **options: cw.locate(curves, **{"n_resamples": 99, **options}),
        {
            "adjust": ["step-down"],
            "windows": [False],
            "cluster_threshold": [2.0],
            "n_resamples": [0],
            **SHUFFLING,
        },
    ),
    "compare_pairs": (
        cw.compare_pairs,
        {"adjust": ["closed", "holm", "bonferroni", "max-t"], "error": ["pooled"], **SHUFFLING},
    ),
    "best": (
        cw.best,
        {"adjust": ["closed", "bonferroni", "max-t"], "center": CENTERS, **SHUFFLING},
    ),
    "contrast": (
        contrasted,
        {
            "weights": ["trend", "area", ("mean", 20.0, 50.0), [1.0, 0, 0, 0, 0, 0, -1]],
            "alternative": ["greater", "less"],
            "center": CENTERS,
            "coefficients": [{"A": 1, "B": -0.5, "C": -0.5}, {"A": 1}, {"A": 1, "Z": -1}, {}],
            **SHUFFLING,
        },
    ),
    "contrast_many": (
        contrasted_many,
        {
            "adjust": ["bonferroni", "max-t"],
            "weights": ["trend"],
            "alternative": ["greater"],
            "center": CENTERS,
            **SHUFFLING,
        },
    ),
    "transfer": (
        transferred(cw.transfer),
        {
            "optimum": [40.0, 5.0],
            "window": [(10.0, 40.0)],
            "until_asymptote": [0.2],
            "threshold": [12.0],
            "hold": [2],
            "integration": ["trapezoid"],
            "confidence": [0.8],
            "interval": ["inverted", "student", "percentile"],
            "n_resamples": [0],
            "allow_optimum_below": [True],
            "exact": [False],
        },
    ),
    "gate": (
        gated(cw.gate),
        {
            "margin": [0.0, 4.0, -1.0],
            "unit": ["relative", "sd"],
            "on": [*MEASURES, "every step"],
            "two_sided": [True],
            "spread": ["equal", "unequal"],
            "assumed": [0.5],
            "power": [0.5],
            "center": CENTERS,
            "candidate": ["Z", "A"],
            **SHUFFLING,
        },
    ),
    "monitor": (
        watched,
        {"n_batches": [1, 4], "batch_size": [2], "spending": ["obf"], "effect": [LIFT], "alpha": [0.2], "give_up": [["A"]], "batch": [None]},
    ),
}  # fmt: skip
SIMULATING: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "estimate_power": (
        simulated(cw.estimate_power),
        {"effect": ["observed", None], "n_runs": [4, [3, 6]], "sizes": [[0.5, 1.0]], "noise": ["resample"], "pool": [False], "base": ["B"], "n_algorithms": [3], "ratio": [2.0], "blocks": [True], "overall": ["F"]},
    ),
    "plan": (
        simulated(cw.plan),
        {"effect": ["observed"], "power": [0.5], "question": ["interaction", "overall"], "cautious": [True], "max_runs": [5], "reuse_pilot": [True]},
    ),
    "calibrate": (
        lambda curves, **options: cw.calibrate(curves, **{"rng": 0, "n_splits": 100, **options}),
        {"algorithm": ["A", "Z"], "alpha": [0.2]},
    ),
}  # fmt: skip
TASKS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "compare_many": (
        cw.compare_many,
        {"error": ["pooled"], "adjust": ["holm", "bonferroni"], "overall": ["F"], "center": CENTERS, **SHUFFLING},
    ),
    "best_many": (
        cw.best_many,
        {"algorithms": [["A", "B"]], "missing": ["drop", "keep"], "adjust": ["bonferroni"], "within": ["max-t", "bonferroni"], "center": CENTERS, **SHUFFLING},
    ),
    "transfer_many": (
        transferred(cw.transfer_many),
        {"optimum": [60.0, {"pong": 60.0, "maze": 80.0, "chess": 70.0}], "threshold": [12.0], "exact": [False]},
    ),
    "gate_many": (
        gated(cw.gate_many),
        {"margin": [{"pong": 1.0, "maze": 9.0, "chess": 2.0}], "unit": ["sd"], "on": ["final", "every step"], "order": [["maze", "pong", "chess"]], "two_sided": [True], "center": CENTERS, **SHUFFLING},
    ),
    "aggregate": (
        lambda tasks, **options: cw.aggregate(tasks, **{"n_multipliers": 199, "rng": 0, **options}),
        {"statistic": ["iqm", "mean", "gap"], "on": ["final", "every step", (20.0, 50.0)], "reference": [{"pong": (5, 20), "maze": (5, 30), "chess": (0, 25)}, "A"], "gamma": [0.5], "confidence": [0.8], "missing": ["drop"]},
    ),
    "compare_tasks": (
        cw.compare_tasks,
        {"a": ["A"], "adjust": ["holm"], "missing": ["drop"], **SHUFFLING},
    ),
}  # fmt: skip
BAD: dict[str, list[Any]] = {
    "alpha": [0, 1.5, "x", True, math.nan],
    "confidence": [1, "x"],
    "n_shuffles": [0, "many", 2.5],
    "exact": ["yes"],
    "rng": ["x"],
    "n_jobs": [0, "x"],
    "checkpoint": [3],
    "n_resamples": [-1, "x"],
    "power": [1],
    "assumed": ["x"],
    "margin": ["x", math.inf],
    "seed": [None, -1],
    "two_sided": [1],
    "windows": ["no"],
    "cautious": [0],
    "n_experiments": [0],
    "n_splits": [0],
    "sd_from": ["x"],
    "hold": [0],
    "window": [(3, 1), "x"],
    "order": [["maze"]],
    "give_up": ["Z"],
    "n_batches": [0],
}

FULL = {"two", "three", "blocks", "unequal"}
UNSCHEMED = {"report", "serve", "schema", "demo"}
FAST = "--shuffles 199 --seed 0"
ASKED = [
    f"compare runs.csv {FAST}",
    f"compare three.csv {FAST} --error pooled",
    f"compare three.csv {FAST} --center trimmed",
    f"compare blocks.csv {FAST} --block seed --overall F",
    f"compare ties.csv {FAST} --spread unequal --only A --only B",
    f"compare tasks-three.csv {FAST} --task maze",
    f"locate runs.csv {FAST} --resamples 99",
    f"locate lower.csv {FAST} --resamples 0 --lower-is-better --window 20 50",
    f"pairs three.csv {FAST}",
    f"pairs three.csv {FAST} --adjust max-t",
    f"contrast three.csv {FAST} -c C=1 -c A=-1",
    f"contrast three.csv {FAST} -c C=1 -c A=-0.5 -c B=-0.5 --over trend",
    f"transfer three.csv {FAST} --control A --experimental C --resamples 99",
    f"transfer three.csv {FAST} --control A --experimental C --resamples 99 --threshold 12",
    f"transfer tasks-two.csv {FAST} --control A --experimental B --resamples 99 --task task",
    "criteria",
    "power three.csv --effect lift --size 2 --unit sd --experiments 100 --shuffles 99 --seed 0",
    "plan three.csv --effect lift --size 2 --unit sd --experiments 100 --shuffles 99 --seed 0",
    "calibrate runs.csv --splits 100 --seed 0",
    f"gate three.csv {FAST} --candidate C --baseline A --margin 1",
    f"gate three.csv {FAST} --candidate A --baseline C --margin 0.1 --unit sd --on final",
    f"gate three.csv {FAST} --candidate C --baseline A --margin 1 --two-sided --on 20:50",
    f"gate tasks-three.csv {FAST} --candidate C --baseline A --margin 1 --task task",
    "monitor three.csv --batch seed --seed 0 --n-batches 5 --shuffles 99",
    f"tasks tasks-three.csv {FAST}",
    f"tasks tasks-two.csv {FAST} --statistic mean --on final",
    "inspect runs.csv",
    "inspect tasks-three.csv",
]
BAD_LINES = [
    "",
    "nonsense",
    "--version",
    "compare",
    "compare nowhere.csv",
    "compare nowhere.csv --json",
    "compare bad.csv",
    "compare broken.csv --json",
    "compare empty",
    "inspect empty",
    "compare runs.csv --alpha 2",
    "compare runs.csv --alpha 2 --json",
    "compare runs.csv --alpha x",
    "compare runs.csv --error none",
    "compare runs.csv --nonsense",
    "compare runs.csv --shuffles 0",
    "compare runs.csv --only small",
    "compare runs.csv --only huge",
    "compare runs.csv --json --markdown",
    "compare logs/cleanrl --metric nonsense",
    "locate runs.csv --window 5",
    "pairs runs.csv --adjust bh",
    "contrast three.csv -c A",
    "contrast three.csv -c A=1",
    "transfer three.csv --control A --experimental Z",
    "gate three.csv --candidate C --margin 1",
    "gate three.csv --candidate C --baseline A --margin x",
    "gate three.csv --candidate C --baseline A --margin 1 --on nonsense",
    "monitor three.csv --batch nonsense --seed 0",
    "power three.csv --effect hop",
    "plan three.csv --effect lift --size 1 --size 2",
    "tasks three.csv",
    "schema nonsense",
]


# What is kept of an answer


def told(ask: Callable[[], Any], tell: Callable[[Any], str] | None = None) -> str:
    """Return all that an answer says, or how it is refused, with the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            said = (tell or texts)(ask())
        except Exception as error:  # noqa: BLE001 (any refusal is an answer)
            said = f"{type(error).__name__}: {error}"
    return "\n".join([said, *(f"{w.category.__name__}: {w.message}" for w in caught)])


def texts(result: Any) -> str:
    """Return the JSON of a result, its paragraph, its line, itself and its tables."""
    tables = [form for table in result.tables() for form in (table.markdown(), table.latex())]
    parts = [result.describe(), result.headline(), str(result), *tables]
    return "\n\n".join([as_json(result.to_dict()), *parts])


def as_json(record: Any) -> str:
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)


def drawn(result: Any, curves: list[cw.Curves]) -> str:
    """Return the words of a figure, and the numbers of its lines."""
    from matplotlib import pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    figure = result.figure(*curves)
    lines = (np.ravel(line.get_xydata()) for line in figure.findobj(Line2D))
    numbers = (" ".join(f"{x:.6g}" for x in line) for line in lines)
    words = {text.get_text() for text in figure.findobj(Text)}
    plt.close("all")
    return "\n".join([*sorted(words), *sorted(numbers)])


def command(line: str) -> str:
    """Return what a command prints, and its exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before = sys.argv
    code: Any = 0
    sys.argv = ["curvewise", *line.split()]
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
        signal.signal(signal.SIGINT, signal.default_int_handler)
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, err))
    with contextlib.suppress(ValueError):  # keys of JSON in any order
        printed = as_json(json.loads(printed))
    return f"exit {code}\n{printed}\n--- standard error\n{said}"


def followed(line: str, n_left: int = 4) -> str:
    """Return what a command prints, and again with the option that a refusal advises first."""
    said = command(line)
    advice = re.search(r"as in (--\w+ \S+)\.|^ +(--short prefix)", said, re.MULTILINE)
    if not advice or not n_left or not said.startswith("exit 3"):
        return said
    option = advice[1] or advice[2]
    return f"{said}\n{option}\n{followed(f'{line} {option}', n_left - 1)}"


# Cases


def named(options: dict[str, Any]) -> str:
    shown = {key: getattr(value, "kind", value) for key, value in options.items()}
    return " ".join(f"{key}={value}" for key, value in shown.items()) or "default"


def variations(axes: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Return the defaults, then each value of each option by itself."""
    yield {}
    yield from ({option: value} for option, values in axes.items() for value in values)


def answer(question: str, given: Any, options: dict[str, Any]) -> Any:
    few = {} if question in {"aggregate", *SIMULATING} else FEW
    return {**ONE, **SIMULATING, **TASKS}[question][0](given, **{**few, **options})


def case(question: str, design: str, given: Any, options: dict[str, Any]) -> Case:
    name = f"{question}/{design}/{named(options)}"
    return name, partial(told, partial(answer, question, given, options))


def question_cases() -> Iterator[Case]:
    every = designs()
    for question, (_, axes) in ONE.items():
        for design, curves in every.items():
            # All options of some designs; of the others a third, another one for each design.
            for place, options in enumerate(variations(axes)):
                if design in FULL or not place or place % 3 == len(design) % 3:
                    yield case(question, design, curves, options)
    for question, (_, axes) in SIMULATING.items():
        for design in ("two", "unequal", "blocks", "lower", "short prefix"):
            for options in variations(axes) if design == "two" else [{}]:
                yield case(question, design, every[design], options)
    yield case("estimate_power", "no pilots", None, {"noise": cw.noise(sd=1.0, n_steps=5)})
    for question, (_, axes) in TASKS.items():
        for design in ("three", "two", "ten", "lower", "short drop", "blocks"):
            for options in variations(axes) if design in FULL else [{}]:
                yield case(question, design, several_tasks(every[design]), options)
        lacking = several_tasks(every["three"], lacking=True)
        for missing in axes.get("missing", []):
            yield case(question, "lacking", lacking, {"missing": missing})
        yield case(question, "lacking", lacking, {})
    yield "check_criteria", partial(told, partial(cw.check_criteria, rng=0))


def refusal_cases() -> Iterator[Case]:
    two = designs()["two"]
    for question, (_, axes) in {**ONE, **SIMULATING, **TASKS}.items():
        good = several_tasks(two) if question in TASKS else two
        for option, values in {**{name: ["nonsense"] for name in axes}, **BAD}.items():
            if option in inspect.signature(getattr(cw, question)).parameters:
                for value in values:
                    yield case(question, "refused", good, {option: value})
        for given in (None, [1, 2], {"x": 3}, {}):
            yield case(question, f"refused {given}", given, {})
    calls: dict[str, Callable[[], Any]] = {
        "one algorithm": lambda: cw.compare(two.select("A")),
        "unknown algorithm": lambda: two.select("Z"),
        "labels": lambda: cw.Curves(two.scores, ["A"] * 3),
        "not finite": lambda: cw.Curves([[1.0, math.nan], [2.0, 3.0]], ["A", "B"]),
        "steps": lambda: cw.Curves([[1, 2], [2, 3]], ["A", "B"], [3, 1]),
        "one dimension": lambda: cw.Curves([1, 2], ["A", "B"]),
        "words": lambda: cw.Curves(np.array([["a", "b"]]), ["A"]),
        "blocks": lambda: two.with_blocks([1, 2]),
        "window": lambda: two.window(1000, 2000),
        "example": lambda: cw.load_example("chess"),
        "scenario": lambda: cw.scenario("hop", 1),
        "short runs": lambda: aligned("refuse"),
        "missing file": lambda: cw.read("nowhere.csv"),
        "metric": lambda: cw.read("logs/cleanrl", metric="nonsense"),
        "rng": lambda: cw.check_criteria(rng="x"),  # type: ignore[arg-type]
        "empty folder": lambda: cw.read("empty"),
    }
    yield from ((f"curves/{name}", partial(told, call)) for name, call in calls.items())


def figure_cases() -> Iterator[Case]:
    curves = designs()["three"]
    for question in (*ONE, *SIMULATING, *TASKS):
        given = several_tasks(curves) if question in TASKS else curves
        beside = [] if question in (*TASKS, *SIMULATING) else [curves]
        ask = partial(answer, question, given, {})
        yield f"figures/{question}", partial(told, ask, partial(drawn, curves=beside))


def command_cases() -> Iterator[Case]:
    lines = [f"{name} --help" for name in ("", *COMMANDS)]
    lines += [f"schema {name}" for name in (*COMMANDS, "error") if name not in UNSCHEMED]
    for line in ASKED:
        lines += [line, *(f"{line} {form}" for form in ("--json", "--markdown", "--latex"))]
    for folder in sorted(path.name for path in Path("logs").iterdir() if path.is_dir()):
        lines += [f"inspect logs/{folder}", f"inspect logs/{folder} --json"]
        line = f"compare logs/{folder} --shuffles 99 --seed 0"
        yield f"cli/{line}", partial(followed, line)
    yield from ((f"cli/{line}", partial(command, line)) for line in [*lines, *BAD_LINES])


# Running them


def prepare(folder: Path) -> None:
    """Go to a folder with tables and logs, so that no path says where it is."""
    os.chdir(folder)
    shutil.copy(ROOT / "docs" / "tutorial" / "runs.csv", ".")
    shutil.copytree(ROOT / "tests" / "data" / "logs", "logs", copy_function=shutil.copyfile)
    Path("empty").mkdir()
    Path("bad.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    Path("broken.csv").write_text("algorithm,seed,step,score\nA,1,0,x\n", encoding="utf-8")
    every = designs()
    for name in ("three", "blocks", "lower", "ties"):
        Path(f"{name}.csv").write_text(long_table({"": every[name]}), encoding="utf-8")
    for name in ("three", "two"):
        tasks = several_tasks(every[name])
        Path(f"tasks-{name}.csv").write_text(long_table(tasks), encoding="utf-8")
    for path in Path().rglob("*"):
        os.utime(path, (1.7e9, 1.7e9))


def long_table(tasks: dict[str, cw.Curves]) -> str:
    rows = ["task,algorithm,seed,step,score"]
    for task, curves in tasks.items():
        for label, run, scores in zip(curves.labels, curves.runs, curves.scores, strict=True):
            pairs = zip(curves.steps, scores, strict=True)
            rows += [f"{task},{label},{run},{step},{score}" for step, score in pairs]
    text = "\n".join(rows)
    return text if "" not in tasks else re.sub("(?m)^(task)?,", "", text)


def plain(text: str) -> str:
    """Return a text without what differs between machines and days."""
    for found, instead in ((str(Path.cwd()), "HERE"), (str(ROOT), "ROOT"), (cw.__version__, "V")):
        text = text.replace(found, instead)
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def equal(one: str, other: str, rtol: float) -> bool:
    """Whether two texts have the same words, and the same numbers but for rounding."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(a == b or math.isclose(float(a), float(b), rel_tol=rtol) for a, b in pairs)


def report(found: dict[str, Any], base: dict[str, Any], rtol: float) -> int:
    """Print what differs, shortly; return how many cases do."""
    n_different = 0
    for name in sorted({*found, *base}):
        now, before = (kept.get(name, {}).get("text", "") for kept in (found, base))
        if now == before or equal(now, before, rtol):
            continue
        n_different += 1
        diff = difflib.unified_diff(before.splitlines(), now.splitlines(), "", "", "", "", 0, "")
        lines = [line[:200] for line in diff if not line.startswith(("---", "+++", "@@"))]
        print(f"## {name}", *lines[:12], *(["…"] if len(lines) > 12 else []), sep="\n")
    print(f"{n_different} of {len(found)} cases differ.")
    return n_different


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="cases whose names begin so")
    parser.add_argument("--rtol", type=float, default=0.0)
    given = parser.parse_args()
    out, before = given.out.resolve(), given.against and given.against.read_text(encoding="utf-8")
    logging.disable()  # of fonts that are missing
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for cases in (question_cases, refusal_cases, figure_cases, command_cases):
            for name, tell in cases():
                if name.startswith(given.only):
                    text = plain(tell())
                    found[name] = {"sha": hashlib.sha256(text.encode()).hexdigest(), "text": text}
        os.chdir(ROOT)
    out.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    if before is None:
        return 0
    base = {name: kept for name, kept in json.loads(before).items() if name.startswith(given.only)}
    return int(report(found, base, given.rtol) > 0)


if __name__ == "__main__":
    sys.exit(run())
