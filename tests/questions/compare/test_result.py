"""Comparison and Comparisons: frozen data, tables, and everything as JSON."""

from __future__ import annotations

import dataclasses
import json
import pickle
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Curves, compare, compare_many
from curvewise.text import naming_flags
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Comparison, Comparisons


@cache
def two() -> Comparison:
    return compare(some_curves(0, (5, 5)))


@cache
def three() -> Comparison:
    return compare(some_curves(0, (9, 9, 8)), n_shuffles=399, rng=0)


@cache
def many() -> Comparisons:
    return compare_many({"a": some_curves(0, (5, 5)), "b": some_curves(1, (3, 3), 1)})


def test_everything_is_json_ready_even_what_is_infinite() -> None:
    curve = np.arange(4.0)
    found = compare(Curves([curve] * 3 + [curve + 1] * 3, list("AAABBB"), steps=[0, 1, 2, 3]))
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["algorithm"]["statistic"] is None
    assert record["difference"]["interval"] == [None, None]
    assert record["effects"]["pooled"]["interaction"]["pvalue"] == 1
    assert record["warnings"] == list(found.warnings)
    assert [row["source"] for row in record["table"]["rows"]][:3] == [
        "interaction",
        "algorithm",
        "training",
    ]


def test_nothing_is_rounded() -> None:
    found = compare(some_curves(0, (5, 5)))
    record = json.loads(json.dumps(found.to_dict()))
    assert record["algorithm"]["statistic"] == found.algorithm.statistic
    assert record["algorithm"]["pvalue"] == found.algorithm.n_extreme / found.n_relabellings


def test_results_are_frozen() -> None:
    found = compare(some_curves(0, (5, 5)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.alpha = 0.1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.algorithm.pvalue = 0.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.algorithm.null_distribution[0] = 1


def test_the_error_term_is_named_in_every_print() -> None:
    curves = some_curves(0, (5, 5))
    split, pooled = compare(curves), compare(curves, error="pooled")
    assert "Error term: split (algorithm against curves" in str(split)
    assert "Error term: pooled" in str(pooled)
    assert "Error term: pooled" in pooled._repr_html_()
    assert split.table["algorithm"].statistic != pooled.table["algorithm"].statistic
    assert split.table["algorithm"].ss == pooled.table["algorithm"].ss


def test_warnings_are_in_every_print() -> None:
    found = compare(some_curves(0, (3, 3)))
    assert "Warning: With 3 + 3 runs" in str(found)
    assert "With 3 + 3 runs" in found._repr_html_()


@pytest.mark.parametrize("result", [two, three])
def test_the_tables_show_algorithms_sums_of_squares_and_effects(result: object) -> None:
    found = result()  # type: ignore[operator]
    algorithms, anova, effects = found.tables()
    best_first = sorted(found.algorithms, key=lambda own: -own.mean)
    assert [row[0] for row in algorithms.rows] == [own.name for own in best_first]
    assert anova.rows == found.table.table().rows
    assert [row[0] for row in effects.rows] == ["at all", "in height", "in shape"]
    assert effects.header[2] == "critical at 0.05"
    exact = [row[4] for row in effects.rows]
    if found.exact:
        assert exact == ["exact"] * 3
    else:
        assert all(" to " in text for text in exact)


def test_what_cannot_be_decided_has_no_critical_value() -> None:
    effects = compare(some_curves(0, (3, 3))).tables()[2]
    assert [row[2] for row in effects.rows] == ["none"] * 3


def test_an_interval_that_begins_at_zero_is_written_so() -> None:
    curves = some_curves(0, (9, 9, 8))
    apart = Curves(curves.scores + 99 * (curves.codes == 0)[:, None], curves.labels)
    effects = compare(apart, n_shuffles=199, rng=0).tables()[2]
    assert effects.rows[0][4].startswith("0 to ")


def test_a_single_run_has_no_standard_deviation() -> None:
    rows = compare(some_curves(0, (1, 6)), alpha=0.2).tables()[0].rows
    assert rows[0][3] == ""
    assert rows[1][3] != ""


@pytest.mark.parametrize("result", [two, three, many])
def test_results_survive_pickling(result: object) -> None:
    found = result()  # type: ignore[operator]
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 (our own)
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)


def test_sampling_is_part_of_the_result_and_of_its_json() -> None:
    record = three().to_dict()
    for name in ("exact", "n_relabellings", "n_shuffles", "engine", "seed"):
        assert record[name] == getattr(three(), name)
        assert record[name] == getattr(three().sampling, name)
    assert (three().seed, two().seed) == (0, None)


def test_caveats_are_data_and_warnings_sentences_of_either_surface() -> None:
    found = compare(some_curves(0, (6, 6)), exact=False, n_shuffles=5, rng=0)
    record = found.to_dict()
    assert [caveat["kind"] for caveat in record["caveats"]] == ["too few shuffles"]
    assert "n_shuffles=19" in record["warnings"][0]
    with naming_flags():
        assert "--shuffles 19" in found.to_dict()["warnings"][0]
        assert "--shuffles 19" in str(found)


# --- many ------------------------------------------------------------------------------


def test_many_comparisons_are_a_mapping_of_frozen_data() -> None:
    found = many()
    assert list(found) == ["a", "b"]
    assert len(found) == 2
    assert found["a"].to_dict() == two().to_dict()
    with pytest.raises(KeyError):
        found["c"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.alpha = 0.1  # type: ignore[misc]


def test_many_comparisons_show_a_row_for_each() -> None:
    (table,) = many().tables()
    assert table.header == (
        "table",
        *("overall", "p", "adjusted"),
        *("height", "p", "adjusted"),
        *("shape", "p", "adjusted"),
    )
    assert [row[0] for row in table.rows] == ["a", "b"]
    assert table.rows[1][-3:] == ("", "", "")
    assert "Warning: b: With 3 + 3 runs" in str(many())
    assert "Warning:</strong> b: With 3 + 3 runs" in many()._repr_html_()


def test_everything_a_table_of_many_shows_is_in_its_json() -> None:
    record = json.loads(json.dumps(many().to_dict(), allow_nan=False))
    assert set(record["comparisons"]) == {"a", "b"}
    assert record["pvalues_adjusted"]["overall"].keys() == {"a", "b"}
    assert record["smallest_pvalue"] == many().smallest_pvalue == 2 / 126
    assert [caveat["members"] for caveat in record["caveats"]] == [["b"], ["b"]]


def test_an_effect_after_adjustment_is_at_most_alpha() -> None:
    for alpha in (0.05, 0.5, 0.999):
        found = dataclasses.replace(many(), alpha=alpha)
        for effect, adjusted in found.pvalues_adjusted.items():
            assert found.significant(effect) == tuple(
                name for name, pvalue in adjusted.items() if pvalue <= alpha
            )
