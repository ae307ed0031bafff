"""Which traits may tell algorithms."""

from __future__ import annotations

import numpy as np

from curvewise.readers.naming.telling import (
    are_drawn,
    crossed,
    is_scattered,
    likely_task,
    telling,
    tells_repeats,
    without_repeats,
)
from curvewise.readers.naming.traits import AFTER_PATH, Trait


def _trait(name: str, values: str, kind: str = "setting", place: int = 0) -> Trait:
    texts = tuple(None if text == "-" else text for text in values.split())
    return Trait(name, kind, texts, texts, -1 if kind == "setting" else place)


NO_TASKS = (None,) * 8
SEEDS = tuple("01230123")
AGENT = _trait("agent", "p p p p q q q q")


def test_what_follows_the_seed_does_not_tell_algorithms() -> None:
    traits = [AGENT, _trait("depth", "7 8 9 6 7 8 9 6")]
    assert telling(traits, NO_TASKS, SEEDS) == traits[:1]
    # Where no seed is shared, nothing can be said to follow it.
    assert telling(traits, NO_TASKS, tuple("01234567")) == traits


def test_settings_tuned_for_each_task_do_not_tell_algorithms() -> None:
    traits = [AGENT, _trait("lr", "1 1 2 2 2 2 1 1")]
    assert telling(traits, ("s", "s", "t", "t") * 2, (None,) * 8) == traits[:1]


def test_places_add_nothing_to_a_configuration_that_names_every_run() -> None:
    machine = _trait("path1", "a b b a b a a b", "word")
    job = _trait("path2", "0 1 2 3 4 5 0 1", "number", 1)
    found = without_repeats([AGENT, machine, job], NO_TASKS, SEEDS, by_setting=True)
    assert found == ([AGENT], [machine])
    # Seeds of the path, or seeds that no two runs share, are no evidence.
    for runs, by_setting in ((SEEDS, False), (tuple("01234567"), True)):
        kept, dropped = without_repeats(
            [AGENT, machine], NO_TASKS, runs, by_setting=by_setting
        )
        assert (kept, dropped) == ([AGENT, machine], [])


def test_places_count_where_several_runs_have_one_configuration() -> None:
    variant = _trait("path1", "a a b b a a b b", "word")
    seeds = tuple("01010101")
    found = without_repeats([AGENT, variant], NO_TASKS, seeds, by_setting=True)
    assert found == ([AGENT, variant], [])
    # One run that was started again is not yet a difference.
    again = _trait("path1", "a a a b a a a a", "word")
    seeds = tuple("01200123")
    found = without_repeats([AGENT, again], NO_TASKS, seeds, by_setting=True)
    assert found == ([AGENT], [again])


def test_random_names_and_counters_tell_nothing() -> None:
    name = _trait("display_name.1", "a b c d e a f g", "word", AFTER_PATH + 1)
    count = _trait("path1", "1 2 3 4 5 6 7 1", "number")
    group = _trait("group", "x x x x y y y y")
    for naming in (AGENT, group):
        kept, dropped = without_repeats(
            [naming, name, count], NO_TASKS, SEEDS, by_setting=True
        )
        assert (kept, dropped) == ([naming], [])
    # Without anything else they are all there is.
    assert without_repeats([name], NO_TASKS, SEEDS, by_setting=True)[0] == [name]


def test_scattered_and_repeated() -> None:
    nothing = np.zeros(8, np.intp)
    assert is_scattered(_trait("x", "1 2 3 4 5 5 5 5"), nothing)
    assert not is_scattered(AGENT, nothing)
    assert tells_repeats(AGENT, np.arange(8) % 4)
    assert not tells_repeats(AGENT, np.arange(8))


def test_settings_of_a_search_are_drawn() -> None:
    act = _trait("act", "r t t - r r t -")
    assert are_drawn([AGENT, act], NO_TASKS, SEEDS, is_search=False) == [act]
    # The same settings with the same seeds are a design.
    design = _trait("act", "r r t t r r t t")
    seeds = tuple("01010101")
    assert are_drawn([AGENT, design], NO_TASKS, seeds, is_search=True) == []
    # So are groups of several runs each, unless every run has a setting of its own besides.
    assert are_drawn([AGENT, design], NO_TASKS, SEEDS, is_search=False) == []
    assert are_drawn([AGENT, design], NO_TASKS, SEEDS, is_search=True) == [design]
    assert are_drawn([AGENT], NO_TASKS, SEEDS, is_search=True) == []


def test_crossed_needs_two_values_of_each() -> None:
    other = _trait("b", "x x y y x x y y")
    assert crossed([AGENT, other]) == [AGENT, other]
    # Part of a grid will do, unless it is to be whole; one change at a time will not.
    part = [_trait("a", "p p p q q r r r"), _trait("b", "x y y x y x x x")]
    assert crossed(part) == part
    assert crossed(part, whole=True) == []
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
    assert likely_task([maze]) is None
