"""How often tests cry wolf, in words."""

from __future__ import annotations

import numpy as np

from curvewise import Curves, calibrate
from tests.questions.calibrate.test_question import smooth


def test_rates_are_quoted_with_their_spread() -> None:
    curves = smooth(3, 10)
    found = calibrate(curves, rng=0)
    height, every = found["height"], found["every step"]
    text = found.describe()
    assert text.startswith(
        "Splitting the 10 runs of A in two at random, as if they were two algorithms, the "
        "conventional F test of height would have announced a difference in "
        f"{100 * height.rate:.1f}% (± 8) of splits, that of shape in "
    )
    assert f"a t-test at every step in {100 * every.rate:.1f}% (± 8), one of the final" in text
    assert "There is none to find, and each test promises one in 5% at most." in text
    assert "find one in 4.8% by construction (fewer where runs tie), whatever the runs are" in text


def test_few_splits_are_counted() -> None:
    found = calibrate(smooth(3, 5), rng=0)
    n_found = found["height"].n_found
    text = found.describe()
    assert f"a difference in {n_found} of 10 splits, that of shape in " in text
    assert "±" not in text
    assert "%" not in text.replace("in 5% at most", "")
    assert "curvewise's exact tests find none, by construction" in text
    assert "and tell no rate by themselves." in found.warnings[0]
    rows = found.table().rows
    assert rows[0] == ("conventional F, height", f"{n_found} of 10", "")
    assert rows[-1] == ("curvewise", "0 of 10", "by construction")


def test_names_are_escaped() -> None:
    curves = smooth(0, 6)
    odd = calibrate(Curves(curves.scores, ["\x1b[1m"] * 6), rng=0)
    assert "\x1b" not in odd.describe()


def test_several_algorithms_are_counted() -> None:
    scores = np.vstack([smooth(1, 6).scores, smooth(2, 5).scores])
    found = calibrate(Curves(scores, ["x"] * 6 + ["y"] * 5), rng=0)
    assert "Splitting the runs of each of 2 algorithms" in found.describe()
