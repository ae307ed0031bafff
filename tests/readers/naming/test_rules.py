"""Rules that tell which task, run and algorithm a log is of."""

from __future__ import annotations

from curvewise.readers.naming.rules import (
    Candidate,
    Found,
    algorithm_of,
    candidates_of,
    crossed,
    joined_names,
    known_of,
    left_over_task,
    likely_task,
    part_of,
    possible_algorithm_traits,
    without_task,
)
from curvewise.readers.naming.traits import Clues, Trait, traits_of


def _trait(name: str, values: str, kind: str = "setting", place: int = 0) -> Trait:
    texts = tuple(values.split())
    return Trait(name, kind, texts, texts, -1 if kind == "setting" else place)


NO_TASKS = (None,) * 8
SEEDS = tuple("01230123")
AGENT = _trait("agent", "p p p p q q q q")
MAZES = _trait("path1", "maze maze hall hall maze maze hall hall", "word")
AGENTS = _trait("path2", "p p p p q q q q", "word", 1)


def _grouped(traits: list[Trait], runs: tuple[str | None, ...], *, by_seed: bool = False) -> Found:
    clues = [Clues((str(number),), config={"x": 1}) for number in range(len(runs))]
    seed = [Trait("seed", "setting", runs, runs)] if by_seed else []
    return algorithm_of(known_of(clues, traits, (None,) * len(runs), Found(runs, seed)))


def test_what_follows_the_seed_does_not_tell_algorithms() -> None:
    traits = [AGENT, _trait("depth", "7 8 9 6 7 8 9 6")]
    assert possible_algorithm_traits(traits, NO_TASKS, SEEDS) == traits[:1]
    # Where no seed is shared, nothing can be said to follow it.
    assert possible_algorithm_traits(traits, NO_TASKS, tuple("01234567")) == traits


def test_settings_tuned_for_each_task_do_not_tell_algorithms() -> None:
    traits = [AGENT, _trait("lr", "1 1 2 2 2 2 1 1")]
    tasks = ("s", "s", "t", "t") * 2
    assert possible_algorithm_traits(traits, tasks, (None,) * 8) == traits[:1]


def test_places_add_nothing_to_a_configuration_that_names_every_run() -> None:
    machine = _trait("path1", "a b b a b a a b", "word")
    job = _trait("path2", "0 1 2 3 4 5 0 1", "number", 1)
    found = _grouped([AGENT, machine, job], SEEDS, by_seed=True)
    assert not found.problem
    assert found.values == AGENT.values
    assert "path1 (a; b), too" in found.notes[0]
    # Seeds of the path, or seeds that no two runs share, are no evidence.
    for runs, by_seed in ((SEEDS, False), (tuple("01234567"), True)):
        assert "independently" in _grouped([AGENT, machine], runs, by_seed=by_seed).problem


def test_places_count_where_several_runs_have_one_configuration() -> None:
    variant = _trait("path1", "a a b b a a b b", "word")
    found = _grouped([AGENT, variant], tuple("01010101"), by_seed=True)
    assert "agent (p; q) and path1 (a; b) independently" in found.problem
    # One run that was started again is not yet a difference.
    again = _trait("path1", "a a a b a a a a", "word")
    found = _grouped([AGENT, again], tuple("01200123"), by_seed=True)
    assert found.values == AGENT.values


def test_random_names_and_counters_tell_nothing() -> None:
    name = _trait("display_name.1", "a b c d e a f g", "word", 10_001)
    count = _trait("path1", "1 2 3 4 5 6 7 1", "number")
    for naming in (AGENT, _trait("group", "x x x x y y y y")):
        found = _grouped([naming, name, count], SEEDS, by_seed=True)
        assert (found.values, found.problem, found.notes) == (naming.values, "", ())


def test_crossed_needs_two_values_of_each() -> None:
    other = _trait("b", "x x y y x x y y")
    assert crossed([AGENT, other]) == [AGENT, other]
    # Part of a grid will do; one change at a time will not.
    part = [_trait("a", "p p p q q r r r"), _trait("b", "x y y x y x x x")]
    assert crossed(part) == part
    assert crossed([_trait("a", "p p q q"), _trait("b", "x y x x")]) == []


def test_the_task_is_a_place_high_up_that_is_no_algorithm() -> None:
    maze = _trait("path2", "maze maze hall hall", "word", 1)
    house = _trait("path1", "north south north south", "word", 0)
    agents = _trait("path1", "ppo ppo sac sac", "word", 0)
    sizes = _trait("path1", "32 32 64 64", "number", 0)
    assert likely_task([maze, house]) is house
    assert likely_task([agents, maze]) is maze
    assert likely_task([agents, sizes]) is None
    assert likely_task([_trait("opt", "a a b b"), _trait("lr", "1 2 1 2")]) is None


def test_the_most_telling_trait_names_algorithms() -> None:
    traits = [
        _trait("lr", "1 1 2 2"),
        _trait("agent", "p p q q"),
        _trait("path1", "u u v v", "word"),
    ]
    found = _grouped(traits, ("0", "1", "0", "1"))
    assert found.values == ("p", "p", "q", "q")
    assert not found.problem
    assert [candidate.name for candidate in found.candidates] == ["agent"]


