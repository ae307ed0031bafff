"""Tally: counts are added up, and what is kept is joined in order."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise.shuffling.visit import Tally


def measured(chunk: range) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    items = np.array(chunk)
    counts = np.array([len(items), items.sum()]), np.array(items.max())
    return counts, (np.vstack([items, -items]).astype(float), items.astype(float))


CHUNKS = [range(2), range(2, 5), range(5, 6), range(6, 9)]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
def test_the_order_of_chunks_changes_nothing(order: list[int]) -> None:
    tally = Tally()
    for place in order:
        tally.add(CHUNKS[place], measured(CHUNKS[place]))
    assert tally.counts[0].tolist() == [9, 36]
    assert tally.counts[1] == 1 + 4 + 5 + 8
    first, second = tally.joined()
    np.testing.assert_array_equal(first, [np.arange(9), -np.arange(9)])
    np.testing.assert_array_equal(second, np.arange(9))
    assert tally.done == {(0, 2), (2, 5), (5, 6), (6, 9)}


def test_the_counts_given_are_not_changed() -> None:
    tally, counts = Tally(), np.array([1, 2])
    tally.add(range(1), ((counts,), ()))
    tally.add(range(1, 2), ((counts,), ()))
    assert counts.tolist() == [1, 2]
    assert tally.counts[0].tolist() == [2, 4]


def test_nothing_kept_is_joined_to_nothing() -> None:
    tally = Tally()
    assert tally.joined() == ()
    tally.add(range(1), ((np.array([1]),), ()))
    assert tally.joined() == ()
    assert tally.kept == {}
