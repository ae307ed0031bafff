"""Which algorithms may be the best? Those that cannot be ruled out against the leader.

Gupta (1965), subset selection; Hsu (1981), multiple comparisons with the best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from curvewise.data.curves import Curves
from curvewise.data.tasks import Missing, Tasks
from curvewise.errors import CurvesError, refuse
from curvewise.inference.asking import (
    Asked,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_design,
    check_tasks_vary,
    question,
)
from curvewise.inference.caveats import (
    DifferentSpread,
    SilentTasks,
    different_spread,
    few_for_ranks,
    gathered,
    no_spread,
    prepared,
    runs_are_alike,
    single_runs,
    too_few_for_max_t,
    too_few_shuffles,
)
from curvewise.inference.result import EFFECTS, Center, Interval
from curvewise.inference.two_groups import RunNumbers, check_center, check_center_alone
from curvewise.inference.work import ask_each
from curvewise.kernels.contrasts import MAX_MEMBERS, Fit
from curvewise.kernels.invert import agreeing, trimmed_means
from curvewise.kernels.pvalues import TIE, over_families
from curvewise.questions.best.result import (
    Best,
    Bests,
    Contender,
    KeptUncompared,
    SpreadsOnTasks,
    TooFewOnSomeTasks,
    TooFewOnTasks,
    TooFewToRuleOut,
)
from curvewise.questions.contrast.ask import contrast, contrast_at
from curvewise.questions.pairs.method import can_be_compared, closed_adjusted, max_t_adjusted
from curvewise.shuffling.visit import Layout, track_items
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats
    from curvewise.questions.contrast.result import Contrast
    from curvewise.questions.pairs.method import Pvalues


Adjust = Literal["closed", "bonferroni", "max-t"]


@question(n_keys=0)
def best(
    curves: Curves,
    *,
    alpha: Share = 0.05,
    adjust: Adjust | None = None,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
        By default "closed" up to eight algorithms and "max-t" beyond. With either, those are
        ruled out that `compare_pairs` tells apart from the leader in height: the two questions
        are one family of tests. Bonferroni multiplies the one-sided p of each pair by the number
        of algorithms less one.
    center : "mean", "trimmed" or "ranks"
        As in `contrast`, of what leads and is tested: by ranks, the leader has the best mean
        rank. Of more than two algorithms, closed testing and max-t are for
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
    return ask(best, locals(), lambda asked, work: best_at(asked, work)(asked.alpha))


def best_at(
    asked: Asked, work: Work, *, levels: tuple[float, ...] | None = None, may_be_equal: bool = False
) -> Callable[[float], Best]:
    """Select those that may be the best, of one task or of a family's member.

    Returns a function: level up to alpha -> Best; p are the same at all levels. "auto" settles p against the ``levels``, by default alpha alone.
    Scores that are all the same are refused unless they ``may_be_equal``; nobody is ruled out
    then.
    """
    alpha, center, adjust = asked.alpha, asked.center, _chosen(asked)
    check_design(asked.curves, may_be_equal=may_be_equal)
    check_center(asked.curves, center)
    curves = asked.curves.in_order_of_names()
    if adjust != "bonferroni" and len(curves.algorithms) > 2:
        check_center_alone(center, "adjust", adjust, "bonferroni")
    ranking = Ranking.of(curves, center)
    leader, *others = (curves.algorithms[code] for code in ranking.order)
    if len(others) == 1:
        adjust = "closed"
    factor = len(others) if adjust == "bonferroni" else 1
    levels = levels or (alpha,)
    one_sided = "greater" if curves.higher_is_better else "less"
    side = one_sided if adjust == "bonferroni" else "two-sided"
    own = asked.to(contrast, curves=curves, coefficients={}, alternative=side, alpha=alpha / factor)
    own_levels, member = tuple(level / factor for level in levels), work.of_member()
    tests: dict[str, Callable[[float], Contrast]] = {}
    refused = {}
    for name in track_items(others):
        pair = own.but(coefficients={leader: 1, name: -1})
        try:
            tests[name] = contrast_at(
                pair, member, levels=own_levels, may_be_equal=True, with_caveats=False
            )
        except CurvesError as reason:
            refused[name] = str(reason)
    alone = {name: test(alpha / factor) for name, test in tests.items()}
    pvalues, sampled = {name: min(1.0, own.pvalue * factor) for name, own in alone.items()}, False
    if adjust != "bonferroni" and alone:
        pvalues, sampled = _of_pairs(curves, leader, alone, work, adjust=adjust, levels=levels)
    least = {name: test.smallest_pvalue * factor for name, test in alone.items()}
    caveats = (
        *(too_few_for_max_t(curves, work.n_shuffles, alpha) if adjust == "max-t" else ()),
        *_out_of_reach(alone, factor, alpha, blocked=curves.blocks is not None),
        *(too_few_shuffles(work.n_shuffles, alpha) if sampled and adjust == "closed" else ()),
        *prepared(curves),
        *single_runs(curves),
        *no_spread(curves),
        *different_spread(curves),
        *few_for_ranks(curves, center),
        *(KeptUncompared(name, leader, reason) for name, reason in refused.items()),
    )
    means, sizes = ranking.means(), dict(zip(curves.algorithms, curves.sizes, strict=True))

    def at(level: float) -> Best:
        gaps = {
            name: _gap(test(level / factor), pvalues[name], level) for name, test in tests.items()
        }

        def row(name: str) -> Contender:
            # Where there is no test, nothing speaks against the algorithm.
            none = 0.0 if name == leader else None, None, None
            difference, interval, adjusted = gaps.get(name, none)
            return Contender(
                name=name,
                n_runs=sizes[name],
                mean=means[name],
                difference=difference,
                interval=interval,
                pvalue=alone[name].pvalue if name in alone else None,
                pvalue_adjusted=adjusted,
                contends=adjusted is None or adjusted > level,
                smallest_pvalue=least.get(name),
            )

        return Best(
            leader=leader,
            rows=tuple(map(row, (leader, *others))),
            adjust=adjust,
            alpha=level,
            higher_is_better=curves.higher_is_better,
            factor=factor,
            even_blocks=curves.has_even_blocks,
            smallest_pvalue=max(least.values(), default=0.0),
            caveats=caveats,
            seed=work.seed,
            center=center,
            source=curves.source,
            preparation=curves.preparation,
            period=curves.period,
        )

    return at


def _chosen(asked: Asked) -> str:
    """Return how p is adjusted: as asked for, if that can be done, or by default."""
    n_algorithms = len(asked.curves.algorithms)
    if asked.adjust is None:
        if asked.center != "mean" and n_algorithms > 2:
            return "bonferroni"
        return "closed" if n_algorithms <= MAX_MEMBERS else "max-t"
    if asked.adjust == "closed" and n_algorithms > MAX_MEMBERS:
        refuse(
            f"Closed testing goes through all sets of up to {MAX_MEMBERS} algorithms, and there "
            f"are {n_algorithms}. Use {argument('adjust', 'max-t')}.",
            option="adjust",
        )
    return str(asked.adjust)


def _of_pairs(
    curves: Curves,
    leader: str,
    alone: Mapping[str, Contrast],
    work: Work,
    *,
    adjust: str,
    levels: tuple[float, ...],
) -> tuple[dict[str, float], bool]:
    """Return the adjusted p of the leader and each other algorithm, as `compare_pairs` has them.

    Also returned is whether shuffles were drawn for them. ``alone`` has the two by themselves.
    """
    sign = 1 if curves.higher_is_better else -1
    # Where blocks hold different algorithms, two of them alone may be in another order.
    own = {
        name: test.pvalue if sign * test.value > 0 or not test.value else 1.0
        for name, test in alone.items()
    }
    heights = {}
    for pair in combinations(curves.algorithms, 2):
        if leader not in pair:
            if can_be_compared(curves.select(*pair)):
                heights[pair] = 0.0
        elif (name := pair[leader == pair[0]]) in own:
            heights[pair] = own[name]
    if adjust == "closed":
        found, sampled = closed_adjusted(curves, {"algorithm": heights}, work, levels=levels)
    else:
        every: Pvalues = dict.fromkeys(EFFECTS, heights)
        found, sampled = max_t_adjusted(curves, every, work.sampled(), levels=levels), True
    pvalues = found["algorithm"]
    return {name: pvalues[_in_order(curves, leader, name)] for name in own}, sampled


def _in_order(curves: Curves, *pair: str) -> tuple[str, str]:
    first, second = sorted(pair, key=curves.algorithms.index)
    return first, second


def _gap(test: Contrast, adjusted: float, level: float) -> Gap:
    """Turn a lead into a difference from the leader, with an interval that agrees with p.

    It is that of the two alone; where they are not told apart, it is stretched to hold 0.
    """
    low, high = test.interval
    value = 0.0 - test.value
    # p counts ties that are only rounded apart.
    beside = TIE * abs(value) * np.array([-1.0, 1.0])
    ends = agreeing((0.0 - high, 0.0 - low), value, 0.0, beside, rejected=adjusted <= level)
    return Gap(value, Interval(*ends), adjusted)


def _out_of_reach(
    tests: Mapping[str, Contrast], factor: int, alpha: float, *, blocked: bool
) -> Iterator[Caveat]:
    """Warn of those that no data could rule out."""
    smallest = {name: test.smallest_pvalue * factor for name, test in tests.items()}
    kept = tuple(name for name, value in smallest.items() if value > alpha)
    if not kept:
        return
    n_enough, first = None, tests[kept[0]]
    if len(set(smallest.values())) == 1 and not blocked:
        # Of a two-sided test, a relabelling and its mirror image count as one.
        sides = 2 if first.alternative == "two-sided" else 1
        n_enough = next(n for n in range(2, 99) if sides * factor / math.comb(2 * n, n) <= alpha)
    least = min(1.0, *(smallest[name] for name in kept))
    by_runs = factor / first.n_relabellings > alpha
    yield TooFewToRuleOut(kept, least, alpha, factor, by_runs, n_enough)


# --- Which algorithms may be the best on each of many tasks, with the level adjusted for them.


class BestFamily(Asked):
    """What is asked of each task; the attributes are the parameters of `best_many`."""

    def settle(self) -> None:
        """Take the tasks together, and raise where they do not fit or never vary."""
        tasks = self.tasks
        if not isinstance(tasks, Tasks) or self.algorithms is not None or self.missing != "refuse":
            tasks = Tasks(tasks, algorithms=self.algorithms, missing=self.missing)
        check_tasks_vary(tasks)
        self.tasks: Tasks = tasks


@question(BestFamily, n_keys=0, apart=("adjust",), member=best)
def best_many(
    tasks: Tasks | Mapping[str, Curves],
    *,
    algorithms: Sequence[str] | None = None,
    missing: Missing = "refuse",
    adjust: Literal["bh", "bonferroni"] = "bh",
    within: Adjust | None = None,
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
    center: Center = "mean",
) -> Bests:
    """Select the algorithms that may be the best on each task, allowing for how many tasks there are.

    Each task is asked as by `best`. A task on which all runs are the same counts as a draw: nobody
    is ruled out there. Tasks with the same algorithms and numbers of runs share their
    shuffles, which are drawn once. The tasks are taken to be independent: none shares runs with
    another.

    Parameters
    ----------
    tasks : Tasks, or mapping from name to Curves
        At least one task, with two algorithms or more.
    algorithms, missing
        As in `Tasks`: which algorithms to keep, and what happens to a task that lacks one. With
        ``missing="keep"`` it is judged by those that it has.
    adjust : "bh" or "bonferroni"
        What is promised over all tasks. By "bh", of the tasks on which any algorithm is ruled
        out, the share on which the truly best one is ruled out is alpha at most, in expectation
        (Benjamini & Hochberg 1995 over tasks, and inside each task that is selected the level that
        goes with it: Benjamini & Bogomolov 2014). So each task is judged at alpha times the share
        of tasks on which any algorithm is ruled out. By "bonferroni", the chance that the truly best
        one is ruled out on any task is alpha at most: each task is judged at alpha divided by their
        number, which few runs and many tasks can make impossible to reach. Holm's method would not
        reach further, since every task has a best algorithm that must be kept. Where several
        algorithms are truly the best, both promises are about any one of them.
    within : "closed", "bonferroni" or "max-t", optional
        How p is adjusted for the algorithms of a task: the ``adjust`` of `best`.
    alpha, n_shuffles, exact, n_jobs, rng, checkpoint, center
        As in `best`; "auto" settles p also against alpha divided by the number of tasks.

    Returns
    -------
    Bests
        A mapping from task to Best, each at the level at which the task is judged, with the
        adjusted p, and on how many tasks each algorithm may be the best.

    Raises
    ------
    CurvesError
        If tasks do not fit together, or one of them cannot be compared.

    Examples
    --------
    >>> import curvewise as cw
    >>> rng, labels = np.random.default_rng(0), np.repeat(["A", "B", "C"], 5)
    >>> lifts = {"pong": [0, 2, 9], "qbert": [0, 8, 8], "seaquest": [9, 1, 0]}
    >>> tasks = {
    ...     task: cw.Curves(rng.normal(size=(15, 4)) + np.repeat(lift, 5)[:, None], labels)
    ...     for task, lift in lifts.items()
    ... }
    >>> found = cw.best_many(tasks, rng=0)
    >>> {task: one.contenders for task, one in found.items()}
    {'pong': ('C',), 'qbert': ('C', 'B'), 'seaquest': ('A',)}
    """
    return ask(best_many, locals(), _best_of_each)


def _best_of_each(asked: BestFamily, work: Work) -> Bests:
    tasks, alpha, adjust, member = asked.tasks, asked.alpha, asked.adjust, work.of_family()
    levels = tuple(dict.fromkeys((alpha, alpha / len(tasks))))

    def select(_: str, curves: Curves) -> Callable[[float], Best]:
        own = asked.to(best, curves=curves, adjust=asked.within)
        return best_at(own, member, levels=levels, may_be_equal=True)

    tested = ask_each(tasks, select, label="Task")
    first = {task: at(alpha) for task, at in tested.items()}

    def by_task(field: str) -> dict[str, dict[str, float]]:
        rows = {
            task: {row.name: getattr(row, field) for row in own.rows} for task, own in first.items()
        }
        return {
            task: {name: p for name, p in own.items() if p is not None}
            for task, own in rows.items()
        }

    pvalues, smallest = by_task("pvalue_adjusted"), by_task("smallest_pvalue")
    adjusted = _adjusted(pvalues, adjust)
    level = _level(pvalues, adjusted, adjust, alpha)
    found = {task: first[task] if level == alpha else at(level) for task, at in tested.items()}
    least = [p for own in _adjusted(smallest, adjust).values() for p in own.values()]
    alone = [p for own in smallest.values() for p in own.values()]
    reach = min(least, default=0.0)
    caveats = {task: own.caveats for task, own in found.items()}
    silent = tuple(task for task, own in tasks.items() if runs_are_alike(own))
    return Bests(
        tasks=found,
        algorithms=tuple(dict.fromkeys(name for own in tasks.values() for name in own.algorithms)),
        pvalues_adjusted=adjusted,
        adjust=adjust,
        alpha=alpha,
        level=level,
        higher_is_better=tasks.higher_is_better,
        smallest_pvalue=reach,
        smallest_pvalue_alone=min(1.0, len(tasks) * min(alone, default=0.0)),
        dropped=tasks.dropped,
        caveats=(
            *_out_of_reach_on_tasks(reach, alone, adjust, alpha, caveats),
            *([SilentTasks(silent, len(tasks))] if silent else []),
            *_of_tasks(caveats),
        ),
        center=asked.center,
        seed=work.seed,
    )


def _adjusted(
    pvalues: Mapping[str, Mapping[str, float]], adjust: str
) -> dict[str, dict[str, float]]:
    """Adjust the p of every task for how many tasks there are."""
    values: list[Floats] = [np.array(list(own.values())) for own in pvalues.values()]
    multiplied = [np.minimum(own * len(pvalues), 1.0) for own in values]
    values = over_families(values) if adjust == "bh" else multiplied
    return {
        task: dict(zip(own, row.tolist(), strict=True))
        for (task, own), row in zip(pvalues.items(), values, strict=True)
    }


def _level(
    pvalues: Mapping[str, Mapping[str, float]],
    adjusted: Mapping[str, Mapping[str, float]],
    adjust: str,
    alpha: float,
) -> float:
    """Return the level at which each task is judged, as alpha judges the adjusted p.

    Rounding must not part the two.
    """
    out, kept = [0.0], [math.inf]
    for task, own in adjusted.items():
        for name, value in own.items():
            (out if value <= alpha else kept).append(pvalues[task][name])
    n_selected = sum(min(own.values(), default=1.0) <= alpha for own in adjusted.values())
    share = max(n_selected, 1) if adjust == "bh" else 1
    level = max(alpha * (share / len(adjusted)), *out)
    return min(level, math.nextafter(min(kept), 0.0))


def _of_tasks(caveats: Mapping[str, Sequence[Caveat]]) -> Iterator[Caveat]:
    """Gather the caveats of all tasks; of several about spread, only the widest is told."""
    spreads = {
        task: caveat
        for task, own in caveats.items()
        for caveat in own
        if isinstance(caveat, DifferentSpread)
    }
    told_once = DifferentSpread if len(spreads) > 1 else ()
    others = {
        task: [c for c in own if not isinstance(c, told_once) and not _lacks_runs(c)]
        for task, own in caveats.items()
    }
    yield from gathered(others)
    if told_once:
        widest = max(spreads, key=lambda t: (spreads[t].doubts_means, spreads[t].ratio))
        yield SpreadsOnTasks(tuple(spreads), len(caveats), widest, spreads[widest])


def _lacks_runs(caveat: Caveat) -> bool:
    """Tell whether it says of one task what is said of all tasks together."""
    return isinstance(caveat, TooFewToRuleOut) and caveat.by_runs


def _out_of_reach_on_tasks(
    reach: float,
    alone: Sequence[float],
    adjust: str,
    alpha: float,
    caveats: Mapping[str, Sequence[Caveat]],
) -> Iterator[Caveat]:
    """Warn where no data could rule anyone out: on any task, although each alone might, or on some."""
    if reach > alpha:
        yield TooFewOnTasks(len(caveats), reach, alpha, adjust, min(alone) <= alpha)
        return
    few = tuple(task for task, own in caveats.items() if any(map(_lacks_runs, own)))
    if few:
        yield TooFewOnSomeTasks(few, len(caveats))


# --- The algorithms by their mean over training, the best first.


# --- The algorithms by their mean over training, and how far each is from the leader.


class Gap(NamedTuple):
    """An algorithm's mean minus the leader's, its interval, and the adjusted p."""

    difference: float
    interval: Interval
    pvalue_adjusted: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """The algorithms by their mean over training, the best first."""

    curves: Curves
    layout: Layout
    fit: Fit  # of the means, with the sign changed where lower is better
    order: tuple[int, ...]
    center: Center = "mean"

    @classmethod
    def of(cls, curves: Curves, center: Center = "mean") -> Ranking:
        """Fit the algorithms to the means, within blocks where there are blocks.

        With another centre than the mean, that is what they are ordered by.
        """
        layout, fit, noise = fitted_heights(curves)
        if center != "mean":
            return cls(curves, layout, fit, _ranked_by(layout, center, curves), center)
        return cls(curves, layout, fit, _ranked(fit.estimates[:, 0], 2 * noise))

    @property
    def signed_unit(self) -> float:
        """What takes a lead in units of the layout to scores as they were given."""
        return self.layout.unit * (1 if self.curves.higher_is_better else -1)

    def means(self) -> dict[str, float]:
        """Return the mean of each algorithm, adjusted where blocks hold different ones.

        With another centre: the trimmed mean, or the mean rank of its runs among all runs (of a
        block), the lowest score first.
        """
        curves = self.curves
        if self.center != "mean":
            return self._centers()
        heights = curves.scores.mean(axis=1)
        means = [heights[curves.codes == code].mean() for code in range(len(curves.algorithms))]
        if not curves.has_even_blocks:
            estimates = self.fit.estimates[:, 0] * self.signed_unit
            sizes = np.array(curves.sizes)
            means = list(heights.mean() + estimates - estimates @ sizes / sizes.sum())
        return {name: float(mean) for name, mean in zip(curves.algorithms, means, strict=True)}

    def _centers(self) -> dict[str, float]:
        curves, layout = self.curves, self.layout
        runs = RunNumbers.of(layout)
        if self.center == "trimmed":
            heights = curves.scores.mean(axis=1)
            centers = trimmed_means(curves.codes[None, :], heights)[:, 0]
        else:
            ranks = np.bincount(layout.labels, weights=runs.ranks())
            centers = ranks / np.bincount(layout.labels)
        return dict(zip(curves.algorithms, centers.tolist(), strict=True))


def fitted_heights(curves: Curves) -> tuple[Layout, Fit, float]:
    """Lay out the curves, and fit the algorithms to their means; return also what is rounding.

    The sign is changed where lower is better.
    """
    layout = Layout.of(curves)
    noise = layout.noise / math.sqrt(curves.n_steps)
    means = layout.scores.mean(axis=1, keepdims=True)
    means = means if curves.higher_is_better else -means
    # Within blocks, so that none leads by having run in the easier ones.
    return layout, Fit.of(means, layout.labels, layout.blocks, noise), noise


def _ranked_by(layout: Layout, center: Center, curves: Curves) -> tuple[int, ...]:
    """Order by trimmed mean, or by mean rank (in blocks: fitted), the best first."""
    runs = RunNumbers.of(layout)
    if center == "trimmed":
        estimates, noise = runs.trimmed(), runs.tie
    else:
        fit = Fit.of(runs.ranks()[:, None], layout.labels, layout.blocks)
        estimates, noise = fit.estimates[:, 0], 1e-9
    return _ranked(estimates if curves.higher_is_better else -estimates, noise)


def _ranked(estimates: Floats, noise: float) -> tuple[int, ...]:
    """Order by estimate, the largest first; what rounding alone sets apart keeps its order.

    >>> _ranked(np.array([1.0, 3.0, 3.0 + 1e-12]), 1e-9)
    (1, 2, 0)
    """
    order = np.argsort(-estimates, kind="stable")
    is_lower = np.diff(estimates[order]) < -noise
    group = np.concatenate([[0], np.cumsum(is_lower)])
    return tuple(order[np.lexsort([order, group])].tolist())
