"""Names taken apart."""

from __future__ import annotations

import pytest

from curvewise.readers.naming.traits import kinds_of, slots_of


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("sac_HalfCheetah_s0_2024-05-01", ("word", "task", "pair", "noise")),
        ("2024-05-01T12:30:00Z", ("noise",)),
        ("20240501-123000", ("noise",)),
        ("240501-123000", ("noise",)),
        ("sac-walker_run-0", ("word", "task", "number")),
        ("ppo_hopper_run_1", ("word", "task", "pair")),
        ("drq_cartpole-swingup_sparse_s1", ("word", "task", "pair")),
        ("01-05-2024_12-30", ("noise",)),
        ("openai-2019-05-01-12-30-00-123456", ("word", "noise")),
        ("12-30-00", ("noise",)),
        ("1714800000", ("noise",)),
        ("May01_10-20-30_node-07", ("noise",)),
        ("0fe1a2b", ("noise",)),
        ("123e4567-e89b-12d3-a456-426614174000", ("noise",)),
        ("version_3", ("noise",)),
        ("tb_logs", ("noise",)),
        ("csv", ("noise",)),
        ("MiniGrid-Empty-8x8-v0", ("task",)),
        ("PPO-HalfCheetah-v4", ("word", "task")),
        ("lr1e-3", ("pair",)),
        ("batch_size_32", ("pair",)),
        ("resnet18", ("word",)),
        ("c51", ("word",)),
        ("a2c", ("word",)),
        ("1e-3", ("number",)),
        ("0.5", ("number",)),
        ("run-20240501", ("word", "noise")),
        ("myseed3x", ("word",)),
        ("dart.s3", ("word", "pair")),
        ("dart-l6.run0", ("word", "word", "pair")),
        ("yolo.s3x", ("word",)),
        ("", ()),
    ],
)
def test_kinds(name: str, kinds: tuple[str, ...]) -> None:
    assert kinds_of(name) == kinds


def _found(*names: str | None) -> list[tuple[str, str, tuple[str | None, ...]]]:
    return [(slot.kind, slot.name, slot.values) for slot in slots_of(names)]


def test_pieces_are_aligned_from_both_ends() -> None:
    assert _found("x_double_q_1", "x_sarsa_2") == [
        ("word", "", ("x", "x")),
        ("word", "", ("double_q", "sarsa")),
        ("number", "", ("1", "2")),
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("mnist", "fashion-mnist", "cifar-100"),
        ("wikitext-2", "wikitext-103", "tiny_shakespeare"),
        ("sst_2", "AG News", "lunar_lander"),
    ],
)
def test_tasks_of_several_words(names: tuple[str, ...]) -> None:
    assert _found(*names) == [("task", "", names)]


def test_a_number_behind_a_task_may_be_that_of_a_run() -> None:
    assert _found("cifar_9", "cifar_11") == [
        ("task", "", ("cifar", "cifar")),
        ("number", "", ("9", "11")),
    ]


def test_numbers_behind_a_dot() -> None:
    assert _found("big.0", "big.1", "small.0", "small.1") == [
        ("word", "", ("big", "big", "small", "small")),
        ("number", "", ("0", "1", "0", "1")),
    ]


def test_brackets_are_closed() -> None:
    assert _found("net (old)", "tree [new]") == [("word", "", ("net (old)", "tree [new]"))]


def test_words_side_by_side_that_vary_are_one() -> None:
    assert _found("soft_big_q", "hard_big_sarsa") == [
        ("word", "", ("soft_big_q", "hard_big_sarsa"))
    ]


@pytest.mark.parametrize("sign", [",", "-", "_"])
def test_keys_and_values(sign: str) -> None:
    found = _found(f"opt=adam{sign}lr=1e-3{sign}seed=0", f"opt=adam-w{sign}lr=0.1{sign}seed=1")
    assert found == [
        ("pair", "opt", ("adam", "adam-w")),
        ("pair", "lr", ("1e-3", "0.1")),
        ("pair", "seed", ("0", "1")),
    ]


def test_the_order_of_starting_is_taken_from_names_that_repeat() -> None:
    assert _found("q_lake", "q_lake_1", "sarsa_lake", "sarsa_lake_1")[-1] == (
        "noise",
        "version",
        ("0", "1", "0", "1"),
    )
    # Numbers that do not count are part of the name.
    assert _found("resnet18", "resnet50") == [("word", "", ("resnet18", "resnet50"))]
    # Nor is anything taken from names of several runs each.
    assert _found("ppo", "ppo", "ppo_1", "ppo_1") == [
        ("word", "", ("ppo", "ppo", "ppo_1", "ppo_1"))
    ]


def test_missing_names_have_no_value() -> None:
    assert _found("ppo_1", None) == [("word", "", ("ppo", None)), ("number", "ppo", ("1", None))]
    assert _found(None, None) == []


def test_long_names_take_no_longer_than_they_are() -> None:
    name = "a=" * 20_000 + "_-" * 20_000 + "9" * 20_000
    assert slots_of([name, "x"])
