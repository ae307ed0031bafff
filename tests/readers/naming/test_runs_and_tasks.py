"""Which run and which task a log is of."""

from __future__ import annotations

from curvewise.readers.naming.identity_by import Choice
from curvewise.readers.naming.runs_and_tasks import (
    left_over_task,
    names_left,
    run_of,
    task_of,
    without_task,
)
from curvewise.readers.naming.traits import Clues, Trait, traits_of


def _trait(name: str, values: str, kind: str = "word", place: int = 0) -> Trait:
    texts = tuple(values.split())
    return Trait(name, kind, texts, texts, -1 if kind == "setting" else place)


MAZES = _trait("path1", "maze maze hall hall maze maze hall hall")
AGENTS = _trait("path2", "p p p p q q q q", place=1)
SEEDS = tuple("01010101")


def test_the_place_that_is_left_over_is_the_task() -> None:
    found = left_over_task(Choice(AGENTS.values, [AGENTS]), [MAZES], SEEDS)
    assert found == Choice(MAZES.values, [MAZES])
    sides = _trait("path3", "a b a b a b a b", place=2)
    both = left_over_task(Choice(AGENTS.values, [AGENTS]), [MAZES, sides], (None,) * 8)
    assert both
    assert both.values[:2] == ("maze, a", "maze, b")


def test_variants_of_an_algorithm_are_no_tasks() -> None:
    algorithm = Choice(AGENTS.values, [AGENTS])
    inside = _trait("path3", "a a b b c c d d", place=2)
    assert left_over_task(algorithm, [inside], SEEDS) is None
    setting = _trait("lr", "1 1 2 2 1 1 2 2", "setting")
    assert left_over_task(algorithm, [setting], SEEDS) is None
    scattered = _trait("path3", "a b c d a f g h", place=2)
    assert left_over_task(algorithm, [scattered], SEEDS) is None


def test_with_a_setting_only_what_tells_repeats_apart_is_the_task() -> None:
    agents = _trait("agent", "p p p p q q q q", "setting")
    algorithm = Choice(agents.values, [agents])
    assert left_over_task(algorithm, [MAZES], SEEDS) == Choice(MAZES.values, [MAZES])
    assert left_over_task(algorithm, [MAZES], tuple("01230123")) is None


def test_a_pattern_leaves_nothing_over() -> None:
    algorithm = Choice(AGENTS.values, source="the pattern */{algorithm}")
    assert left_over_task(algorithm, [MAZES], SEEDS) is None


def test_runs_are_seeds_then_numbers() -> None:
    clues = [Clues(("p", str(n)), config={"seed": 10 + n}) for n in range(2)]
    assert run_of(clues, traits_of(clues)).values == ("10", "11")
    bare = [Clues(clue.path) for clue in clues]
    assert run_of(bare, traits_of(bare)).values == ("0", "1")
    labelled = [Clues(clue.path, labels={"run": "x"}) for clue in clues]
    assert run_of(labelled, traits_of(labelled)).values == ("x", "x")
    assert run_of([Clues(("p",))], []).values == (None,)


def test_tasks_are_settings_then_names() -> None:
    clues = [Clues((t, "p"), config={"env": t[:-3]}) for t in ("A-v1", "B-v1", "B-v1")]
    assert task_of(clues, traits_of(clues)).values == ("A", "B", "B")
    bare = [Clues(clue.path) for clue in clues]
    assert task_of(bare, traits_of(bare)).values == ("A-v1", "B-v1", "B-v1")
    assert task_of([Clues(("p",))], []).values == (None,)


def test_the_task_is_taken_out_if_all_values_hold_it() -> None:
    names = _trait("path1", "ppo-maze ppo-hall")
    assert without_task(names, ("Maze-v0", "Hall-v0")).values == ("ppo", "ppo")
    assert without_task(names, ("Maze-v0", "Tower-v0")) is names
    repeated = without_task(_trait("path1", "maze hall"), ("Maze-v0", "Hall-v0"))
    assert repeated.role == "task"
    part = _trait("path1", "maze ppo-hall")
    assert without_task(part, ("Maze-v0", "Hall-v0")) is part


def test_the_order_of_starting_names_runs_if_nothing_else_does() -> None:
    versions = Trait("version", "noise", ("0", "1"), ("0", "1"))
    assert names_left([versions], ("p", "p"), (None, None))
    again = Trait("version", "noise", ("0", "0"), ("0", "0"))
    assert names_left([again], ("p", "p"), (None, None)) is None


def test_a_seed_that_all_share_names_the_only_run_of_each_algorithm() -> None:
    seeds = Trait("seed", "setting", ("7", "7"), ("7", "7"))
    found = names_left([seeds], ("p", "q"), (None, None))
    assert found
    assert found.values == ("7", "7")
    assert names_left([seeds], ("p", "p"), (None, None)) is None
