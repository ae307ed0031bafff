"""Who is who in layouts that nobody has seen, and whatever way the same runs are given."""

from __future__ import annotations

import json
import random
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import CurvesError, read, scan
from curvewise.readers.naming.config import flattened
from curvewise.readers.naming.identity import identify
from curvewise.readers.naming.traits import Clues

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from curvewise.readers.naming.identity import Identity

Row = tuple[str, dict[str, Any]]

AGENTS = ("ppo", "sac", "td3")
SEEDS = range(4)
TASKS = ("maze", "tower")


def _told(rows: list[Row], **by: str) -> Identity:
    clues = [Clues(tuple(p.split("/")), config=flattened(c)) for p, c in rows]
    return identify(clues, **by)


def _random_name(number: int) -> str:
    draw = random.Random(number)  # noqa: S311 (names, not secrets)
    words = draw.choice(["lucid", "calm", "swift"]), draw.choice(["fox", "lake", "sun"])
    return f"{'-'.join(words)}-{draw.randrange(1000)}"


def _id(number: int) -> str:
    return f"{random.Random(number).randrange(36**6):07x}"  # noqa: S311


# Runs of three algorithms and four seeds: where the i-th run is, and what is known of it.
TOLD: dict[str, Callable[[int, str, int], Row]] = {
    "Hydra, two sweeps": lambda i, a, s: (
        f"multirun/2024-01-0{1 + s // 2}/10-00-00/{2 * AGENTS.index(a) + s % 2}/tb",
        {"agent": a, "seed": s},
    ),
    "W&B, offline": lambda i, a, s: (
        f"wandb/offline-run-20240101_1000{i:02}-{_id(i)}",
        {"display_name": _random_name(i), "algo": a, "seed": s},
    ),
    "W&B, groups": lambda i, a, s: (
        f"wandb/{_id(i)}",
        {"group": a, "display_name": _random_name(i), "seed": s},
    ),
    "MLflow": lambda i, a, s: (
        f"mlruns/7/{_id(i)}{_id(i + 50)}",
        {"run_name": _random_name(i), "opt": a, "seed": str(s)},
    ),
    "Sacred": lambda i, a, s: (f"results/{i + 1}", {"agent": {"kind": a}, "seed": s}),
    "Ray Tune": lambda i, a, s: (
        f"exp/train_{('77469', '8709c')[s // 2]}_{i % 6:05}_{i % 6}_name={a}_12-00-{i:02}",
        {"agent": {"name": a}, "seed": s},
    ),
    "SLURM": lambda i, a, s: (f"out/{4000 + 7 * i}", {"method": a, "seed": s}),
    "SLURM, an array": lambda i, a, s: (f"slurm-4711_{i}", {"optimizer": a, "seed": s}),
    "composed names": lambda i, a, s: (
        f"runs/{i}",
        {"algo": a, "exp_name": f"{a}_tuned_{s}", "seed": s},
    ),
    "composed names only": lambda i, a, s: (f"runs/{_id(i)}", {"exp_name": f"{a}_s{s}", "seed": s}),
    "machines": lambda i, a, s: (f"{('north', 'south')[i % 2]}/{_id(i)}", {"algo": a, "seed": s}),
    "a folder for each configuration": lambda i, a, s: (
        f"{a}-best/seed{s}",
        {"algo": a, "lr": len(a) + AGENTS.index(a), "seed": s},
    ),
    "seeds in the path only": lambda i, a, s: (f"x{i}y/seed{s}", {"algo": a}),
    "a counter before the seed": lambda i, a, s: (f"{a}/{i:05}/seed{s}", {}),
    "a counter before all": lambda i, a, s: (f"{i:03}_{a}_s{s}", {}),
    "names of runs are those of algorithms": lambda i, a, s: (
        f"{_id(i)}",
        {"run_name": a, "seed": s},
    ),
    "a constant setting beside the path": lambda i, a, s: (
        f"{a}/{s}",
        {"algo": "actor-critic", "seed": s},
    ),
    "one more folder below": lambda i, a, s: (f"{a}/s{s}/logs/train", {}),
    "dates between": lambda i, a, s: (f"{a}/2024-01-{i + 1:02}_10-00-00/{s}", {}),
    "jobs of learning rates": lambda i, a, s: (
        f"multirun/{i}",
        {"lr": {"ppo": 0.1, "sac": 0.01, "td3": 0.001}[a], "seed": s},
    ),
    "a model and its settings": lambda i, a, s: (
        f"version_{i}",
        {"model": {"name": a, "width": 2 ** AGENTS.index(a)}, "seed": s},
    ),
}


