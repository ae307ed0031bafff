from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Curves, OptionError, compare_pairs
from curvewise.questions.pairs.result import NOTES
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Pairs


@cache
def found() -> Pairs:
    curves = some_curves(0, (5, 5, 5))
    scores = curves.scores + 3 * curves.codes[:, None]
    return compare_pairs(Curves(scores, curves.labels), adjust="max-t", rng=0)


def test_lookup_in_either_order() -> None:
    pairs = compare_pairs(some_curves(0, (5, 5, 5)))
    assert pairs.pair("A", "C") is pairs[1]
    other = pairs.pair("C", "A")
    assert (other.a, other.difference) == ("C", -pairs[1].difference)
    assert other.interval == (-pairs[1].interval.high, -pairs[1].interval.low)
    assert other.probability_of_superiority == 1 - pairs[1].probability_of_superiority
    assert len(pairs) == 3
    with pytest.raises(OptionError, match=r"No algorithm is called 'a'.*did you mean 'A'"):
        pairs.pair("a", "B")
    with pytest.raises(OptionError, match="'A' and 'A' were not compared"):
        pairs.pair("A", "A")
    with pytest.raises(OptionError, match="No effect is called 'height'"):
        pairs.significant("height")
    reversed_twice = other.reversed()
    assert reversed_twice.to_dict() == pairs[1].to_dict()
    assert other.n_runs == pairs[1].n_runs[::-1]
    assert other.hedges_g == -(pairs[1].hedges_g or 0.0)


def test_a_sequence_of_pairs() -> None:
    assert len(found()) == 3
    assert found()[0] is found().pairs[0]
    assert found()[1:] == found().pairs[1:]
    assert list(found()) == list(found().pairs)


def test_json_has_everything_but_the_null_distributions() -> None:
    shown = json.loads(json.dumps(found().to_dict()))
    assert set(shown) == {
        "question",
        "source",
        "algorithms",
        "adjust",
        "error",
        "alpha",
        "higher_is_better",
        "seed",
        "pairs",
        "letters",
        "notes",
        "smallest_pvalue",
        "preparation",
        "warnings",
        "caveats",
    }
    assert shown["question"] == "compare_pairs"
    assert shown["pairs"][0]["algorithm"]["pvalue_adjusted"] <= 0.05
    assert shown["letters"] == dict(found().letters)
    pair = shown["pairs"][0]
    assert (pair["a"], pair["b"], pair["n_runs"]) == ("A", "B", [5, 5])
    assert pair["interval"] == list(found()[0].interval)
    open_ended = replace(found()[0], interval=(-math.inf, math.inf), hedges_g=None)  # type: ignore[arg-type]
    assert open_ended.to_dict()["interval"] == [None, None]


def test_a_single_step_has_no_shape() -> None:
    single = compare_pairs(some_curves(0, (3, 3), n_steps=1))
    assert json.loads(json.dumps(single.to_dict()))["pairs"][0]["interaction"] is None
    assert single[0].effect("interaction") is None
    assert single.significant("interaction") == ()
    assert single.table().rows[0][-2:] == ("", "")
    assert "Warning: With 3 + 3 runs" in str(single)


@pytest.mark.parametrize("adjust", NOTES)
def test_notes_say_how_p_was_adjusted(adjust: str) -> None:
    (note,) = replace(found(), adjust=adjust).notes
    assert (
        note
        == {
            "closed": (
                "Adjusted for 3 pairs by closed testing, for each effect: the largest p of all "
                "partitions into groups of alike algorithms that have both in one group."
            ),
            "holm": "Adjusted by Holm over 3 pairs, for each effect.",
            "bonferroni": "Adjusted by Bonferroni over 3 pairs, for each effect.",
            "max-t": (
                "Adjusted for 3 pairs by the largest statistic of each shuffle (max-t). The "
                "residuals of all algorithms are shuffled together, so this is approximate and "
                "assumes equal variation. Where p of the pair alone is larger, it stands."
            ),
        }[adjust]
    )
    assert note in str(replace(found(), adjust=adjust))


def test_the_tables_are_the_pairs_and_the_letters() -> None:
    pairs, letters = found().tables()
    assert pairs.header == (
        "a",
        "b",
        "a - b",
        "95% interval",
        "Hedges' g",
        "p height",
        "adjusted",
        "p shape",
        "adjusted",
    )
    # The best algorithm first.
    assert [row[:2] for row in pairs.rows] == [("C", "B"), ("C", "A"), ("B", "A")]
    assert letters.rows == (("C", "a"), ("B", "b"), ("A", "c"))
    assert letters.notes == ("Algorithms that share a letter are not told apart in height.",)
    assert "<table>" in found()._repr_html_()


def test_the_smallest_p_is_that_of_the_runs_times_the_pairs() -> None:
    three = compare_pairs(some_curves(0, (4, 4, 4)), adjust="holm")
    assert three.smallest_pvalue == pytest.approx(3 / 35)
    few = compare_pairs(some_curves(0, (2, 2, 2)), adjust="holm")
    assert few.smallest_pvalue == 1
    assert replace(three, pairs=()).smallest_pvalue == 0
    # By closed testing and max-t no pair pays for the number of pairs.
    assert replace(three, adjust="closed").smallest_pvalue == pytest.approx(1 / 35)
    assert replace(three, adjust="max-t").smallest_pvalue == pytest.approx(1 / 35)


def test_of_many_algorithms_the_notes_say_why_closed_testing_is_not_used() -> None:
    many = replace(found(), adjust="max-t", algorithms=tuple("ABCDEFGHI"))
    assert many.notes[1] == (
        "Closed testing, the default up to 8 algorithms, would have too many partitions of 9."
    )
    assert len(replace(many, adjust="holm").notes) == 1
    assert len(replace(many, algorithms=tuple("ABCDEFGH")).notes) == 1


def test_letters_follow_the_adjusted_p_in_height() -> None:
    assert found().letters == {"C": "a", "B": "b", "A": "c"}
    none = replace(
        found(),
        pairs=tuple(
            replace(pair, algorithm=replace(pair.algorithm, pvalue_adjusted=1.0))
            for pair in found()
        ),
    )
    assert set(none.letters.values()) == {"a"}
    assert none.significant() == ()
    assert len(none.significant("overall")) == 3
    assert np.all([pair.overall.significant for pair in none])
