from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.relabel import MaskRule

DESIGNS = [(2, 1), (6, 3), (9, 4), (10, 4), (13, 6), (14, 2), (12, 11)]


def rule_of(n_runs: int, n_first: int) -> MaskRule:
    rule = MaskRule.of(n_runs, n_first)
    assert rule is not None
    return rule


@pytest.mark.parametrize(("n_runs", "n_first"), DESIGNS)
def test_each_mask_is_made_by_exactly_one_candidate(n_runs: int, n_first: int) -> None:
    rule = replace(rule_of(n_runs, n_first), per_word=1)
    candidates = np.arange(2 ** (rule.n_free + rule.n_index), dtype=np.uint64)
    made = rule._accepted(candidates).tolist()
    # The bits of the smaller group are set.
    chosen = combinations(range(n_runs), min(n_first, n_runs - n_first))
    assert sorted(made) == sorted(sum(2**run for run in runs) for runs in chosen)


@pytest.mark.parametrize(("n_runs", "n_first"), [*DESIGNS, (40, 20), (60, 30)])
def test_candidates_of_a_word_are_taken_from_its_lowest_bits_on(n_runs: int, n_first: int) -> None:
    rule = rule_of(n_runs, n_first)
    width = rule.n_free + rule.n_index
    assert rule.per_word * width <= 64
    words = np.random.default_rng(0).integers(0, 2**64, size=200, dtype=np.uint64)
    single = replace(rule, per_word=1)
    expected = [
        mask
        for word in words.tolist()
        for place in range(rule.per_word)
        for mask in single._accepted(
            np.array([(word >> place * width) & (2**width - 1)], dtype=np.uint64)
        ).tolist()
    ]
    assert rule._accepted(words).tolist() == expected


@pytest.mark.parametrize(("n_runs", "n_first"), [(10, 5), (23, 7), (40, 20), (60, 30)])
def test_drawn_masks_have_the_right_number_of_bits(n_runs: int, n_first: int) -> None:
    rule = rule_of(n_runs, n_first)
    masks = rule.draw(7, 2, 500)
    assert len(masks) == 500
    labels = rule.labels(masks)
    assert labels.shape == (500, n_runs)
    assert np.all(labels.sum(axis=1) == n_runs - n_first)
    # Run r is in the first group, label 0, if bit r is set.
    assert [int(mask >> 3) & 1 for mask in masks.tolist()] == (1 - labels[:, 3]).tolist()
    np.testing.assert_array_equal(rule.draw(7, 2, 20), masks[:20])


def test_there_is_no_rule_where_too_few_candidates_would_be_accepted() -> None:
    assert MaskRule.of(61, 30) is None
    assert MaskRule.of(60, 30) is not None
    # C(42, 2) masks among 2⁴⁰ candidates.
    assert MaskRule.of(42, 2) is None
