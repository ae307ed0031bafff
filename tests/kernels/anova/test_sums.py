from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curvewise.inference.effects import f_statistic
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.sums import centred, group_squares, rotated
from curvewise.kernels.anova.thresholds import effect_ratios
from tests.simulation import random_walk
from tests.textbook import f_ratios, sums_of_squares

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "anova_r.json").read_text(encoding="utf-8")
)


def reference_scores(sizes: list[int], n_steps: int) -> np.ndarray[Any, Any]:
    """The formula of anova_r.R."""

    def score(a: int, b: int, h: int) -> float:
        return (
            round(100 * math.sin(7 * a + 3 * b**2 + 5 * h + a * h) + 10 * h + 4 * a) / 8
        )

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
        df = ours.df[source], ours.df[error]
        ours_f = f_statistic(ours.ss[source], ours.ss[error], df)
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


@pytest.mark.parametrize("n_steps", [1, 2, 5, 40, 500])
def test_rotation_keeps_inner_products_in_few_coordinates(n_steps: int) -> None:
    deviations = centred(
        random_walk(np.random.default_rng(0), 9, n_steps), np.zeros(9, dtype=np.int64)
    )
    coordinates = rotated(deviations)
    assert coordinates.shape[1] <= 10
    np.testing.assert_allclose(
        coordinates @ coordinates.T,
        deviations @ deviations.T,
        atol=1e-9 * np.abs(deviations @ deviations.T).max(),
    )
    np.testing.assert_allclose(
        coordinates[:, 0], deviations.sum(axis=1) / np.sqrt(n_steps)
    )


@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (3, 2, 2)])
def test_ratios_of_shuffled_tables_give_the_textbook_f(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    n_runs, n_steps, m = sum(sizes), 5, len(sizes)
    scores = random_walk(rng, n_runs, n_steps)
    labels = np.repeat(np.arange(m), sizes)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    shuffled = rng.permuted(np.tile(labels, (20, 1)), axis=1)
    between = group_squares(shuffled, design.coordinates, design.factor)
    found = effect_ratios(between, design.totals)
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
        ours = [found[kind, place] * df[kind][1] / df[kind][0] for kind in range(5)]
        np.testing.assert_allclose(ours, expected, rtol=1e-8)
