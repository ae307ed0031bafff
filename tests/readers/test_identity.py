"""Who is who: layouts of real libraries and of other people."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from curvewise.readers.configurations import Configurations, flattened
from curvewise.readers.folders import walk
from curvewise.readers.identity import Identity, identify
from curvewise.readers.traits import Clues

# --- the real logs: what runs.csv says is what must be told ---------------------------------

FORMATS = (
    "acme baselines catboost cleanrl clearml-offline clu dopamine dowel dvclive hf-trainer jsonl "
    "keras-csv keras-tb lightgbm lightning-csv lightning-tb mlflow-file mlflow-sqlite optuna "
    "plain ray-tune rllib rlpyt sacred sb3 sb3-monitor sb3-tb sb3-zoo spinup tb-tf2 tb-torch "
    "tensorboardx wallclock wandb-csv wandb-offline xgboost"
).split()


def _stored(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the configurations that a store holds, by what runs.csv calls the run."""
    if folder.name == "mlflow-file":
        return {
            str(run.relative_to(folder)): {
                param.name: param.read_text() for param in (run / "params").iterdir()
            }
            for run in (folder / "mlruns").glob("*/*")
            if (run / "params").is_dir()
        }
    if folder.name == "mlflow-sqlite":
        found: dict[str, dict[str, Any]] = {}
        with sqlite3.connect(f"file:{folder}/mlflow.db?mode=ro", uri=True) as store:
            for key, value, run in store.execute(
                "SELECT key, value, run_uuid FROM params"
            ):
                found.setdefault(f"mlflow.db#{run}", {})[key] = value
        store.close()
        return found
    if folder.name == "optuna":
        found = {}
        with sqlite3.connect(f"file:{folder}/study.db?mode=ro", uri=True) as store:
            for trial, name, value, text in store.execute(
                "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params"
            ):
                choices = json.loads(text)["attributes"]["choices"]
                found.setdefault(f"trial {trial - 1}", {})[name] = choices[int(value)]
        store.close()
        return found
    if folder.name == "clearml-offline":
        found = {}
        for task in folder.glob("*/task.json"):
            general = json.loads(task.read_text())["hyperparams"]["General"]
            found[task.parent.name] = {k: v["value"] for k, v in general.items()}
        return found
    if folder.name == "wandb-offline":
        with (folder / "runs.csv").open() as file:
            return {
                row["path"]: {
                    "optimizer": row["algorithm"],
                    "seed": int(row["run"]),
                    "lr": {"sgd": 0.3, "adam": 0.004}[row["algorithm"]],
                }
                for row in csv.DictReader(file)
            }
    return {}


def _clues(folder: Path, rows: list[dict[str, str]]) -> list[Clues]:
    stored = _stored(folder)
    found = walk([folder])
    folders = {place.path: place for place in found.folders}
    configurations = Configurations()
    clues = []
    for row in rows:
        path, _, key = row["path"].partition("#")
        config = flattened(stored.get(row["path"], {}))
        home = folder / path
        if home in folders and not config:
            config = configurations.of(folders[home])[0]
        if folder.name == "optuna":
            path, key = "study", row["path"].removeprefix("trial ")
        elif folder.name == "wandb-csv":
            path, key = "export", row["path"]
        parts = Path(path).with_suffix("").parts if home.is_file() else Path(path).parts
        if folder.name == "sacred":
            config = flattened(json.loads((home / "config.json").read_text()))
        clues.append(Clues(parts, key, {}, config, row["status"] != "empty"))
    return clues