def test_a_number_that_follows_neither_algorithm_nor_run_is_one_more_setting() -> None:
    words, numbers = "a a a a b b b b", "1 1 2 2 1 1 2 2"
    traits = [_trait("path2", words, "word"), _trait("path1", numbers, "number")]
    assert "path2 (a; b) and path1 (1; 2) independently" in _grouped(traits, (None,) * 8).problem


def test_the_only_algorithm_is_named_by_what_is_next_to_its_runs() -> None:
    def name(*paths: str) -> str | None:
        clues = [Clues(tuple(path.split("/")), root="root") for path in paths]
        others = [trait for trait in traits_of(clues) if trait.kind != "number"]
        return algorithm_of(known_of(clues, others, (None,) * 2, Found(("0", "1")))).values[0]

    assert name("out/ppo/0", "out/ppo/1") == "ppo"
    assert name("out/ppo_0", "out/ppo_1") == "ppo"
    assert name("0/info", "1/info") == "root"


def test_a_missing_value_is_named() -> None:
    momentum = Trait("momentum", "setting", ("0.9", None), ("0.9", None))
    assert joined_names([_trait("optimizer", "sgd sgd"), momentum], 2) == (
        "sgd, momentum=0.9",
        "sgd, no momentum",
    )


def test_candidates_say_what_they_would_give() -> None:
    assert candidates_of([_trait("lr", "1 1 1 2")]) == (Candidate("lr", ("1", "2"), (3, 1)),)
    assert Candidate("lr", ("1", "2"), (3, 1)).described == (
        'group_by="lr" (2 algorithms of 1 to 3 runs: 1; 2)'
    )


def test_the_place_that_is_left_over_is_the_task() -> None:
    seeds = tuple("01010101")
    found = left_over_task(Found(AGENTS.values, [AGENTS]), [MAZES], seeds)
    assert found
    assert (found.values, found.traits) == (MAZES.values, [MAZES])
    sides = _trait("path3", "a b a b a b a b", "word", 2)
    both = left_over_task(Found(AGENTS.values, [AGENTS]), [MAZES, sides], (None,) * 8)
    assert both
    assert both.values[:2] == ("maze, a", "maze, b")


def test_variants_of_an_algorithm_are_no_tasks() -> None:
    algorithm = Found(AGENTS.values, [AGENTS])
    inside = _trait("path3", "a a b b c c d d", "word", 2)
    setting = _trait("lr", "1 1 2 2 1 1 2 2")
    scattered = _trait("path3", "a b c d a f g h", "word", 2)
    for trait in (inside, setting, scattered):
        assert left_over_task(algorithm, [trait], tuple("01010101")) is None


def test_with_a_setting_only_what_tells_repeats_apart_is_the_task() -> None:
    algorithm = Found(AGENT.values, [AGENT])
    found = left_over_task(algorithm, [MAZES], tuple("01010101"))
    assert found
    assert found.values == MAZES.values
    assert left_over_task(algorithm, [MAZES], SEEDS) is None


def test_a_pattern_leaves_nothing_over() -> None:
    algorithm = Found(AGENTS.values, source="the pattern */{algorithm}")
    assert left_over_task(algorithm, [MAZES], tuple("01010101")) is None


def test_runs_are_seeds_then_numbers() -> None:
    clues = [Clues(("p", str(n)), config={"seed": 10 + n}) for n in range(2)]
    assert part_of("run", clues, traits_of(clues)).values == ("10", "11")
    bare = [Clues(clue.path) for clue in clues]
    assert part_of("run", bare, traits_of(bare)).values == ("0", "1")
    labelled = [Clues(clue.path, labels={"run": "x"}) for clue in clues]
    assert part_of("run", labelled, traits_of(labelled)).values == ("x", "x")
    assert part_of("run", [Clues(("p",))], []).values == (None,)


def test_tasks_are_settings_then_names() -> None:
    clues = [Clues((t, "p"), config={"env": t[:-3]}) for t in ("A-v1", "B-v1", "B-v1")]
    assert part_of("task", clues, traits_of(clues)).values == ("A", "B", "B")
    bare = [Clues(clue.path) for clue in clues]
    assert part_of("task", bare, traits_of(bare)).values == ("A-v1", "B-v1", "B-v1")
    assert part_of("task", [Clues(("p",))], []).values == (None,)


def test_the_task_is_taken_out_if_all_values_hold_it() -> None:
    names = _trait("path1", "ppo-maze ppo-hall", "word")
    assert without_task(names, ("Maze-v0", "Hall-v0")).values == ("ppo", "ppo")
    assert without_task(names, ("Maze-v0", "Tower-v0")) is names
    repeated = without_task(_trait("path1", "maze hall", "word"), ("Maze-v0", "Hall-v0"))
    assert repeated.role == "task"
    part = _trait("path1", "maze ppo-hall", "word")
    assert without_task(part, ("Maze-v0", "Hall-v0")) is part
