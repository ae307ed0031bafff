"""Random relabellings in compiled code: the very ones that `Shuffles` draws.

They are drawn as masks of two groups (`MaskRule`), or run by run (`DrawPlan`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.streams import (
    BATCH,
    GOLDEN_GAMMA,
    MIX_FACTOR_1,
    MIX_FACTOR_2,
)

if TYPE_CHECKING:
    from curvewise.kernels import Integers
    from curvewise.kernels.relabelling.shuffles import Shuffles

__all__ = [
    "GOLDEN_GAMMA",
    "ONE",
    "U",
    "batch_key",
    "draw_labels",
    "draw_masks",
    "draw_order",
    "mask_arguments",
    "mixed",
    "n_bits",
]

U = np.uint64
ONE = U(1)
HALF = U(32)
LOWER_HALF = U(2**32 - 1)


@intrinsic
def n_bits(_: Any, __: Any) -> Any:
    """Count the bits that are set in a word: one instruction of the processor."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always", **OPTIONS)
def mixed(value):
    """Return the word that SplitMix64 makes of the state of a stream."""
    value = (value ^ (value >> U(30))) * MIX_FACTOR_1
    value = (value ^ (value >> U(27))) * MIX_FACTOR_2
    return value ^ (value >> U(31))


@njit(inline="always", **OPTIONS)
def batch_key(seed, batch):
    """Return the key of the stream of one batch, as `stream_key` does."""
    return mixed(seed ^ mixed(U(batch) * GOLDEN_GAMMA))


@njit(**OPTIONS)
def draw_masks(key, rule, starts, n_completions, completions, masks):
    """Fill ``masks`` with the first BATCH masks that `MaskRule.draw` returns.

    ``masks`` needs room for a few more, which are written and then left out.
    """
    n_free, n_index, per_word = rule
    width = U(n_free + n_index)
    whole = (ONE << width) - ONE
    free_bits = (ONE << U(n_free)) - ONE
    found = 0
    while found < BATCH:
        # Word j of a stream is the mix of key + j times the constant, as in `streams`.
        key += GOLDEN_GAMMA
        word = mixed(key)
        for _ in range(per_word):
            # The lowest bits of the word are the next candidate: its free bits, and above
            # them the index of the completion.
            candidate = word & whole
            word >>= width
            free = candidate & free_bits
            n_set = n_bits(free)
            index = np.int64(candidate >> U(n_free))
            # Write unconditionally, advance the index only if valid: avoids a branch that
            # no processor could predict. Unsigned, the place needs no check for < 0.
            masks[found] = free | completions[U(starts[n_set] + index)]
            found += index < n_completions[n_set]


@njit(inline="always", **OPTIONS)
def draw_order(key, runs, firsts, lasts, drawn):
    """Fill ``drawn`` with the runs at each place, as `DrawPlan.draw`; return the next key.

    Each draw swaps the run at its place with one from there to the end of the block; two draws
    share a word.
    """
    word = U(0)
    for place in range(len(runs)):
        drawn[place] = runs[place]
    for draw in range(len(firsts)):
        if draw & 1:
            half = word >> HALF
        else:
            key += GOLDEN_GAMMA
            word = mixed(key)
            half = word & LOWER_HALF
        filled = U(firsts[draw])
        other = filled + ((half * (U(lasts[draw]) - filled)) >> HALF)
        taken = drawn[other]
        drawn[other] = drawn[filled]
        drawn[filled] = taken
    return key


@njit(**OPTIONS)
def _mask_labels(seed, batch, rule, starts, n_completions, completions, marked, labels):
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    draw_masks(batch_key(seed, batch), rule, starts, n_completions, completions, masks)
    for row in range(labels.shape[0]):
        for run in range(labels.shape[1]):
            is_set = np.int64((masks[row] >> U(run)) & ONE)
            labels[row, run] = is_set if marked == 1 else 1 - is_set


@njit(**OPTIONS)
def _drawn_labels(seed, batch, template, runs, firsts, lasts, labels):
    drawn = np.empty(len(runs), dtype=np.uint32)
    key = batch_key(seed, batch)
    for row in range(labels.shape[0]):
        key = draw_order(key, runs, firsts, lasts, drawn)
        for place in range(len(drawn)):
            labels[row, drawn[place]] = template[place]


def mask_arguments(shuffles: Shuffles) -> tuple[Any, ...]:
    """Return the rule of masks as `draw_masks` takes it."""
    masks = shuffles.masks
    assert masks is not None  # noqa: S101 (only asked where there is a rule)
    widths = masks.n_free, masks.n_index, masks.per_word
    return widths, masks.starts, masks.counts, masks.completions


def draw_labels(shuffles: Shuffles, number: int) -> Integers:
    """Draw a whole batch; (BATCH, n_runs)."""
    labels = np.empty((BATCH, len(shuffles.labels)), dtype=np.int64)
    seed = U(shuffles.seed)
    if shuffles.masks is not None:
        rule = mask_arguments(shuffles)
        _mask_labels(seed, number, *rule, shuffles.masks.marked, labels)
    else:
        plan = shuffles.draw_plan
        _drawn_labels(
            seed, number, plan.template, plan.runs, plan.first, plan.last, labels
        )
    return labels
