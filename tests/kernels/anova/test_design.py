from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curvewise.kernels.anova import Design, effect_ratio, group_squares, rounding
from tests.simulation import random_walk
from tests.textbook import f_ratios, sums_of_squares

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "anova_r.json").read_text(encoding="utf-8")
)


def reference_scores(sizes: list[int], n_steps: int) -> np.ndarray[Any, Any]:
    """The formula of anova_r.R."""

    def score(a: int, b: int, h: int) -> float:
        return round(100 * math.sin(7 * a + 3 * b**2 + 5 * h + a * h) + 10 * h + 4 * a) / 8

    return np.array(
        [
            [score(a, b, h) for h in range(1, n_steps + 1)]
            for a, size in enumerate(sizes, start=1)
            for b in range(1, size + 1)
        ]
    )


@pytest.mark.parametrize(
    "design", REFERENCE["designs"], ids=lambda d: f"{d['sizes']}x{d['n_steps']}"
)
def test_sums_of_squares_and_f_agree_with_r(design: dict[str, Any]) -> None:
    sizes, n_steps = design["sizes"], design["n_steps"]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    blocks = np.array(design["blocks"] or [0] * len(labels))
    ours = Design.from_scores(reference_scores(sizes, n_steps), labels, blocks)
    for source, row in design["rows"].items():
        assert ours.df[source] == row["df"], source
        np.testing.assert_allclose(ours.ss[source], row["ss"], rtol=1e-9, err_msg=source)
    for source, error in (("algorithm", "curves"), ("interaction", "residual")):
        mean_square = ours.ss[source] / ours.df[source]
        ours_f = mean_square / (ours.ss[error] / ours.df[error])
        np.testing.assert_allclose(ours_f, design["rows"][source]["f"], rtol=1e-9)


@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (4, 1, 3), (2, 2, 2, 2)])
def test_parts_agree_with_their_definitions_and_add_up(sizes: tuple[int, ...]) -> None:
    scores = random_walk(np.random.default_rng(1), sum(sizes), 7)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    ours = Design.from_scores(scores, labels, np.zeros_like(labels))
    for source, value in sums_of_squares(scores, labels).items():
        np.testing.assert_allclose(ours.ss[source], value, rtol=1e-10)
    parts = ["algorithm", "interaction", "training", "curves", "residual"]
    np.testing.assert_allclose(sum(ours.ss[part] for part in parts), ours.ss["total"])
    assert sum(ours.df[part] for part in parts) == ours.df["total"]


def test_parts_add_up_with_uneven_blocks() -> None:
    scores = random_walk(np.random.default_rng(2), 9, 4)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    blocks = np.array([0, 0, 1, 2, 0, 1, 1, 1, 2])
    ours = Design.from_scores(scores, labels, blocks)
    parts = [source for source in ours.ss if source not in {"error", "total"}]
    np.testing.assert_allclose(sum(ours.ss[part] for part in parts), ours.ss["total"])
    assert sum(ours.df[part] for part in parts) == ours.df["total"]


@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (3, 2, 2)])
def test_ratios_of_shuffled_tables_give_the_textbook_f(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    n_runs, n_steps, m = sum(sizes), 5, len(sizes)
    scores = random_walk(rng, n_runs, n_steps)
    labels = np.repeat(np.arange(m), sizes)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    shuffled = rng.permuted(np.tile(labels, (20, 1)), axis=1)
    between = group_squares(shuffled, design.coordinates, design.factor)
    found = [effect_ratio(between, design.totals, row) for row in range(5)]
    spare, extra = n_runs - m, m - 1
    df = [
        (extra * n_steps, spare * n_steps),
        (extra, spare),
        (extra * (n_steps - 1), spare * (n_steps - 1)),
        (extra, spare * n_steps),
        (extra * (n_steps - 1), spare * n_steps),
    ]
    for place, row in enumerate(shuffled):
        expected = list(f_ratios(scores, row).values())
        ours = [found[kind][place] * df[kind][1] / df[kind][0] for kind in range(5)]
        np.testing.assert_allclose(ours, expected, rtol=1e-8)


def test_contrast_has_the_difference_of_two_means() -> None:
    rng = np.random.default_rng(4)
    labels = np.array([0, 0, 1, 1, 1, 0, 1])
    scores = random_walk(rng, 7, 4)
    contrast = Design.from_scores(scores, labels, np.zeros_like(labels)).contrast
    assert contrast is not None
    for row in rng.permuted(np.tile(labels, (5, 1)), axis=1):
        means, members = contrast[row == 0].sum(axis=0)
        # Both are centred, so a sum over 3 of 7 runs is 3 (1 − 3/7) of a difference.
        difference = scores[row == 0].mean() - scores[row == 1].mean()
        assert means / (3 * 4 / 7) == pytest.approx(difference)
        likeness = np.mean(labels[row == 0] == 0) - np.mean(labels[row == 1] == 0)
        assert members / (3 * 4 / 7) == pytest.approx(likeness)
    three = np.array([0, 1, 2, 0, 1, 2, 0])
    assert Design.from_scores(scores, three, np.zeros_like(three)).contrast is None


def test_heights_and_shapes_within_rounding_are_set_to_zero() -> None:
    labels = np.repeat([0, 1], 3)
    parallel = np.array([0.1, 0.4, 0.7]) + np.array([[1.1, 2.2, 3.4, 5.1, 6.6, 7.8]]).T
    noise = rounding(parallel, 2.2e-16)
    design = Design.from_scores(parallel, labels, np.zeros_like(labels), noise)
    assert design.totals.heights > 1
    assert design.totals.shapes == design.ss["interaction"] == design.ss["residual"] == 0
    assert np.all(design.coordinates[:, 1:] == 0)
    level = parallel - parallel.mean(axis=1, keepdims=True)
    flat = Design.from_scores(level, labels, np.zeros_like(labels), noise)
    assert flat.totals == (0, 0)


def test_little_error_keeps_its_digits_beside_a_large_effect() -> None:
    labels = np.repeat([0, 1], 5)
    noise = 1e-6 * np.random.default_rng(0).normal(size=(10, 4))
    design = Design.from_scores(noise + labels[:, None], labels, np.zeros_like(labels))
    expected = sums_of_squares(noise, labels)
    assert design.ss["curves"] == pytest.approx(expected["curves"], rel=1e-6)
    assert design.ss["residual"] == pytest.approx(expected["residual"], rel=1e-6)


def test_an_effect_within_rounding_is_set_to_zero() -> None:
    heights = np.array([0.1, 0.2, 0.7, 0.3, 0.4, 0.3])
    scores = heights[:, None] + np.array([0.0, 0.3, 0.1])
    labels = np.repeat([0, 1], 3)
    none = np.zeros_like(labels)
    assert Design.from_scores(scores, labels, none).ss["algorithm"] > 0
    design = Design.from_scores(scores, labels, none, rounding(scores, 2.2e-16))
    assert design.ss["algorithm"] == 0
    assert design.ss["curves"] > 0.1