def _rows(layout: str) -> list[Row]:
    runs = enumerate(product(AGENTS, SEEDS))
    return [TOLD[layout](i, a, s) for i, (a, s) in runs]


@pytest.mark.parametrize("layout", TOLD)
def test_layouts_with_and_without_configurations(layout: str) -> None:
    found = _told(_rows(layout))
    assert not found.problem
    names = {(a, w.algorithm) for (a, _), w in zip(product(AGENTS, SEEDS), found.whos, strict=True)}
    assert len(names) == len({name for _, name in names}) == len(AGENTS)
    if layout != "jobs of learning rates":
        assert all(name.startswith(a) for a, name in names)
    assert [who.run for who in found.whos] == [str(s) for _, s in product(AGENTS, SEEDS)]
    assert {who.task for who in found.whos} == {None}


REFUSED: dict[str, tuple[list[Row], str]] = {
    "a variant in the path, the same seeds": (
        [
            (f"{v}/{a}/{s}", {"algo": a, "seed": s})
            for v, a, s in product(("plain", "tuned"), AGENTS, SEEDS)
        ],
        "independently",
    ),
    "a variant in the path, no seed in common": (
        [
            (f"{v}/{i}", {"algo": a, "seed": i})
            for i, (v, a, _) in enumerate(product(("plain", "tuned"), AGENTS, SEEDS))
        ],
        "independently",
    ),
    "a grid with a hole": (
        [
            (f"{t}/{a}/{s}", {})
            for t, a, s in product(TASKS, AGENTS, SEEDS)
            if (t, a) != ("tower", "td3")
        ],
        "independently",
    ),
    "three levels": (
        [(f"{u}/{t}/{a}/{s}", {}) for u, t, a, s in product("xy", TASKS, AGENTS, SEEDS)],
        "independently",
    ),
    "names that nobody gave": (
        [(f"runs/{_random_name(n)}", {}) for n in range(12)],
        "few or none repeat another",
    ),
    "a search of settings": (
        [
            (
                f"t/{n}",
                {"algo": AGENTS[n % 3], "act": "rt"[n * n % 7 % 2], "lr": 1 / (n + 1), "seed": n},
            )
            for n in range(24)
        ],
        "as in a search",
    ),
    "numbers of unknown meaning": (
        [(f"{a}/{b}/seed{s}", {}) for a, b, s in product(AGENTS, (32, 64), SEEDS)],
        "independently",
    ),
    "experiments": (
        [
            (f"mlruns/{t}/{_id(i)}", {"experiment": t, "opt": a, "seed": s})
            for i, (t, a, s) in enumerate(product(TASKS, AGENTS, SEEDS))
        ],
        "independently",
    ),
}


@pytest.mark.parametrize("layout", REFUSED)
def test_layouts_that_a_person_could_not_tell_are_refused(layout: str) -> None:
    rows, reason = REFUSED[layout]
    problem = _told(rows).problem
    assert reason in problem
    # Everything that is offered can be typed, and settles it.
    offers = re.findall(r'(task|group_by)="([^"]*)"', problem)
    assert offers
    for option, name in offers:
        option_name = "task_by" if option == "task" else option
        found = _told(rows, **{option_name: name})
        assert not found.problem or layout == "three levels"
        assert len({(w.algorithm, w.run, w.task) for w in found.whos}) == len(rows)


def test_what_is_not_the_algorithm_becomes_the_task() -> None:
    rows: list[Row] = [(f"{t}/{a}/{s}", {}) for t, a, s in product(TASKS, AGENTS, SEEDS)]
    truth = [(t, a, str(s)) for t, a, s in product(TASKS, AGENTS, SEEDS)]
    for by in ({"group_by": "path2"}, {"task_by": "path1"}, {"task_by": "tower"}):
        found = _told(rows, **by)
        assert [(w.task, w.algorithm, w.run) for w in found.whos] == truth
    (note,) = _told(rows, group_by="path2").notes
    assert "path1 (maze; tower)" in note
    assert 'group_by="path2,path1"' in note
    both = _told(rows, group_by="path2,path1")
    assert {w.task for w in both.whos} == {None}
    assert len({w.algorithm for w in both.whos}) == 6


def test_numbers_after_words_are_written_with_them() -> None:
    rows: list[Row] = [(f"d{t}/{a}_{s}", {}) for t, a, s in product((1, 2), AGENTS, SEEDS)]
    assert 'task="path1", or task="d1"' in _told(rows).problem
    for by in ({"group_by": "path2.1"}, {"task_by": "path1"}, {"task_by": "d2"}):
        assert {w.task for w in _told(rows, **by).whos} == {"d1", "d2"}


