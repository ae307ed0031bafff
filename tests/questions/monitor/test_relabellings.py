"""Relabellings inside batches: all of them, or drawn once and for all."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from curvewise.questions.monitor.method import all_relabellings, drawn_relabellings

PARTS = [np.array([1, 0, 0]), np.array([0, 1]), np.array([0, 1, 1, 0])]


def test_all_relabellings_of_each_look_are_there_once() -> None:
    looks, observed = all_relabellings(PARTS)
    assert [len(labels) for labels in looks] == [3, 3 * 2, 3 * 2 * 6]
    for look, labels in enumerate(looks, start=1):
        slow = {
            tuple(np.concatenate(parts).tolist())
            for parts in product(
                *(
                    [np.array(way) for way in product([0, 1], repeat=len(own))]
                    for own in PARTS[:look]
                )
            )
            if all(a.sum() == b.sum() for a, b in zip(parts, PARTS, strict=False))
        }
        assert {tuple(row) for row in labels.tolist()} == slow
        # Of the last look, those that begin alike stand next to each other.
        n_each = len(looks[-1]) // len(labels)
        begin = looks[-1][:, : labels.shape[1]]
        assert (begin == np.repeat(labels, n_each, axis=0)).all()
    assert (looks[-1][observed] == np.concatenate(PARTS)).all()


def test_drawn_relabellings_keep_the_sizes_and_never_change() -> None:
    looks, observed = drawn_relabellings(PARTS, 2_000, seed=3)
    assert observed == 0
    for look, labels in enumerate(looks, start=1):
        assert (labels[0] == np.concatenate(PARTS[:look])).all()
        start = 0
        for own in PARTS[:look]:
            part = labels[:, start : start + len(own)]
            assert (part.sum(axis=1) == own.sum()).all()
            start += len(own)
        fewer, _ = drawn_relabellings(PARTS[:look], 2_000, seed=3)
        assert (fewer[-1] == labels).all()
    fewer, _ = drawn_relabellings(PARTS, 1_500, seed=3)
    assert (fewer[-1] == looks[-1][:1_501]).all()
    other, _ = drawn_relabellings(PARTS, 2_000, seed=4)
    assert (other[-1] != looks[-1]).any()


def test_drawn_relabellings_are_uniform_and_batches_independent() -> None:
    parts = [np.array([0, 0, 1, 1])] * 2
    looks, _ = drawn_relabellings(parts, 36_000, seed=0)
    _, counts = np.unique(looks[-1][1:], axis=0, return_counts=True)
    assert len(counts) == math.comb(4, 2) ** 2
    chi_squared = float(np.sum((counts - 1_000) ** 2 / 1_000))
    assert chi_squared == pytest.approx(35, abs=4 * math.sqrt(70))
