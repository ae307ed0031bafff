"""Natural inputs that are easily taken for something else, with what must come of each.

What is expected is worked out here with loops, and with none of curvewise's own code: gaps are
filled on a run's own line, directions come from a list, arrays are turned by counting, names are
split where they were joined.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from curvewise.errors import CurvewiseError
from fuzzing.truths import Truth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from fuzzing.judging import Outcome

    Trap = tuple[Callable[[], Any], Callable[[Outcome], list[str]]]

__all__ = ["TRAPS"]

LOWER = (
    *("loss", "val_loss", "train/loss", "eval_loss", "error", "test_error", "rmse"),
    *("mse", "mae", "perplexity", "regret", "wer", "log_loss", "Validation Loss", "nll"),
    *("cross_entropy", "mean_squared_error", "error_rate", "top1_error"),
)
HIGHER = (
    *("accuracy", "val_accuracy", "return", "episode_reward", "score", "f1", "auc"),
    *("bleu", "r2", "neg_log_loss", "neg_mean_squared_error", "eval/accuracy", "precision"),
    *("success_rate", "ep_rew_mean", "mAP"),
)
STEMS = (
    *("adam", "sgd", "ppo", "adagrad", "momentum", "dropout", "width", "depth", "batch"),
    *("hidden", "decay", "baseline", "ours", "noise", "cosine", "warmup", "nesterov"),
)


def _sound(rng: Random, least: int = 3) -> Truth:
    """Return curves without anything odd: at least so many steps, and three runs each."""
    names = [f"algo {letter}" for letter in "ABC"[: rng.choice([2, 2, 3])]]
    n_steps, n_runs = rng.randrange(least, least + 6), rng.choice([3, 4, 5])
    every, first = rng.choice([1, 10, 250]), rng.choice([0, 1])
    steps = tuple(float(every * (place + first)) for place in range(n_steps))
    curves = {
        (name, str(run)): tuple(round(rng.gauss(0, 1) + step / every, 3) for step in steps)
        for name in names
        for run in range(n_runs)
    }
    return Truth(steps, curves)


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else str(number)


def _write(path: Path, truth: Truth, cells: dict[tuple[str, str, float], str]) -> Path:
    """Write a long table as CSV or JSON lines, with some of its cells replaced."""
    names = ("agent", "seed", "step", "score")
    lines = [",".join(names)] if path.suffix == ".csv" else []
    for algorithm, run, step, score in truth.rows:
        cell = cells.get((algorithm, run, step), repr(score))
        row = (algorithm, run, _plain(step), cell)
        if path.suffix == ".csv":
            lines.append(",".join(row))
            continue
        value = {"": "null", "nan": "NaN"}.get(cell, cell)
        head = json.dumps({"agent": algorithm, "seed": run, "step": step})
        lines.append(f'{head[:-1]}, "score": {value}}}')
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def _against(curves: Any, truth: Truth) -> list[str]:
    """Hold curves against what they must be, up to the last digits."""
    steps = tuple(map(float, curves.steps))
    if steps != truth.steps:
        return [f"steps are {steps}, not {truth.steps}"]
    read = {
        (str(label), str(run)): tuple(map(float, own))
        for label, run, own in zip(curves.labels, curves.runs, curves.scores, strict=True)
    }
    if read.keys() != truth.curves.keys():
        return [f"runs are {sorted(read)}, not {sorted(truth.curves)}"]
    for who, own in truth.curves.items():
        if not np.allclose(read[who], own, rtol=1e-9, atol=1e-12):
            return [f"{who} is read as {read[who]}, not {own}"]
    return []


def _refused(outcome: Outcome, *words: str) -> list[str]:
    """Complain unless it was refused, with one of these words."""
    if not isinstance(outcome.error, CurvewiseError):
        return [f"answered, not refused: {outcome.value!r}"]
    text = str(outcome.error)
    if words and not any(word in text for word in words):
        return [f"refused without saying any of {words}: {text}"]
    return []


# --- gaps ------------------------------------------------------------------------------


def _filled(truth: Truth, missing: set[tuple[str, str, float]]) -> Truth:
    """Fill each gap on the straight line between its neighbours in the same run."""
    curves = {}
    for who, scores in truth.curves.items():
        known = [
            (step, score)
            for step, score in zip(truth.steps, scores, strict=True)
            if (*who, step) not in missing
        ]
        own = []
        for step in truth.steps:
            before = [point for point in known if point[0] <= step][-1]
            after = next(point for point in known if point[0] >= step)
            share = (step - before[0]) / (after[0] - before[0] or 1.0)
            own.append(before[1] + share * (after[1] - before[1]))
        curves[who] = tuple(own)
    return Truth(truth.steps, curves)


def _gaps(rng: Random, folder: Path) -> Trap:
    """Leave out some scores, or say that they are no numbers."""
    truth = _sound(rng)
    where = rng.choice(["inside", "inside", "first", "last"])
    text = rng.choice(["", "", "nan"])
    inner, missing = truth.steps[1:-1], set()
    whos = list(truth.curves)
    for who in rng.sample(whos, rng.choice([1, 1, 2, len(whos) - 1])):
        step = rng.choice(inner)
        if where != "inside":
            step = truth.steps[0 if where == "first" else -1]
        missing.add((*who, step))
    path = folder / rng.choice(["runs.csv", "runs.csv", "runs.jsonl"])
    _write(path, truth, dict.fromkeys(missing, text))

    def check(outcome: Outcome) -> list[str]:
        if outcome.value is None:
            # A run that has gone wrong, or does not reach an end, may be asked about.
            return [] if where != "inside" or text else _of_refusal(outcome)
        curves = outcome.value
        gone = set(truth.steps) - set(map(float, curves.steps))
        if where == "inside" and not gone:
            if text:
                return []
            wrong = _against(curves, _filled(truth, missing))
            told = getattr(curves.preparation, "n_scores_interpolated", 0)
            if told != len(missing):
                wrong.append(f"{told} scores are said to be interpolated, not {len(missing)}")
            return wrong
        # A step that a single run lacks stays. One that many lack may go, if that is said.
        n_gaps = Counter(step for *_, step in missing)
        may_go = where != "inside" or text or all(n_gaps[step] > 1 for step in gone)
        kinds = [caveat.kind for caveat in cw.compare(curves, n_shuffles=99, rng=0).caveats]
        said = may_go and "scores not used" in kinds
        return [] if said else ["steps were dropped, or scores made up, without a word"]

    return lambda: cw.read(path), check


def _of_refusal(outcome: Outcome) -> list[str]:
    return [f"refused: {outcome.error}"]


# --- directions ------------------------------------------------------------------------


def _direction(rng: Random, folder: Path) -> Trap:
    """Give scores a name that says which way is better, through any door."""
    truth = _sound(rng)
    higher = rng.random() < 0.5
    metric = rng.choice(HIGHER if higher else LOWER)
    columns = dict(
        zip(("agent", "seed", "step", metric), zip(*truth.rows, strict=True), strict=True)
    )
    door = rng.choice(["file", "pandas", "polars", "dict", "logs"])
    call: Callable[[], Any]
    if door == "file":
        path = folder / "runs.csv"
        rows = [",".join(columns), *(",".join(map(str, row)) for row in truth.rows)]
        path.write_text("\n".join(rows), encoding="utf-8")
        call = lambda: cw.read(path)
    elif door == "logs":
        for (algorithm, run), own in truth.curves.items():
            place = folder / "logs" / algorithm / run
            place.mkdir(parents=True)
            lines = [
                json.dumps({"step": step, metric: score})
                for step, score in zip(truth.steps, own, strict=True)
            ]
            (place / "metrics.jsonl").write_text("\n".join(lines), encoding="utf-8")
        call = lambda: cw.read(folder / "logs", score=metric)
    elif door == "dict":
        arrays: dict[str, list[tuple[float, ...]]] = {}
        for (algorithm, _), own in truth.curves.items():
            arrays.setdefault(algorithm, []).append(own)
        call = lambda: cw.Curves.from_dict(arrays, truth.steps, rows="runs", metric=metric)
    else:
        frame = __import__(door).DataFrame(columns)
        call = lambda: cw.Curves.from_frame(
            frame, algorithm="agent", run="seed", step="step", score=metric
        )

    def check(outcome: Outcome) -> list[str]:
        if outcome.value is None:
            return _of_refusal(outcome)
        if outcome.value.higher_is_better is not higher:
            return [f"{metric} ({door}): higher is better is not {higher}"]
        shown = repr(outcome.value)
        word = "higher is better" if higher else "lower is better"
        return [] if word in shown else [f"{shown} does not say that {word}"]

    return call, check


# --- orientations ----------------------------------------------------------------------


def _orientation(rng: Random, folder: Path) -> Trap:
    """Hand over arrays with or without steps, one way round or the other."""
    truth = _sound(rng)
    n_steps = len(truth.steps)
    n_runs = rng.choice([2, 3, 4, 6, 8, n_steps, 2 * n_steps + 1])
    names = ["svm", "tree", "net"][: rng.choice([2, 3])]
    by_run = {
        name: [[round(rng.gauss(0, 1), 3) for _ in range(n_steps)] for _ in range(n_runs)]
        for name in names
    }
    by_step = {name: list(zip(*own, strict=True)) for name, own in by_run.items()}
    turned = rng.random() < 0.5
    given: dict[str, Any] = {
        name: np.array(own) if rng.random() < 0.5 else own
        for name, own in (by_step if turned else by_run).items()
    }
    kind = rng.choice(["steps", "steps", "rows", "bare", "sklearn", "file"])
    if kind == "sklearn":
        given = {
            name: (list(truth.steps), [[0.0] * n_runs] * n_steps, own)
            for name, own in by_step.items()
        }
        call: Callable[[], Any] = lambda: cw.Curves.from_learning_curve(given)
    elif kind == "rows":
        rows: Any = "steps" if turned else "runs"
        call = lambda: cw.Curves.from_dict(given, rows=rows)
    elif kind == "file":
        path = folder / "runs.npz"
        np.savez(path, steps=truth.steps, **given)
        call = lambda: cw.read(path)
    else:
        steps = truth.steps if kind == "steps" else None
        call = lambda: cw.Curves.from_dict(given, steps)
    n_rows, n_columns = (n_steps, n_runs) if turned else (n_runs, n_steps)

    def check(outcome: Outcome) -> list[str]:
        if kind == "file" and n_runs == n_steps:
            return []  # nobody can tell
        unclear = n_runs == n_steps if kind == "steps" else n_columns < 2 * n_rows
        if kind in {"steps", "bare"} and unclear:
            return _refused(outcome, "steps", "rows")
        if outcome.value is None:
            if kind == "file" and turned:
                return _refused(outcome, "transpose")
            # Arrays that look turned may be asked about where nothing says otherwise.
            return [] if kind == "bare" else _of_refusal(outcome)
        runs = by_run if kind != "bare" or not turned else given
        told = sorted((name, tuple(map(float, own))) for name in names for own in runs[name])
        read = sorted(
            (str(label), tuple(map(float, own)))
            for label, own in zip(outcome.value.labels, outcome.value.scores, strict=True)
        )
        return [] if read == told else [f"read as {read[:1]}, not {told[:1]}"]

    return call, check


# --- units -----------------------------------------------------------------------------


def _units(rng: Random, folder: Path) -> Trap:
    """Count the steps of one algorithm in another unit."""
    truth = _sound(rng)
    factor = rng.choice([100, 1_000, 1_000, 1_024, 1_000_000])
    odd = rng.choice(truth.algorithms)
    rows = ["agent,seed,step,score"]
    for algorithm, run, step, score in truth.rows:
        unit = factor if algorithm == odd else 1
        rows.append(f"{algorithm},{run},{_plain(step * unit)},{score}")
    path = folder / "runs.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    # Where no step is common to all, the column may be the wrong one.
    words = ("unit", "same column counts")
    return lambda: cw.read(path), lambda outcome: _refused(outcome, *words)


# --- names -----------------------------------------------------------------------------

SHAPES = (
    *("{stem}_{seed}.csv", "{stem}-{seed}.csv", "{stem}{seed}.csv", "{stem}/{seed}.csv"),
    *("{stem}_s{seed}/progress.csv", "{stem}_{seed}/progress.csv", "{stem}/{seed}/log.csv"),
    *("{stem}/seed_{seed}/progress.csv", "{stem}_seed{seed}.csv"),
)


def _names(rng: Random, folder: Path) -> Trap:
    """Name runs by a word and a number, as people do."""
    stems = rng.sample(STEMS, rng.choice([2, 2, 3]))
    n_runs = rng.choice([2, 3, 5])
    shape = rng.choice(SHAPES)
    pool = [*range(10), 11, 23, 42, 100, 123, 1234]
    shared = sorted(rng.sample(pool, n_runs))
    crossed = rng.random() < 0.75
    groups: Counter[frozenset[float]] = Counter()
    level = 0.0
    for place, stem in enumerate(stems):
        seeds = shared if crossed else [100 * (place + 1) + own for own in range(n_runs)]
        levels = []
        for seed in seeds:
            level += 1.0
            levels.append(level)
            path = folder / "runs" / shape.format(stem=stem, seed=seed)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"{step},{level + step / 100}" for step in range(1, 6)]
            path.write_text("\n".join(["step,score", *lines, ""]), encoding="utf-8")
        groups[frozenset(levels)] += 1

    def check(outcome: Outcome) -> list[str]:
        if outcome.value is None:
            # Numbers that differ between the words may be more than numbers of runs.
            return _of_refusal(outcome) if crossed else []
        read: dict[str, set[float]] = {}
        for label, own in zip(outcome.value.labels, outcome.value.scores, strict=True):
            read.setdefault(str(label), set()).add(round(float(own[0]) - 0.01))
        found = Counter(frozenset(own) for own in read.values())
        return [] if found == groups else [f"{shape} {stems} {shared}: read as {read}"]

    return lambda: cw.read(folder / "runs"), check


# --- bombs -----------------------------------------------------------------------------


def _bomb(rng: Random, folder: Path) -> Trap:
    """Put a small file that grows without end beside sound logs."""
    runs = folder / "runs"
    for name in ("a", "b"):
        for seed in range(3):
            place = runs / name / str(seed)
            place.mkdir(parents=True)
            lines = [f"{step},{seed + step}" for step in range(5)]
            (place / "progress.csv").write_text("\n".join(["step,score", *lines, ""]))
    victim = runs / "a" / "0"
    kind = rng.choice(["merges", "aliases", "deep", "digits", "view", "flow", "tags"])
    depth = rng.choice([30, 1_000, 100_000])
    if kind == "merges":
        levels = ["a0: &a0 {k0: 0, k1: 1}"]
        levels += [
            f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: {n}}}"
            for n in range(1, rng.choice([8, 20, 40]))
        ]
        (victim / "config.yaml").write_text("\n".join(levels))
    elif kind == "aliases":
        levels = ["a0: &a0 [x, x]"]
        levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
        (victim / "config.yaml").write_text("\n".join(levels))
    elif kind == "deep":
        opening, closing = rng.choice([("[", "]"), ('{"a":', "}")])
        text = opening * depth + "1" + closing * rng.choice([depth, 0])
        (victim / rng.choice(["params.json", "config.json", "metrics.jsonl"])).write_text(text)
    elif kind == "flow":
        opening = rng.choice(["[", "{a: ", "- "])
        (victim / "config.yaml").write_text(opening * min(depth, 20_000))
    elif kind == "digits":
        number = rng.choice(["0x" + "f" * 4_000, "9" * 50_000, "1:" * 3_000 + "1", "1e" + "9" * 99])
        (victim / rng.choice(["config.yaml", "params.yaml"])).write_text(f"seed: {number}\n")
    elif kind == "tags":
        value = rng.choice(
            ["!!timestamp xyz", "!!int x", "!!float x", "!!binary ~", "!!python/name:os.system"]
        )
        (victim / "config.yaml").write_text(f"seed: {value}\n")
    else:
        _endless_view(runs / rng.choice(["mlflow.db", "study.db", "x.sqlite"]), rng)
    return lambda: cw.read(runs), lambda _: []


def _endless_view(path: Path, rng: Random) -> None:
    """Make a database in which a table of MLflow or Optuna is a view without end."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
    tables = {
        "runs": "run_uuid, name, status, lifecycle_stage, experiment_id, start_time",
        "metrics": "key, value, timestamp, run_uuid, step, is_nan",
        "params": "key, value, run_uuid",
        "tags": "key, value, run_uuid",
        "experiments": "experiment_id, name, lifecycle_stage",
    }
    if rng.random() < 0.4:
        tables = {
            "studies": "study_id, study_name",
            "trials": "trial_id, number, study_id, state",
            "trial_params": "trial_id, param_name, param_value, distribution_json",
            "trial_intermediate_values": (
                "trial_id, step, intermediate_value, intermediate_value_type"
            ),
        }
    odd = rng.choice(list(tables))
    with sqlite3.connect(path) as store:
        for name, columns in tables.items():
            n_columns = columns.count(",") + 1
            if name == odd:
                values = ", ".join(["i"] * n_columns)
                view = f"{endless}SELECT {values} FROM n"  # noqa: S608
                store.execute(f"CREATE VIEW {name}({columns}) AS {view}")
                continue
            store.execute(f"CREATE TABLE {name}({columns})")
            row = ", ".join(["1"] * n_columns)
            store.execute(f"INSERT INTO {name} VALUES ({row})")  # noqa: S608
    store.close()


TRAPS: dict[str, Callable[[Random, Path], Trap]] = {
    "gaps": _gaps,
    "direction": _direction,
    "orientation": _orientation,
    "units": _units,
    "names": _names,
    "bomb": _bomb,
}
