"""Several contrasts of the same curves, adjusted for each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.contrast_shuffling import weighted_fit
from curvewise.contrasts import contrast
from curvewise.errors import CurvewiseError, OptionError
from curvewise.kernels.adjustments import (
    bonferroni,
    holm,
    max_adjusted,
)
from curvewise.kernels.contrasts import (
    shuffled_t,
    student_t,
)
from curvewise.kernels.memory import remembered
from curvewise.kernels.shuffles import Shuffles
from curvewise.layout import Layout
from curvewise.refusals import (
    as_generator,
    check_choice,
    check_curves,
    check_design,
    whole_number,
)
from curvewise.results import Contrasts
from curvewise.tables import p_text
from curvewise.weightings import coefficient_array, weight_array

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.refusals import RNGLike
    from curvewise.results import Alternative
    from curvewise.weightings import Weights

__all__ = ["contrast_many"]

ADJUSTMENTS = ("holm", "bonferroni", "max-t")


def contrast_many(
    curves: Curves,
    contrasts: Mapping[str, Mapping[str, float]],
    *,
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    adjust: str = "holm",
    alpha: float = 0.05,
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    rng: RNGLike = None,
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
    weights, alternative, alpha, n_shuffles, exact, rng
        As in `contrast`.

    Returns
    -------
    Contrasts

    Examples
    --------
    >>> import curvewise as cw
    >>> from curvewise.contrast_families import contrast_many
    >>> curves = cw.load_example("tictactoe")
    >>> asked = {"A1 - A2": {"A1": 1, "A2": -1}, "A1 - A3": {"A1": 1, "A3": -1}}
    >>> contrast_many(curves, asked).significant()
    ('A1 - A2',)
    """
    check_curves(curves, "contrast_many()")
    check_choice("adjustment", adjust, ADJUSTMENTS)
    given: object = contrasts
    if not isinstance(given, Mapping) or not contrasts:
        msg = (
            "Give a mapping from names to contrasts, with at least one of them, such as "
            "{'A - B': {'A': 1, 'B': -1}}."
        )
        raise OptionError(msg)
    # One seed for all, so that contrasts of one shape are shuffled alike.
    seed = int(as_generator(rng).integers(2**63))
    found = {}
    options: dict[str, Any] = {"alternative": alternative, "alpha": alpha}
    options |= {"n_shuffles": n_shuffles, "exact": exact, "weights": weights, "rng": seed}
    with remembered():
        for name, coefficients in contrasts.items():
            try:
                found[name] = contrast(curves, coefficients, **options)
            except CurvewiseError as refused:
                msg = f"{name}: {refused}"
                raise type(refused)(msg) from None
        if adjust == "max-t":
            table = np.array([coefficient_array(curves, c) for c in contrasts.values()])
            adjusted = _by_largest(curves, table, weights, alternative, n_shuffles, seed)
        else:
            adjuster = holm if adjust == "holm" else bonferroni
            adjusted = adjuster(np.array([each.pvalue for each in found.values()]))
    known = int(rng) if isinstance(rng, int | np.integer) else None
    family = {
        name: replace(
            each,
            pvalue_adjusted=float(value),
            seed=None if each.seed is None else known,
        )
        for (name, each), value in zip(found.items(), adjusted, strict=True)
    }
    told = dict.fromkeys(text for each in family.values() for text in each.warnings)
    if adjust != "max-t":
        least = min(each.smallest_pvalue for each in family.values()) * len(family)
        if least > alpha:
            text = (
                f"The smallest p possible, adjusted for {len(family)} contrasts, is "
                f"{p_text(min(least, 1.0))}, which is above alpha = {alpha:g}: nothing can be "
                'significant. Use more runs, or adjust="max-t".'
            )
            told = {text: None, **told}
    return Contrasts(family, adjust, float(alpha), tuple(told), known)


def _by_largest(
    curves: Curves,
    coefficients: Floats,
    weights: Weights,
    alternative: Alternative,
    n_shuffles: int,
    seed: int,
) -> Floats:
    """Hold every t against the largest of each shuffle of all residuals."""
    check_design(curves)
    profile = weight_array(curves, weights)[0]
    layout = Layout.of(curves)
    fit = weighted_fit(layout, profile / np.abs(profile).max())
    coefficients = coefficients / np.abs(coefficients).max(axis=1, keepdims=True)
    if alternative == "less":
        coefficients = -coefficients
    two_sided = alternative == "two-sided"
    shuffles = Shuffles(layout.labels, layout.blocks, whole_number(n_shuffles), seed)
    lengths = fit.directions(coefficients)[1]
    observed = student_t(
        coefficients @ fit.estimates[:, 0] / lengths, fit.errors[:1], fit.df
    )
    maxima = np.concatenate(
        [
            (np.abs(t) if two_sided else t).max(axis=1)
            for t in shuffled_t(fit, shuffles, coefficients)
        ]
    )
    observed = np.abs(observed) if two_sided else observed
    return max_adjusted(observed, maxima, exact=False)
