"""curvewise compare: the overview, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


def test_a_verdict_the_tables_and_what_was_read(table: Path) -> None:
    result = invoke("compare", table, "--only", "A", "--only", "B")
    assert result.exit_code == 0
    with naming_flags():
        verdict = curvewise.compare(curvewise.read(table, only=["A", "B"]), rng=0).describe()
    assert one_line(result.stdout).startswith(one_line(verdict))
    for word in ("interaction", "error: curves", "error (pooled)", "Error term: split"):
        assert word in result.stdout
    assert result.stderr == (
        "Read runs.csv: algorithm from 'agent', run from 'seed', step from 'step', "
        "score from 'score'\n"
    )


def test_lines_say_where_and_which_may_be_the_best(table: Path) -> None:
    found = curvewise.overview(curvewise.read(table), rng=0)
    with naming_flags():
        lines = found.lines()
    text = one_line(invoke("compare", table).stdout)
    assert list(lines) == ["Where", "Best"]
    for word, line in lines.items():
        assert f"{word}: {one_line(line)}" in text


def test_json_has_where_and_best(table: Path) -> None:
    record = json_of("compare", table, "--shuffles", "199", "--sampled", "--seed", "3")
    assert {"verdict", "overall", "algorithm", "interaction", "table"} <= set(record)
    assert (record["n_shuffles"], record["exact"]) == (199, False)
    assert record["where"]["regions"][0]["start"] == 60
    assert record["best"]["leader"] == "C"


def test_nothing_is_claimed_that_the_overall_test_does_not(table: Path) -> None:
    record = json_of("compare", table, "--only", "A", "--only", "B")
    assert record["where"] is record["best"] is None


def test_error_term_spread_and_level_are_taken(table: Path) -> None:
    record = json_of("compare", table, "--error", "pooled", "--alpha", 0.2)
    assert (record["error"], record["alpha"]) == ("pooled", 0.2)
    assert json_of("compare", table, "--spread", "unequal")["spread"] == "unequal"


def test_the_center_is_taken(table: Path) -> None:
    record = json_of("compare", table, "--center", "trimmed")
    assert record["center"] == record["algorithm"]["center"] == "trimmed"
    found = curvewise.compare(curvewise.read(table), center="trimmed", rng=0)
    assert record["algorithm"]["pvalue"] == found.algorithm.pvalue
    refused = invoke("compare", table, "--center", "ranks", "--spread", "unequal")
    assert refused.exit_code == 3
    assert "--spread equal or --center mean" in one_line(refused.stderr)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "2"], "--alpha must lie between 0 and 1"),
        (["--only", "A"], "there is only 'A'"),
        (["--error", "pooled", "--spread", "unequal"], "--spread unequal"),
    ],
)
def test_what_cannot_be_used_is_told(table: Path, options: list[str], message: str) -> None:
    result = invoke("compare", table, *options)
    assert result.exit_code == 3
    assert message in one_line(result.stderr)
    assert result.stdout == ""
