"""Runs grouped into algorithms."""

from __future__ import annotations

from curvewise.readers.naming.grouping import (
    Candidate,
    candidates_of,
    grouped,
    joined_names,
)
from curvewise.readers.naming.traits import Clues, Trait, traits_of


def _trait(name: str, values: str, kind: str = "setting") -> Trait:
    texts = tuple(values.split())
    return Trait(name, kind, texts, texts, -1 if kind == "setting" else 0)


NO_TASKS = (None,) * 4
CLUES = [Clues((str(number),), config={"x": 1}) for number in range(4)]


def test_the_most_telling_trait_names_algorithms() -> None:
    traits = [
        _trait("lr", "1 1 2 2"),
        _trait("agent", "p p q q"),
        _trait("path1", "u u v v", "word"),
    ]
    found = grouped(CLUES, traits, NO_TASKS, ("0", "1", "0", "1"))
    assert found.values == ("p", "p", "q", "q")
    assert not found.problem
    assert [candidate.name for candidate in found.candidates] == ["agent"]


def test_a_number_that_follows_neither_algorithm_nor_run_is_one_more_setting() -> None:
    clues = [Clues((str(number),)) for number in range(8)]
    words, numbers = "a a a a b b b b", "1 1 2 2 1 1 2 2"
    traits = [_trait("path2", words, "word"), _trait("path1", numbers, "number")]
    found = grouped(clues, traits, (None,) * 8, (None,) * 8)
    assert "path2 (a; b) and path1 (1; 2) independently" in found.problem


def test_numbers_set_for_each_name_do_not_vary_by_themselves() -> None:
    traits = [
        _trait("model", 2 * " p p q q r r"),
        _trait("lr", 2 * " 1 1 2 2 2 2"),
        _trait("experiment", 2 * " i w i w i w"),
    ]
    clues = [Clues((str(number),), config={"x": 1}) for number in range(12)]
    found = grouped(clues, traits, (None,) * 12, tuple("000000111111"))
    assert (
        "differ in model (p; q; r) and experiment (i; w) independently" in found.problem
    )
    names = [candidate.name for candidate in found.candidates]
    assert names == ["model", "experiment", "model,experiment"]


def test_the_only_algorithm_is_named_by_what_is_next_to_its_runs() -> None:
    def name(*paths: str, runs: str = "01") -> str | None:
        clues = [Clues(tuple(path.split("/")), root="root") for path in paths]
        others = [trait for trait in traits_of(clues) if trait.kind != "number"]
        return grouped(clues, others, (None,) * 2, tuple(runs)).values[0]

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
    assert candidates_of([_trait("lr", "1 1 1 2")]) == (
        Candidate("lr", ("1", "2"), (3, 1)),
    )
    assert Candidate("lr", ("1", "2"), (3, 1)).described == (
        'group_by="lr" (2 algorithms of 1 to 3 runs: 1; 2)'
    )
