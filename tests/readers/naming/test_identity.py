"""Who is who: layouts of real libraries and of other people."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import OptionError
from curvewise.readers.naming.config import Configurations, flattened
from curvewise.readers.naming.identity import identify
from curvewise.readers.naming.traits import Clues
from curvewise.text import naming_flags, words

if TYPE_CHECKING:
    from curvewise.readers.naming.identity import Identity

# --- the real logs: what runs.csv says is what must be told ---------------------------------

FORMATS = words(
    "acme baselines catboost cleanrl clearml-offline clu dopamine dowel dvclive hf-trainer jsonl "
    "keras-csv keras-tb lightgbm lightning-csv lightning-tb mlflow-file mlflow-sqlite optuna "
    "plain ray-tune rllib rlpyt sacred sb3 sb3-monitor sb3-tb sb3-zoo spinup tb-tf2 tb-torch "
    "tensorboardx wallclock wandb-csv wandb-offline xgboost"
)


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
            for key, value, run in store.execute("SELECT key, value, run_uuid FROM params"):
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
    configurations = Configurations(folder)
    clues = []
    for row in rows:
        path, _, key = row["path"].partition("#")
        config = flattened(stored.get(row["path"], {}))
        home = folder / path
        if home.is_dir() and not config:
            config = configurations.of(home)[0]
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
        (who.algorithm, row["algorithm"]) for who, row in zip(found.whos, rows, strict=True)
    }
    assert len(algorithms) == len({row["algorithm"] for row in rows}), algorithms
    assert len({own for own, _ in algorithms}) == len(algorithms)
    assert [who.run for who in found.whos] == [row["run"] for row in rows]
    tasks = {row["task"] for row in rows} - {""}
    if tasks:
        assert [who.task for who in found.whos] == [row["task"] for row in rows]


# --- layouts of other people ----------------------------------------------------------------


def _told(paths: list[str], config: list[dict[str, Any]] | None = None, **by: str) -> Identity:
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
        {"t": ["Pong-v5", "BreakoutNoFrameskip-v4"], "a": ["ppo_atari", "dqn_atari"], "s": [1, 2]},
    ),
    "CleanRL, own environments": (
        "{t}__{a}__{s}__17148000{n:02}",
        {"t": ["my-maze", "my-tower"], "a": ["ppo", "dqn"], "s": [1, 2]},
    ),
    "experiment, algorithm, number": ("exp1/{a}/{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "files with numbers": ("{a}-{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "files with glued numbers": ("{a}{s}", {"a": ["ppo", "sac"], "s": [1, 2, 3]}),
    "files in folders": ("{a}/run{s}", {"a": ["baseline", "candidate"], "s": [1, 2, 3]}),
    "names with separators": ("{a}_{s}", {"a": ["double_q", "expected_sarsa", "q"], "s": [1, 2]}),
    "names with separators and seeds": (
        "{a}-seed{s}",
        {"a": ["ppo_lr1e-2", "a2c", "ppo-lstm"], "s": [1, 2]},
    ),
    "equally many pieces": ("{a}_{s}", {"a": ["double_q", "double_sarsa", "soft_q"], "s": [1, 2]}),
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
    "two-word keys": ("{a}_seed={s}", {"a": ["use_gae=true", "use_gae=false"], "s": [0, 1]}),
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
    "W&B names": ("{a}/{w}-lake-{s}", {"a": ["ppo", "sac"], "w": ["sunny"], "s": [11, 12]}),
    "numbered experiments": ("{a}/seed{s}", {"a": ["exp1", "exp2"], "s": [0, 1]}),
    "networks of several sizes": ("{a}/seed{s}", {"a": ["resnet18", "resnet50"], "s": [0, 1]}),
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


def test_settings_that_vary_independently_are_refused_with_what_each_would_give() -> None:
    grid = [(o, lr, s) for o in ("adam", "sgd") for lr in (0.1, 0.01, 0.001) for s in (0, 1)]
    config = [{"optimizer": {"name": o, "lr": lr}, "seed": s} for o, lr, s in grid]
    paths = [str(number) for number in range(len(grid))]
    found = _told(paths, config)
    assert "optimizer.name (adam; sgd) and optimizer.lr" in found.problem
    assert 'group_by="optimizer.name" (2 algorithms of 6 runs' in found.problem
    assert 'group_by="optimizer.lr" (3 algorithms of 4 runs' in found.problem
    assert 'group_by="optimizer.name,optimizer.lr" (6 algorithms of 2 runs' in found.problem
    with naming_flags():
        assert "--group-by optimizer.name (2" in _told(paths, config).problem
    assert "independently" in found.problem
    # What the message offers works.
    for candidate in found.candidates:
        told = _told(paths, config, group_by=candidate.name)
        assert Counter(Counter(w.algorithm for w in told.whos).values()) == Counter(candidate.sizes)


def test_settings_that_vary_together_are_one_algorithm() -> None:
    config = [
        {"lr": lr, "batch": b, "seed": s} for lr, b in ((0.1, 32), (0.01, 64)) for s in (0, 1)
    ]
    found = _whos(_told(["0", "1", "2", "3"], config))
    assert {who[0] for who in found} == {"lr=0.1, batch=32", "lr=0.01, batch=64"}


def test_one_change_at_a_time_is_no_grid() -> None:
    variants = [(True, True), (False, True), (True, False)]
    config = [{"gae": g, "norm": n, "seed": s} for g, n in variants for s in (0, 1)]
    found = _whos(_told([str(number) for number in range(6)], config))
    assert len({who[0] for who in found}) == 3


def test_runs_that_all_differ_are_refused() -> None:
    config = [{"lr": lr, "seed": 0} for lr in (0.1, 0.2, 0.3)]
    assert "All 3 runs differ in lr" in _told(["0", "1", "2"], config).problem
    problem = _told(["ppo", "sac", "dqn"]).problem
    assert "All 3 runs have different names" in problem
    assert 'group_by="path1" takes each for an algorithm of its own' in problem
    assert "which belong together" in _told(["32/a", "32/b", "64/a", "64/b"]).problem


def test_a_setting_of_every_runs_own_is_said() -> None:
    config = [{"algo": a, "lr": 10 * (a == "p") + s, "seed": s} for a in "pq" for s in range(3)]
    found = _told([f"{own['algo']}/{own['seed']}" for own in config], config)
    assert {who[0] for who in _whos(found)} == {"p", "q"}
    assert any("its own lr" in note for note in found.notes)


def test_unknown_tasks_are_not_taken_for_algorithms_in_silence() -> None:
    paths = _grid("{t}/{a}/{s}", t=["maze", "tower"], a=["ppo", "sac"], s=[0, 1])
    found = _told(paths)
    assert 'task="path1", or task="maze" for that' in found.problem
    told = _whos(_told(paths, task_by="path1"))
    assert {who[::2] for who in told} == {
        ("ppo", "maze"),
        ("ppo", "tower"),
        ("sac", "maze"),
        ("sac", "tower"),
    }


def test_circumstances_are_no_algorithms() -> None:
    config = [
        {
            "algo": a,
            "seed": s,
            "device": f"cuda:{s % 2}",
            "output_dir": f"/out/{a}{s}",
            "start_time": 1.7e9 + s,
            "hostname": f"node{s % 3}",
            "git_hash": "0fe1a2b" if s else "1fe1a2b",
            "num_workers": 1 + s % 2,
            "total_timesteps": 1000 if (a, s) == ("ppo", 1) else 2000,
        }
        for a in ("ppo", "sac")
        for s in range(4)
    ]
    found = _whos(_told([str(number) for number in range(8)], config))
    assert [who[:2] for who in found] == [(own["algo"], str(own["seed"])) for own in config]


def test_what_follows_the_seed_or_the_task_is_no_algorithm() -> None:
    rows = [(a, t, s) for a in ("q", "sarsa") for t in ("A-v1", "B-v1") for s in (1, 2)]
    config = [
        {"agent": a, "env": t, "seed": s, "eval_level": 100 + s, "width": 8 if t == "A-v1" else 16}
        for a, t, s in rows
    ]
    found = _whos(_told([str(number) for number in range(8)], config))
    assert found == [(a, str(s), t) for a, t, s in rows]


def test_the_task_is_taken_out_of_names_that_repeat_it() -> None:
    rows = [
        (a, t, s)
        for a in ("q", "sarsa")
        for t in ("FrozenLake-v1", "CliffWalking-v0")
        for s in (1, 2)
    ]
    config = [
        {"exp_name": f"{a}-{t.lower().partition('-')[0]}", "env_name": t, "seed": s}
        for a, t, s in rows
    ]
    found = _whos(_told([f"x{number}y" for number in range(8)], config))
    assert found == [(a, str(s), t) for a, t, s in rows]


def test_a_run_that_was_repeated_is_numbered_and_said() -> None:
    found = _told(
        [
            "2024-01-01/ppo/seed0",
            "2024-01-02/ppo/seed0",
            "2024-01-01/sac/seed0",
            "2024-01-01/sac/seed1",
        ]
    )
    assert [who[1] for who in _whos(found)] == ["0", "0 (2)", "0", "1"]
    assert any("1 run with the name of another" in note for note in found.notes)


def test_runs_without_a_name_are_numbered_and_said() -> None:
    found = _told(["sac/b", "ppo/d", "ppo/c", "sac/x"])
    assert _whos(found) == [
        ("sac", "1", None),
        ("ppo", "2", None),
        ("ppo", "1", None),
        ("sac", "2", None),
    ]
    assert any("nothing names the runs" in note for note in found.notes)


def test_folds_and_seeds_name_a_run_together() -> None:
    found = _whos(_told(_grid("{a}/fold{f}/seed{s}", a=["x", "y"], f=[0, 1], s=[0, 1])))
    assert [who[1] for who in found[:4]] == ["0, fold0", "1, fold0", "0, fold1", "1, fold1"]


def test_a_seed_that_never_varies_names_no_run() -> None:
    found = _whos(_told(["ppo/0", "ppo/1", "sac/0", "sac/1"], [{"seed": 0}] * 4))
    assert [who[1] for who in found] == ["0", "1", "0", "1"]


def test_configurations_of_some_runs_only() -> None:
    config: list[dict[str, Any]] = [{"algo": "ppo"}, {"algo": "ppo"}, {"algo": "sac"}, {}]
    found = _whos(_told(["ppo/0", "ppo/1", "sac/0", "sac/1"], config))
    assert [who[0] for who in found] == ["ppo", "ppo", "sac", "sac"]
    problem = _told(["0", "1", "2", "3"], config).problem
    assert "1 of 4 runs have no configuration" in problem


def test_a_setting_that_some_algorithms_lack_tells_them_apart() -> None:
    config: list[dict[str, Any]] = [
        {"optimizer": "sgd", "seed": s, **({"momentum": 0.9} if m else {})}
        for m in (False, True)
        for s in (0, 1)
    ]
    found = _whos(_told(["0", "1", "2", "3"], config))
    assert {who[0] for who in found} == {"momentum=0.9", "no momentum"}


def test_paths_of_different_depth() -> None:
    found = _whos(
        _told(
            [
                "ppo/seed0",
                "ppo/seed1",
                "sac/tuned/seed0",
                "sac/tuned/seed1",
                "sac/seed0",
                "sac/seed1",
            ]
        )
    )
    assert [who[0] for who in found] == ["ppo", "ppo", "sac/tuned", "sac/tuned", "sac", "sac"]


def test_hydra_overrides_and_targets() -> None:
    config = [
        {"algo": {"_target_": a}, "seed": s, "hydra": {"job": {"num": n}}}
        for n, (a, s) in enumerate([("ppo", 1), ("ppo", 2), ("sac", 1), ("sac", 2)])
    ]
    paths = [f"multirun/2024-05-01/12-00-00/{number}" for number in range(4)]
    assert [who[:2] for who in _whos(_told(paths, config))] == [
        ("ppo", "1"),
        ("ppo", "2"),
        ("sac", "1"),
        ("sac", "2"),
    ]


def test_names_of_runs_in_a_store_are_taken_apart() -> None:
    names = ["sgd-0", "sgd-1", "adam-0", "adam-1"]
    by_key = identify([Clues(("export",), key=name) for name in names])
    by_setting = _told(["0a1b2c", "1a1b2c", "2a1b2c", "3a1b2c"], [{"name": n} for n in names])
    for found in (by_key, by_setting):
        assert [who[:2] for who in _whos(found)] == [
            ("sgd", "0"),
            ("sgd", "1"),
            ("adam", "0"),
            ("adam", "1"),
        ]


def test_labels_of_the_log_go_before_all_else() -> None:
    labels = [{"algorithm": a, "run": str(r), "block": str(r)} for a in "xy" for r in (0, 1)]
    found = identify([Clues((f"ppo_{n}",), labels=own) for n, own in enumerate(labels)])
    assert [who[:2] for who in _whos(found)] == [("x", "0"), ("x", "1"), ("y", "0"), ("y", "1")]
    assert [who.block for who in found.whos] == ["0", "1", "0", "1"]
    assert "from the log" in found.explanation


def test_labels_of_some_runs_do_not_keep_others_from_being_told() -> None:
    found = identify(
        [
            *(Clues(("table",), str(n), {"algorithm": "x", "run": str(n)}) for n in (1, 2)),
            *(Clues((name, str(n))) for name in ("ppo", "sac") for n in (1, 2)),
        ]
    )
    assert [who.algorithm for who in found.whos] == ["x", "x", "ppo", "ppo", "sac", "sac"]


def test_a_run_without_a_point_changes_nothing_for_the_others() -> None:
    config: list[dict[str, Any]] = [
        {"optimizer": o, "lr": lr, "seed": s}
        for o, lr in (("sgd", 0.3), ("adam", 0.004))
        for s in (0, 1)
    ]
    clues = [Clues((str(n),), config=own) for n, own in enumerate(config)]
    empty = Clues(("debug",), config={"optimizer": "sgd", "seed": 99}, has_points=False)
    found = _whos(identify([*clues, empty]))
    assert found[:4] == _whos(identify(clues))
    assert found[4] == ("sgd", "99", None)


@pytest.mark.parametrize(
    "asked", [{"group_by": "optimizer"}, {"group_by": "run-{algorithm}"}, {"run_by": "seed"}]
)
def test_a_run_without_a_point_need_not_have_what_the_caller_groups_by(
    asked: dict[str, Any],
) -> None:
    clues = [
        Clues((f"run-{row}",), config={"optimizer": optimizer, "seed": seed})
        for row, (optimizer, seed) in enumerate(product(["adam", "sgd"], [1, 2]))
    ]
    empty = Clues((), has_points=False)
    found = identify([empty, *clues], **asked)
    assert _whos(found)[1:] == _whos(identify(clues, **asked))
    assert not found.whos[0].is_known
    with pytest.raises(OptionError, match="is not known of 1 of 5 runs"):
        identify([replace(empty, has_points=True), *clues], group_by="optimizer")


def test_one_algorithm_and_one_run_are_named() -> None:
    assert _whos(_told(["ppo/seed0", "ppo/seed1"])) == [("ppo", "0", None), ("ppo", "1", None)]
    assert _whos(_told(["progress"]))[0][:2] == ("progress", "1")
    assert identify([]).whos == ()


def test_the_explanation_is_one_line_that_says_how_to_overrule_it() -> None:
    with naming_flags():
        found = _told(["a\nb_0", "a\nb_1", "c_0", "c_1"]).explanation
    assert "\n" not in found
    assert "algorithm from path1.1" in found
    assert "--group-by, --run-by, --task" in found


def test_settings_drawn_at_random_are_refused() -> None:
    config = [{"optimizer": "sgd", "lr": s % 7, "width": s % 5, "seed": s} for s in range(20)]
    found = _told([str(number) for number in range(20)], config)
    assert "Nearly all of 20 runs differ in lr" in found.problem


@pytest.mark.slow
def test_ten_thousand_runs_with_two_hundred_settings() -> None:
    constant = {f"group.k{number}": number for number in range(190)}
    clues = [
        Clues(
            ("Ant-v4", f"algo{a}", f"run_{s}_2024-05-01"),
            config={**constant, "algo": a, "seed": s, "x": 1000 * a + s, "note": f"{a}"},
        )
        for a in range(10)
        for s in range(1000)
    ]
    found = identify(clues)
    assert len({who[0] for who in _whos(found)}) == 10
