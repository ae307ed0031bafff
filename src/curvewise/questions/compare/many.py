"""Many tables at once: one per task, dataset or pair, with p adjusted across them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.inference.effects import EFFECTS
from curvewise.inference.families import adjusted, ask_each, check_members
from curvewise.inference.member_caveats import gathered
from curvewise.inference.requirements import check_alpha, check_choice, check_curves
from curvewise.inference.work import shuffling_work
from curvewise.kernels.adjustments import n_different_at_least
from curvewise.questions.compare.caveats import TooManyTables
from curvewise.questions.compare.loading import load_compiler
from curvewise.questions.compare.question import compare_curves
from curvewise.questions.compare.result import Comparisons
from curvewise.shuffling.parallel import single_blas

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center, ErrorTerm, OverallTest
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.compare.result import Comparison

__all__ = ["compare_many"]

MAX_TABLES_WITH_NULLS = 40  # of more, null distributions are made when they are asked for


def compare_many(
    tables: Mapping[str, Curves],
    *,
    error: ErrorTerm = "split",
    adjust: Literal["bh", "holm", "bonferroni"] = "bh",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    overall: OverallTest = "combined",
    center: Center = "mean",
) -> Comparisons:
    """Compare the algorithms of each of several tables, and adjust across the tables.

    Tables of the same shape share their shuffles, which are drawn once.

    Parameters
    ----------
    tables : mapping from name to Curves
        One table per task or dataset, or per pair of algorithms.
    adjust : "bh", "holm" or "bonferroni"
        How p is adjusted for the number of tables, for each effect. "bh" (Benjamini &
        Hochberg 1995) keeps the expected share of false alarms among the tables named at
        alpha. Holm and Bonferroni keep the chance of any false alarm at alpha, which few runs
        and many tables can make impossible to reach: ten tables of 5 + 5 runs have no adjusted
        p below 10/126 = 0.079. "max-t" is not offered: tables of different runs share no
        largest statistic.
    overall, error, center, alpha, n_shuffles, exact, n_jobs, rng, checkpoint
        As in `compare`; "auto" settles p also against alpha divided by the number of tables.

    Returns
    -------
    Comparisons
        A mapping from table to Comparison, with the adjusted p, and how many tables differ at
        least (Benjamini & Heller 2008). That number takes the tables to be independent, as
        tasks are; tables that share runs are not. With more than 40 tables, 1,000 quantiles
        stand for each null distribution.

    Examples
    --------
    >>> import curvewise as cw
    >>> example = cw.load_example("tictactoe")
    >>> pairs = {f"A1, {b}": example.select("A1", b) for b in ("A2", "A3")}
    >>> cw.compare_many(pairs).significant("algorithm")
    ('A1, A2',)
    """
    check_members(tables, "Curves")
    check_choice("adjust", adjust, ("bh", "holm", "bonferroni"))
    check_alpha(alpha)
    for curves in tables.values():
        check_curves(curves, "compare_many()")
    with (
        shuffling_work(
            "compare_many",
            *(*tables, *tables.values(), overall, error, alpha, center),
            n_shuffles=n_shuffles,
            exact=exact,
            n_jobs=n_jobs,
            rng=rng,
            checkpoint=checkpoint,
            n_keys=0,
        ) as work,
        single_blas(),
    ):
        options: dict[str, Any] = {
            "overall": overall,
            "error": error,
            "center": center,
            "alpha": float(alpha),
            "levels": (float(alpha), float(alpha) / len(tables)),
        }
        member = work.of_member()
        is_large = len(tables) > MAX_TABLES_WITH_NULLS
        load_compiler(tables.values())

        def compared(_: str, curves: Curves) -> Comparison:
            own = compare_curves(curves, member, **options)
            if not is_large:
                return own
            again = partial(compare_curves, curves, member.by_itself(), **options)
            return own.with_nulls_of(again)

        found = ask_each(tables, compared)
    effects = {name: own.effects[own.error] for name, own in found.items()}
    pvalues = {
        effect: {
            name: own[effect].pvalue for name, own in effects.items() if effect in own
        }
        for effect in EFFECTS
    }
    smallest = {name: own.smallest_pvalue for name, own in found.items()}
    adjusted_smallest = min(adjusted(smallest, adjust).values())
    # Where p itself is out of reach, the tables say so.
    hopeless = min(smallest.values()) <= alpha < adjusted_smallest
    reach = [TooManyTables(len(found), adjusted_smallest, float(alpha), adjust)]
    return Comparisons(
        found,
        {effect: adjusted(values, adjust) for effect, values in pvalues.items()},
        {
            effect: n_different_at_least(np.array(list(values.values())), float(alpha))
            for effect, values in pvalues.items()
        },
        adjust,
        float(alpha),
        (
            *(reach if hopeless else ()),
            *gathered({name: own.caveats for name, own in found.items()}),
        ),
        work.seed,
    )
