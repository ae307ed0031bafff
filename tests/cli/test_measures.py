"""What is taken of each run, as it is written on the command line."""

from __future__ import annotations

import click
import pytest

from curvewise.cli.command import measure_of

NAMED = {"mean": "mean", "every-step": "every step"}


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("mean", "mean"),
        ("every-step", "every step"),
        ("10:20.5", (10.0, 20.5)),
        ("-1e3:0", (-1000.0, 0.0)),
    ],
)
def test_names_and_windows(text: str, measure: object) -> None:
    assert measure_of(text, NAMED) == measure_of(text, NAMED, reach=True) == measure


def test_scores_to_reach_where_they_are_allowed() -> None:
    assert measure_of("reach:5", NAMED, reach=True) == ("reach", 5.0)
    with pytest.raises(
        click.BadParameter, match=r"'reach:5' is none of mean, every-step, FROM:TO.$"
    ):
        measure_of("reach:5", NAMED)


@pytest.mark.parametrize("text", ["", "last", "1", "1:", ":2", "a:b", "1:2:3", "reach:x"])
def test_what_is_none_of_these(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"none of mean, .*, reach:SCORE"):
        measure_of(text, NAMED, reach=True)
