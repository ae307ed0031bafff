"""Many tables at once: one per task, dataset or pair, with p adjusted across them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from curvewise.inference.caveats import gathered
from curvewise.inference.effects import EFFECTS
from curvewise.inference.families import adjusted, ask_each, check_members, family_seed
from curvewise.inference.requirements import check_alpha, check_choice, check_curves
from curvewise.inference.sampling import known_seed
from curvewise.kernels.relabelling.cache import shared_batches
from curvewise.questions.compare.question import compare_at_levels
from curvewise.questions.compare.result import Comparisons
from curvewise.shuffling.checkpoint import open_checkpoint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import ErrorTerm
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.compare.result import Comparison

__all__ = ["compare_many"]


def compare_many(
    tables: Mapping[str, Curves],
    *,
    error: ErrorTerm = "split",
    adjust: Literal["holm", "bonferroni"] = "holm",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Comparisons:
    """Compare the algorithms of each of several tables, and adjust across the tables.

    Tables of the same shape share their shuffles, which are drawn once.

    Parameters
    ----------
    tables : mapping from name to Curves
        One table per task or dataset, or per pair of algorithms.
    adjust : "holm" or "bonferroni"
        How p is adjusted for the number of tables, for each effect. "max-t" is not offered:
        tables of different runs share no largest statistic.
    error, alpha, n_shuffles, exact, n_jobs, rng, checkpoint
        As in `compare`; "auto" settles p also against alpha divided by the number of tables.

    Returns
    -------
    Comparisons
        A mapping from table to Comparison, with the adjusted p.

    Examples
    --------
    >>> import curvewise as cw
    >>> example = cw.load_example("tictactoe")
    >>> pairs = {f"A1, {b}": example.select("A1", b) for b in ("A2", "A3")}
    >>> cw.compare_many(pairs).significant("algorithm")
    ('A1, A2',)
    """
    check_members(tables, "Curves")
    check_choice("adjust", adjust, ("holm", "bonferroni"))
    check_alpha(alpha)
    for curves in tables.values():
        check_curves(curves, "compare_many()")
    seed = family_seed(rng)
    asked = [(name, curves.scores, curves.labels) for name, curves in tables.items()]
    options = (error, alpha, n_shuffles, exact)
    with (
        open_checkpoint(
            checkpoint,
            "compare_many",
            *(part for table in asked for part in table),
            *options,
            keys=[seed],
            seeded=rng is not None,
        ) as ((seed,), ledger),
        shared_batches(),
    ):

        def ask(_: str, curves: Curves) -> Comparison:
            return compare_at_levels(
                curves,
                error=error,
                alpha=float(alpha),
                levels=(float(alpha), float(alpha) / len(tables)),
                n_shuffles=n_shuffles,
                exact=exact,
                n_jobs=n_jobs,
                rng=seed,
                checkpoint=ledger,
            )

        found = ask_each(tables, ask)
    effects = {name: own.effects[own.error] for name, own in found.items()}
    return Comparisons(
        found,
        {
            effect: adjusted(
                {
                    name: own[effect].pvalue
                    for name, own in effects.items()
                    if effect in own
                },
                adjust,
            )
            for effect in EFFECTS
        },
        adjust,
        float(alpha),
        gathered({name: own.caveats for name, own in found.items()}),
        known_seed(rng),
    )
