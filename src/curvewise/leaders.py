"""Which algorithms may be the best? Those that cannot be told from the leader.

Gupta (1965), subset selection; Hsu (1981), multiple comparisons with the best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.cautions import differing_spread, has_even_blocks
from curvewise.contrasts import contrast
from curvewise.errors import CurvesError
from curvewise.kernels.adjustments import max_adjusted, upper_quantile
from curvewise.kernels.contrasts import Fit, shuffled_pair_t, student_t
from curvewise.kernels.memory import remembered
from curvewise.kernels.shuffles import Shuffles
from curvewise.layout import Layout
from curvewise.refusals import (
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    whole_number,
)
from curvewise.results import Best, Contender, Interval
from curvewise.tables import p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.curves import Curves
    from curvewise.refusals import RNGLike
    from curvewise.results import Contrast

__all__ = ["best"]

ADJUSTMENTS = ("bonferroni", "max-t")
NOTES = {
    "bonferroni": (
        "Every p is one-sided, of the leader and the algorithm alone, and multiplied by "
        "{factor}, since the leader was picked by the data; intervals are one-sided at the "
        "level that goes with it. This asks less than telling all pairs apart, so it may "
        "rule out more."
    ),
    "max-t": (
        "p is adjusted by the largest lead of any algorithm, for each shuffle of the residuals "
        "of all algorithms; intervals are one-sided and adjusted. That is approximate, and "
        "takes all algorithms to spread alike."
    ),
}
MAX_T = ', or adjust="max-t" (--adjust max-t)'
UNEVEN = "Blocks hold different algorithms: means are adjusted for that."


def best(
    curves: Curves,
    *,
    alpha: float = 0.05,
    adjust: str = "bonferroni",
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    rng: RNGLike = None,
) -> Best:
    """Find the algorithms that may be the best in height, and those told to be worse.

    The leader has the best mean over training. It is tested against every other algorithm,
    one-sided; those it is not told to be better than are kept. With confidence 1 - alpha
    the truly best is among those kept, whichever algorithm leads.

    Parameters
    ----------
    curves : Curves
        At least two algorithms. ``higher_is_better`` says which mean is the best.
    alpha : float
        The chance that the truly best is not kept.
    adjust : "bonferroni" or "max-t"
        Bonferroni multiplies the p of each pair by the number of algorithms less one.
        "max-t" shuffles the residuals of all algorithms at once, as Dunnett's test would
        with each algorithm in turn as control; it is approximate, and takes the runs of all
        algorithms to spread alike.
    n_shuffles, exact, rng
        As in `contrast`.

    Returns
    -------
    Best

    Examples
    --------
    >>> import curvewise as cw
    >>> from curvewise.leaders import best
    >>> found = best(cw.load_example("tictactoe"))
    >>> found.leader, found.contenders
    ('A1', ('A1', 'A3'))
    """
    check_curves(curves, "best()")
    check_choice("adjustment", adjust, ADJUSTMENTS)
    check_alpha(alpha)
    check_design(curves)
    seed = int(as_generator(rng).integers(2**63))
    ranking = _Ranking.of(curves)
    leader, *others = (curves.algorithms[code] for code in ranking.order)
    # Of two algorithms either may lead, so that one-sided tests count twice.
    factor = max(len(others), 2)
    adjust = "bonferroni" if len(others) == 1 else adjust
    options: dict[str, Any] = {
        "alternative": "greater" if curves.higher_is_better else "less",
        "alpha": alpha / factor if adjust == "bonferroni" else alpha,
        "n_shuffles": n_shuffles,
        "exact": exact,
        "rng": seed,
    }
    tests: dict[str, Contrast] = {}
    refused: dict[str, str] = {}
    with remembered():
        for name in others:
            try:
                tests[name] = contrast(curves, {leader: 1, name: -1}, **options)
            except CurvesError as reason:
                refused[name] = str(reason)
        if adjust == "max-t":
            rows = _by_largest(ranking, alpha, whole_number(n_shuffles), seed)
        else:
            rows = {name: _multiplied(test, factor) for name, test in tests.items()}
    means = _means(ranking)

    def row(name: str) -> Contender:
        own = curves.codes == curves.algorithms.index(name)
        # Where there is no test, nothing tells the algorithm from the leader.
        found = rows.get(name, _Row(None, None, None))
        if name == leader:
            found = _Row(0.0, None, None)
        adjusted = found.pvalue_adjusted
        return Contender(
            name=name,
            n_runs=int(own.sum()),
            mean=means[name],
            difference=found.difference,
            interval=found.interval,
            pvalue=tests[name].pvalue if name in tests else None,
            pvalue_adjusted=adjusted,
            contends=adjusted is None or adjusted > alpha,
        )

    every = [row(name) for name in (leader, *others)]
    return Best(
        leader=leader,
        rows=tuple(every),
        adjust=adjust,
        alpha=float(alpha),
        higher_is_better=curves.higher_is_better,
        notes=(
            NOTES[adjust].format(factor=factor),
            *(() if has_even_blocks(curves) else (UNEVEN,)),
        ),
        smallest_pvalue=max(
            (test.smallest_pvalue * factor for test in tests.values()), default=0.0
        )
        if adjust == "bonferroni"
        else 0.0,
        warnings=(
            *(_out_of_reach(tests, factor, alpha) if adjust == "bonferroni" else ()),
            *differing_spread(curves),
            *(
                f"{name} is kept, since it cannot be compared with {leader}: {reason}"
                for name, reason in refused.items()
                if adjust == "bonferroni"
            ),
        ),
        seed=int(rng) if isinstance(rng, int | np.integer) else None,
    )


@dataclass(frozen=True)
class _Row:
    difference: float | None
    interval: Interval | None
    pvalue_adjusted: float | None


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The algorithms by their mean over training, the best first."""

    curves: Curves
    layout: Layout
    fit: Fit  # of the means, turned round where lower is better
    order: tuple[int, ...]

    @classmethod
    def of(cls, curves: Curves) -> _Ranking:
        layout = Layout.of(curves)
        noise = layout.noise / math.sqrt(curves.n_steps)
        means = layout.scores.mean(axis=1, keepdims=True)
        means = means if curves.higher_is_better else -means
        # Within blocks, so that none leads by having run in the easier ones.
        fit = Fit.of(means, layout.labels, layout.blocks, noise)
        order = np.argsort(-fit.estimates[:, 0], kind="stable")
        return cls(curves, layout, fit, tuple(order.tolist()))


