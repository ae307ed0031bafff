"""Which difference is looked for, as the command takes it."""

from __future__ import annotations

from typing import Any

import pytest

from curvewise import OptionError
from curvewise.cli.command import Simulating, check_stated, numbers_of


def simulating(**given: Any) -> Simulating:
    return Simulating(**{"unit": "score", "asked": {}, **given})


def test_sizes_are_one_number_or_several() -> None:
    assert simulating(effect="lift", size=("5",)).sizes == [5]
    assert simulating(effect="lift", size=("5", "10.5")).sizes == [5, 10.5]
    assert simulating(effect="observed").sizes is None
    assert numbers_of("runs", ["4, 6"]) == [4, 6]


def test_the_arguments_are_those_of_the_question() -> None:
    options = simulating(
        effect="lift", size=("5,10",), unit="sd", rng=3, asked={"n_jobs": 2}
    ).options
    assert (options["effect"].size, options["effect"].unit) == (5, "sd")
    assert (options["rng"], options["n_jobs"]) == (3, 2)


@pytest.mark.parametrize(
    ("effect", "size", "message"),
    [
        ("lift", None, "--effect and --size belong together"),
        (None, 5, "--effect and --size belong together"),
        ("observed", 5, "--effect observed has a size of its own"),
        ("lfit", 5, "lift"),
    ],
)
def test_a_difference_is_a_kind_and_a_size(effect: str | None, size: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_stated(effect, size, observed=True)


def test_what_is_no_number_is_told() -> None:
    with pytest.raises(OptionError, match="--runs must be numbers joined by commas"):
        numbers_of("runs", "4;6")
