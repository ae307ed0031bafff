"""Every two algorithms over the looks: their sequential p, adjusted for all pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import EFFECTS
from curvewise.kernels.adjustments import holm
from curvewise.questions.monitor.result import SequentialEffect, SequentialPair
from curvewise.questions.monitor.sequential_test import sequential_paths
from curvewise.shuffling.parallel import track_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import EffectName
    from curvewise.questions.monitor.batches import Batches
    from curvewise.questions.monitor.plan import MonitoringPlan

    Names = tuple[str, str]
    Paths = dict[EffectName, list[float]]

__all__ = ["any_pair", "sequential_pairs"]


def sequential_pairs(
    curves: Curves, batches: Batches, plan: MonitoringPlan, given_up: frozenset[str]
) -> tuple[SequentialPair, ...]:
    """Test every two algorithms on their own curves, and adjust at every look."""
    names = list(combinations(curves.algorithms, 2))
    paths = {pair: _path(curves, pair, batches, plan) for pair in track_items(names)}
    effects = _effects(paths, batches, plan)
    return tuple(_pair(curves, pair, effects[pair], batches, given_up) for pair in names)


def any_pair(pairs: Sequence[SequentialPair]) -> dict[EffectName, SequentialEffect]:
    """Return whether any two differ, for each effect: the smallest adjusted p at each look."""
    if len(pairs) == 1:
        return {name: pairs[0].effect(name) for name in EFFECTS}
    found: dict[EffectName, SequentialEffect] = {}
    for name in EFFECTS:
        own = [pair.effect(name) for pair in pairs]
        smallest = tuple(np.min([e.pvalues_adjusted for e in own], axis=0).tolist())
        now = min(min(e.smallest_pvalue_now for e in own) * len(pairs), 1.0)
        found[name] = replace(
            own[0], pvalues=smallest, pvalues_adjusted=smallest, smallest_pvalue_now=now
        )
    return found


def _path(curves: Curves, pair: Names, batches: Batches, plan: MonitoringPlan) -> Paths:
    """Test a pair on the batches that both have runs in; later its p stays as it is."""
    shared = batches.names[: len(batches.sizes_of(*pair))]
    # In the order of names: who came first must not change which relabellings are drawn.
    paths = sequential_paths(curves.select(*sorted(pair)), shared, plan)
    n_more = batches.look - len(shared)
    return {name: [*own, *own[-1:] * n_more] for name, own in paths.items()}


def _effects(
    paths: dict[Names, Paths], batches: Batches, plan: MonitoringPlan
) -> dict[Names, dict[EffectName, SequentialEffect]]:
    """Adjust the p of all pairs for each other, at each look and for each effect."""
    adjusted = {
        name: np.column_stack(
            [
                holm(at_look)
                for at_look in np.array([own[name] for own in paths.values()]).T
            ]
        )
        for name in EFFECTS
    }
    return {
        pair: {
            name: SequentialEffect(
                name,
                tuple(own[name]),
                tuple(adjusted[name][place].tolist()),
                plan.alpha,
                plan.smallest_pvalues_of(batches.sizes_of(*pair))[-1],
            )
            for name in EFFECTS
        }
        for place, (pair, own) in enumerate(paths.items())
    }


def _pair(
    curves: Curves,
    pair: Names,
    effects: dict[EffectName, SequentialEffect],
    batches: Batches,
    given_up: frozenset[str],
) -> SequentialPair:
    sizes = batches.sizes_of(*pair)
    different = effects["overall"].significant
    ended = bool(given_up.intersection(pair)) or len(sizes) < batches.look
    a, b = pair
    return SequentialPair(
        a,
        b,
        overall=effects["overall"],
        algorithm=effects["algorithm"],
        interaction=effects["interaction"],
        difference=_difference(curves, pair, batches.names[: len(sizes)]),
        n_runs=(sum(a for a, _ in sizes), sum(b for _, b in sizes)),
        n_looks=len(sizes),
        status="different" if different else "given up" if ended else "undecided",
    )


def _difference(curves: Curves, pair: Names, names: Sequence[str]) -> float:
    """Return how far apart two algorithms are inside batches, by least squares."""
    heights, differences, weights = curves.scores.mean(axis=1), [], []
    assert curves.blocks is not None  # noqa: S101 (batches are blocks)
    for name in names:
        a, b = (heights[(curves.blocks == name) & (curves.labels == own)] for own in pair)
        differences.append(float(a.mean() - b.mean()))
        weights.append(len(a) * len(b) / (len(a) + len(b)))
    return float(np.average(differences, weights=weights)) + 0.0
