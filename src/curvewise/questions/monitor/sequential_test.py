"""Two algorithms, look after look: the three statistics, and their sequential p."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.many_tables import Tables
from curvewise.kernels.sequential import Ranking, sequential_pvalues
from curvewise.questions.monitor.relabellings import all_relabellings, drawn_relabellings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import EffectName
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.monitor.plan import MonitoringPlan

__all__ = ["look_statistics", "sequential_paths", "within_batches"]


def sequential_paths(
    two: Curves, names: Sequence[str], plan: MonitoringPlan
) -> dict[EffectName, list[float]]:
    """Return the sequential p of each effect after each of these batches, of two algorithms.

    Height and shape are closed by the overall test: neither is claimed unless that is rejected.
    No p is below what the number of runs allows, sampled or not.
    """
    scores, labels, batches = within_batches(two, names)
    parts = [labels[batches == batch] for batch in range(int(batches.max()) + 1)]
    if plan.exact:
        looks, observed = all_relabellings(parts)
    else:
        looks, observed = drawn_relabellings(parts, plan.n_shuffles, plan.seed)
    rankings: list[list[Ranking]] = [[], [], []]
    for relabelled in looks:
        n_runs = relabelled.shape[1]
        n_each = len(looks[-1]) // len(relabelled)
        found, tolerances = look_statistics(
            scores[None, :n_runs], batches[:n_runs], relabelled
        )
        for place, own in enumerate(rankings):
            values = np.repeat(found[place, 0], n_each)
            own.append(Ranking.of(values, float(tolerances[place, 0]), observed))
    overall, height, shape = (
        np.array(sequential_pvalues(own, plan.shares, observed, plan.alpha))
        for own in rankings
    )
    # A sample may by chance hold fewer relabellings like the observed one than there are.
    sizes = [(int(np.sum(own == 0)), int(np.sum(own == 1))) for own in parts]
    if not plan.exact:
        overall = np.maximum(overall, plan.smallest_pvalues_of(sizes))
    return {
        "overall": overall.tolist(),
        "algorithm": np.maximum(overall, height).tolist(),
        "interaction": np.maximum(overall, shape).tolist(),
    }


def within_batches(
    two: Curves, names: Sequence[str]
) -> tuple[Floats, Integers, Integers]:
    """Return scores, labels and batches of the runs, batch after batch.

    Inside a batch runs are ordered by their scores, so that neither their order nor what comes
    in later batches changes which labels a relabelling gives them. The order must not depend on
    the labels.
    """
    blocks = two.blocks
    assert blocks is not None  # noqa: S101 (batches are blocks)
    rows = []
    for batch in names:
        inside = np.flatnonzero(blocks == batch)
        rows.append(inside[np.lexsort(two.scores[inside].T[::-1])])
    order = np.concatenate(rows)
    batches = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    return two.scores[order], two.codes[order], batches


def look_statistics(
    scores: Floats, batches: Integers, labels: Integers
) -> tuple[Floats, Floats]:
    """Return overall, height and shape of every relabelling of each table, and their rounding.

    Overall is the combined statistic, standardised over these relabellings; height and shape are
    roots of sums of squares between the algorithms. Curves are taken less the mean curve of
    their batch. Any way to break ties is valid here, since none depends on which relabelling was
    observed; that statistics which differ by rounding only are tied keeps answers from depending
    on the unit of the scores.

    Parameters
    ----------
    scores : array, (n_tables, n_runs, n_steps)
    batches : array, (n_runs,)
    labels : array, (n_relabellings, n_runs)

    Returns
    -------
    array, (3, n_tables, n_relabellings)
    array, (3, n_tables)
        Statistics that differ by no more are tied.
    """
    unit = 2.0 ** math.frexp(float(np.abs(scores - scores.mean()).max()))[1]
    tables = Tables.of(scores / unit, labels[0], batches)
    found = tables.statistics(labels)
    tolerances = 2 * tables.noise + TIE * found.max(axis=2)
    tolerances[0] = TIE
    return found, tolerances
