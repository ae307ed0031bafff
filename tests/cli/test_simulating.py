"""Which difference is looked for, as the command takes it."""

from __future__ import annotations

import pytest

from curvewise import OptionError
from curvewise.cli.simulating import Simulating, check_stated, numbers_of


def test_sizes_are_one_number_or_several() -> None:
    assert Simulating(effect="lift", size=["5"]).sizes == [5]
    assert Simulating(effect="lift", size=["5", "10.5"]).sizes == [5, 10.5]
    assert Simulating(effect="observed").sizes is None
    assert numbers_of("runs", ["4, 6"]) == [4, 6]


def test_the_arguments_are_those_of_the_question() -> None:
    options = Simulating(effect="lift", size=["5,10"], unit="sd", seed=3, jobs=2).options
    assert (options["effect"].size, options["effect"].unit) == (5, "sd")
    assert (options["rng"], options["n_jobs"], options["n_experiments"]) == (3, 2, 2_000)


@pytest.mark.parametrize(
    ("effect", "size", "message"),
    [
        ("lift", None, "--effect and --size belong together"),
        (None, 5, "--effect and --size belong together"),
        ("observed", 5, "--effect observed has a size of its own"),
        ("lfit", 5, "lift"),
    ],
)
def test_a_difference_is_a_kind_and_a_size(
    effect: str | None, size: object, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        check_stated(effect, size, ("lift", "observed"))


def test_what_is_no_number_is_told() -> None:
    with pytest.raises(OptionError, match="--runs must be numbers joined by commas"):
        numbers_of("runs", "4;6")
