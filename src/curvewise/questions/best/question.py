"""Which algorithms may be the best? Those that cannot be ruled out against the leader.

Gupta (1965), subset selection; Hsu (1981), multiple comparisons with the best.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.errors import CurvesError, OptionError
from curvewise.inference.centers import check_center, check_center_alone
from curvewise.inference.diagnostics import (
    different_spread,
    few_for_ranks,
    prepared,
    too_few_for_max_t,
    too_few_shuffles,
)
from curvewise.inference.effects import Interval
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.inversion import agreeing
from curvewise.kernels.partitions import MAX_MEMBERS
from curvewise.questions.best.caveats import KeptUncompared, TooFewToRuleOut
from curvewise.questions.best.closed import closed_gaps
from curvewise.questions.best.max_t import max_t_gaps
from curvewise.questions.best.ranking import Gap, Ranking
from curvewise.questions.best.result import Best, Contender
from curvewise.questions.contrast.question import contrast_at_levels
from curvewise.shuffling.parallel import track_items
from curvewise.text import argument

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.questions.contrast.result import Alternative, Contrast

__all__ = ["Adjust", "best", "best_at_levels"]

Adjust = Literal["closed", "bonferroni", "max-t"]


def best(
    curves: Curves,
    *,
    alpha: float = 0.05,
    adjust: Adjust | None = None,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    center: Center = "mean",
) -> Best:
    """Select the algorithms that may have the best mean, and those significantly worse.

    The leader has the best mean over training. It is tested against every other algorithm;
    those that are not significantly worse are kept. With confidence 1 - alpha the truly best
    is among those kept, whichever algorithm leads. Of two algorithms, p is that of `compare`.

    Parameters
    ----------
    curves : Curves
        At least two algorithms. ``higher_is_better`` says which mean is the best.
    alpha : float
        The chance that the truly best is not kept.
    adjust : "closed", "bonferroni" or "max-t", optional
        By default "closed" up to eight algorithms and "max-t" beyond. Closed testing rules an
        algorithm out if no set of algorithms that holds it and the leader may be alike; what
        `compare_pairs` tells apart from the leader by closed testing is ruled out, and more.
        Bonferroni multiplies the one-sided p of each pair by the number of algorithms less one.
        "max-t" shuffles the residuals of all algorithms at once, as Dunnett's test would
        with each algorithm in turn as control; it is approximate, and assumes that the runs of
        all algorithms vary equally.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs leads and is tested, as in `contrast`: by ranks, the leader
        has the best mean rank. Of more than two algorithms, closed testing and max-t are for
        means, and Bonferroni is the default for the others.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `contrast`. Sets of more than two algorithms are always sampled.

    Returns
    -------
    Best
        The leader, the contenders, and those ruled out.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.best(cw.load_example("tictactoe"))
    >>> found.leader, found.contenders
    ('A1', ('A1', 'A3'))
    """
    check_curves(curves, "best()")
    check_alpha(alpha)
    with shuffling_work(
        "best",
        *(curves, adjust, alpha, center),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        return best_at_levels(
            curves, work, adjust=adjust, alpha=float(alpha), center=center
        )(float(alpha))


def best_at_levels(
    curves: Curves,
    work: Work,
    *,
    adjust: Adjust | None,
    alpha: float,
    center: Center,
    levels: tuple[float, ...] | None = None,
    may_be_equal: bool = False,
) -> Callable[[float], Best]:
    """Select those that may be the best, of one task or of a family's member.

    Returns what gives the result at a level up to ``alpha``, at which the family judges it: p are
    the same at all of them. "auto" settles p against the ``levels``, by default alpha alone.
    Scores that are all the same are refused unless they ``may_be_equal``; nobody is ruled out
    then.
    """
    if adjust is None:
        adjust = "closed" if len(curves.algorithms) <= MAX_MEMBERS else "max-t"
        if center != "mean" and len(curves.algorithms) > 2:
            adjust = "bonferroni"
    check_choice("adjust", adjust, get_args(Adjust))
    if adjust == "closed" and len(curves.algorithms) > MAX_MEMBERS:
        msg = (
            f"Closed testing goes through all sets of up to {MAX_MEMBERS} algorithms, and there "
            f"are {len(curves.algorithms)}. Use {argument('adjust', 'max-t')}."
        )
        raise OptionError(msg, option="adjust")
    check_design(curves, may_be_equal=may_be_equal)
    check_center(curves, center)
    curves = curves.in_order_of_names()
    if adjust != "bonferroni" and len(curves.algorithms) > 2:
        check_center_alone(center, "adjust", adjust, "bonferroni")
    ranking = Ranking.of(curves, center)
    leader, *others = (curves.algorithms[code] for code in ranking.order)
    if len(others) == 1:
        adjust = "closed"
    factor = len(others) if adjust == "bonferroni" else 1
    levels = levels or (alpha,)
    tests, refused = _against(
        leader,
        *(others, curves, work.of_member()),
        closed=adjust == "closed",
        levels=tuple(level / factor for level in levels),
        center=center,
    )
    gaps_at: Callable[[float], dict[str, Gap]]
    if adjust == "closed":
        gaps_at = closed_gaps(ranking, tests, work, alpha=alpha, levels=levels)
    elif adjust == "bonferroni":
        gaps_at = partial(_multiplied_each, tests, factor)
    else:
        together = max_t_gaps(ranking, work.sampled(), alpha=alpha, levels=levels)
        gaps_at = partial(_not_below_each, together, tests)
    alone = {name: test(alpha / factor) for name, test in tests.items()}
    by_pairs = adjust != "max-t"
    caveats = (
        *(
            _out_of_reach(alone, factor, alpha, blocked=curves.blocks is not None)
            if by_pairs
            else too_few_for_max_t(curves, work.n_shuffles, alpha)
        ),
        *(
            too_few_shuffles(work.n_shuffles, alpha)
            if adjust == "closed" and len(tests) > 1
            else ()
        ),
        *prepared(curves),
        *different_spread(curves),
        *few_for_ranks(curves, center),
        *(
            KeptUncompared(name, leader, reason)
            for name, reason in refused.items()
            if by_pairs
        ),
    )
    least = {name: test.smallest_pvalue * factor for name, test in alone.items()}
    means = ranking.means()

    def best_at(level: float) -> Best:
        gaps = gaps_at(level)
        gaps[leader] = Gap(0.0, None, None)

        def row(name: str) -> Contender:
            # Where there is no test, nothing speaks against the algorithm.
            gap = gaps.get(name, Gap(None, None, None))
            return Contender(
                name=name,
                n_runs=int((curves.labels == name).sum()),
                mean=means[name],
                difference=gap.difference,
                interval=gap.interval,
                pvalue=alone[name].pvalue if name in alone else None,
                pvalue_adjusted=gap.pvalue_adjusted,
                contends=gap.pvalue_adjusted is None or gap.pvalue_adjusted > level,
                smallest_pvalue=least.get(name),
            )

        return Best(
            leader=leader,
            rows=tuple(row(name) for name in (leader, *others)),
            adjust=adjust,
            alpha=level,
            higher_is_better=curves.higher_is_better,
            factor=factor,
            even_blocks=curves.has_even_blocks,
            smallest_pvalue=max(least.values(), default=0.0) if by_pairs else 0.0,
            caveats=caveats,
            seed=work.seed,
            center=center,
            source=curves.source,
            preparation=curves.preparation,
        )

    return best_at


def _against(
    leader: str,
    others: Sequence[str],
    curves: Curves,
    work: Work,
    *,
    closed: bool,
    levels: tuple[float, ...],
    center: Center,
) -> tuple[dict[str, Callable[[float], Contrast]], dict[str, str]]:
    """Test the leader against each of the others; say why not, where that is refused."""
    alternative: Alternative = "greater" if curves.higher_is_better else "less"
    tests = {}
    refused = {}
    for name in track_items(others):
        try:
            tests[name] = contrast_at_levels(
                curves,
                {leader: 1, name: -1},
                work,
                alternative="two-sided" if closed else alternative,
                alpha=levels[0],
                center=center,
                levels=levels,
                may_be_equal=True,
                with_caveats=False,
            )
        except CurvesError as reason:
            refused[name] = str(reason)
    return tests, refused


def _multiplied_each(
    tests: Mapping[str, Callable[[float], Contrast]], factor: int, level: float
) -> dict[str, Gap]:
    return {
        name: _multiplied(test(level / factor), factor) for name, test in tests.items()
    }


def _not_below_each(
    together: Callable[[float], dict[str, Gap]],
    tests: Mapping[str, Callable[[float], Contrast]],
    level: float,
) -> dict[str, Gap]:
    gaps = together(level)
    return gaps | {
        name: _not_below(gaps[name], test(level), level) for name, test in tests.items()
    }


def _multiplied(test: Contrast, factor: int) -> Gap:
    """Turn a lead into a difference from the leader, and multiply p."""
    low, high = test.interval
    adjusted = min(1.0, test.pvalue * factor)
    return Gap(0.0 - test.value, Interval(0.0 - high, 0.0 - low), adjusted)


def _not_below(gap: Gap, test: Contrast, alpha: float) -> Gap:
    """Take the p of two algorithms alone where it is the larger one, and the wider interval."""
    alone = _multiplied(test, 1)
    assert gap.interval is not None  # noqa: S101 (those that are tested have one)
    assert gap.difference is not None  # noqa: S101
    assert gap.pvalue_adjusted is not None  # noqa: S101
    assert alone.interval is not None  # noqa: S101
    low = min(gap.interval.low, alone.interval.low)
    high = max(gap.interval.high, alone.interval.high)
    adjusted = max(gap.pvalue_adjusted, test.pvalue)
    # p counts ties that are only rounded apart.
    beside = TIE * abs(gap.difference) * np.array([-1.0, 1.0])
    rejected = adjusted <= alpha
    ends = agreeing((low, high), gap.difference, 0.0, beside, rejected=rejected)
    return Gap(gap.difference, Interval(*ends), adjusted)


def _out_of_reach(
    tests: Mapping[str, Contrast], factor: int, alpha: float, *, blocked: bool
) -> Iterator[Caveat]:
    """Warn of those that no data could rule out."""
    smallest = {name: test.smallest_pvalue * factor for name, test in tests.items()}
    kept = tuple(name for name, value in smallest.items() if value > alpha)
    if not kept:
        return
    n_enough = None
    if len(set(smallest.values())) == 1 and not blocked:
        # Of a two-sided test, a relabelling and its mirror image count as one.
        sides = 2 if tests[kept[0]].alternative == "two-sided" else 1
        n_enough = next(
            n for n in range(2, 99) if sides * factor / math.comb(2 * n, n) <= alpha
        )
    yield TooFewToRuleOut(
        kept,
        min(1.0, *(smallest[name] for name in kept)),
        alpha,
        factor,
        factor / tests[kept[0]].n_relabellings > alpha,
        n_enough,
    )
