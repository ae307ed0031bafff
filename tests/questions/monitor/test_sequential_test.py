"""Two algorithms look after look: exact by enumeration, invariant, and as often right as promised."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import nct, t

from curvewise import Curves, compare
from curvewise.inference.asking import asked_of
from curvewise.questions.monitor.ask import monitor
from curvewise.questions.monitor.method import look_statistics, sequential_paths, within_batches
from curvewise.questions.monitor.result import checked_plan
from tests.questions.monitor.batched import batched, first, looks_of_rejection, null_tables, rows_of
from tests.simulation import NULLS, autoregressive

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.questions.monitor.result import MonitoringPlan


def plan_of(n_batches: int, size: int, **options: Any) -> MonitoringPlan:
    given: dict[str, Any] = {
        "spending": "linear",
        "alpha": 0.05,
        "n_shuffles": 199,
        "seed": 0,
        **options,
    }
    asked = asked_of(monitor, n_batches=n_batches, batch_size=size, **given)
    return checked_plan(asked, ("A", "B"))


def names_of(curves: Curves) -> list[str]:
    assert curves.blocks is not None
    return sorted(set(curves.blocks), key=int)


def paths_of(curves: Curves, plan: MonitoringPlan) -> dict[str, list[float]]:
    paths = sequential_paths(curves, names_of(curves), plan)
    return {str(name): path for name, path in paths.items()}


@pytest.mark.parametrize("kind", ["AR(1)", "integer-tied"])
def test_every_labelling_of_a_tiny_experiment_is_rejected_as_rarely_as_promised(kind: str) -> None:
    """All 36 ways to label two batches of 2 + 2 are equally likely if nothing differs."""
    rng = np.random.default_rng(5)
    scores = NULLS[kind](rng, 8, 4) + np.repeat([0, 3], 4)[:, None]
    plan = plan_of(2, 2, alpha=0.1)
    assert plan.exact
    ways = [np.isin(np.arange(4), chosen) for chosen in combinations(range(4), 2)]
    found: dict[str, list[list[float]]] = {
        name: [] for name in ("overall", "algorithm", "interaction")
    }
    for one, other in product(ways, ways):
        labels = np.where(np.concatenate([one, other]), "A", "B")
        curves = Curves(scores, labels, blocks=np.repeat(["1", "2"], 4))
        for name, path in paths_of(curves, plan).items():
            found[name].append(path)
    for paths in found.values():
        pvalues = np.array(paths)
        for alpha in (0.05, 0.1, 0.25, 0.5):
            for look, share in enumerate((0.5, 1.0)):
                assert np.sum(pvalues[:, look] <= alpha) <= alpha * share * 36 + 1e-9
    # The most extreme labelling and its mirror image are found.
    assert min(path[1] for path in found["overall"]) == pytest.approx(2 / 36)


def test_height_and_shape_are_ranked_as_by_hand() -> None:
    curves = batched(3, n_batches=2, size=3, heights=(0, 1))
    scores, labels, batches = within_batches(curves, names_of(curves))
    rng = np.random.default_rng(0)
    relabelled = np.stack(
        [labels]
        + [
            np.concatenate([rng.permutation(labels[batches == b]) for b in (0, 1)])
            for _ in range(20)
        ]
    )
    found, _ = look_statistics(scores[None], batches, relabelled)
    centred = scores - np.stack([scores[batches == b].mean(axis=0) for b in batches])
    n_runs, n_steps = scores.shape
    heights, shapes = [], []
    for row in relabelled:
        difference = centred[row == 0].mean(axis=0) - centred[row == 1].mean(axis=0)
        weight = n_runs / 4
        heights.append(weight * n_steps * difference.mean() ** 2)
        shapes.append(weight * np.sum((difference - difference.mean()) ** 2))
    squares = found[1:, 0] ** 2
    np.testing.assert_allclose(squares[0] / squares[0, 0], np.array(heights) / heights[0])
    np.testing.assert_allclose(squares[1] / squares[1, 0], np.array(shapes) / shapes[0])


def test_no_p_is_below_what_the_runs_allow() -> None:
    # Of 199 drawn relabellings, fewer than 2 of 70 may by chance be like the observed one.
    curves = batched(3, n_batches=2, size=4, heights=(0, 50))
    for seed in range(20):
        plan = plan_of(4, 4, seed=seed)
        smallest = plan.smallest_pvalues()[:2]
        paths = paths_of(curves, plan)
        assert not plan.exact
        for path in paths.values():
            assert np.all(np.array(path) >= smallest)
        assert paths["overall"][1] <= paths["overall"][0]


def test_a_single_look_is_the_test_of_compare() -> None:
    curves = batched(8, n_batches=1, size=5, heights=(0, 4))
    path = paths_of(curves, plan_of(1, 5))
    found = compare(curves.with_blocks(None), rng=0)
    assert found.exact
    assert path["overall"][0] == pytest.approx(found.overall.pvalue, abs=1e-12)
    closed = max(found.overall.pvalue, found.algorithm.pvalue)
    assert path["algorithm"][0] == pytest.approx(closed, abs=1e-12)
    assert closed < 0.05  # beyond which p is rounded up


@given(st.integers(0, 10**6), st.sampled_from([(3, 4), (3, 2)]))
@settings(max_examples=6, deadline=None)
def test_neither_order_nor_names_nor_units_matter(seed: int, design: tuple[int, int]) -> None:
    n_batches, size = design
    curves = batched(seed, n_batches, size, (0, 0.8))
    plan = plan_of(n_batches, size)
    path = paths_of(curves, plan)
    rng = np.random.default_rng(seed)
    shuffled = rows_of(curves, rng.permutation(curves.n_runs))
    assert paths_of(shuffled.in_order_of_names(), plan) == path
    swapped = Curves(curves.scores, np.where(curves.labels == "A", "B", "A"), blocks=curves.blocks)
    assert paths_of(swapped.in_order_of_names(), plan) == path
    scaled = Curves(curves.scores * 7.3 + 1e4, curves.labels, blocks=curves.blocks)
    assert paths_of(scaled, plan) == path
    # What a batch has in common does not matter either.
    assert curves.blocks is not None
    moved = np.array([float(name) ** 2 for name in curves.blocks])[:, None]
    other = Curves(curves.scores + moved, curves.labels, blocks=curves.blocks)
    for name, own in paths_of(other, plan).items():
        np.testing.assert_allclose(own, path[name], rtol=0.05)


@given(st.integers(0, 10**6), st.sampled_from([(4, 4), (4, 2)]))
@settings(max_examples=6, deadline=None)
def test_later_batches_change_nothing_of_earlier_looks(seed: int, design: tuple[int, int]) -> None:
    n_batches, size = design
    curves = batched(seed, n_batches, size, (0, 1.0))
    plan = plan_of(n_batches, size)
    whole = paths_of(curves, plan)
    for look in range(1, n_batches):
        for name, path in paths_of(first(curves, look), plan).items():
            assert path == whole[name][:look]


def test_all_relabellings_and_many_drawn_ones_agree() -> None:
    curves = batched(4, n_batches=4, size=2, heights=(0, 2.5))
    exact = paths_of(curves, plan_of(4, 2))
    drawn = paths_of(curves, _sampled(plan_of(4, 2, n_shuffles=9_999)))
    for name, path in exact.items():
        np.testing.assert_allclose(drawn[name], path, atol=0.02)


def _sampled(plan: MonitoringPlan) -> MonitoringPlan:
    class Sampled(type(plan)):  # type: ignore[misc]
        exact = False

    return Sampled(**{name: getattr(plan, name) for name in plan.to_dict()})


def test_no_shape_is_found_with_a_single_step() -> None:
    curves = batched(1, 2, 4, (0, 6), n_steps=1)
    path = paths_of(curves, plan_of(2, 4))
    assert path["interaction"] == [1.0, 1.0]
    assert path["overall"][1] == path["algorithm"][1] < 0.05


def test_a_batch_without_any_variation_does_no_harm() -> None:
    curves = batched(1, 2, 4, (0, 4))
    scores = curves.scores.copy()
    scores[:8] = 1.0
    flat = Curves(scores, curves.labels, blocks=curves.blocks)
    path = paths_of(flat, plan_of(2, 4))
    assert path["overall"][0] == 1
    assert path["overall"][1] < 0.1


# --- how often it is wrong, and how much it finds

DESIGNS = [(2, 5), (5, 4), (5, 2), (3, 5)]


def rates(found: Any) -> list[float]:
    return [float(np.mean(own > 0)) for own in found]


@pytest.mark.parametrize(("n_batches", "size"), [(2, 5), (5, 2)])
def test_false_alarms_over_all_looks(n_batches: int, size: int) -> None:
    tables = null_tables(1, 300, n_batches, size)
    for spending in ("linear", "obf"):
        found = looks_of_rejection(tables, n_batches, size, spending)
        assert max(rates(found)) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
@pytest.mark.parametrize(("n_batches", "size"), DESIGNS)
def test_false_alarms_over_all_looks_are_as_rare_as_promised(n_batches: int, size: int) -> None:
    n_sets = 1_500
    tables = null_tables(2, n_sets, n_batches, size)
    for spending in ("linear", "obf"):
        found = looks_of_rejection(tables, n_batches, size, spending)
        # Data sets that share relabellings are a little alike.
        error = 1.3 * math.sqrt(0.05 * 0.95 / n_sets)
        assert max(rates(found)) <= 0.05 + 3.5 * error
        assert min(rates(found)) >= 0.05 - 5 * error


def shifted_tables(seed: int, n_tables: int, n_batches: int, size: int, by: Any) -> Floats:
    rng = np.random.default_rng(seed)
    n_runs = 2 * size * n_batches
    tables = autoregressive(rng, n_tables * n_runs, 10).reshape(n_tables, n_runs, 10)
    first_of_two = np.tile(np.repeat([1.0, 0.0], size), n_batches)
    return tables + first_of_two[:, None] * by


def test_a_lift_is_no_difference_in_shape_and_a_crossing_none_in_height() -> None:
    lifted = looks_of_rejection(shifted_tables(3, 200, 4, 4, 2.0), 4, 4)
    overall, height, shape = rates(lifted)
    assert min(overall, height) > 0.9
    assert shape <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200)
    crossing = looks_of_rejection(shifted_tables(4, 200, 4, 4, np.linspace(3, -3, 10)), 4, 4)
    overall, height, shape = rates(crossing)
    assert min(overall, shape) > 0.9
    assert height <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200)


def effect_found_in(power: float, n_runs: int) -> float:
    """The difference, in standard deviations, that a t-test of so many runs finds that often."""
    df, critical = 2 * n_runs - 2, t.ppf(0.975, 2 * n_runs - 2)

    def excess(size: float) -> float:
        return float(nct.sf(critical, df, size * math.sqrt(n_runs / 2))) - power

    return float(brentq(excess, 0.1, 3.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_batches", "size", "spending", "power", "n_runs"),
    [
        (5, 4, "linear", 0.91, 12.7),
        (5, 4, "obf", 0.95, 14.7),
        (10, 2, "linear", 0.90, 12.7),
        (2, 10, "linear", 0.93, 14.4),
    ],
)
def test_power_and_runs_used(
    n_batches: int, size: int, spending: str, power: float, n_runs: float
) -> None:
    """Height, of a difference that 20 runs without looks find in 95 % of data sets."""
    n_sets, difference = 600, effect_found_in(0.95, 20)
    rng = np.random.default_rng(6)
    tables = rng.normal(size=(n_sets, 2 * size * n_batches, 1))
    tables += difference * np.tile(np.repeat([1.0, 0.0], size), n_batches)[:, None]
    looks = looks_of_rejection(tables, n_batches, size, spending)[1]
    used = size * np.where(looks > 0, looks, n_batches)
    found = float(np.mean(looks > 0))
    error = math.hypot(0.02, math.sqrt(found * (1 - found) / n_sets))
    assert abs(found - power) <= 4 * error
    error = float(used.std()) * math.hypot(1 / math.sqrt(n_sets), 1 / math.sqrt(500))
    assert abs(float(used.mean()) - n_runs) <= 4 * error
