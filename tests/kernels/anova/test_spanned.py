"""Mixtures of a few curves are tested as the scores that they are."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.many_tables import Centred, Spanned, rejections

LABELS = np.repeat([0, 1], 8)
BLOCKS = {"none": np.zeros(16, dtype=np.int64), "pairs": np.tile(np.arange(8), 2)}


def mixtures(n_tables: int = 40) -> Spanned:
    rng = np.random.default_rng(1)
    basis = rng.normal(size=(3, 30))
    basis[:, 0] *= 1e-3  # a quiet step
    basis[:, 1] = 0  # one without variation
    return Spanned.of(rng.normal(size=(n_tables, 16, 3)), basis)


def shifts() -> np.ndarray:
    differs = LABELS[:, None] * np.linspace(0.3, 1, 30)
    return np.stack([0 * differs, 5 + differs, 5 + 3 * differs])


def test_few_curves_are_kept_apart_and_many_are_mixed() -> None:
    few = mixtures()
    assert few.basis is not None
    assert few.n_steps == 30
    assert Spanned.of(few.amounts[:, :, :1], np.ones((1, 1))).basis is None
    assert np.allclose(few.scores(), few.amounts @ few.basis)
    assert np.allclose(few.heights(), few.scores().sum(axis=2))
    assert np.all(few.sizes() >= np.abs(few.scores()).max(axis=1))


@pytest.mark.parametrize("blocks", BLOCKS.values(), ids=BLOCKS)
def test_what_is_summed_up_is_that_of_the_scores(blocks: np.ndarray) -> None:
    few = mixtures()
    shift = shifts()[1]
    for own in (few, Spanned(few.scores())):
        shifted = Centred.of(own, blocks).with_shift(shift)
        scores = few.scores() + shift
        for block in np.unique(blocks):
            rows = blocks == block
            scores[:, rows] -= scores[:, rows].mean(axis=1, keepdims=True)
        assert np.allclose(shifted.squares, np.sum(scores**2, axis=1))
        assert np.allclose(shifted.heights, scores.sum(axis=2) / np.sqrt(30))
        assert np.allclose(shifted.totals[0], np.sum(scores**2, axis=(1, 2)))
        weights = np.random.default_rng(2).normal(size=(4, 16))
        tables = np.array([3, 0, 3, 7])
        direct = np.einsum("pjh,pj->ph", scores[tables], weights)
        assert np.allclose(shifted.sums(weights, tables), direct)


@pytest.mark.parametrize("blocks", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("compiled", [False, True])
def test_verdicts_are_those_of_the_scores(blocks: np.ndarray, compiled: bool) -> None:
    few = mixtures()
    options = {"alpha": 0.1, "n_shuffles": 199, "key": 3, "shifts": shifts()}
    found = rejections(few, LABELS, blocks, compiled=compiled, **options)  # type: ignore[arg-type]
    direct = rejections(few.scores(), LABELS, blocks, **options)  # type: ignore[arg-type]
    assert np.array_equal(found, direct)
    assert 0 < found[1].mean() < 1
    # What is claimed takes the other tests only where height is significant.
    first = rejections(few, LABELS, blocks, tests="height first", **options)  # type: ignore[arg-type]
    assert np.array_equal(first[:, 1], found[:, 1])
    assert np.array_equal(first[:, 1:] & first[:, :1], found[:, 1:] & found[:, :1] & first[:, 1:])
    claimed = found[:, 0] & found[:, 1]
    assert np.array_equal(first[:, 0] & first[:, 1], claimed)
