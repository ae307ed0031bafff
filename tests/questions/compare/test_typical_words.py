"""What is said of typical runs."""

from __future__ import annotations

from typing import get_args

import pytest

from curvewise.inference.result import Center
from curvewise.questions.compare.tell import HEIGHTS, METHODS, SUBJECTS


@pytest.mark.parametrize(
    ("center", "more", "same"),
    [
        ("mean", "A scores 2 more than B", "A and B score the same"),
        (
            "trimmed",
            "the typical run of A scores 2 more than that of B",
            "the typical runs of A and B score the same",
        ),
        (
            "ranks",
            "a run of A typically scores 2 more than a run of B",
            "runs of A and B typically score the same",
        ),
    ],
)
def test_who_scores_more_than_whom(center: Center, more: str, same: str) -> None:
    one_scores, other, score_the_same = (word.format(a="A", b="B") for word in SUBJECTS[center])
    assert f"{one_scores} 2 more than {other}" == more
    assert score_the_same == same


def test_every_center_has_a_height_and_those_but_the_mean_a_method() -> None:
    assert set(HEIGHTS) == set(get_args(Center))
    assert set(METHODS) == set(get_args(Center)) - {"mean"}
