"""Compare, then say where the curves differ and who may be the best, behind the overall test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from curvewise.inference.requirements import check_curves, shuffle_count
from curvewise.inference.sampling import known_seed
from curvewise.inference.work import family_seed
from curvewise.questions.compare.question import compare
from curvewise.questions.overview.result import Overview
from curvewise.shuffling.checkpoint import open_checkpoint

if TYPE_CHECKING:
    import os

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center, ErrorTerm, OverallTest, Spread
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.compare.result import Comparison
    from curvewise.questions.overview.result import Withheld

__all__ = ["overview"]

MAX_SHUFFLES = 9_999  # more than a line is worth would only take time


def overview(
    curves: Curves,
    *,
    error: ErrorTerm = "split",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    spread: Spread = "equal",
    overall: OverallTest = "combined",
    center: Center = "mean",
) -> Overview:
    """Compare the curves and, if they differ, find where, and which algorithm may be the best.

    Where and who are asked only if the overall test finds a difference: that keeps the chance
    of any false claim where it was. With a single step there is no where, and with two
    algorithms no who beyond the comparison itself.

    Parameters
    ----------
    curves, overall, error, alpha, n_shuffles, exact, n_jobs, rng, checkpoint, spread, center
        As in `compare`. Where and who use 9,999 shuffles, or fewer if fewer are asked for, and
        take the spreads to be equal: with unequal spread they are left out. Who is asked of the
        same centre, and where of means.

    Returns
    -------
    Overview
        The comparison, and behind it the location and the best, where they were asked.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.overview(cw.load_example("tictactoe"), rng=0)
    >>> found.best.worse
    ('A2',)
    """
    check_curves(curves, "overview()")
    count = shuffle_count(n_shuffles)
    # A number is passed on as it is, so that each part alone has the same digits.
    known = known_seed(rng)
    key = family_seed(rng) if known is None else known
    with open_checkpoint(
        checkpoint,
        *("overview", curves, overall, error, alpha, count, exact, spread, center),
        keys=[key],
        seeded=rng is not None,
    ) as ((seed,), ledger):
        work: dict[str, Any] = {"n_jobs": n_jobs, "rng": seed, "checkpoint": ledger}
        comparison = compare(
            curves,
            overall=overall,
            error=error,
            spread=spread,
            center=center,
            alpha=alpha,
            n_shuffles=n_shuffles,
            exact=exact,
            **work,
        )
        withheld = _withheld(comparison)
        if withheld is not None:
            return Overview(comparison, None, None, withheld)
        few = isinstance(count, int) and count < MAX_SHUFFLES
        options: dict[str, Any] = {
            "alpha": alpha,
            "n_shuffles": count if few else MAX_SHUFFLES,
            "exact": False if exact is False else None,
            **work,
        }
        where = who = None
        if curves.n_steps > 1:
            from curvewise.questions.locate.question import locate

            where = locate(curves, windows=False, n_resamples=0, **options)
        if len(curves.algorithms) > 2:
            from curvewise.questions.best.question import best

            who = best(curves, center=center, **options)
    return Overview(comparison, where, who, None)


def _withheld(comparison: Comparison) -> Withheld | None:
    """Tell why nothing is said about where and who, if nothing is."""
    if comparison.smallest_pvalue > comparison.alpha:
        return "undecidable"
    if comparison.spread == "unequal":
        return "unequal spread"
    return None if comparison.overall.significant else "no difference"
