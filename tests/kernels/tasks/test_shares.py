"""Shares of variation of one task, and one-sided counts, against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from curvewise import Curves
from curvewise.kernels.anova import Design
from curvewise.kernels.tasks import TaskShares
from curvewise.shuffling.visit import Layout
from tests.simulation import some_curves


def task_shares(curves: Curves) -> TaskShares:
    layout = Layout.of(curves)
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    return TaskShares(design, layout.labels, layout.blocks, layout.noise)


def brute_share(scores: np.ndarray, first: np.ndarray) -> tuple[float, float]:
    """Sums of squares between two groups over the total, of means and of whole curves."""
    shares = []
    for values in (scores.mean(axis=1, keepdims=True), scores):
        centred = values - values.mean(axis=0)
        between = sum(own.sum() * np.sum(centred[own].mean(axis=0) ** 2) for own in (first, ~first))
        shares.append(between / np.sum(centred**2))
    return shares[0], shares[1]


@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (1, 4)])
def test_listed_shares_and_tails_are_those_of_all_relabellings(sizes: tuple[int, int]) -> None:
    curves = some_curves(4, sizes)
    shares = task_shares(curves)
    first = curves.codes == 0
    assert shares.observed == pytest.approx(brute_share(curves.scores, first))
    n_runs, means = curves.n_runs, curves.scores.mean(axis=1)
    all_shares, leads = [], []
    for chosen in itertools.combinations(range(n_runs), sizes[0]):
        own = np.isin(np.arange(n_runs), chosen)
        all_shares.append(brute_share(curves.scores, own))
        leads.append(means[own].mean() - means[~own].mean())
    listed = shares.listed()
    repeats = len(all_shares) // listed.shares.shape[1]
    expected = np.sort(np.array(all_shares).T, axis=1)
    assert np.repeat(listed.shares, repeats, axis=1) == pytest.approx(expected)
    lead = means[first].mean() - means[~first].mean()
    assert listed.up == np.mean(np.array(leads) >= lead - 1e-12)
    assert listed.down == np.mean(np.array(leads) <= lead + 1e-12)
    assert np.sign(shares.lead) == np.sign(lead)


def test_where_nothing_varies_shares_are_zero() -> None:
    curves = Curves(np.tile([[1.0, 2.0, 3.0]], (6, 1)), list("AAABBB"))
    assert task_shares(curves).observed.tolist() == [0.0, 0.0]


def test_heights_that_do_not_vary_have_no_share() -> None:
    scores = np.array([[0.0, 2], [1, 1], [2, 0], [0.5, 1.5], [1.5, 0.5], [0.25, 1.75]])
    height, whole = task_shares(Curves(scores, list("AAABBB"))).observed
    assert height == 0.0
    assert whole > 0


def test_runs_in_blocks_are_relabelled_inside_them() -> None:
    curves = some_curves(5, (4, 4)).with_blocks([0, 1, 2, 3] * 2)
    shares = task_shares(curves)
    listed = shares.listed()
    assert listed.shares.shape == (2, 8)
    assert shares.n_labellings == 16
