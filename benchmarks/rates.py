"""How many shuffles a second: kernels alone, and through `compare`, beside a light baseline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.contestants import CONTESTANTS, curvewise, light_baseline
from benchmarks.designs import DESIGNS, design_table
from benchmarks.timing import timed

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.contestants import Outcome
    from curvewise.kernels.compiled_kernels import Counter
    from curvewise.kernels.relabel import Shuffles

__all__ = ["THROUGH", "contest", "kernel_ratios"]

# Shuffles of `compare` for which its ratio is given: what a user waits for.
THROUGH = (20_000_000, 10_000_000, 1_000_000, 10_000_000, 50_000, 1_000_000, 50_000)
KERNEL_BATCHES = (40_000, 10_000, 600, 40_000, 60, 2_000, 60)
LIGHT_SHUFFLES = (400_000, 200_000, 40_960, 400_000, 8_192, 81_920, 8_192)


def _check(outcome: Outcome, wanted: int, overall: float, name: str) -> None:
    """Refuse a contestant that did not do the work, or did other work."""
    if outcome.n_shuffles != wanted:
        msg = f"{name} did {outcome.n_shuffles} shuffles of {wanted}"
        raise AssertionError(msg)
    if not 0 < outcome.pvalue <= 1:
        msg = f"{name} found p = {outcome.pvalue}"
        raise AssertionError(msg)
    if outcome.overall is not None and not np.isclose(outcome.overall, overall):
        msg = f"{name} found F = {outcome.overall}, not {overall}"
        raise AssertionError(msg)


def contest(n_rounds: int, atari: Path | None) -> dict[str, dict[str, float]]:
    """Return the shuffles a CPU second of each contestant on each design, the best round's."""
    rates: dict[str, dict[str, float]] = {name: {} for name in CONTESTANTS}
    for place, design in enumerate(DESIGNS):
        scores, labels = design_table(design, atari)
        overall = curvewise(scores, labels, 3_000_000).overall  # also compiles
        for round_ in range(n_rounds):
            for name, (contestant, shuffles) in CONTESTANTS.items():
                n_shuffles = shuffles[place]
                if not n_shuffles:
                    continue
                if round_ == 0:
                    contestant(scores, labels, max(n_shuffles // 100, 1))  # warm
                outcome, seconds = timed(partial(contestant, scores, labels, n_shuffles))
                _check(outcome, n_shuffles, float(overall or 0), f"{name} on {design}")
                rates[name][design] = max(n_shuffles / seconds, rates[name].get(design, 0.0))
        print(
            design, {name: f"{rate[design]:.3g}" for name, rate in rates.items() if design in rate}
        )
    return rates


def _count(counter: Counter, shuffles: Shuffles, n_batches: int) -> None:
    for number in range(n_batches):
        counter(shuffles.batch(number))


def kernel_ratios(n_rounds: int, atari: Path | None) -> dict[str, dict[str, float]]:
    """Return rates of the kernels and of `compare`, and the light baseline's; interleaved."""
    from curvewise.kernels.anova import Design, rounding
    from curvewise.kernels.compiled_kernels import NO_LOOKS, Counter
    from curvewise.kernels.relabel import BATCH, Shuffles

    found: dict[str, dict[str, float]] = {}
    for place, design in enumerate(DESIGNS):
        scores, labels = design_table(design, atari)
        blocks = np.zeros_like(labels)
        summed = Design.from_scores(scores, labels, blocks, rounding(scores, 2.2e-16))
        shuffles = Shuffles(labels, blocks, 10**12, 7)
        counter = Counter(summed, np.empty((len(labels), 0)), NO_LOOKS)
        count = partial(_count, counter, shuffles)
        count(1)
        curvewise(scores, labels, THROUGH[place])
        best = dict.fromkeys(("kernel", "compare", "light"), 0.0)
        works: dict[str, tuple[Any, int]] = {
            "kernel": (partial(count, KERNEL_BATCHES[place]), KERNEL_BATCHES[place] * BATCH),
            "compare": (partial(curvewise, scores, labels, THROUGH[place]), THROUGH[place]),
            "light": (partial(light_baseline, scores, labels, LIGHT_SHUFFLES[place]), LIGHT_SHUFFLES[place]),
        }  # fmt: skip
        for _ in range(n_rounds):
            for name, (work, n_shuffles) in works.items():
                best[name] = max(best[name], n_shuffles / timed(work)[1])
        found[design] = best
        print(design, {name: f"{rate:.3g}" for name, rate in best.items()})
    return found
