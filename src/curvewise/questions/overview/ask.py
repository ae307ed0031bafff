"""Compare, then say where the curves differ and who may be the best, behind the overall test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.curves import Curves
from curvewise.inference.asking import PathLike, RNGLike, Share, Shuffles, asked_of, question
from curvewise.inference.result import Center, ErrorTerm, OverallTest, Spread
from curvewise.inference.work import family_seed, known_seed, open_checkpoint, shuffle_count
from curvewise.questions.compare.ask import compare
from curvewise.questions.overview.result import Overview

if TYPE_CHECKING:
    from curvewise.questions.compare.result import Comparison
    from curvewise.questions.overview.result import Withheld


MAX_SHUFFLES = 9_999  # more than a line is worth would only take time


@question()
def overview(
    curves: Curves,
    *,
    error: ErrorTerm = "split",
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
    asked = asked_of(overview, **locals())
    count = shuffle_count(n_shuffles)
    # A number is passed on as it is, so that each part alone has the same digits.
    known = known_seed(rng)
    key = family_seed(rng) if known is None else known
    told = [own for own in vars(asked).items() if own[0] not in ("n_jobs", "rng", "checkpoint")]
    with open_checkpoint(checkpoint, "overview", told, keys=[key], seeded=rng is not None) as (
        (seed,),
        ledger,
    ):
        work: dict[str, Any] = {"n_jobs": n_jobs, "rng": seed, "checkpoint": ledger}
        comparison = compare(**vars(asked.but(**work)))
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
            from curvewise.questions.locate.ask import locate

            where = locate(curves, windows=False, n_resamples=0, **options)
        if len(curves.algorithms) > 2:
            from curvewise.questions.best.ask import best

            who = best(curves, center=center, **options)
    return Overview(comparison, where, who, None)


def _withheld(comparison: Comparison) -> Withheld | None:
    """Tell why nothing is said about where and who, if nothing is."""
    if comparison.smallest_pvalue > comparison.alpha:
        return "undecidable"
    if comparison.spread == "unequal":
        return "unequal spread"
    return None if comparison.overall.significant else "no difference"
