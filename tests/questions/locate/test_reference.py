"""Clusters agree with those of MNE-Python, which asks the same question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, locate
from tests.reference.clusters_mne import scores

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "clusters_mne.json").read_text("utf-8")
)


@pytest.mark.parametrize(
    "case", REFERENCE["cases"], ids=lambda case: f"{case['sizes']} {case['threshold']}"
)
def test_clusters_are_those_of_mne(case: dict[str, Any]) -> None:
    labels = np.repeat(list("ABC")[: len(case["sizes"])], case["sizes"])
    where = locate(
        Curves(scores(case["sizes"]), labels),
        cluster_threshold=case["threshold"],
        windows=False,
        n_resamples=0,
        n_shuffles=19_999,
        rng=0,
    )
    effect = where.effects["algorithm"]
    np.testing.assert_allclose(effect.statistic, case["statistic"])
    assert len(effect.clusters) == len(case["clusters"]) > 0
    for ours, theirs in zip(effect.clusters, case["clusters"], strict=True):
        assert (ours.start, ours.stop) == (theirs["first"], theirs["last"])
        assert ours.mass == pytest.approx(theirs["mass"])
        # Theirs is sampled, ours sampled or exact: four standard errors of both.
        error = np.sqrt(2 * theirs["pvalue"] * (1 - theirs["pvalue"]) / 20_000)
        assert ours.pvalue == pytest.approx(theirs["pvalue"], abs=4 * error + 1e-4)
