"""The tables of this study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1998 import power as power_figure
from studies.piater1998.cells import span, told
from studies.piater1998.counting import ALGORITHM, CONVENTIONAL, EFFECTS, SHUFFLE, SPLIT
from studies.piater1998.pools import SOURCES
from studies.report import Sheet
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Found

__all__ = ["sheets"]

Floats = npt.NDArray[np.float64]


def sheets(found: Found) -> tuple[Sheet, ...]:
    """Return a table of the curves, and for Figures 3 and 4, Figure 5 and Figure 6."""
    return _curves(found), _one_learner(found), _modified(found), _power(found)


def _curves(found: Found) -> Sheet:
    rows = []
    for name, every in found.pools.items():
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
    return Sheet(
        "The curves",
        ("curves of", "pools", "curves × steps", "first score", "last score", "SD of it"),
        tuple(rows),
        "Chess and tic-tac-toe: per cent of a fold that C4.5 classifies right, after 5 and "
        "100 per cent of the other folds. RL: the sum of 100 test games, before and after "
        "8,000 games.",
    )


def _one_learner(found: Found) -> Sheet:
    rows = []
    for name, each in found.counts.items():
        form = found.predicted[name].mean(axis=0)
        for effect, label in enumerate(EFFECTS):
            counted = each[:, CONVENTIONAL, effect]
            shuffle = each[:, SHUFFLE, effect]
            d = f"{form[effect]:.2f}" + (
                "" if effect == ALGORITHM else f", ν = {form[2]:.1f}"
            )
            rows.append(
                (
                    SOURCES[name],
                    label,
                    f"{counted.mean():.0f} ± {counted.std(ddof=1):.0f}",
                    f"{form[3 + effect]:.0f}",
                    d,
                    f"{shuffle.mean():.0f} ± {shuffle.std(ddof=1):.0f}",
                    f"{len(each)} of {told(len(found.pools[name]), 'pool')}",
                )
            )
    return Sheet(
        "Figures 3 and 4: rejections of a true hypothesis, of 1000",
        (
            "curves of",
            "effect",
            "conventional",
            "closed form",
            "d",
            "shuffle test",
            "repetitions",
        ),
        tuple(rows),
        "Mean ± standard deviation over the repetitions. The closed form, d and ν are means "
        "over pools of curves.",
    )


def _modified(found: Found) -> Sheet:
    points = found.mean_shuffled
    rows = [
        (
            case,
            label,
            test,
            *(f"{value:.0f}" for value in values),
        )
        for i, case in enumerate(CASES)
        for effect, label in enumerate(EFFECTS)
        for test, values in (
            ("conventional", points[i, :, CONVENTIONAL, effect]),
            ("closed form", found.closed[i, :, effect]),
            ("by kind", found.by_kind[i, :, effect]),
            ("shuffle test", points[i, :, SHUFFLE, effect]),
        )
    ]
    return Sheet(
        "Figure 5: rejections of a true hypothesis, of 1000",
        ("case", "effect", "test", *(f"f = {factor}" for factor in found.factors)),
        tuple(rows),
        "By kind: the closed form given how many modified curves are in a half, averaged over "
        "that number. Both forms predict the conventional test.",
    )


def _power(found: Found) -> Sheet:
    last = found.factors[-1]

    def cells(values: Floats) -> tuple[str, ...]:
        """Both effects of the four cases."""
        return tuple(f"{value:.2f}" for value in values.ravel())

    rows = [
        (name, SOURCES["chess_numeric"], *cells(found.power[:, -1, test]))
        for test, name in enumerate(power_figure.TESTS)
    ]
    rows += [
        (f"{name}, disjoint draws", SOURCES["chess_numeric"], *cells(values))
        for name, values in (
            ("shuffle", found.disjoint[:, -1, SHUFFLE]),
            ("shuffle, split error", found.disjoint[:, -1, SPLIT]),
        )
    ]
    rows.append(
        (
            "shuffle, one distribution for all draws",
            SOURCES["chess_numeric"],
            *cells(found.one_distribution),
        )
    )
    rows += [
        (
            f"{power_figure.TESTS[test]}, {told(len(each), 'cross validation')}",
            SOURCES[name],
            *(
                span(each[:, case, test, effect], ".2f")
                for case in range(len(CASES))
                for effect in range(2)
            ),
        )
        for name, each in found.elsewhere.items()
        for test in (SHUFFLE, SPLIT)
    ]
    return Sheet(
        f"Figure 6 at f = {last}: share of draws in which an effect is asserted",
        (
            "test",
            "curves of",
            *(f"{case}: {effect}" for case in CASES for effect in EFFECTS),
        ),
        tuple(rows),
        "Case a has no interaction and case b no algorithm effect. One distribution: random "
        "tens of all forty curves are shuffled once for a hundred draws. By the paper's listing "
        "there is one distribution for all draws; it does not say which curves are shuffled "
        "for it. Cross validations: lowest to highest.",
    )
