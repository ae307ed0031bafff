"""The data of a report: what a page draws, and the counts it looks up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import curvewise as cw
from curvewise.rendering.figures import looks_of
from curvewise.reports.payload import result_record, table_record
from tests.reports.unpacking import unpacked, unpacked_numbers
from tests.simulation import some_curves


def record(curves: cw.Curves, where: cw.Location | None = None, **more: Any) -> dict[str, Any]:
    made = table_record(curves, where, looks_of(curves), curves.display, **more)
    return dict(json.loads(json.dumps(made, allow_nan=False)))


def two_apart(n_steps: int = 12) -> cw.Curves:
    curves = some_curves(1, (5, 5), n_steps=n_steps)
    lift = 3.0 * (curves.codes == 1)[:, None] * (curves.steps >= n_steps // 2)
    return cw.Curves(curves.scores + lift, curves.labels, curves.steps)


def test_curves_are_those_that_were_given() -> None:
    curves = two_apart()
    data = record(curves)
    assert data["steps"] == {"first": 0, "by": 1, "n": 12}
    assert [own["name"] for own in data["algorithms"]] == ["A", "B"]
    assert data["labels"] == [0] * 5 + [1] * 5
    means = np.array([curves.scores[:5].mean(axis=0), curves.scores[5:].mean(axis=0)])
    np.testing.assert_allclose(unpacked_numbers(data["means"]), means, atol=1e-8)
    scores = unpacked_numbers(data["scores"])
    assert np.abs(scores - curves.scores).max() <= np.ptp(curves.scores) / 60_000
    assert data["bands"] is None
    assert data["location"] is None


def test_uneven_steps_are_listed() -> None:
    curves = two_apart()
    uneven = cw.Curves(curves.scores, curves.labels, curves.steps**2)
    assert record(uneven)["steps"] == [step**2 for step in range(12)]


@pytest.mark.parametrize("exact", [None, False])
def test_every_window_and_step_has_the_count_of_its_p(exact: bool | None) -> None:
    curves = two_apart()
    where = cw.locate(curves, rng=0, exact=exact, n_shuffles=199, n_resamples=0)
    assert where.windows is not None
    data = record(curves, where)["location"]
    assert data["visited"] == (126 if exact is None else 200)
    steps = unpacked(data["step_counts"])[0] / data["visited"]
    np.testing.assert_array_equal(steps, where.pvalue_adjusted)
    for name, pvalues in (
        ("adjusted", where.windows.pvalue_adjusted),
        ("planned", where.windows.pvalue),
    ):
        counts, place = unpacked(data["windows"][name]), 0
        for first in range(12):
            for last in range(first, 12):
                shown = counts[:, place] / data["visited"]
                np.testing.assert_array_equal(shown, pvalues[:, first, last])
                place += 1
        assert counts.shape == (2, place)
        assert data["windows"]["count"] == place


def test_regions_are_the_steps_with_a_p_of_at_most_alpha() -> None:
    curves = two_apart()
    where = cw.locate(curves, rng=0, n_resamples=0)
    data = record(curves, where)["location"]
    inside = np.zeros(12, dtype=bool)
    for first, last in data["regions"]["algorithm"]:
        inside[first : last + 1] = True
    assert inside.any()
    np.testing.assert_array_equal(inside, where.pvalue_adjusted <= where.alpha)


def test_a_band_without_ends_is_left_out() -> None:
    few = some_curves(2, (2, 2), n_steps=5)
    where = cw.locate(few, rng=0, n_resamples=0)
    band = record(few, where)["location"]["band"]
    assert not band["bounded"]
    assert band["values"]["shape"] == [1, 5]
    many = two_apart()
    where = cw.locate(many, rng=0, n_resamples=0)
    assert where.band is not None
    band = record(many, where)["location"]["band"]
    shown = unpacked_numbers(band["values"])
    rows = np.array([where.band.difference, where.band.low, where.band.high])
    assert np.abs(shown - rows).max() <= np.ptp(rows) / 60_000


def test_many_steps_are_thinned_to_lowest_and_highest_scores() -> None:
    rng = np.random.default_rng(0)
    curves = cw.Curves(rng.normal(size=(4, 5_000)), ["A", "A", "B", "B"])
    data = record(curves)
    assert data["scores"]["shape"] == [4, 4_000]
    columns = data["scores"]["columns"]
    assert len(columns) == 2_000
    scores = unpacked_numbers(data["scores"]).reshape(4, 2_000, 2)
    for place in (0, 777, 1_999):
        own = slice(columns[place], (*columns, 5_000)[place + 1])
        shown = np.abs(scores[:, place, 0] - curves.scores[:, own].min(axis=1))
        assert shown.max() < 1e-3
        shown = np.abs(scores[:, place, 1] - curves.scores[:, own].max(axis=1))
        assert shown.max() < 1e-3
    # Bands cannot be found from thinned runs, so they go along.
    low = unpacked_numbers(data["bands"]["low"])
    assert np.abs(low[0] - curves.scores[:2].min(axis=0)).max() < 1e-3
    assert record(two_apart(), runs=False)["scores"] is None
    assert record(two_apart(), runs=False)["bands"] is not None


def test_portions_of_many_steps_are_told() -> None:
    rng = np.random.default_rng(0)
    curves = cw.Curves(rng.normal(size=(6, 420)), list("AAABBB"))
    where = cw.locate(curves, rng=0, n_shuffles=19, exact=False, n_resamples=0)
    assert where.windows is not None
    data = record(curves, where)["location"]["windows"]
    assert data["n_places"] == len(data["starts"]) == len(where.windows.starts) < 420
    assert data["starts"][0] == 0
    assert [curves.steps[i] for i in data["starts"]] == where.windows.starts.tolist()


def test_records_of_results_have_all_but_long_lists() -> None:
    curves = two_apart(200)
    where = cw.locate(curves, rng=0, n_resamples=0)
    found = result_record(where)
    assert found["verdict"] == where.describe()
    assert found["headline"] == where.headline()
    assert found["steps"] is None
    assert found["algorithm"]["regions"] == where.to_dict()["algorithm"]["regions"]
    compared = cw.compare(curves)
    assert result_record(compared).items() >= compared.to_dict().items()
