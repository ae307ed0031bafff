"""Work: what a caller asked for about shuffling, in one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import CurvesError, OptionError
from curvewise.inference.work import family_seed, random_keys, shuffling_work
from curvewise.shuffling.visit import Layout, Limits, StoppingRule
from tests.shuffling.statistics import statistic_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

CURVES = some_curves(0, (8, 8))
OPTIONS: dict[str, Any] = {
    "n_shuffles": 99,
    "exact": None,
    "n_jobs": 1,
    "rng": 3,
    "checkpoint": None,
}


def test_keys_and_seed_are_those_of_the_rng() -> None:
    with shuffling_work("question", **OPTIONS, n_keys=2) as work:
        assert list(work.keys) == random_keys(3, 2)
        assert work.key == work.keys[0]
        assert work.seed == 3
    with shuffling_work("question", **{**OPTIONS, "rng": None}) as work:
        assert work.seed is None


def test_members_of_a_family_are_shuffled_alike_and_can_be_asked_alone() -> None:
    with shuffling_work("family", **OPTIONS, n_keys=0) as work:
        assert work.key == family_seed(3) == family_seed(np.random.default_rng(3))
        member = work.of_member(2)
        assert member.keys == work.of_member(2).keys
        assert member.keys[:1] == work.of_member().keys
        with shuffling_work("member", **{**OPTIONS, "rng": member.seed}) as alone:
            assert alone.keys == member.keys[:1]


def test_a_plan_has_what_was_asked_for() -> None:
    restriction = Layout.of(CURVES).restriction
    with shuffling_work("question", **{**OPTIONS, "n_shuffles": "auto"}) as work:
        limits = Limits(free=10, exact=10_000, shuffles=5_000)
        plan = work.plan(restriction, levels=(0.05, 0.01), limits=limits)
        assert plan.rule == StoppingRule("auto", (0.05, 0.01))
        assert (plan.key, plan.n_shuffles, plan.exact) == (work.key, 5_000, False)
        assert work.plan(restriction, levels=(0.05,)).exact
        assert not work.sampled().plan(restriction, levels=(0.05,)).exact


@pytest.mark.parametrize(("exact", "seed"), [(True, None), (False, 3)])
def test_the_seed_is_reported_where_it_mattered(exact: bool, seed: int | None) -> None:
    statistic, layout = statistic_of("randomized ANOVA", CURVES)
    with shuffling_work("question", **{**OPTIONS, "exact": exact}) as work:
        found = work.visit(work.plan(layout.restriction, levels=(0.05,)), statistic)
        sampling = work.sampling(found)
    assert sampling.seed == seed
    assert sampling.n_relabellings == 6_435
    assert sampling.n_shuffles == (6_435 if exact else 99)
    assert sampling.engine == f"NumPy {'enumeration' if exact else 'shuffles'}"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_shuffles": 0}, "n_shuffles must be a positive integer"),
        ({"n_jobs": 0}, "n_jobs must be a positive integer"),
        ({"rng": -1}, "rng must be a non-negative integer"),
        ({"checkpoint": "/no/such/folder/file"}, "There is no folder '/no/such/folder'"),
    ],
)
def test_what_cannot_be_used_is_refused(changed: dict[str, Any], message: str) -> None:
    with (
        pytest.raises(OptionError, match=message),
        shuffling_work("question", **{**OPTIONS, **changed}),
    ):
        pytest.fail("the work was begun")


def test_the_checkpoint_depends_on_everything_that_was_asked(tmp_path: Path) -> None:
    options = {**OPTIONS, "checkpoint": tmp_path / "work.npz"}
    with shuffling_work("question", CURVES, 0.05, **options) as work:
        assert work.checkpoint is not None
        assert work.of_member().checkpoint is work.checkpoint
        work.checkpoint.next_tally("work")
    for question, curves, alpha, changed in (
        ("another", CURVES, 0.05, {}),
        ("question", some_curves(1, (8, 8)), 0.05, {}),
        ("question", CURVES, 0.01, {}),
        ("question", CURVES, 0.05, {"exact": True}),
        ("question", CURVES, 0.05, {"n_shuffles": 100}),
    ):
        with (
            pytest.raises(CurvesError, match="the checkpoint of another question"),
            shuffling_work(question, curves, alpha, **{**options, **changed}),
        ):
            pytest.fail("the work was begun")
    # The number of jobs changes no digit.
    with shuffling_work("question", CURVES, 0.05, **{**options, "n_jobs": 2}) as work:
        assert work.n_jobs == 2
