"""What few experiments say about how often a difference is claimed, and what all say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from curvewise.questions.plan.method import Claims
from curvewise.questions.power.method import COUNTED, claim_of
from tests.questions.power.test_modelling import model_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.questions.power.method import Model


def model(n_experiments: int) -> Model:
    return model_of(some_curves(3, (5,)), effect=cw.scenario("a", 1.5), n_experiments=n_experiments)


@pytest.mark.parametrize("question", ["overall", "algorithm", "interaction"])
def test_all_experiments_are_those_that_are_counted_at_once(question: Any) -> None:
    own = model(1_200)
    claims = Claims(own, question, 0.8, 1)
    rough = claims.roughly(6)
    assert claims.power_at == {6: rough}
    sure = claims.surely(6)
    (counts,) = own.n_rejected(6, [(own.truth, 0.8, 1_200)])
    assert claims.power_at == {6: sure} == {6: counts[claim_of(question)] / 1_200}
    test = counts[COUNTED.index(question)] / 1_200
    assert claims.test_power_at == {6: test}
    assert abs(rough - sure) < 4 * math.sqrt(0.25 / 500)
    # Once all are known, few say nothing else.
    assert claims.roughly(6) == sure


def test_few_experiments_tell_of_height_what_all_do() -> None:
    claims = Claims(model(1_200), "algorithm", 0.8, 1)
    rough = claims.roughly(6)
    alone = claims.of_heights(6)
    assert claims.test_power_at == {6: alone}
    assert rough <= alone
    sure = claims.surely(6)
    assert claims.test_power_at == {6: alone}
    # What they differ by is in how many of the found heights nothing else is found.
    missed = alone - sure
    assert 0 < missed < 0.5
    assert abs(rough - sure) < 4 * math.sqrt(missed / 500)


def test_so_few_experiments_are_all() -> None:
    claims = Claims(model(300), "algorithm", 1.0, 1)
    assert claims.roughly(5) == claims.surely(5)
