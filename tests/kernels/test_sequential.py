"""The exact sequential test: against a slow form of it, and counted over who was observed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from curvewise.kernels.sequential import Ranking, rejected_by, sequential_pvalues, spent_shares

if TYPE_CHECKING:
    from curvewise.kernels import Floats

TOLERANCE = 1e-9


def rankings_of(values: Floats, observed: int) -> list[Ranking]:
    return [Ranking.of(own, TOLERANCE, observed) for own in values]


def removed_sets(values: Floats, shares: list[Fraction], alpha: Fraction) -> list[set[int]]:
    """Remove relabellings look by look, as the definition says it, with exact fractions."""
    size = values.shape[1]
    removed: set[int] = set()
    found = []
    for own, share in zip(values, shares, strict=False):
        room = math.floor(alpha * share * size) - len(removed)
        survivors = [g for g in range(size) if g not in removed]
        for value in sorted({own[g] for g in survivors}, reverse=True):
            tied = {g for g in survivors if own[g] == value}
            if len(tied) > room:
                break
            room -= len(tied)
            removed |= tied
        found.append(set(removed))
    return found


def slow_pvalue(values: Floats, shares: list[Fraction], observed: int, look: int) -> float:
    """The smallest level from which on every level rejects by a look (0, 1, …)."""
    size = values.shape[1]
    jumps = sorted(
        {j / (u * size) for u in shares[: look + 1] for j in range(1, size + 1)} | {Fraction(1)}
    )
    jumps = [level for level in jumps if level <= 1]
    smallest = Fraction(1)
    for level in reversed(jumps):
        if observed not in removed_sets(values[: look + 1], shares, level)[look]:
            break
        smallest = level
    return float(smallest)


@st.composite
def looks(draw: st.DrawFn) -> Floats:
    """Statistics of a few relabellings at a few looks, many of them tied."""
    n_looks, size = draw(st.integers(1, 4)), draw(st.integers(2, 10))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_values = draw(st.sampled_from([2, 5, 1_000]))
    return rng.integers(n_values, size=(n_looks, size)).astype(float)


@given(looks(), st.integers(0, 100), st.sampled_from(["linear", "late"]))
@settings(max_examples=30, deadline=None)
def test_p_is_that_of_the_definition(values: Floats, place: int, spending: str) -> None:
    n_looks, size = values.shape
    observed = place % size
    shares = [Fraction(look, n_looks) for look in range(1, n_looks + 1)]
    if spending == "late":
        shares = [share**3 for share in shares]
    found = sequential_pvalues(
        rankings_of(values, observed), np.array(shares, dtype=float), observed, 0.999
    )
    slow = [slow_pvalue(values, shares, observed, look) for look in range(n_looks)]
    np.testing.assert_allclose(found, slow, atol=1e-12)


@given(looks(), st.sampled_from(["linear", "obf"]))
@settings(max_examples=30, deadline=None)
def test_whoever_is_observed_is_rejected_as_rarely_as_promised(
    values: Floats, spending: str
) -> None:
    """Each relabelling is as likely to be the observed one: so p is counted over all of them."""
    n_looks, size = values.shape
    shares = spent_shares(spending, n_looks, 0.05)
    pvalues = np.array(
        [sequential_pvalues(rankings_of(values, g), shares, g, 0.05) for g in range(size)]
    )
    for alpha in (0.05, 0.1, 0.2, 0.5, 0.75):
        for look in range(n_looks):
            n_rejected = int(np.sum(pvalues[:, look] <= alpha))
            assert n_rejected <= alpha * shares[look] * size + 1e-9


@given(looks(), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_p_never_rises_and_later_looks_do_not_change_it(values: Floats, place: int) -> None:
    n_looks, size = values.shape
    observed = place % size
    shares = spent_shares("linear", n_looks, 0.05)
    found = sequential_pvalues(rankings_of(values, observed), shares, observed, 0.05)
    assert all(later <= p for p, later in itertools.pairwise(found))
    for look in range(1, n_looks):
        so_far = rankings_of(values[:look], observed)
        assert sequential_pvalues(so_far, shares, observed, 0.05) == found[:look]


@given(looks(), st.integers(0, 100), st.sampled_from([0.05, 0.1, 0.3, 0.6]))
@settings(max_examples=30, deadline=None)
def test_what_p_rejects_the_test_at_that_level_rejects(
    values: Floats, place: int, alpha: float
) -> None:
    observed = place % values.shape[1]
    shares = spent_shares("linear", len(values), alpha)
    rankings = rankings_of(values, observed)
    found = sequential_pvalues(rankings, shares, observed, alpha)
    look = rejected_by(rankings, shares, observed, alpha)
    rejected = [place for place, p in enumerate(found, start=1) if p <= alpha]
    if rejected:
        assert look is not None
        assert look <= rejected[0]
    exact = [Fraction(share).limit_denominator(1000) for share in shares]
    removed = removed_sets(values, exact, Fraction(alpha).limit_denominator(1000))
    slow = [n for n, gone in enumerate(removed, start=1) if observed in gone]
    assert look == (slow[0] if slow else None)


def test_with_one_look_p_is_the_share_of_relabellings_that_are_as_large() -> None:
    values = np.random.default_rng(0).permutation(200).astype(float)
    for observed in (0, 7, 100):
        rank = np.sum(values >= values[observed])
        (p,) = sequential_pvalues(
            [Ranking.of(values, TOLERANCE, observed)], np.ones(1), observed, 0.05
        )
        assert rank / 200 <= p <= max(rank / 200, 0.05) * 1.02
        if rank <= 10:
            assert p == pytest.approx(rank / 200, abs=1e-13)


def test_ties_go_together_or_not_at_all() -> None:
    values = np.array([[5.0, 5.0, 1.0, 2.0], [1.0, 2.0, 9.0, 3.0]])
    # Of four, one may go by the first look at .5, and two by the second.
    shares = np.array([0.5, 1.0])
    assert rejected_by(rankings_of(values, 0), shares, 0, 0.5) is None
    assert rejected_by(rankings_of(values, 2), shares, 2, 0.5) == 2
    # What did not fit is left to the second look.
    assert rejected_by(rankings_of(values, 3), shares, 3, 0.5) == 2


def test_neighbours_within_the_tolerance_are_tied() -> None:
    ranking = Ranking.of(np.array([1.0, 1.0 + 1e-12, 0.5]), 1e-9, 0)
    assert ranking.ends.tolist() == [2, 3]
    assert ranking.n_observed == 2


def test_what_is_spent_rises_to_all_of_alpha() -> None:
    for n_looks in (1, 2, 5, 40):
        for spending in ("linear", "obf"):
            shares = spent_shares(spending, n_looks, 0.05)
            assert shares[-1] == 1
            assert np.all(np.diff(shares) >= 0)
    times = np.arange(1, 6) / 5
    expected = (2 - 2 * norm.cdf(norm.ppf(1 - 0.025) / np.sqrt(times))) / 0.05
    np.testing.assert_allclose(spent_shares("obf", 5, 0.05), expected, atol=1e-12)