def test_names_that_may_hold_the_task_are_said() -> None:
    rows: list[Row] = [(f"d{t}_{a}_{s}", {}) for t, a, s in product((1, 2), AGENTS, SEEDS)]
    found = _told(rows)
    pattern = "{task}_{algorithm}_{run}"
    assert any(
        f'(d1; d2): if so, say it by a pattern such as group_by="{pattern}"' in note
        for note in found.notes
    )
    told = _told(rows, group_by=pattern)
    assert {(w.task, w.algorithm) for w in told.whos} == set(product(("d1", "d2"), AGENTS))
    others: list[Row] = [
        (f"{a}_{s}", {}) for a, s in product(("double_q", "soft_q", "double_sarsa"), SEEDS)
    ]
    assert not _told(others).notes


def test_folders_that_the_configuration_overrules_are_said() -> None:
    rows: list[Row] = [
        (f"{('north', 'south')[(s + len(a) + (a == 'sac')) % 2]}/{i}", {"algo": a, "seed": s})
        for i, (a, s) in enumerate(product(AGENTS, SEEDS))
    ]
    found = _told(rows)
    assert {w.algorithm for w in found.whos} == set(AGENTS)
    assert any("path1 (north; south)" in note for note in found.notes)


def test_an_empty_run_that_nothing_is_known_of_is_not_compared() -> None:
    rows = _rows("MLflow")
    clues = [Clues(tuple(p.split("/")), config=flattened(c)) for p, c in rows]
    parent = Clues(("mlruns", "7", _id(99)), config={"run_name": "sweep"}, has_points=False)
    found = identify([*clues, parent])
    assert [who.is_known for who in found.whos] == [True] * 12 + [False]
    assert any("1 run without a point" in note for note in found.notes)


def test_the_folder_itself_names_the_only_algorithm() -> None:
    inside = identify([Clues((f"seed{s}",), root="ppo") for s in SEEDS])
    above = identify([Clues(("ppo", f"seed{s}", "tb"), root="logs") for s in SEEDS])
    assert {w.algorithm for w in (*inside.whos, *above.whos)} == {"ppo"}


def test_tasks_of_the_control_suite_are_told_by_both_of_their_names() -> None:
    tasks = ("walker_walk", "walker_run", "cheetah_run")
    for pattern in ("{t}/{a}/{s}", "{a}-{t}-{s}"):
        rows: list[Row] = [
            (pattern.format(t=t, a=a, s=s), {}) for t, a, s in product(tasks, AGENTS, SEEDS)
        ]
        found = _told(rows)
        assert not found.problem
        assert {who.task for who in found.whos} == {*tasks}
        assert {who.algorithm for who in found.whos} == {*AGENTS}


def test_what_runs_differ_in_is_listed_with_examples() -> None:
    found = _told([(f"{a}_{s}/x", {}) for a, s in product(AGENTS, SEEDS)])
    assert found.differences == "path1.1 (ppo; sac; td3) and path1.2 (0; 1; 2; 3)"
    configs: list[dict[str, Any]] = [
        {"alpha": 0.2, "exp_name": "sac", "logger": {"exp_name": "sac"}},
        {"exp_name": "ppo", "logger": {"exp_name": "ppo"}},
    ]
    rows = [(f"{i}{s}", {**c, "seed": s}) for i, c in enumerate(configs) for s in SEEDS]
    told = _told(rows)
    assert told.differences.startswith("exp_name (ppo; sac), seed (0; 1; 2; 3)")
    assert "alpha (0.2; none)" in told.differences
    assert "logger" not in told.differences


# --- the same runs, given in other ways -----------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    layout=st.sampled_from([*TOLD, *REFUSED]),
    shuffled=st.randoms(use_true_random=False),
    above=st.lists(st.sampled_from(["data", "exp_3", "2024-01-01", "Logs"]), max_size=2),
    below=st.lists(st.sampled_from(["tb", "logs"]), max_size=1),
)
def test_neither_order_nor_constant_folders_change_anything(
    layout: str, shuffled: random.Random, above: list[str], below: list[str]
) -> None:
    rows = _rows(layout) if layout in TOLD else REFUSED[layout][0]
    expected = _told(rows)
    order = list(range(len(rows)))
    shuffled.shuffle(order)
    found = _told([("/".join([*above, rows[n][0], *below]), rows[n][1]) for n in order])
    assert bool(found.problem) == bool(expected.problem)
    assert list(found.whos) == [expected.whos[n] for n in order]
    if not above and not below:
        assert found.problem == expected.problem
        assert found.explanation == expected.explanation
        assert found.differences == expected.differences


