"""Power of the overall test: the combined statistic against the F of all steps.

Two algorithms, 50 steps, four kinds of curves × six differences. In each of these cells the
difference is as large as the second best of five plain tests finds in 65% of data sets, so that
no cell is hopeless or trivial, and none is chosen in favour of a test.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DIFFERENCES", "KINDS", "first_test_powers"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

N_STEPS = 50
AT = np.arange(1, N_STEPS + 1) / N_STEPS  # of training
TARGET = 0.65  # found by the second best of the plain tests
N_TO_CHOOSE = 300  # data sets from which the size of a difference is chosen
N_SHUFFLES = 199  # where there are too many relabellings to visit
ALPHA = 0.05


def smooth(rng: np.random.Generator, n_runs: int) -> Floats:
    """Smooth Gaussian process, and an offset of the whole run."""
    covariance = np.exp(-0.5 * ((AT[:, None] - AT) / 0.15) ** 2)
    root = np.linalg.cholesky(covariance + 1e-8 * np.eye(N_STEPS))
    curves = rng.normal(size=(n_runs, N_STEPS)) @ root.T
    return 0.7 * curves + 0.7 * rng.normal(size=(n_runs, 1))


def autoregressive(rng: np.random.Generator, n_runs: int) -> Floats:
    """AR(1) with correlation .9, and variance 1."""
    curves = rng.normal(size=(n_runs, N_STEPS))
    for step in range(1, N_STEPS):
        curves[:, step] *= np.sqrt(1 - 0.81)
        curves[:, step] += 0.9 * curves[:, step - 1]
    return curves


def nearly_white(rng: np.random.Generator, n_runs: int) -> Floats:
    """Independent scores, and a small offset of the whole run."""
    return rng.normal(size=(n_runs, N_STEPS)) + 0.2 * rng.normal(size=(n_runs, 1))


def reinforcement(rng: np.random.Generator, n_runs: int) -> Floats:
    """Random onset and asymptote, noise that grows with the score; one run in ten fails."""
    onset = rng.uniform(0.1, 0.5, size=(n_runs, 1))
    height = 1 + 0.25 * rng.normal(size=(n_runs, 1))
    height *= rng.random((n_runs, 1)) >= 0.1
    curves = height / (1 + np.exp(-(AT - onset) / 0.06))
    noise = autoregressive(rng, n_runs)
    return curves + (0.02 + 0.1 * np.abs(curves)) * noise


KINDS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "smooth, offset": smooth,
    "AR(1)": autoregressive,
    "nearly white": nearly_white,
    "RL": reinforcement,
}

_faster = np.exp(-3 * AT) - np.exp(-6 * AT)
DIFFERENCES: dict[str, Floats] = {
    "shift": np.ones(N_STEPS),
    "early bump": np.exp(-0.5 * ((AT - 0.15) / 0.07) ** 2),
    "late divergence": np.maximum(AT - 0.6, 0) / 0.4,
    "faster learning": _faster / _faster.max(),
    "crossing": 1 - 2 * AT,
    "one-step blip": (np.arange(N_STEPS) == N_STEPS // 2).astype(float),
}


def relabellings(n_runs: int, rng: np.random.Generator) -> Integers:
    """Return signs of the runs, the observed labelling first: all, or a sample of many."""
    first = np.repeat([1, -1], n_runs)
    if n_runs > 5:
        drawn = [rng.permutation(first) for _ in range(N_SHUFFLES)]
        return np.array([first, *drawn])
    rows = []
    for chosen in combinations(range(1, 2 * n_runs), n_runs - 1):
        signs = np.full(2 * n_runs, -1)
        signs[[0, *chosen]] = 1
        rows.append(signs)
    return np.array(rows)


def plain_powers(curves: Floats, signs: Integers) -> Floats:
    """Return how often each of five plain tests finds a difference; (5,).

    All steps, height, shape, the most striking step, and all steps standardised. ``curves`` is
    (n_sets, n_runs, n_steps); the first row of ``signs`` is the observed labelling.
    """
    found = np.zeros(5)
    for table in curves:
        centred = table - table.mean(axis=0)
        totals = np.sum(centred**2, axis=0)
        sums = signs @ centred
        squares = sums**2
        height = sums.sum(axis=1) ** 2 / N_STEPS
        each = squares / totals
        statistics = np.stack(
            [
                squares.sum(axis=1),
                height,
                squares.sum(axis=1) - height,
                each.max(axis=1),
                each.sum(axis=1),
            ]
        )
        pvalues = np.mean(statistics >= statistics[:, :1] * (1 - 1e-9), axis=1)
        found += pvalues <= ALPHA
    return found / len(curves)


def chosen_size(kind: str, difference: str, n_runs: int, seed: int) -> float:
    """Return the size of a difference that the second best plain test finds in 65%."""
    rng = stream(seed, f"power: size of {difference} in {kind}", n_runs)
    noise = np.stack([KINDS[kind](rng, 2 * n_runs) for _ in range(N_TO_CHOOSE)])
    signs = relabellings(n_runs, rng)
    effect = np.zeros((2 * n_runs, N_STEPS))
    effect[:n_runs] = DIFFERENCES[difference]

    def second_best(size: float) -> float:
        return float(np.sort(plain_powers(noise + size * effect, signs))[-2])

    low, high = 0.0, 0.05
    while second_best(high) < TARGET:
        low, high = high, 2 * high
    for _ in range(7):
        middle = (low + high) / 2
        low, high = (middle, high) if second_best(middle) < TARGET else (low, middle)
    return (low + high) / 2


def first_test_powers(n_runs: int, n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each cell, how often the combined test and F find the difference.

    Also, without any difference: false alarms, and with equal means and the spread of one
    algorithm three times as large.
    """

    def cell(kind: str, difference: str | None, spread: float = 1.0) -> dict[str, Any]:
        size = 0.0 if difference is None else chosen_size(kind, difference, n_runs, seed)
        rng = stream(seed, f"power: {difference} in {kind}, spread {spread:g}", n_runs)
        found = np.zeros(4)
        for _ in range(n_sets):
            scores = KINDS[kind](rng, 2 * n_runs)
            if spread != 1:
                mean = KINDS[kind](rng, 400).mean(axis=0)
                scores[:n_runs] = mean + spread * (scores[:n_runs] - mean)
            if difference is not None:
                scores[:n_runs] += size * DIFFERENCES[difference]
            curves = cw.Curves(scores, np.repeat(["A", "B"], n_runs))
            compared = cw.compare(curves, exact=n_runs <= 5, n_shuffles=N_SHUFFLES, rng=rng)
            own = compared.effects["split"]
            found += [
                own["overall"].significant,
                compared.effects["pooled"]["overall"].significant,
                own["algorithm"].significant,
                own["interaction"].significant,
            ]
        names = ("combined", "F", "height", "shape")
        return {"size": size, **dict(zip(names, (found / n_sets).tolist(), strict=True))}

    def stored(name: str, *arguments: Any) -> dict[str, Any]:
        key = {"seed": seed, "n_sets": n_sets, "n_runs": n_runs}
        result: dict[str, Any] = load_or_compute(
            f"power/{n_runs} runs {name}", key, lambda: cell(*arguments)
        )
        return result

    return {
        "cells": {
            f"{kind}: {difference}": stored(f"{kind} {difference}", kind, difference)
            for kind in KINDS
            for difference in DIFFERENCES
        },
        "null": {kind: stored(f"{kind} null", kind, None) for kind in KINDS},
        "spread": {
            kind: stored(f"{kind} spread", kind, None, 3.0) for kind in KINDS if kind != "RL"
        },
    }
