"""Traits of runs."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise.readers.naming.traits import Clues, Trait, joint, tells, traits_of


def _trait(name: str, *values: str | None, kind: str = "setting") -> Trait:
    return Trait(name, kind, values, values)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("seed", "seed"),
        ("train.seed", "seed"),
        ("run_id", "run"),
        ("env.id", "task"),
        ("env_id", "task"),
        ("dataset.name", "task"),
        ("optimizer.name", ""),
        ("model_name_or_path", ""),
        ("output_dir", "noise"),
        ("wandb.mode", "noise"),
        ("job_id", "noise"),
        ("max_epochs", "length"),
        ("eval_freq", "length"),
        ("lora_rank", ""),
        ("lr", ""),
    ],
)
def test_roles_by_name(name: str, role: str) -> None:
    assert _trait(name, "1", "2").role == role


def test_roles_by_value() -> None:
    assert _trait("where", "/home/a", "/home/b").role == "noise"
    assert _trait("stamp", "2024-05-01", "2024-05-02").role == "noise"
    assert _trait("run_id", "0f" * 16, "1f" * 16).role == "noise"


def test_settings_are_compared_as_text_and_numbers_alike() -> None:
    clues = [Clues(("a",), config={"lr": 1}), Clues(("a",), config={"lr": 1.0})]
    (lr,) = [trait for trait in traits_of(clues) if trait.name == "lr"]
    assert not lr.varies
    clues = [Clues(("a",), config={"flag": True}), Clues(("a",), config={"flag": 2})]
    assert traits_of(clues)[0].values == ("true", "2")


def test_parts_of_the_path_have_names_that_can_be_typed() -> None:
    clues = [Clues(("x", "ppo_1")), Clues(("y", "sac_2"))]
    assert [trait.name for trait in traits_of(clues)] == ["path1", "path2.1", "path2.2"]


def test_a_number_after_a_word_is_called_by_the_whole_part() -> None:
    traits = traits_of([Clues(("d1", "x")), Clues(("d2", "x"))])
    (varying,) = [trait for trait in traits if trait.varies]
    assert (varying.name, varying.values, varying.texts) == ("path1", ("1", "2"), ("d1", "d2"))


def test_names_that_hold_the_seed_are_taken_apart() -> None:
    rows = [(a, t, s) for a in ("p", "q") for t in ("x", "y") for s in (0, 1)]
    clues = [
        Clues((str(n),), config={"exp_name": f"{a}_s{s}", "env": t, "seed": s})
        for n, (a, t, s) in enumerate(rows)
    ]
    found = {trait.name: trait for trait in traits_of(clues)}
    assert "exp_name" not in found
    assert found["exp_name.1"].values == tuple(a for a, _, _ in rows)
    # Names of several runs each are those of algorithms.
    clues = [Clues((str(n),), config={"exp_name": a}) for n, (a, _, _) in enumerate(rows)]
    assert "exp_name" in {trait.name for trait in traits_of(clues)}


@pytest.mark.parametrize(
    ("name", "joined", "place"),
    [
        ("agent.name", False, False),
        ("display_name", True, False),
        ("experiment", False, True),
        ("lr", False, False),
    ],
)
def test_settings_that_name_something(name: str, *, joined: bool, place: bool) -> None:
    trait = _trait(name, "x", "y")
    assert (trait.is_joined_name, trait.is_place) == (joined, place)


def test_joint_and_tells() -> None:
    one, two = _trait("a", "x", "x", "y", "y"), _trait("b", "1", "2", "1", "2")
    both = joint([one, two], 4)
    assert len(np.unique(both)) == 4
    assert tells(both, one)
    assert not tells(one.codes, two)
    assert tells(np.zeros(4, np.intp), joint([], 4))


def test_a_setting_goes_before_its_copy_in_the_path() -> None:
    written = _trait("agent", "name_a_net_32", "name_b_net_64", kind="pair")
    assert _trait("agent.name", "a", "b").rank < written.rank


def test_a_place_names_a_run_in_messages() -> None:
    assert Clues(("a", "b"), "7").place == "a/b#7"
    assert Clues(()).place == "the run"
