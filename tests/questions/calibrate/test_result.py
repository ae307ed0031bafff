"""What calibrate found, as tables and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from curvewise import Curves, calibrate
from tests.questions.calibrate.test_question import smooth


def test_each_algorithm_has_a_row() -> None:
    scores = np.vstack([smooth(1, 6).scores, smooth(2, 5).scores])
    found = calibrate(Curves(scores, ["x"] * 6 + ["y"] * 5), rng=0)
    _, each = found.tables()
    assert [row[:3] for row in each.rows] == [("x", "6", "10"), ("y", "5", "10")]
    assert each.rows[0][3] == f"{found.algorithms['x'].rates[0].rate:.3f}"
    assert each.rows[1][3] == f"{found.algorithms['y'].rates[0].n_found} of 10"


def test_all_is_in_the_record() -> None:
    found = calibrate(smooth(1, 6), rng=7)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["seed"] == 7
    assert record["algorithms"]["A"]["n_splits"] == 10
    assert record["rows"][0]["procedure"] == "height"
    assert record["rows"][-1]["by_construction"]
    with pytest.raises(KeyError):
        found["anova"]