def _means(ranking: _Ranking) -> dict[str, float]:
    """Return the mean of each algorithm, adjusted where blocks hold different ones."""
    curves, layout, fit = ranking.curves, ranking.layout, ranking.fit
    heights = curves.scores.mean(axis=1)
    raw = [heights[curves.codes == code].mean() for code in range(len(curves.algorithms))]
    if not has_even_blocks(curves):
        turned = layout.unit * (1 if curves.higher_is_better else -1)
        estimates = fit.estimates[:, 0] * turned
        sizes = np.array(curves.sizes)
        raw = list(heights.mean() + estimates - estimates @ sizes / sizes.sum())
    return {name: float(mean) for name, mean in zip(curves.algorithms, raw, strict=True)}


def _multiplied(test: Contrast, n_others: int) -> _Row:
    """Turn a lead into a difference from the leader, and multiply p."""
    low, high = test.interval
    adjusted = min(1.0, test.pvalue * n_others)
    return _Row(0.0 - test.value, Interval(0.0 - high, 0.0 - low), adjusted)


def _by_largest(
    ranking: _Ranking, alpha: float, n_shuffles: int, seed: int
) -> dict[str, _Row]:
    """Hold the lead over an algorithm against the largest lead over it in each shuffle.

    The truly best is dropped only if another leads it by more than any would by chance.
    """
    layout, fit, curves = ranking.layout, ranking.fit, ranking.curves
    n_groups = len(fit.estimates)
    first, second = np.triu_indices(n_groups, 1)
    shuffles = Shuffles(layout.labels, layout.blocks, n_shuffles, seed)
    largest = np.full((n_shuffles, n_groups), -np.inf)
    done = 0
    for t in shuffled_pair_t(fit, shuffles):
        rows_done = slice(done, done := done + len(t))
        for code in range(n_groups):
            leads = np.hstack([t[:, second == code], -t[:, first == code]])
            largest[rows_done, code] = leads.max(axis=1)
    leader, *others = ranking.order
    unit = np.eye(n_groups)
    lengths = fit.directions(unit[leader] - unit[others])[1]
    spread = math.sqrt(float(fit.errors[0]) / fit.df)
    turned = layout.unit * (1 if curves.higher_is_better else -1)
    rows = {}
    for code, length in zip(others, lengths.tolist(), strict=True):
        lead = float(fit.estimates[leader, 0] - fit.estimates[code, 0])
        t = student_t(np.array([lead / length]), fit.errors[:1], fit.df)
        reach = upper_quantile(largest[:, code], alpha)
        low = lead - (reach * length * spread if spread else 0.0)
        ends = (0.0 - end * turned for end in (low, math.inf))
        rows[curves.algorithms[code]] = _Row(
            0.0 - lead * turned,
            Interval(*sorted(ends)),
            float(max_adjusted(t, largest[:, code], exact=False)[0]),
        )
    return rows


def _out_of_reach(
    tests: Mapping[str, Contrast], n_others: int, alpha: float
) -> Iterator[str]:
    """Warn of those that no data could tell from the leader."""
    least = {name: test.smallest_pvalue * n_others for name, test in tests.items()}
    kept = [name for name, value in least.items() if value > alpha]
    if not kept:
        return
    smallest = min(least[name] for name in kept)
    test = tests[kept[0]]
    by_runs = n_others / test.n_relabellings > alpha
    remedy = f"Use at least {math.ceil(n_others / alpha) - 1:,} shuffles"
    if by_runs:
        remedy = f"Use more runs{MAX_T if n_others > 2 else ''}"
        n_enough = next(
            n for n in range(2, 99) if n_others / math.comb(2 * n, n) <= alpha
        )
        if len(set(least.values())) == 1:
            remedy = (
                f"Use {n_enough} runs of each algorithm{MAX_T if n_others > 2 else ''}"
            )
    listed = ", ".join(kept[:6]) + (f" and {len(kept) - 6} more" if len(kept) > 6 else "")
    yield (
        f"With these runs the smallest p possible is {p_text(min(smallest, 1.0))} after "
        f"adjustment, which is above alpha = {alpha:g}: no data could tell {listed} from the "
        f"leader. {remedy}."
    )
