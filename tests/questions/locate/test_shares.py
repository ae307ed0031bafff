"""How much of an effect lies in a part of training, with its bootstrap interval."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from curvewise import Interval, locate
from curvewise.questions.locate.method import Share, ShareBootstrap
from curvewise.shuffling.visit import Layout
from tests.questions.locate.planted import with_regions
from tests.simulation import some_curves


def test_a_share_is_a_number_that_carries_its_interval() -> None:
    share = Share(0.4, Interval(0.3, 0.5))
    assert share == 0.4
    assert type(share.value) is float
    assert f"{share:.0%}" == "40%"
    assert json.loads(json.dumps(share.to_dict())) == {"value": 0.4, "interval": [0.3, 0.5]}
    assert Share(0.4).to_dict() == {"value": 0.4, "interval": None}
    assert repr(share) == "Share(0.4, interval=Interval(low=0.3, high=0.5))"
    again = pickle.loads(pickle.dumps(share))  # noqa: S301 (our own)
    assert (again, again.interval) == (share, share.interval)


def test_shares_carry_an_interval_and_survive_pickling() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False, rng=0)
    share = where.share("algorithm", 60, 90)
    assert share.interval is not None
    assert 0 <= share.interval.low < share < share.interval.high <= 1
    again = pickle.loads(pickle.dumps(where))  # noqa: S301 (our own)
    assert again.share("algorithm", 60, 90) == share
    assert again.share("algorithm", 60, 90).interval == share.interval


def test_without_resamples_there_is_no_interval() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False, n_resamples=0)
    assert where.share("algorithm", 60, 90).interval is None
    assert where.regions[0].share is not None
    assert where.regions[0].share.interval is None


@pytest.mark.parametrize("row", [0, 1])
def test_intervals_are_quantiles_of_resampled_runs(row: int) -> None:
    """By resampling runs within algorithms, one resample at a time."""
    curves = with_regions(2, (6, 7), 5, 2.0)
    layout = Layout.of(curves)
    bootstrap = ShareBootstrap(layout, 4_000, 7, 0.1)
    profile = locate(curves, n_resamples=0).effects[["algorithm", "interaction"][row]].profile
    (share,) = bootstrap.shares(row, [(1, 2)], profile)
    assert share.interval is not None
    rng, found = np.random.default_rng(0), []
    for _ in range(2_000):
        rows = np.concatenate(
            [
                rng.choice(np.flatnonzero(curves.codes == code), size)
                for code, size in enumerate(curves.sizes)
            ]
        )
        scores, labels = curves.scores[rows], curves.codes[rows]
        if row == 1:
            scores = scores - scores.mean(axis=1, keepdims=True)
        parts = sum(
            size * (scores[labels == code].mean(axis=0) - scores.mean(axis=0)) ** 2
            for code, size in enumerate(curves.sizes)
        )
        found.append(parts[1:3].sum() / parts.sum())
    expected = np.quantile(found, [0.05, 0.95])
    np.testing.assert_allclose(share.interval, expected, atol=0.03)


def test_the_same_seed_gives_the_same_interval_whatever_else_is_asked() -> None:
    layout = Layout.of(some_curves(0, (5, 5)))
    bootstrap = ShareBootstrap(layout, 200, 7, 0.05)
    profile = np.arange(1.0, 7.0)
    (alone,) = bootstrap.shares(0, [(1, 2)], profile)
    _, beside = bootstrap.shares(0, [(0, 5), (1, 2)], profile)
    assert alone.interval == pytest.approx(beside.interval)
    (other,) = ShareBootstrap(layout, 200, 8, 0.05).shares(0, [(1, 2)], profile)
    assert other.interval != alone.interval


def test_a_profile_of_nothing_is_shared_by_nobody() -> None:
    layout = Layout.of(some_curves(0, (5, 5)))
    bootstrap = ShareBootstrap(layout, 0, 7, 0.05)
    assert bootstrap.shares(0, [(0, 2)], np.zeros(6)) == [0.0]
