"""Do the curves differ, in height or in shape? The randomized ANOVA.

Piater & Cohen (1997), CMPSCI TR 97-41; Piater, Cohen, Zhang & Atighetchi (1998), ICML.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.cautions import cautions, has_even_blocks
from curvewise.differences import measure_difference
from curvewise.kernels.design import Design
from curvewise.kernels.enumeration import Enumeration, n_relabellings
from curvewise.kernels.extremes import effect_ratios
from curvewise.kernels.halves import MOST_RUNS, count_heights
from curvewise.kernels.pvalues import critical_value, pvalue
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.welch import WelchDesign
from curvewise.layout import Layout
from curvewise.refusals import (
    RNGLike,
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    check_jobs,
    check_variation,
    whole_number,
)
from curvewise.results import (
    AlgorithmSummary,
    Comparison,
    Effect,
    EffectName,
    ErrorTerm,
    f_statistic,
)
from curvewise.results.effects import Spread
from curvewise.shuffling import (
    CHEAP,
    MOST_IN_NUMPY,
    can_visit,
    visit,
    visit_until,
    visits_all,
)
from curvewise.spreads import check_unequal, studentised_interval, visit_unequal
from curvewise.stopping import MOST_SHUFFLES, RULES, stopping_rule

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from curvewise.curves import Curves
    from curvewise.kernels import Integers
    from curvewise.shuffling import Visited

__all__ = ["RNGLike", "compare"]


# Which of the five statistics of `kernels.extremes` is which effect.
ROWS: dict[ErrorTerm, dict[EffectName, int]] = {
    "split": {"overall": 0, "algorithm": 1, "interaction": 2},
    "pooled": {"overall": 0, "algorithm": 3, "interaction": 4},
}


def compare(
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
) -> Comparison:
    """Test whether algorithms differ in the height or the shape of their curves.

    Whole curves are shuffled among algorithms (inside their blocks, if there are any), so
    nothing is assumed about how scores along a curve depend on each other.

    Parameters
    ----------
    curves : Curves
        At least two algorithms, and more runs than algorithms.
    error : "split" or "pooled"
        What an effect is measured against. Split, the default, takes height against the
        spread of curve heights and shape against the spread of curve shapes, so that
        neither effect can fake the other. Pooled is the papers'.
    spread : "equal" or "unequal"
        Unequal asks whether means differ where algorithms vary differently from run to
        run, by a statistic of Welch's kind. Equal, the default, can take a difference in
        spread for one in the mean when the numbers of runs differ.
    alpha : float
        The significance level, between 0 and 1.
    n_shuffles : int, "auto" or "precise"
        How many random shuffles, when not every relabelling is visited. "auto" goes on
        until the verdict at alpha is settled, "precise" until p is known to a tenth.
    exact : bool, optional
        True visits every relabelling, False samples. By default all are visited when
        there are at most ``n_shuffles`` or 400,000, whichever is more; and of two
        algorithms with up to 44 runs the height is exact in any case.
    n_jobs : int
        How many threads, or workers of the active joblib backend; -1 for all cores. The
        result does not depend on it.
    rng : None, int, Generator or what else `numpy.random.default_rng` takes
        Where the shuffles come from. The same ``rng`` gives the same digits.
    checkpoint : path, optional
        A file for the counts of long work as they come in. Interrupted work goes on from
        it, with the digits it would have had.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A2"))
    >>> found.exact, found.n_relabellings
    (True, 92378)
    """
    check_curves(curves, "compare()")
    check_choice("error term", error, get_args(ErrorTerm))
    check_choice("spread", spread, get_args(Spread))
    check_alpha(alpha)
    check_jobs(n_jobs)
    alpha, generator = float(alpha), as_generator(rng)
    rule = n_shuffles if n_shuffles in RULES else None
    n_most = MOST_SHUFFLES if rule else whole_number(n_shuffles, rules=RULES)
    check_design(curves)
    unequal = spread == "unequal"
    if unequal:
        check_unequal(curves, error=error, n_shuffles=n_shuffles, checkpoint=checkpoint)
    layout = Layout.of(curves)
    scores, labels, blocks = layout.scores, layout.labels, layout.blocks
    unit, noise = layout.unit, layout.noise
    design = Design.from_scores(scores, labels, blocks, noise)
    check_variation(curves, sum(design.totals))

    count = n_relabellings(labels, blocks)
    asked = exact
    possible = count <= MOST_IN_NUMPY if unequal else can_visit(labels, blocks, count)
    exact = visits_all(asked, count, CHEAP if rule else n_most, possible=possible)
    key = int(generator.integers(2**64, dtype=np.uint64))
    ledger = None
    if checkpoint is not None:
        from curvewise.checkpoint import Checkpoint, fingerprint

        of = fingerprint(scores, labels, blocks, noise, n_shuffles, exact)
        ledger = Checkpoint(Path(checkpoint), of, None if rng is None else key)
        key = ledger.seed(key)
    shuffles = Shuffles(labels, blocks, n_most, key)
    relabellings = Enumeration(labels, blocks) if exact else shuffles
    effects: dict[ErrorTerm, dict[str, Effect]]
    if unequal:
        welch = WelchDesign.of(design, labels, noise)
        found = visit_unequal(relabellings, welch, n_jobs=n_jobs)
        visited = found.visited
        effects = {"split": found.effects(alpha=alpha, single_step=curves.n_steps == 1)}
    else:
        with ledger or nullcontext():
            if rule and not exact:
                settled = _settled(stopping_rule(str(rule), alpha), error)
                visited = visit_until(
                    shuffles, design, settled, n_jobs=n_jobs, ledger=ledger
                )
            else:
                visited = visit(relabellings, design, n_jobs=n_jobs, ledger=ledger)
        heights = None
        if not exact and asked is None:
            heights = _exact_height(labels, blocks, design)
        effects = _effects(design, visited, heights, alpha=alpha, exact=exact)
    difference = None
    if design.contrast is not None:
        difference = measure_difference(
            curves, design.contrast, labels, visited, unit=unit, noise=noise, alpha=alpha
        )
        if unequal:
            means = scores.mean(axis=1) * unit
            interval = studentised_interval(difference.value, means, labels, found, alpha)
            difference = replace(difference, interval=interval)
    return Comparison(
        algorithms=_summaries(curves),
        n_steps=curves.n_steps,
        first_step=curves.steps[0].item(),
        last_step=curves.steps[-1].item(),
        n_blocks=None if curves.blocks is None else len(set(curves.blocks)),
        even_blocks=has_even_blocks(curves),
        higher_is_better=curves.higher_is_better,
        effects=effects,
        ss={source: value * unit**2 for source, value in design.ss.items()},
        df=design.df,
        difference=difference,
        error=error,
        alpha=alpha,
        exact=exact,
        n_relabellings=count,
        n_shuffles=visited.count,
        engine=visited.engine,
        seed=int(rng) if isinstance(rng, int | np.integer) and not exact else None,
        warnings=cautions(
            curves, effects, count, error=error, spread=spread, alpha=alpha
        ),
        source=curves.source,
        spread=spread,
    )


def _effects(
    design: Design,
    visited: Visited,
    heights: tuple[int, int] | None,
    *,
    alpha: float,
    exact: bool,
) -> dict[ErrorTerm, dict[str, Effect]]:
    nulls = effect_ratios(visited.between, design.totals)
    df, ss = design.df, design.ss
    own = {"algorithm": "curves", "interaction": "residual"}

    def effect(name: EffectName, error: ErrorTerm) -> Effect:
        parts = ("algorithm", "interaction") if name == "overall" else (name,)
        against = own.get(name, "error") if error == "split" else "error"
        effect_df = sum(df[part] for part in parts), df[against]
        statistic = f_statistic(sum(ss[part] for part in parts), ss[against], effect_df)
        row = ROWS[error][name]
        null = nulls[row] * (effect_df[1] / effect_df[0])
        # Where a tie is only rounded apart, the null distribution says that it is a tie.
        null[np.isclose(null, statistic, rtol=1e-9, atol=0)] = statistic
        critical = critical_value(null, alpha)
        null.setflags(write=False)
        n_extreme, n_visited, all_visited = (
            int(visited.n_extreme[row]),
            visited.count,
            exact,
        )
        if name == "algorithm" and error == "split" and heights is not None:
            (n_extreme, n_visited), all_visited = heights, True
        return Effect(
            name=name,
            statistic=statistic,
            df=effect_df,
            pvalue=pvalue(n_extreme, n_visited, exact=all_visited),
            n_extreme=n_extreme,
            n_shuffles=n_visited,
            exact=all_visited,
            alpha=alpha,
            critical_value=critical,
            null_distribution=null,
        )

    names = [name for name in get_args(EffectName) if name == "overall" or df[name]]
    return {
        error: {name: effect(name, error) for name in names}
        for error in get_args(ErrorTerm)
    }


def _settled(
    rule: Callable[[Integers, int], bool], error: ErrorTerm
) -> Callable[[Integers, int], bool]:
    """Apply a stopping rule to the three effects that are reported."""
    rows = list(ROWS[error].values())
    return lambda n_extreme, count: rule(n_extreme[rows], count)


def _exact_height(
    labels: Integers, blocks: Integers, design: Design
) -> tuple[int, int] | None:
    """Count the relabellings as extreme in height, and all, where that takes no time.

    For two algorithms without blocks the heights alone can be counted far beyond what can
    be visited.
    """
    if labels.max() != 1 or blocks.min() != blocks.max() or len(labels) > MOST_RUNS:
        return None
    n_first = int(np.sum(labels == 0))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    count = count_heights(heights, n_first, float(design.limits.bounds[1]))
    mirrored = 2 if 2 * n_first == len(labels) else 1
    return count // mirrored, math.comb(len(labels), n_first) // mirrored


def _summaries(curves: Curves) -> tuple[AlgorithmSummary, ...]:
    means = curves.scores.mean(axis=1)
    groups = [means[curves.codes == code] for code in range(len(curves.algorithms))]
    return tuple(
        AlgorithmSummary(
            name,
            len(group),
            float(group.mean()),
            float(group.std(ddof=1)) if len(group) > 1 else None,
        )
        for name, group in zip(curves.algorithms, groups, strict=True)
    )
