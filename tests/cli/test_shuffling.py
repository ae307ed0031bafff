"""How commands shuffle, through every command that does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curvewise.cli.command import Shuffling
from tests.cli.running import SHUFFLING_COMMANDS, invoke, json_of, one_line
from tests.crossing import crossed


def shuffling(n_shuffles: str | None = "9999", **given: Any) -> Shuffling:
    """What a question that shuffles is asked by default, but for what is given."""
    return Shuffling(**{"n_shuffles": n_shuffles, "exact": None, "checkpoint": None, **given})


def test_the_options_of_a_question() -> None:
    assert shuffling().options == {
        "n_shuffles": 9_999,
        "exact": None,
        "n_jobs": 1,
        "rng": 0,
        "checkpoint": None,
    }
    given = shuffling("1e6", exact=False, rng=3, n_jobs=2, checkpoint=Path("work"))
    assert given.options == {
        "n_shuffles": 1_000_000,
        "exact": False,
        "n_jobs": 2,
        "rng": 3,
        "checkpoint": Path("work"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2e3", 2_000), ("1_000", 1_000), ("1.5", 1.5), ("auto", "auto"), ("many", "many")],
)
def test_shuffles_are_a_number_or_a_word(text: str, expected: object) -> None:
    assert shuffling(text).options["n_shuffles"] == expected


def test_a_number_of_shuffles_that_is_not_given_is_left_to_the_question() -> None:
    assert shuffling(None).options["n_shuffles"] is None
    assert "n_shuffles" not in shuffling(None).options_of_best


def test_the_best_has_a_checkpoint_of_its_own() -> None:
    assert shuffling().options_of_best == shuffling().options
    both = shuffling(checkpoint=Path("work/pairs.npz"))
    assert both.options["checkpoint"] == Path("work/pairs.npz")
    assert both.options_of_best["checkpoint"] == Path("work/pairs.npz.best")


def test_a_cluster_is_used_whole_unless_jobs_are_given() -> None:
    assert shuffling(cluster="tcp://x").options["n_jobs"] == -1
    assert shuffling(cluster="tcp://x", n_jobs=4).options["n_jobs"] == 4


def test_an_interrupt_says_where_the_work_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), shuffling(checkpoint=Path("work.npz")).working():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == (
        "The work done so far is in work.npz; run the same command again to go on.\n"
    )


@crossed(2, rule=["auto", "precise"], command=SHUFFLING_COMMANDS)
def test_every_command_shuffles_until_it_is_sure(table: Path, command: str, rule: str) -> None:
    options = [*SHUFFLING_COMMANDS[command], "--sampled", "--shuffles", rule]
    result = invoke(command, table, *options)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
def test_jobs_and_checkpoints_change_no_digit(table: Path, tmp_path: Path, command: str) -> None:
    options = [*SHUFFLING_COMMANDS[command], "--sampled", "--shuffles", 4_000]
    alone = json_of(command, table, *options)
    work = tmp_path / "work"
    kept = [*options, "--checkpoint", work]
    assert json_of(command, table, *options, "--jobs", 2) == alone
    assert json_of(command, table, *kept) == alone
    assert work.exists()
    assert json_of(command, table, *kept) == alone
    other = invoke(command, table, *kept, "--seed", 5)
    assert other.exit_code == 3
    assert "checkpoint of another question" in one_line(other.stderr)


def without_seeds(record: Any) -> Any:
    """Leave out the seed that was given, which is reported also where it was not needed."""
    if isinstance(record, dict):
        return {k: without_seeds(value) for k, value in record.items() if k != "seed"}
    return record


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
def test_every_command_can_be_exact(table: Path, command: str) -> None:
    options = [*SHUFFLING_COMMANDS[command], "--only", "A", "--only", "C", "--exact"]
    first, second = (json_of(command, table, *options, "--seed", seed) for seed in (1, 2))
    assert without_seeds(first) == without_seeds(second)


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
def test_every_command_has_a_seed(table: Path, command: str) -> None:
    options = [*SHUFFLING_COMMANDS[command], "--sampled", "--shuffles", 99]
    first, again, other = (
        without_seeds(json_of(command, table, *options, "--seed", seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("command", SHUFFLING_COMMANDS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shuffles", "0"], "--shuffles must be"),
        (["--shuffles", "many"], "--shuffles must be"),
        (["--seed", "-1"], "--seed must be"),
        (["--jobs", "0"], "--jobs must be"),
    ],
)
def test_values_that_cannot_be_used_are_told_by_flag(
    table: Path, command: str, options: list[str], message: str
) -> None:
    result = invoke(command, table, *SHUFFLING_COMMANDS[command], *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""
