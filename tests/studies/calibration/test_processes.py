"""Processes, designs and truths: what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from studies.calibration.data_sets import draw_data_set
from studies.calibration.designs import DESIGNS
from studies.calibration.processes import PROCESSES
from studies.calibration.truths import TRUTHS


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_draws_finite_curves_that_vary_alike_where_it_says_so(name: str) -> None:
    process = PROCESSES[name]
    codes = np.repeat([0, 1, 2], 1_000)
    scores = process.draw(np.random.default_rng(0), codes, 12)
    assert scores.shape == (3_000, 12)
    assert np.isfinite(scores).all()
    low, high = np.quantile(scores.reshape(3, 1_000, 12), [0.25, 0.75], axis=1)
    spreads = (high - low).mean(axis=1)
    assert (spreads.max() < 1.3 * spreads.min()) == process.exchangeable
    assert spreads[0] / 1.349 / process.reference(12).unit == pytest.approx(1, abs=0.15)


def test_the_reference_is_the_mean_of_the_process() -> None:
    mean, unit = PROCESSES["AR(1)"].reference(12)
    np.testing.assert_allclose(mean, 0, atol=0.03)
    assert unit == pytest.approx(1, abs=0.02)
    mean, _ = PROCESSES["log-normal"].reference(12)
    np.testing.assert_allclose(mean, np.exp(0.5), atol=0.07)


def test_neighbouring_steps_are_correlated_as_said() -> None:
    rng, codes = np.random.default_rng(1), np.zeros(20_000, dtype=np.int64)
    scores = PROCESSES["AR(1)"].draw(rng, codes, 10)
    np.testing.assert_allclose(scores.std(axis=0), 1, atol=0.03)
    assert np.corrcoef(scores[:, 4], scores[:, 5])[0, 1] == pytest.approx(0.9, abs=0.01)
    # Of fractional noise the autocorrelation falls off slowly; its first is d / (1 - d),
    # of which a moving average of 200 terms has most.
    scores = PROCESSES["long memory"].draw(rng, codes, 10)
    correlation = np.asarray(np.corrcoef(scores.T))
    assert 0.55 < correlation[0, 1] < 0.4 / 0.6
    assert correlation[0, 9] > 0.25


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_has_the_runs_and_blocks_it_says(name: str) -> None:
    design = DESIGNS[name]
    data = draw_data_set(
        PROCESSES["AR(1)"], design, TRUTHS["nothing differs"], np.random.default_rng(0)
    )
    assert data.curves.sizes == design.sizes
    assert data.curves.n_blocks == (len(design.blocks) or None)
    blocks = design.block_of_run
    for number, block in enumerate(design.blocks):
        assert blocks is not None
        assert tuple(design.codes[blocks == number]) == block


def test_few_relabellings_are_enumerated_and_many_are_sampled() -> None:
    assert DESIGNS["5 + 5"].exact is None
    assert DESIGNS["10 + 10"].exact is False
    assert DESIGNS["3 × 5"].exact is False
    assert DESIGNS["3 × 5"].exact_pairs is None
    assert DESIGNS["8 pairs"].exact is None
    assert DESIGNS["6 blocks of 3"].exact_pairs is False


@pytest.mark.parametrize(
    ("truth", "overall", "height", "shape"),
    [
        ("nothing differs", False, False, False),
        ("height differs", True, True, False),
        ("curves cross", True, False, True),
        ("a quarter differs", True, True, True),
        ("others balance", True, True, False),
        ("learn alike", False, False, False),
        ("one learns faster", True, True, True),
    ],
)
def test_a_truth_differs_as_it_says(truth: str, overall: bool, height: bool, shape: bool) -> None:
    data = draw_data_set(PROCESSES["RL"], DESIGNS["3 × 5"], TRUTHS[truth], np.random.default_rng(0))
    assert data.differs("overall") == overall
    assert data.differs("algorithm") == height
    assert data.differs("interaction") == shape
    assert not data.differs("overall", (0, 0))


def test_planted_differences_are_in_the_curves() -> None:
    design, process = DESIGNS["5 + 5"], PROCESSES["AR(1)"]
    sums = np.zeros((2, design.n_steps))
    for seed in range(300):
        rng = np.random.default_rng(seed)
        data = draw_data_set(process, design, TRUTHS["a quarter differs"], rng)
        scores = data.curves.scores.reshape(2, 5, -1)
        sums += scores.mean(axis=1) / 300
    np.testing.assert_allclose(sums, data.effects, atol=0.15)
    assert data.differing_steps.tolist() == [5 <= step < 10 for step in range(20)]


def test_of_several_tasks_some_differ_and_some_do_not() -> None:
    design, process = DESIGNS["5 + 5"], PROCESSES["AR(1)"]
    rng = np.random.default_rng(3)
    drawn = [draw_data_set(process, design, TRUTHS["one differs"], rng, 6) for _ in range(50)]
    assert 100 < sum(len(data.truly_different) for data in drawn) < 200
    for data in drawn[:5]:
        for name, curves in data.tasks.items():
            last = curves.scores[:, -1].reshape(2, 5).mean(axis=1)
            assert (last[1] - last[0] > 2.6) == (name in data.truly_different)
    none = draw_data_set(process, design, TRUTHS["nothing differs"], rng, 6)
    assert not none.truly_different


def test_a_truth_can_say_what_each_task_has() -> None:
    design, process = DESIGNS["5 + 5"], PROCESSES["AR(1)"]
    rng = np.random.default_rng(4)
    both = draw_data_set(process, design, TRUTHS["half each way"], rng, 10)
    assert len(both.truly_different) == 10
    assert sum(both.leads.values()) == 0
    assert both.winning("task 0") == pytest.approx(1 - both.winning("task 1"), abs=0.02)
    few = draw_data_set(process, design, TRUTHS["one task in five"], rng, 10)
    assert few.truly_different == {"task 0", "task 5"}
    assert few.leads["task 0"] == 1.5 * (few.heights[0] - few.heights[1])
    assert few.winning("task 1") == pytest.approx(0.5, abs=0.02)
    ours, theirs = (few.tasks["task 0"].scores[part].mean() for part in (slice(5), slice(5, 10)))
    assert ours < theirs


def test_scores_are_handed_over_in_the_type_of_the_process() -> None:
    data = draw_data_set(
        PROCESSES["float32 offset"],
        DESIGNS["5 + 5"],
        TRUTHS["height differs"],
        np.random.default_rng(0),
    )
    assert data.curves.precision == np.finfo(np.float32).eps
    assert np.array_equal(data.curves.scores, data.curves.scores.astype(np.float32))
