"""The names that scripts outside the project call."""

from __future__ import annotations

import inspect

import pytest

import curvewise as cw
from tests.simulation import some_curves


def test_every_public_name_is_there_and_documented() -> None:
    for name in dir(cw):
        assert name == "__version__" or inspect.getdoc(getattr(cw, name)), name


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (cw.Curves, ["scores", "labels", "steps", "runs", "blocks", "higher_is_better"]),
        (cw.Curves.from_frame, ["frame", "algorithm", "run", "step", "score", "block"]),
        (cw.read, ["path", "metric", "x", "group_by", "run_by"]),
        (cw.compare, ["curves", "error", "alpha", "n_shuffles", "exact", "n_jobs", "rng"]),
        (cw.compare_pairs, ["curves", "adjust"]),
        (cw.contrast, ["curves", "coefficients", "weights", "alternative"]),
    ],
)
def test_signatures_begin_as_agreed(function: object, names: list[str]) -> None:
    assert list(inspect.signature(function).parameters)[: len(names)] == names  # type: ignore[arg-type]


def test_results_have_what_scripts_read() -> None:
    curves = some_curves(0, (5, 5))
    for name in ("scores", "labels", "steps", "runs", "blocks", "algorithms"):
        assert hasattr(curves, name)
    found = cw.compare(curves)
    for effect in (found.overall, found.algorithm, found.interaction):
        assert effect is not None
        for name in (
            "statistic",
            "df",
            "pvalue",
            "pvalue_interval",
            "pvalue_parametric",
            "critical_value",
            "significant",
            "effect_size",
            "null_distribution",
        ):
            assert hasattr(effect, name)
    for name in ("exact", "n_relabellings", "smallest_pvalue", "error", "alpha"):
        assert hasattr(found, name)
    for row in found.table.values():
        for name in ("df", "ss", "ms", "statistic", "pvalue", "pvalue_parametric"):
            assert hasattr(row, name)
    assert found.to_dict()
    assert str(found)
    assert found._repr_html_()
    assert cw.describe(found)


def test_where_and_which_have_what_scripts_read() -> None:
    curves = some_curves(0, (5, 5, 5))
    where = cw.locate(curves, alpha=0.05, n_shuffles=99, exact=False, rng=0)
    for name in ("algorithm_profile", "interaction_profile", "statistic"):
        assert getattr(where, name).shape == (curves.n_steps,)
    assert where.pvalue_adjusted.shape == (curves.n_steps,)
    assert 0 <= where.share("algorithm", 0, 2) <= 1
    for name in ("regions", "differs_from", "differs_until"):
        assert hasattr(where, name)
    assert where.window(0, 2).algorithm.pvalue_adjusted > 0
    pairs = cw.compare_pairs(curves, adjust="holm", rng=0)
    for pair in pairs:
        for name in ("a", "b", "algorithm", "interaction", "difference", "interval"):
            assert hasattr(pair, name)
        for name in ("hedges_g", "probability_of_superiority"):
            assert hasattr(pair, name)
        assert pair.algorithm.pvalue_adjusted is not None
    found = cw.contrast(
        curves, {"A": 1, "B": -0.5, "C": -0.5}, weights=None, alternative="two-sided"
    )
    for result in (where, pairs, found, cw.best(curves, rng=0)):
        assert result.to_dict()
        assert str(result)
        assert result._repr_html_()
        assert cw.describe(result)


def test_only_curves_are_positional() -> None:
    with pytest.raises(TypeError):
        cw.compare(some_curves(0), "split")  # type: ignore[call-arg]
