"""What a reader must know before believing a comparison, in plain sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.enumeration import n_relabellings as count_relabellings
from curvewise.tables import p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.curves import Curves
    from curvewise.kernels import Integers
    from curvewise.results import Effect, ErrorTerm

__all__ = ["cautions", "has_even_blocks"]

ASPECTS: dict[str, str] = {"algorithm": "height", "interaction": "shape"}


def cautions(
    curves: Curves,
    effects: Mapping[ErrorTerm, Mapping[str, Effect]],
    n_relabellings: int,
    *,
    error: ErrorTerm,
    alpha: float,
) -> tuple[str, ...]:
    """Collect every warning that applies, the gravest first."""
    some = effects[error]["overall"]
    return (
        *_too_few_runs(curves, n_relabellings, alpha),
        *_too_few_shuffles(some, alpha),
        *_single_runs(curves),
        *_single_step(curves),
        *_without_error(effects[error]),
        *_mixed_up(effects, error),
        *_uneven_blocks(curves),
    )


def _too_few_runs(curves: Curves, n_relabellings: int, alpha: float) -> Iterator[str]:
    if 1 / n_relabellings <= alpha:
        return
    sizes = " + ".join(map(str, curves.sizes))
    remedy = "More runs are needed"
    if curves.blocks is None:
        remedy += f": {_enough(len(curves.algorithms), alpha)} of each algorithm would do"
    yield (
        f"With {sizes} runs the smallest p possible is {p_text(1 / n_relabellings)}, "
        f"which is above alpha = {alpha:g}: no data could be significant. {remedy}."
    )


def _too_few_shuffles(some: Effect, alpha: float) -> Iterator[str]:
    if some.exact or 1 / (1 + some.n_shuffles) <= alpha:
        return
    yield (
        f"{some.n_shuffles:,} shuffles cannot give a p below "
        f"{p_text(1 / (1 + some.n_shuffles))}, which is above alpha = {alpha:g}: nothing "
        f"can be significant. Use at least {math.ceil(1 / alpha) - 1:,}."
    )


def _enough(n_algorithms: int, alpha: float) -> int:
    """Return the fewest runs of each algorithm with which p can be as small as alpha."""
    n_runs = 2
    while True:
        labels = np.repeat(np.arange(n_algorithms), n_runs)
        if 1 / count_relabellings(labels, np.zeros_like(labels)) <= alpha:
            return n_runs
        n_runs += 1


def _single_runs(curves: Curves) -> Iterator[str]:
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            yield (
                f"{name} has a single run: how much its runs vary is not known, and is "
                "taken to be as in the other algorithms."
            )


def _single_step(curves: Curves) -> Iterator[str]:
    if curves.n_steps == 1:
        yield "There is a single step, so curves have no shape: only height is compared."


def _without_error(effects: Mapping[str, Effect]) -> Iterator[str]:
    for name, effect in effects.items():
        if math.isinf(effect.statistic) and name in ASPECTS:
            yield (
                f"All runs of an algorithm have the same {ASPECTS[name]}, so F is infinite. "
                "Check that the runs are separate runs; p is still valid."
            )


def _mixed_up(
    effects: Mapping[ErrorTerm, Mapping[str, Effect]], error: ErrorTerm
) -> Iterator[str]:
    """Warn where the pooled error term lets one effect pass for the other."""
    if error != "pooled" or "interaction" not in effects["split"]:
        return
    pairs: tuple[tuple[str, str], ...] = (
        ("interaction", "algorithm"),
        ("algorithm", "interaction"),
    )
    for name, other in pairs:
        own, pooled = effects["split"][name], effects["pooled"][name]
        if not pooled.significant or not (
            effects["split"][other].significant or not own.significant
        ):
            continue
        enough = ""
        if effects["split"][other].significant:
            enough = f", and here the {ASPECTS[other]} differs enough for that"
        yield (
            f"With the pooled error term a difference in {ASPECTS[other]} can pass for one "
            f"in {ASPECTS[name]}{enough}: p for {ASPECTS[name]} is {p_text(pooled.pvalue)} "
            f"pooled and {p_text(own.pvalue)} with its own error term. Believe the latter "
            '(error="split").'
        )


def has_even_blocks(curves: Curves) -> bool:
    """Tell whether every block holds the algorithms in the same proportions."""
    if curves.blocks is None:
        return True
    counts = _block_counts(curves)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return bool(np.allclose(counts, expected))


def _block_counts(curves: Curves) -> Integers:
    """Count the runs of each algorithm in each block; (n_blocks, n_algorithms)."""
    assert curves.blocks is not None  # noqa: S101 (asked only of curves with blocks)
    return np.array(
        [
            np.bincount(
                curves.codes[curves.blocks == name], minlength=len(curves.algorithms)
            )
            for name in dict.fromkeys(curves.blocks)
        ]
    )


def _uneven_blocks(curves: Curves) -> Iterator[str]:
    if curves.blocks is None or has_even_blocks(curves):
        return
    names = list(dict.fromkeys(curves.blocks))
    held = (_block_counts(curves) > 0).sum(axis=1)
    alone = [name for name, n_held in zip(names, held, strict=True) if n_held == 1]
    if alone:
        listed = ", ".join(alone[:3]) + (" and others" if len(alone) > 3 else "")
        yield (
            f"{len(alone)} of {len(names)} blocks hold a single algorithm ({listed}): their "
            "runs say nothing about differences between algorithms."
        )
    yield (
        "Blocks do not hold every algorithm equally often: the sums of squares are those of "
        "the curves with their block's mean curve taken off, and compare algorithms within "
        "blocks only."
    )