def _write(root: Path) -> None:
    """Write runs: the task above all, the algorithm above its runs, the seed in each."""
    root.mkdir()
    (root / "config.json").write_text(json.dumps({"env_id": "Maze-v0"}))
    for number, agent in enumerate(("first", "second")):
        (root / agent).mkdir()
        (root / agent / "config.json").write_text(json.dumps({"algo": f"a{number}"}))
        for seed in range(3):
            run = root / agent / f"x{2 * seed + number}z"
            run.mkdir()
            (run / "params.json").write_text(json.dumps({"seed": seed}))
            rows = [f"{step},{seed + step}" for step in range(4)]
            (run / "progress.csv").write_text("\n".join(["step,return", *rows, ""]))
    (root / "first" / "x9z").mkdir()
    (root / "first" / "x9z" / "progress.csv").write_text("step,return\n")


def test_the_same_runs_by_other_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "logs"
    _write(root)
    monkeypatch.chdir(tmp_path)

    def whos(*paths: str | Path) -> set[tuple[str, str, str | None, int]]:
        found = scan(list(paths))
        assert not found.ambiguity
        return {(r.algorithm, r.run, r.task, r.n_points) for r in found.runs}

    expected = whos(root)
    assert {who[0] for who in expected} == {"a0", "a1"}
    assert {who[2] for who in expected} == {"Maze-v0"}
    assert len(expected) == 7
    assert whos("logs") == expected
    assert whos("logs/../logs/first", "logs/second") == expected
    assert whos(root / "second", "logs/first") == expected
    assert whos("logs/*/*") == expected
    assert whos("logs/*/*/progress.csv") == expected
    assert whos(".") == expected


def test_a_scan_and_a_reading_name_runs_alike(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    _write(root)
    (root / "second" / "x1z" / "progress.csv").write_text("step,loss\n0,1\n1,2\n")
    found = scan(root)
    for metric in (None, "return", "loss"):
        logs = found.run_logs(metric)
        assert {(log.algorithm, log.run, log.task) for log in logs} == {
            (run.algorithm, run.run, run.task) for run in found.runs
        }


def _write_runs(folder: Path, places: list[str]) -> None:
    for number, place in enumerate(places):
        path = folder / f"{place}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = "".join(f"{step},{step + number}\n" for step in range(4))
        path.write_text(f"step,score\n{rows}")


def _runs_of(folder: Path, **by: str) -> set[tuple[str, str]]:
    curves = read(folder, **by)  # type: ignore[arg-type]
    return set(zip(curves.labels, map(str, curves.runs), strict=True))


@pytest.mark.parametrize(
    "layout",
    [
        *("{stem}_{number}", "{stem}-{number}", "{stem}{number}", "{stem}.{number}"),
        *("{stem}/{number}", "runs/{stem}_s{number}", "{stem}-seed{number}"),
        *("{stem}_{number}/progress", "exp_{stem}_{number}", "{stem}/{stem}_{number}"),
    ],
)
@pytest.mark.parametrize(
    "stems", [("adagrad", "momentum"), ("dropout", "width"), ("batch", "sgd", "noise")]
)
def test_stems_crossed_with_the_same_numbers(
    tmp_path: Path, layout: str, stems: tuple[str, ...]
) -> None:
    crossed = list(product(stems, ("11", "23")))
    _write_runs(tmp_path, [layout.format(stem=s, number=n) for s, n in crossed])
    assert _runs_of(tmp_path) == set(crossed)


@pytest.mark.parametrize(
    "names",
    [
        ("resnet_18", "resnet_34", "vgg_11", "vgg_16"),
        ("resnet-18", "resnet-50", "vit-16", "vit-32"),
        ("adagrad_11", "adagrad_23", "momentum_11"),
    ],
)
def test_stems_with_numbers_of_their_own_are_refused(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    _write_runs(tmp_path, list(names))
    with pytest.raises(CurvesError, match="nothing tells which") as info:
        read(tmp_path)
    typed = re.findall(r'group_by="([^"]+)"', str(info.value))
    assert len(typed) == 2
    both = {tuple(re.split("[-_]", name)) for name in names}
    assert _runs_of(tmp_path, group_by=typed[0]) == both
    assert {algorithm for algorithm, _ in _runs_of(tmp_path, group_by=typed[1])} == {*names}


def test_stems_that_count_on_are_runs(tmp_path: Path) -> None:
    _write_runs(tmp_path, ["ppo_1", "ppo_2", "sac_3", "sac_4"])
    assert {algorithm for algorithm, _ in _runs_of(tmp_path)} == {"ppo", "sac"}
