"""Tables of the curves and of Figures 3 to 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1998 import power as power_figure
from studies.piater1998.counting import ALGORITHM, CONVENTIONAL, EFFECTS, SHUFFLE, SPLIT
from studies.piater1998.curve_pools import SOURCES
from studies.piater1998.formatting import plural, span
from studies.report import Table
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Counts

__all__ = ["tables"]

Floats = npt.NDArray[np.float64]


def tables(counts: Counts) -> tuple[Table, ...]:
    """Return tables of the curves, of Figures 3 and 4, of Figure 5 and of Figure 6."""
    return _curves(counts), _one_learner(counts), _modified(counts), _power(counts)


def _curves(counts: Counts) -> Table:
    rows = []
    for name, every in counts.pools.items():
        n_pools, n_curves, n_steps = every.shape
        first, last = every[:, :, 0], every[:, :, -1]
        rows.append(
            (
                SOURCES[name],
                str(n_pools),
                f"{n_curves} × {n_steps}",
                f"{first.mean():.1f}",
                f"{last.mean():.1f}",
                f"{last.std(axis=1, ddof=1).mean():.1f}",
            )
        )
    return Table(
        "The curves",
        ("curves of", "pools", "curves × steps", "first score", "last score", "SD of it"),
        tuple(rows),
        "Chess and tic-tac-toe: per cent of a fold that C4.5 classifies right, after 5 and "
        "100 per cent of the other folds. RL: the sum of 100 test games, before and after "
        "8,000 games.",
    )


def _one_learner(counts: Counts) -> Table:
    rows = []
    for name, each in counts.one_learner.items():
        form = counts.predictions[name].mean(axis=0)
        for effect, label in enumerate(EFFECTS):
            counted = each[:, CONVENTIONAL, effect]
            shuffle = each[:, SHUFFLE, effect]
            d = f"{form[effect]:.2f}" + ("" if effect == ALGORITHM else f", ν = {form[2]:.1f}")
            rows.append(
                (
                    SOURCES[name],
                    label,
                    f"{counted.mean():.0f} ± {counted.std(ddof=1):.0f}",
                    f"{form[3 + effect]:.0f}",
                    d,
                    f"{shuffle.mean():.0f} ± {shuffle.std(ddof=1):.0f}",
                    f"{len(each)} of {plural(len(counts.pools[name]), 'pool')}",
                )
            )
    return Table(
        "Figures 3 and 4: rejections of a true hypothesis, of 1000",
        ("curves of", "effect", "conventional", "closed form", "d", "shuffle test", "repetitions"),
        tuple(rows),
        "Mean ± standard deviation over the repetitions. The closed form, d and ν are means "
        "over pools of curves.",
    )


def _modified(counts: Counts) -> Table:
    points = counts.modified_means
    rows = [
        (case, label, test, *(f"{value:.0f}" for value in values))
        for i, case in enumerate(CASES)
        for effect, label in enumerate(EFFECTS)
        for test, values in (
            ("conventional", points[i, :, CONVENTIONAL, effect]),
            ("closed form", counts.closed_form[i, :, effect]),
            ("by kind", counts.by_kind[i, :, effect]),
            ("shuffle test", points[i, :, SHUFFLE, effect]),
        )
    ]
    return Table(
        "Figure 5: rejections of a true hypothesis, of 1000",
        ("case", "effect", "test", *(f"f = {factor}" for factor in counts.factors)),
        tuple(rows),
        "By kind: the closed form given how many modified curves are in a half, averaged over "
        "that number. Both forms predict the conventional test.",
    )


def _power(counts: Counts) -> Table:
    last = counts.factors[-1]

    def cells(values: Floats) -> tuple[str, ...]:
        """Format the shares of both effects in the four cases."""
        return tuple(f"{value:.2f}" for value in values.ravel())

    rows = [
        (name, SOURCES["chess_numeric"], *cells(counts.power[:, -1, test]))
        for test, name in enumerate(power_figure.TESTS)
    ]
    rows += [
        (f"{name}, disjoint draws", SOURCES["chess_numeric"], *cells(values))
        for name, values in (
            ("shuffle", counts.disjoint[:, -1, SHUFFLE]),
            ("shuffle, split error", counts.disjoint[:, -1, SPLIT]),
        )
    ]
    rows.append(
        (
            "shuffle, one distribution for all draws",
            SOURCES["chess_numeric"],
            *cells(counts.one_distribution),
        )
    )
    rows += [
        (
            f"{power_figure.TESTS[test]}, {plural(len(each), 'cross validation')}",
            SOURCES[name],
            *(
                span(each[:, case, test, effect], ".2f")
                for case in range(len(CASES))
                for effect in range(2)
            ),
        )
        for name, each in counts.other_cross_validations.items()
        for test in (SHUFFLE, SPLIT)
    ]
    return Table(
        f"Figure 6 at f = {last}: share of draws in which an effect is asserted",
        ("test", "curves of", *(f"{case}: {effect}" for case in CASES for effect in EFFECTS)),
        tuple(rows),
        "Case a has no interaction and case b no algorithm effect. One distribution: random "
        "tens of all forty curves are shuffled once for a hundred draws. By the paper's listing "
        "there is one distribution for all draws; it does not say which curves are shuffled "
        "for it. Cross validations: lowest to highest.",
    )
