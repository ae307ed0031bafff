"""The scan of all steps and windows: counts by brute force, engines, limits, memory."""

from __future__ import annotations

import pickle
import tracemalloc
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import compare, locate
from curvewise.kernels.steps import StepDesign
from curvewise.questions.locate import method
from curvewise.questions.locate.method import (
    MAX_EXACT,
    MAX_SHUFFLES,
    N_PILOT,
    Reference,
    ScanCounts,
    StepScan,
    cluster_ends,
    scan_limits,
    stretches,
)
from curvewise.shuffling.visit import MAX_FREE, Layout, Plan, visit
from tests.questions.locate.planted import step_ratios, with_regions
from tests.simulation import some_curves
from tests.textbook import all_relabellings, sums_of_squares

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise import Location
    from curvewise.shuffling.visit import Counts

SIZES = (3, 4)
N_STEPS = 5
WINDOWS = [(a, b) for a in range(N_STEPS) for b in range(a, N_STEPS)]
TIE = 1e-9


@cache
def scanned(windows: bool = True) -> tuple[Layout, Reference, Counts]:
    """Every relabelling of a small design, visited."""
    layout = Layout.of(with_regions(1, SIZES, N_STEPS, 1.5))
    design = StepDesign.from_scores(layout.scores, layout.labels, layout.blocks, layout.step_noise)
    reference = Reference.of(design, layout, 3.0, n_visited=35, windows=windows)
    plan = Plan.of(layout.restriction, n_shuffles=1, exact=True, key=0)
    return layout, reference, visit(plan, StepScan.of(reference))


def every() -> list[np.ndarray]:
    """All relabellings of the design; none is a mirror image of another."""
    return list(all_relabellings(SIZES))


def pilot(layout: Layout) -> np.ndarray:
    return layout.restriction.drawn(N_PILOT, seed=0).batch(0)


# --- brute force -----------------------------------------------------------------------


def shares(scores: np.ndarray, labels: np.ndarray) -> list[float]:
    """SS_alg and SS_int as shares of what they and their errors add up to."""
    ss = sums_of_squares(scores, labels)
    height = ss["algorithm"] / (ss["algorithm"] + ss["curves"])
    if scores.shape[1] == 1:
        return [height]
    return [height, ss["interaction"] / (ss["interaction"] + ss["residual"])]


def striking(layout: Layout, labels: Iterable[np.ndarray]) -> np.ndarray:
    """How striking every window is, for height and shape; (n_relabellings, n_effects)."""
    r = np.array(
        [
            [
                share
                for first, last in WINDOWS
                for share in shares(layout.scores[:, first : last + 1], at)
            ]
            for at in labels
        ]
    )
    return np.asarray((r / np.sqrt(1 - r)) ** 0.25)


def test_windows_are_held_against_the_most_striking_of_each_relabelling() -> None:
    layout, _, found = scanned()
    by_chance = striking(layout, pilot(layout))
    mean, spread = by_chance.mean(axis=0), by_chance.std(axis=0)
    null = (striking(layout, every()) - mean) / spread
    observed = (striking(layout, [layout.labels])[0] - mean) / spread
    adjusted = np.sum(null.max(axis=1)[:, None] >= observed - TIE, axis=0)
    planned = np.sum(null >= observed - TIE, axis=0)
    counts = ScanCounts(*found.counts)
    any_window = counts.any_window.reshape(2, N_STEPS, N_STEPS)
    place = 0
    for first, last in WINDOWS:
        for effect in range(1 if first == last else 2):
            assert any_window[effect, first, last] == adjusted[place]
            assert counts.windows[effect, first, last] == planned[place]
            place += 1


def test_nested_windows_are_held_against_their_largest_step() -> None:
    layout, _, found = scanned()
    null = np.array([step_ratios(layout.scores, at) for at in every()])
    observed = step_ratios(layout.scores, layout.labels)
    expected = [
        [
            np.sum(null[:, inside].max(axis=1) >= observed[inside].max() * (1 - TIE))
            for inside in windows
        ]
        for windows in (
            [slice(h, None) for h in range(N_STEPS)],
            [slice(h + 1) for h in range(N_STEPS)],
        )
    ]
    np.testing.assert_array_equal(ScanCounts(*found.counts).nested, expected)


def test_the_largest_steps_of_curves_and_residuals_are_kept() -> None:
    layout, reference, found = scanned()
    (largest,) = found.kept
    left = layout.scores.copy()
    for code in (0, 1):
        left[layout.labels == code] -= left[layout.labels == code].mean(axis=0)
    for scores, roots in zip((layout.scores, left), largest, strict=True):
        null = np.sort([step_ratios(scores, at).max() for at in every()])
        ratios = roots**2 / (1 - roots**2) * reference.design.df[1]
        np.testing.assert_allclose(np.sort(ratios), null, atol=1e-9)


def test_of_more_than_two_algorithms_nothing_is_kept() -> None:
    layout = Layout.of(some_curves(0, (2, 3, 3)))
    design = StepDesign.from_scores(layout.scores, layout.labels, layout.blocks, layout.step_noise)
    reference = Reference.of(design, layout, 3.0, n_visited=9, windows=False)
    assert reference.difference is None
    assert StepScan.of(reference).n_kept == 0


