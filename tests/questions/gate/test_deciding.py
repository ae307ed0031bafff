"""How many runs would decide."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvewise.questions.gate.method import Design, Prospect, enough_runs
from tests.questions.gate.runs import asked, curves_of

PLAIN = Prospect(Design(5, 5), 1.0, 0.0, 1.0, 8, 0.05, two_sided=False)


@pytest.mark.parametrize(("margin", "n"), [(0.5, 51), (1.0, 14), (1.5, 7), (2.0, 4), (3.0, 3)])
def test_runs_that_decide_are_those_of_the_table(margin: float, n: int) -> None:
    assert replace(PLAIN, margin=margin).runs(0.8) == n
    unit = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    unit /= unit.std(ddof=1)
    found = asked(curves_of(unit, unit), margin=margin)
    assert found.runs_to_decide == n
    assert (found.runs_to_decide_cautious or 0) >= n


SHARES = {3: [0.12, 0.26, 0.42, 0.61, 0.89], 5: [0.17, 0.42, 0.69, 0.88, 1.0]}
SHARES |= {10: [0.30, 0.69, 0.94, 1.0, 1.0], 20: [0.46, 0.93, 1.0, 1.0, 1.0]}


@pytest.mark.parametrize("n", SHARES)
def test_the_formula_is_near_the_shares_of_the_table(n: int) -> None:
    for margin, share in zip((0.5, 1, 1.5, 2, 3), SHARES[n], strict=True):
        power = replace(PLAIN, margin=margin).power(Design(n, n), 1.0)
        # The shares were measured, with a standard error of .013 at most.
        assert abs(power - share) <= 4 * 0.013


def test_a_better_candidate_needs_fewer_runs_and_a_worse_one_more() -> None:
    found = [replace(PLAIN, assumed=assumed).runs(0.8) for assumed in (0.5, 0.0, -0.5)]
    assert all(found)
    assert found == sorted(found, key=lambda n: n or 0)
    assert replace(PLAIN, assumed=-1.0).runs(0.8) is None
    assert replace(PLAIN, margin=0.0).runs(0.8) is None
    assert replace(PLAIN, margin=1e-4).runs(0.8) is None  # more than anybody makes


def test_both_sides_need_more_runs_than_one() -> None:
    two = replace(PLAIN, two_sided=True)
    assert (two.runs(0.8) or 0) > (PLAIN.runs(0.8) or 0)
    assert replace(two, assumed=1.0).runs(0.8) is None


def test_the_larger_algorithm_keeps_its_runs() -> None:
    unequal = replace(PLAIN, design=Design(5, 40))
    n = unequal.runs(0.8)
    assert n is not None
    assert n < 14
    assert unequal.power(Design(n, 40), 1.0) >= 0.8 > unequal.power(Design(n - 1, 40), 1.0)
    assert replace(PLAIN, design=Design(40, 5)).runs(0.8) == n


def test_pairs_have_fewer_degrees_of_freedom() -> None:
    pairs = Design(1, 1, n_blocks=10)
    assert (pairs.df, pairs.n_runs) == (9, (10, 10))
    assert (replace(PLAIN, design=pairs).runs(0.8) or 0) >= 14
    assert enough_runs(Design(1, 1, 3), 0.05) == Design(1, 1, 5)


@given(
    candidate=st.integers(1, 6),
    baseline=st.integers(1, 6),
    alpha=st.sampled_from([0.1, 0.05, 0.01]),
)
def test_no_smaller_design_would_be_enough(candidate: int, baseline: int, alpha: float) -> None:
    design = Design(candidate, baseline)
    found = enough_runs(design, alpha)
    assert math.comb(sum(found.n_runs), found.candidate) >= 1 / alpha
    added = sum(found.n_runs) - sum(design.n_runs)
    for fewer in range(added):
        for more in range(fewer + 1):
            smaller = Design(candidate + more, baseline + fewer - more)
            assert math.comb(sum(smaller.n_runs), smaller.candidate) < 1 / alpha


def test_runs_without_spread_need_no_more_than_p_does() -> None:
    assert replace(PLAIN, spread=0.0).runs(0.8) == 3
