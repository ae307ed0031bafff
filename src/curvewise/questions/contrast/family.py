"""Several contrasts of the same curves, adjusted for each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.inference.families import (
    ADJUSTMENTS,
    adjusted,
    ask_each,
    check_members,
    family_seed,
)
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    shuffle_count,
)
from curvewise.inference.sampling import known_seed
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.relabelling.cache import shared_batches
from curvewise.questions.contrast.caveats import TooManyContrasts
from curvewise.questions.contrast.permutation import LargestT, weighted_fit
from curvewise.questions.contrast.question import contrast
from curvewise.questions.contrast.result import Contrasts
from curvewise.questions.contrast.weights import coefficient_array, weight_array
from curvewise.shuffling.checkpoint import open_checkpoint
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.plan import Limits, Plan
from curvewise.shuffling.visiting import visit

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.contrast.result import Alternative, Contrast
    from curvewise.questions.contrast.weights import Weights
    from curvewise.shuffling.checkpoint import Checkpoint

__all__ = ["contrast_many"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise", for max-t


def contrast_many(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    adjust: Literal["holm", "bonferroni", "max-t"] = "holm",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Contrasts:
    """Test several contrasts of the same curves, and adjust across them.

    Parameters
    ----------
    curves : Curves
    contrasts : mapping from name to coefficients
        Each as in `contrast`.
    adjust : "holm", "bonferroni" or "max-t"
        Holm and Bonferroni take the p of each contrast. "max-t" shuffles the residuals of
        all algorithms at once and holds each t, with the error of all algorithms, against
        the largest of each shuffle: it reaches smaller p with few runs, and is approximate.
    weights, alternative, alpha, n_shuffles, exact, n_jobs, rng, checkpoint
        As in `contrast`.

    Returns
    -------
    Contrasts
        A mapping from name to Contrast, with the adjusted p.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> asked = {"A1 - A2": {"A1": 1, "A2": -1}, "A1 - A3": {"A1": 1, "A3": -1}}
    >>> cw.contrast_many(curves, asked).significant()
    ('A1 - A2',)
    """
    check_curves(curves, "contrast_many()")
    check_choice("adjust", adjust, tuple(ADJUSTMENTS))
    check_alpha(alpha)
    check_members(contrasts, "contrasts, such as {'A - B': {'A': 1, 'B': -1}}")
    shuffles = shuffle_count(n_shuffles)
    options = (alternative, alpha, shuffles, exact, adjust, weights)
    with (
        open_checkpoint(
            checkpoint,
            "contrast_many",
            curves.scores,
            curves.labels,
            curves.blocks,
            sorted((name, sorted(own.items())) for name, own in contrasts.items()),
            *options,
            keys=[family_seed(rng)],
            seeded=rng is not None,
        ) as ((seed,), ledger),
        shared_batches(),
    ):

        def ask(_: str, coefficients: Mapping[str, float]) -> Contrast:
            return contrast(
                curves,
                coefficients,
                weights=weights,
                alternative=alternative,
                alpha=alpha,
                n_shuffles=n_shuffles,
                exact=exact,
                n_jobs=n_jobs,
                rng=seed,
                checkpoint=ledger,
            )

        found = ask_each(contrasts, ask)
        if adjust == "max-t":
            values = _max_t_adjusted(
                curves,
                contrasts,
                weights,
                alternative,
                shuffles,
                seed,
                alpha,
                n_jobs,
                ledger,
            )
        else:
            values = adjusted({name: own.pvalue for name, own in found.items()}, adjust)
    known = known_seed(rng)
    family = {
        name: replace(
            own,
            pvalue_adjusted=values[name],
            sampling=own.sampling.with_seed(None if own.seed is None else known),
        )
        for name, own in found.items()
    }
    return Contrasts(
        family,
        adjust,
        float(alpha),
        (
            *_out_of_reach(family, adjust, float(alpha)),
            *dict.fromkeys(caveat for own in family.values() for caveat in own.caveats),
        ),
        known,
    )


def _out_of_reach(
    family: Mapping[str, Contrast], adjust: str, alpha: float
) -> Iterator[Caveat]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    smallest = min(own.smallest_pvalue for own in family.values()) * len(family)
    if adjust != "max-t" and smallest > alpha:
        yield TooManyContrasts(len(family), min(smallest, 1.0), alpha)


def _max_t_adjusted(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    weights: Weights,
    alternative: Alternative,
    n_shuffles: int | str,
    key: int,
    alpha: float,
    n_jobs: int,
    checkpoint: Checkpoint | None,
) -> dict[str, float]:
    """Hold every t against the largest of each shuffle of all residuals."""
    check_design(curves)
    profile = weight_array(curves, weights)[0]
    layout = Layout.of(curves)
    fit = weighted_fit(layout, profile / np.abs(profile).max())
    table = np.array([coefficient_array(curves, own) for own in contrasts.values()])
    table = table / np.abs(table).max(axis=1, keepdims=True)
    if alternative == "less":
        table = -table
    plan = Plan.of(
        layout.restriction,
        n_shuffles=n_shuffles,
        exact=False,
        key=key,
        levels=(alpha,),
        limits=Limits(shuffles=MAX_SHUFFLES),
    )
    statistic = LargestT.of(fit, table, two_sided=alternative == "two-sided")
    found = visit(plan, statistic, n_jobs=n_jobs, checkpoint=checkpoint)
    values = pvalue(found.counts[0], found.n_visited, exact=False)
    return dict(zip(contrasts, values.tolist(), strict=True))
