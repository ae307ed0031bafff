"""Sampling: how relabellings were visited."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from curvewise.inference.work import Sampled, Sampling, known_seed


def test_the_smallest_p_is_that_of_the_runs_or_of_the_shuffles() -> None:
    assert Sampling(True, 35, 35).smallest_pvalue == 1 / 35
    assert Sampling(False, 10**9, 99).smallest_pvalue == 1 / 100
    # Shuffling more often than there are relabellings promises nothing.
    assert Sampling(False, 10, 9_999).smallest_pvalue == 1 / 10
    # Relabellings that are always alike count together.
    assert Sampling(True, 126, 126, n_alike=2).smallest_pvalue == 2 / 126


def test_everything_is_json_ready() -> None:
    sampling = Sampling(False, 10**30, 99, "NumPy shuffles", 7)
    assert json.loads(json.dumps(sampling.to_dict())) == {
        "exact": False,
        "n_relabellings": 10**30,
        "n_shuffles": 99,
        "engine": "NumPy shuffles",
        "seed": 7,
        "smallest_pvalue": 0.01,
    }
    assert sampling.with_seed(None).seed is None
    assert sampling.with_seed(None).engine == "NumPy shuffles"


@pytest.mark.parametrize("name", Sampling(True, 3, 3).to_dict())
def test_a_result_has_the_attributes_of_its_sampling(name: str) -> None:
    class Answer(Sampled):
        sampling = Sampling(False, 10, 99, "compiled shuffles", 5)

    assert getattr(Answer(), name) == getattr(Answer.sampling, name)


def test_a_number_is_a_seed_that_can_be_reported() -> None:
    assert known_seed(7) == 7
    assert known_seed(np.int64(7)) == 7  # type: ignore[arg-type]
    assert type(known_seed(np.int64(7))) is int  # type: ignore[arg-type]
    assert known_seed(7, mattered=False) is None
    assert known_seed(None) is None
    assert known_seed(np.random.default_rng(0)) is None
    assert known_seed([1, 2]) is None


def test_a_count_beyond_a_double_is_told_as_one_that_it_holds() -> None:
    sampling = Sampling(exact=False, n_relabellings=10**5_000, n_shuffles=9)
    told = json.loads(json.dumps(sampling.to_dict()))
    assert math.isfinite(float(told["n_relabellings"]))
    assert sampling.n_relabellings == 10**5_000
