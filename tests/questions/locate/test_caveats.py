"""Which caveats a location has."""

from __future__ import annotations

import json

import numpy as np

from curvewise import Curves, locate
from curvewise.inference.caveats import DifferentSpread, TooFewRuns
from curvewise.questions.locate.result import InfiniteFAtSteps
from curvewise.text import naming_flags
from tests.simulation import autoregressive, some_curves

LABELS = ["A"] * 6 + ["B"] * 6


def test_steps_without_error_are_counted() -> None:
    scores = autoregressive(np.random.default_rng(3), 12, 12)
    scores[:, 3:5] = np.repeat([0.0, 1.0], 6)[:, None]
    where = locate(Curves(scores, LABELS), windows=False, n_resamples=0)
    assert where.caveats == (InfiniteFAtSteps(2),)
    assert where.warnings == (
        (
            "At 2 steps all runs of an algorithm have the same score, so F is infinite there. "
            "Check that the runs are separate runs; p is still valid."
        ),
    )
    caveat = InfiniteFAtSteps(1)
    assert caveat.kind == "infinite f at steps"
    assert caveat.sentence().startswith("At 1 step all runs")
    assert json.loads(json.dumps(caveat.to_dict())) == {"kind": "infinite f at steps", "n_steps": 1}
    with naming_flags():
        assert caveat.sentence() == InfiniteFAtSteps(1).sentence()


def test_too_few_runs_are_said_first() -> None:
    curves = some_curves(0, (3, 3))
    steady = curves.scores.copy()
    steady[:, 1] = curves.codes
    where = locate(Curves(steady, curves.labels))
    assert where.caveats == (TooFewRuns((3, 3), 0.1, 0.05, 4), InfiniteFAtSteps(1))
    assert where.regions == ()


def test_spreads_that_differ_are_told_with_equal_run_counts_too() -> None:
    scores = autoregressive(np.random.default_rng(3), 12, 12)
    assert locate(Curves(scores, LABELS), windows=False, n_resamples=0).caveats == ()
    scores[:6] *= 6
    (found,) = locate(Curves(scores, LABELS), windows=False, n_resamples=0).caveats
    assert isinstance(found, DifferentSpread)
    assert (found.wide, found.narrow) == ("A", "B")
    assert found.ratio > 3