@pytest.mark.parametrize("name", FORMATS)
def test_real_logs_are_told_as_they_were_made(name: str, logs: Path) -> None:
    with (logs / name / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = identify(_clues(logs / name, rows))
    assert not found.problem
    algorithms = {
        (who.algorithm, row["algorithm"])
        for who, row in zip(found.whos, rows, strict=True)
    }
    assert len(algorithms) == len({row["algorithm"] for row in rows}), algorithms
    assert len({own for own, _ in algorithms}) == len(algorithms)
    assert [who.run for who in found.whos] == [row["run"] for row in rows]
    tasks = {row["task"] for row in rows} - {""}
    if tasks:
        assert [who.task for who in found.whos] == [row["task"] for row in rows]


# --- layouts of other people ----------------------------------------------------------------


def _told(
    paths: list[str], config: list[dict[str, Any]] | None = None, **by: str
) -> Identity:
    configs = config or [{}] * len(paths)
    clues = [
        Clues(tuple(path.split("/")), config=flattened(own))
        for path, own in zip(paths, configs, strict=True)
    ]
    return identify(clues, **by)


def _whos(found: Identity) -> list[tuple[str, str, str | None]]:
    assert not found.problem
    return [(who.algorithm, who.run, who.task) for who in found.whos]


def _grid(pattern: str, **values: list[Any]) -> list[str]:
    """Fill a pattern with every combination of values."""
    rows: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        rows = [{**row, name: choice} for row in rows for choice in choices]
    return [pattern.format(n=number, **row) for number, row in enumerate(rows)]


CASES: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "task, algorithm, seed": (
        "{t}/{a}/{s}",
        {"t": ["HalfCheetah-v4", "Ant-v4"], "a": ["SAC", "TD3"], "s": [0, 1, 2]},
    ),
    "algorithm, task, seed": (
        "{a}/{t}/seed_{s}",
        {"a": ["sac", "td3"], "t": ["Hopper-v3", "Ant-v3"], "s": [0, 1]},
    ),
    "all in one name": (
        "{a}_{t}_s{s}_2024-05-01_12-00-0{n}",
        {"a": ["sac", "ppo"], "t": ["HalfCheetah"], "s": [0, 1, 2]},
    ),
    "CleanRL": (
        "{t}__{a}__{s}__17148000{n:02}",
        {
            "t": ["Pong-v5", "BreakoutNoFrameskip-v4"],
            "a": ["ppo_atari", "dqn_atari"],
            "s": [1, 2],
        },
    ),
    "CleanRL, own environments": (
        "{t}__{a}__{s}__17148000{n:02}",
        {"t": ["my-maze", "my-tower"], "a": ["ppo", "dqn"], "s": [1, 2]},
    ),
    "experiment, algorithm, number": (
        "exp1/{a}/{s}",
        {"a": ["ppo", "sac"], "s": [1, 2, 3]},
    ),
    "files with numbers": ("{a}-{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "files with glued numbers": ("{a}{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "files in folders": ("{a}/run{s}", {"a": ["baseline", "candidate"], "s": [1, 2, 3]}),
    "names with separators": (
        "{a}_{s}",
        {"a": ["double_q", "expected_sarsa", "q"], "s": [1, 2]},
    ),
    "names with separators and seeds": (
        "{a}-seed{s}",
        {"a": ["ppo_lr1e-2", "a2c", "ppo-lstm"], "s": [1, 2]},
    ),
    "equally many pieces": (
        "{a}_{s}",
        {"a": ["double_q", "double_sarsa", "soft_q"], "s": [1, 2]},
    ),
    "data sets": (
        "{a}-{t}-seed{s}",
        {"a": ["resnet18", "resnet50"], "t": ["cifar10", "cifar100"], "s": [0, 1]},
    ),
    "blanks": ("{a} method run {s}", {"a": ["new", "old"], "s": [1, 2]}),
    "other scripts": ("{a}/种子{s}", {"a": ["算法甲", "算法乙"], "s": [1, 2]}),
    "accents": ("{a}_seed={s}", {"a": ["größer", "kleiner"], "s": [1, 2]}),
    "newlines": ("{a}\n_{s}", {"a": ["one", "two"], "s": [1, 2]}),
    "pairs": ("opt={a},seed={s}", {"a": ["adam", "adam_w"], "s": [0, 1, 2]}),
    "TensorBoard's default with a host": (
        "May0{s}_10-20-0{n}_gpu0{s}-opt={a}-seed={s}",
        {"a": ["sgd", "adam"], "s": [0, 1, 2]},
    ),
    "Ray Tune": (
        "exp/train_ab{n}cd_0000{n}_{n}_optimizer={a},seed={s}_2024-05-01_12-00-0{n}",
        {"a": ["sgd", "adam"], "s": [0, 1, 2]},
    ),
    "two-word keys": (
        "{a}_seed={s}",
        {"a": ["use_gae=true", "use_gae=false"], "s": [0, 1]},
    ),
    "SLURM": ("{a}/job_99123{n}/seed{s}", {"a": ["ppo", "sac"], "s": [0, 1]}),
    "capitals before the task": (
        "{a}-{t}_{s}",
        {"a": ["PPO", "SAC"], "t": ["HalfCheetah-v4", "Ant-v4"], "s": [1, 2]},
    ),
    "small letters before the task": (
        "{a}-{t}-{s}",
        {"a": ["ppo", "sac"], "t": ["MiniGrid-Empty-8x8-v0"], "s": [1, 2]},
    ),
    "task with a slash": (
        "{a}/ALE/{t}/{s}",
        {"a": ["dqn", "c51"], "t": ["Pong-v5", "Alien-v5"], "s": [1, 2]},
    ),
    "dates above": ("2024-05-0{s}/{a}/seed{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "ids below": ("{a}/seed{s}/0fe{n}a7b", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "folds": ("{a}/fold{s}", {"a": ["svm", "forest"], "s": [0, 1, 2, 3]}),
    "versions of one method": ("ppo-{a}_seed{s}", {"a": ["v2", "v3"], "s": [1, 2]}),
    "seed first": ("seed_{s}/{a}", {"a": ["ppo", "sac"], "s": [1, 2]}),
    "number first": ("{s:03}-{a}", {"a": ["sgd", "adam"], "s": [1, 2]}),
    "W&B names": (
        "{a}/{w}-lake-{s}",
        {"a": ["ppo", "sac"], "w": ["sunny"], "s": [11, 12]},
    ),
    "numbered experiments": ("{a}/seed{s}", {"a": ["exp1", "exp2"], "s": [0, 1]}),
    "networks of several sizes": (
        "{a}/seed{s}",
        {"a": ["resnet18", "resnet50"], "s": [0, 1]},
    ),
    "numbered agents": ("{a}/agent{s}", {"a": ["ppo", "sac"], "s": [0, 1]}),
    "logs inside runs": ("{a}/{s}/logs/train_loop", {"a": ["ppo", "sac"], "s": [11, 12]}),
}


@pytest.mark.parametrize("case", CASES)
def test_layouts_are_told(case: str) -> None:
    pattern, values = CASES[case]
    paths = _grid(pattern, **values)
    rows: list[tuple[Any, ...]] = [()]
    for choices in values.values():
        rows = [(*row, choice) for row in rows for choice in choices]
    expected = [dict(zip(values, row, strict=True)) for row in rows]
    found = _whos(_told(paths))
    assert [who[0] for who in found] == [row["a"] for row in expected]
    assert [int(who[1]) for who in found] == [row["s"] for row in expected]
    if "t" in values:
        assert [who[2] for who in found] == [row["t"] for row in expected]