def largest_mass(ratios: np.ndarray, threshold: float) -> float:
    """The largest sum of F over neighbouring steps above a threshold."""
    largest = running = 0.0
    for ratio in ratios:
        running = running + ratio if ratio >= threshold else 0.0
        largest = max(largest, running)
    return largest


def test_clusters_are_held_against_the_largest_of_each_relabelling() -> None:
    layout, reference, found = scanned()
    counts = ScanCounts(*found.counts)
    own = layout.scores - layout.scores.mean(axis=1, keepdims=True)
    for scores, masses, n_extreme in (
        (layout.scores, reference.clusters[0][1], counts.clusters_a),
        (own, reference.clusters[1][1], counts.clusters_i),
    ):
        null = np.array([largest_mass(step_ratios(scores, at), 3.0) for at in every()])
        expected = [np.sum(null >= mass * (1 - TIE)) for mass in masses]
        assert n_extreme.tolist() == expected
    assert len(counts.clusters_a) > 0


def test_the_clearest_step_of_either_effect_decides() -> None:
    _, reference, found = scanned()
    counts = ScanCounts(*found.counts)
    decide = StepScan.of(reference).deciding(found.counts)
    assert decide.tolist() == counts.single.min(axis=1).tolist()


def test_without_windows_the_rest_is_counted_the_same() -> None:
    with_windows, without = scanned()[2], scanned(windows=False)[2]
    for name, one, other in zip(
        ScanCounts._fields, with_windows.counts, without.counts, strict=True
    ):
        if "window" in name:
            assert other.size == 0
        else:
            np.testing.assert_array_equal(one, other)


# --- engines, portions, limits ---------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("n_steps", [7, 30])
@pytest.mark.parametrize("sizes", [(5, 6), (3, 4, 4)])
def test_compiled_windows_count_the_same(
    sizes: tuple[int, ...], n_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = with_regions(7, sizes, n_steps, 2.0)
    monkeypatch.setattr(method, "compiling_repays", lambda *_: False)
    slow = locate(curves, exact=False, n_shuffles=1_500, rng=1)
    monkeypatch.setattr(method, "compiling_repays", lambda *_: True)
    fast = locate(curves, exact=False, n_shuffles=1_500, rng=1)
    assert slow.windows is not None
    assert fast.windows is not None
    np.testing.assert_array_equal(slow.windows.pvalue, fast.windows.pvalue)
    np.testing.assert_array_equal(slow.windows.pvalue_adjusted, fast.windows.pvalue_adjusted)


def test_many_steps_are_tested_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "MAX_PLACES", 5)
    curves = with_regions(8, (4, 4), 12, 2.0)
    where = locate(curves, exact=True)
    assert where.windows is not None
    assert len(where.windows.starts) == 5
    window = where.window(50, 60)
    assert window.start <= 50
    assert window.stop >= 60
    found = compare(curves.window(window.start, window.stop), exact=True)
    assert window.algorithm.pvalue == pytest.approx(found.algorithm.pvalue)
    assert len(where.effects["algorithm"].pvalue_intervalwise) == 12  # type: ignore[arg-type]


@pytest.mark.parametrize("n_steps", [1, 5, 200, 400, 5_000])
def test_the_limits_follow_the_number_of_windows(n_steps: int) -> None:
    limits = scan_limits(n_steps)
    n_places = min(n_steps, 400)
    n_windows = n_places * (n_places + 1) // 2
    assert limits.free == min(MAX_FREE, 400_000_000 // n_windows)
    assert (limits.exact, limits.shuffles) == (MAX_EXACT, MAX_SHUFFLES)


# --- memory ----------------------------------------------------------------------------


def located(sizes: tuple[int, ...], n_shuffles: int) -> tuple[Location, int]:
    """Locate, and return the most memory that took besides."""
    curves = some_curves(0, sizes, 30)
    options: dict[str, Any] = {"exact": False, "n_resamples": 0, "rng": 0}
    locate(curves, n_shuffles=99, **options)
    tracemalloc.start()
    try:
        found = locate(curves, n_shuffles=n_shuffles, **options)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("sizes", "n_kept"), [((10, 10), 2), ((7, 7, 6), 0)])
def test_memory_grows_by_what_is_kept_and_the_result_not_at_all(
    sizes: tuple[int, ...], n_kept: int
) -> None:
    (small, few), (large, many) = located(sizes, 4_000), located(sizes, 24_000)
    assert large.n_shuffles == 6 * small.n_shuffles
    # What is kept is in memory twice while it is joined.
    assert many < 1.1 * few + 2 * n_kept * 8 * 20_000
    pickled = [len(pickle.dumps(found)) for found in (small, large)]
    assert abs(pickled[0] - pickled[1]) < 100


# --- small parts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "ends"),
    [
        ([], []),
        ([False], []),
        ([True], [(0, 0)]),
        ([True, True, False, True], [(0, 1), (3, 3)]),
        ([False, True, True], [(1, 2)]),
    ],
)
def test_stretches_have_a_first_and_a_last(inside: list[bool], ends: list[tuple[int, int]]) -> None:
    assert stretches(np.array(inside, dtype=np.bool_)) == ends


def test_clusters_end_with_their_mass() -> None:
    ends, masses = cluster_ends(np.array([0, 2.0, 5.0, 0, 1.0]))
    assert ends == [(1, 2), (4, 4)]
    assert masses.tolist() == [5.0, 1.0]
    assert cluster_ends(np.zeros(3))[0] == []
