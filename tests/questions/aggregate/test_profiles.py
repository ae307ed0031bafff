from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import curvewise as cw
from tests.questions.aggregate.several_tasks import some_tasks


def test_a_profile_is_the_share_of_runs_above_averaged_over_tasks() -> None:
    tasks = some_tasks(n_tasks=3, sizes=(2, 3))
    two = tasks["task 1"]
    tasks["task 1"] = cw.Curves(two.scores[[0, 2, 1, 3]], ["A", "A", "B", "B"])
    found = cw.aggregate(tasks, reference="raw", rng=0)
    tau = [-5.0, 0.0, 1.0]
    profile = found.profile(tau)
    for name in "AB":
        expected = [
            np.mean([np.mean(own.select(name).scores.mean(axis=1) > at) for own in tasks.values()])
            for at in tau
        ]
        np.testing.assert_allclose(profile.shares[name], expected)


def test_the_band_does_not_depend_on_which_scores_are_asked_for() -> None:
    found = cw.aggregate(some_tasks(), rng=0)
    assert found.profile().reach == found.profile([0.5]).reach == found.profile(0.2).reach


def test_a_profile_falls_from_one_to_nothing_inside_its_band() -> None:
    profile = cw.aggregate(some_tasks(), rng=0).profile()
    assert len(profile.tau) == 201
    for name, share in profile.shares.items():
        assert np.all(np.diff(share) <= 0)
        low, high = profile.band(name)
        assert np.all((low >= 0) & (low <= share) & (share <= high) & (high <= 1))
        # Beyond the best and the worst run the band stays open.
        assert high[-1] > 0
        assert low[0] < 1
        assert profile.reach[name] > 0
    assert profile.algorithms == ("C", "B", "A")


def test_runs_that_are_all_the_same_have_a_profile_too() -> None:
    curves = cw.Curves(np.ones((4, 2)), ["A", "A", "B", "B"])
    profile = cw.aggregate({"x": curves, "y": curves}, reference="raw").profile([0, 1])
    assert profile.shares["A"].tolist() == [1, 0]
    assert profile.reach["A"] == pytest.approx(1 / 8)


def test_profiles_are_json() -> None:
    profile = cw.aggregate(some_tasks(), rng=0).profile([0.2, 0.1])
    record = profile.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["tau"] == [0.1, 0.2]
    assert record["profiles"]["A"]["band"][0] == profile.band("A")[0].tolist()


@pytest.mark.parametrize("tau", ["x", [], [[0.1]], [0.1, float("nan")]])
def test_scores_that_are_none_are_refused(tau: Any) -> None:
    with pytest.raises(cw.OptionError, match="tau must be scores on the common scale"):
        cw.aggregate(some_tasks()).profile(tau)
