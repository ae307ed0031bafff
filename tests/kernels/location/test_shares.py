from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova import EPSILON, step_rounding
from curvewise.kernels.relabel import resample_counts
from curvewise.kernels.steps import StepDesign, _of_blocks, _of_runs, resampled_shares
from tests.simulation import random_walk

LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
NONE = np.zeros(9, dtype=np.int64)
N_STEPS = 5


def profile_of(scores: np.ndarray, labels: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """A of a table at each step."""
    noise = step_rounding(scores, EPSILON)
    design = StepDesign.from_scores(scores, labels, blocks, noise)
    return design.profiles(design.sums(labels[None, :]))[0, :, 0]


def scores_of(seed: int, n_runs: int = 9) -> np.ndarray:
    return random_walk(np.random.default_rng(seed), n_runs, N_STEPS)


def test_resampled_runs_are_a_table_in_which_they_are_repeated() -> None:
    scores = scores_of(0)
    counts = resample_counts(LABELS, 20, seed=1)
    (found,) = _of_runs(scores, LABELS, counts)
    assert found.shape == (20, N_STEPS)
    for row, place in zip(counts.astype(np.int64), range(20), strict=True):
        drawn = np.repeat(np.arange(9), row)
        expected = profile_of(scores[drawn], LABELS[drawn], NONE)
        np.testing.assert_allclose(found[place], expected, atol=1e-9)


# Complete blocks, incomplete ones, and blocks with several runs of an algorithm.
DESIGNS = [("ABC ABC ABC ABC", 4), ("AB BC CA ABC", 4), ("AAB ABBC CC AC ABC", 5)]


def in_blocks(design: str) -> tuple[np.ndarray, np.ndarray]:
    labels = [ord(run) - ord("A") for run in design.replace(" ", "")]
    sizes = [len(block) for block in design.split()]
    return np.array(labels), np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize(("design", "n_blocks"), DESIGNS)
def test_resampled_blocks_are_a_table_in_which_they_are_repeated(
    design: str, n_blocks: int
) -> None:
    labels, blocks = in_blocks(design)
    scores = scores_of(1, len(labels))
    counts = resample_counts(np.zeros(n_blocks, dtype=np.int64), 40, seed=2)
    # The data themselves, and then resamples in which all algorithms can be compared.
    counts = np.vstack([np.ones(n_blocks), counts])
    (found,) = _of_blocks(scores, labels, blocks, counts)
    assert found.shape == (41, N_STEPS)
    n_compared = 0
    for place, row in enumerate(counts.astype(np.int64)):
        drawn = [b for b in range(n_blocks) for _ in range(row[b])]
        runs = np.concatenate([np.flatnonzero(blocks == block) for block in drawn])
        sizes = [int(np.sum(blocks == block)) for block in drawn]
        again = np.repeat(np.arange(len(drawn)), sizes)
        if not connected([set(labels[blocks == b].tolist()) for b in set(drawn)]):
            continue
        n_compared += 1
        expected = profile_of(scores[runs], labels[runs], again)
        np.testing.assert_allclose(found[place], expected, atol=1e-9)
    assert n_compared > 20


def connected(blocks: list[set[int]]) -> bool:
    """Whether blocks compare all three algorithms, directly or through others."""
    reached = set(blocks[0])
    for _ in range(3):
        reached |= {a for block in blocks if block & reached for a in block}
    return len(reached) == 3


def test_blocks_that_leave_an_algorithm_out_compare_the_others() -> None:
    labels, blocks = in_blocks("ABC AB BC")
    scores = scores_of(2, len(labels))
    (found,) = _of_blocks(scores, labels, blocks, np.array([[0.0, 3.0, 0.0]]))
    # Three times the block of A and B: three differences, of one run each.
    difference = scores[3] - scores[4]
    np.testing.assert_allclose(found[0], 3 * difference**2 / 2)


BLOCKS = np.array([0, 1, 2, 0, 1, 2, 2, 0, 1])


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("blocks", [NONE, BLOCKS])
def test_shares_of_windows_that_cover_training_once_add_up_to_1(
    blocks: np.ndarray, changes: bool
) -> None:
    arguments = scores_of(3), LABELS, blocks, 30, 4, [(0, 1), (2, 2), (3, 4)]
    found = resampled_shares(*arguments, changes=changes)
    assert found.shape == (30, 3)
    assert np.all(found >= 0)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    again = resampled_shares(*arguments, changes=changes)
    np.testing.assert_array_equal(found, again)


@pytest.mark.parametrize("n_steps", [5, 60])
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("blocks", [NONE, BLOCKS])
def test_a_share_is_the_part_of_the_squares_inside(
    blocks: np.ndarray, changes: bool, n_steps: int
) -> None:
    # Of 60 steps and 9 runs the windows are rotated, some of which overlap.
    scores = random_walk(np.random.default_rng(4), 9, n_steps)
    ends = [(1, 2), (0, n_steps - 1), (2, n_steps // 2), (n_steps - 1, n_steps - 1)]
    found = resampled_shares(scores, LABELS, blocks, 10, 6, ends, changes=changes)
    curves = scores - scores.mean(axis=1, keepdims=True) if changes else scores
    if blocks is NONE:
        (squares,) = _of_runs(curves, LABELS, resample_counts(LABELS, 10, seed=6))
    else:
        counts = resample_counts(np.zeros(3, dtype=np.int64), 10, seed=6)
        (squares,) = _of_blocks(curves, LABELS, blocks, counts)
    for place, (first, last) in enumerate(ends):
        expected = squares[:, first : last + 1].sum(axis=1) / squares.sum(axis=1)
        np.testing.assert_allclose(found[:, place], expected)


def test_without_any_difference_the_share_is_zero() -> None:
    arguments = np.zeros((9, 4)), LABELS, NONE, 5, 0, [(0, 3)]
    assert resampled_shares(*arguments, changes=False).tolist() == np.zeros((5, 1)).tolist()


def test_portions_of_resamples_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [(step, step) for step in range(N_STEPS)]
    for of_run in (NONE, BLOCKS):
        arguments = (scores_of(5), LABELS, of_run, 23, 1, ends)
        whole = resampled_shares(*arguments, changes=True)
        with monkeypatch.context() as patch:
            patch.setattr("curvewise.kernels.steps.MAX_RESAMPLED_SUMS", 40)
            again = resampled_shares(*arguments, changes=True)
            np.testing.assert_allclose(again, whole)
