"""Do the curves differ, in height or in shape? The randomized ANOVA.

Piater & Cohen (1997), CMPSCI TR 97-41; Piater, Cohen, Zhang & Atighetchi (1998), ICML.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.data.curves import Curves
from curvewise.inference.asking import (
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_design,
    check_variation,
    question,
)
from curvewise.inference.caveats import gathered
from curvewise.inference.result import EFFECTS, Center, ErrorTerm, Interval, OverallTest, Spread
from curvewise.inference.two_groups import check_center, check_center_alone
from curvewise.inference.work import adjusted, ask_each
from curvewise.kernels.anova import Design
from curvewise.kernels.invert import (
    MAX_SUBSET_RUNS,
    counting_repays_compiling,
    halving_repays_compiling,
    trimmed_means,
)
from curvewise.kernels.pvalues import n_different_at_least
from curvewise.questions.compare.method import (
    LIMITS,
    ROWS,
    Overall,
    anova_effects,
    compare_unequal,
    exact_height,
    measure_difference,
    typical_difference,
    visit_combined,
    with_typical_height,
)
from curvewise.questions.compare.result import (
    AlgorithmSummary,
    Comparison,
    Comparisons,
    TooManyTables,
    comparison_caveats,
)
from curvewise.shuffling.visit import MAX_FREE, Layout, single_blas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.inference.asking import Asked
    from curvewise.inference.work import Work
    from curvewise.questions.compare.method import HeightCounter


# With another centre than the mean: an option, the value that is refused, and what to use instead.
CENTERED = (("error", "pooled", "split"), ("spread", "unequal", "equal"))


@question()
def compare(
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
) -> Comparison:
    """Test whether algorithms differ in the height or the shape of their curves.

    Whole curves are shuffled among algorithms (inside their blocks, if there are any), so
    nothing is assumed about how scores along a curve depend on each other.

    Parameters
    ----------
    curves : Curves
        At least two algorithms, and more runs than algorithms.
    overall : "combined" or "F"
        The test of any difference at all: combined looks at all steps, height, shape and the
        most striking step; F is that of the papers, and is used with ``error="pooled"`` and
        ``spread="unequal"``. It stands before height and shape. Combined weighs what it looks
        at by how unusual each is among shuffled curves. F adds up sums of squares over all
        steps, so that those where runs vary most decide; a single step uses it, too.
    error : "split" or "pooled"
        What an effect is measured against: split keeps height and shape apart; pooled is the
        papers'. Split takes height against the spread of curve heights and shape against the
        spread of curve shapes, so that neither effect can fake the other.
    spread : "equal" or "unequal"
        Unequal compares means of algorithms that vary differently from run to run; use it
        where numbers of runs differ as well. A statistic of Welch's kind is held against tables
        that are drawn with equal means and each algorithm's own spread. Equal, the default, can
        take a difference in spread for one in the mean, the more so the more algorithms there
        are; a warning says where.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs is compared: their mean; the typical run, with a fifth cut
        off at either end; or their ranks; to be chosen before looking. It is about the height,
        where some runs may fail; the overall test and that of shape stay as they are. Of the
        typical run at least one is cut off; it needs five runs, and no blocks. Ranks ask whose
        runs tend to be higher, and lose little from 8 runs on. With the split error term and
        equal spread only.
    alpha : float
        The significance level, between 0 and 1.
    n_shuffles : int, "auto" or "precise"
        How many random shuffles, when not every relabelling is visited; "auto" goes on
        until the verdict is settled, "precise" until p is known to within 10%. Both
        give up at 2³⁰ shuffles, with unequal spread at 2²².
    exact : bool, optional
        Whether every relabelling is visited, or a sample. By default exact when it is quick:
        when there are at most ``n_shuffles`` or 400,000, whichever is more; and of two
        algorithms with up to 44 runs the height is exact in any case. Of more than 400,000
        the combined test takes a sample, unless True and they are fewer than ten million.
        With unequal spread no p is exact, and True is refused.
    n_jobs : int
        How many threads, or workers of the active joblib backend; -1 for all cores. The
        result does not depend on it.
    rng : None, int, Generator or what else `numpy.random.default_rng` takes
        Where random numbers come from; the same gives the same digits, whatever the jobs.
    checkpoint : path, optional
        A file in which the counts of long work are kept, and from which it goes on. It then
        has the digits it would have had.

    Returns
    -------
    Comparison
        Effects, effect sizes, the ANOVA table and warnings.

    Raises
    ------
    CurvesError
        If the runs cannot be compared: one algorithm, a single run of each, equal scores.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A2"))
    >>> found.exact, found.n_relabellings
    (True, 92378)
    """
    return ask(compare, locals(), compare_curves)


def compare_curves(
    asked: Asked,
    work: Work,
    *,
    levels: tuple[float, ...] | None = None,
    laid_out: tuple[Layout, Design] | None = None,
    reported: tuple[ErrorTerm, ...] = get_args(ErrorTerm),
    height_counter: HeightCounter = exact_height,
) -> Comparison:
    """Compare as `compare` does; "auto" settles on which side of each level p lies.

    A member of a family is judged at stricter ``levels`` than alpha, which is the default.
    ``laid_out`` are the layout and the design of the curves, where they are known. ``reported``
    are the error terms whose effects are wanted: split, and that which was asked for, at least.
    ``height_counter`` finds the exact p of height, where relabellings are sampled.
    """
    curves, alpha, error = asked.curves, asked.alpha, asked.error
    spread, center = asked.spread, asked.center
    check_design(curves)
    check_center(curves, center)
    for option, excluded, instead in CENTERED:
        if getattr(asked, option) == excluded:
            check_center_alone(center, option, excluded, instead)
    layout, design = laid_out or layout_and_design(curves)
    levels = levels or (alpha,)
    most_striking = height_plan = None
    if spread == "unequal":
        found, effects = compare_unequal(
            curves, layout, design, work, error=error, alpha=alpha, levels=levels
        )
    else:
        check_variation(curves, sum(design.totals))
        is_combined = asked.overall == "combined" and error == "split" and curves.n_steps > 1
        deciders = tuple(
            row
            for name, row in ROWS[error].items()
            if not (is_combined and name == "overall")
            and not (center != "mean" and name == "algorithm")
        )
        if is_combined:
            found, combined, striking = visit_combined(
                design, layout, work, deciders=deciders, levels=levels
            )
            most_striking = Interval(*(curves.steps[end].item() for end in striking))
        else:
            plan = work.plan(layout.restriction, levels=levels, limits=LIMITS)
            found = work.visit(plan, Overall(design, deciders))
        effects = anova_effects(
            design,
            found,
            layout,
            alpha=alpha,
            height_counter=height_counter if work.exact is None else None,
            is_combined=is_combined,
            errors=reported,
        )
        effects, height_plan = with_typical_height(effects, layout, work, center, levels=levels)
        if curves.n_steps == 1:
            # There is nothing but height, whose p may be the exact one.
            effects["split"]["overall"] = replace(effects["split"]["algorithm"], name="overall")
        if is_combined:
            effects["split"]["overall"] = combined(effects["split"]["overall"])
    sampling = work.sampling(found)
    if not effects[error]["overall"].exact:
        sampling = sampling.with_seed(work.seed)
    difference = None
    if design.contrast is not None:
        height = effects["split"]["algorithm"]
        difference = measure_difference(curves, layout, design, found, height, spread)
        if height_plan is not None:
            difference = typical_difference(difference, layout, height, height_plan)
    return Comparison(
        algorithms=_summaries(curves, center),
        n_steps=curves.n_steps,
        first_step=curves.steps[0].item(),
        last_step=curves.steps[-1].item(),
        n_blocks=curves.n_blocks,
        even_blocks=curves.has_even_blocks,
        higher_is_better=curves.higher_is_better,
        effects=effects,
        ss={source: value * layout.unit**2 for source, value in design.ss.items()},
        df=design.df,
        difference=difference,
        error=error,
        alpha=alpha,
        sampling=sampling,
        caveats=tuple(
            comparison_caveats(curves, layout, effects, sampling, error=error, spread=spread)
        ),
        source=curves.source,
        spread=spread,
        most_striking=most_striking,
        center=center,
        preparation=curves.preparation,
        period=curves.period,
    )


def layout_and_design(curves: Curves) -> tuple[Layout, Design]:
    """Lay out the curves, and sum them up."""
    layout = Layout.of(curves)
    return layout, Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)


def _summaries(curves: Curves, center: Center) -> tuple[AlgorithmSummary, ...]:
    means = curves.scores.mean(axis=1)
    groups = [means[curves.codes == code] for code in range(len(curves.algorithms))]
    typical: list[float | None] = [None] * len(groups)
    if center == "trimmed":
        typical = trimmed_means(curves.codes[None, :], means)[:, 0].tolist()
    return tuple(
        AlgorithmSummary(
            name,
            len(group),
            float(group.mean()),
            float(group.std(ddof=1)) if len(group) > 1 else None,
            own,
        )
        for name, group, own in zip(curves.algorithms, groups, typical, strict=True)
    )


# --- Compiled code for many comparisons: none of them alone may repay loading it, all do.


def load_compiler(tables: Iterable[Curves]) -> None:
    """Import compiled code if all tables together repay it: each of them then finds it there."""
    load_compiler_for(
        (curves.sizes[0], curves.sizes[1], curves.n_steps)
        for curves in tables
        if len(curves.sizes) == 2 and curves.blocks is None
    )


def load_compiler_for(designs: Iterable[tuple[int, int, int]]) -> None:
    """Do the same for comparisons of two: how many runs each has, and how many steps."""
    n_halved, n_subsets = 0, 0
    for first, second, n_steps in designs:
        n_runs = first + second
        count = math.comb(n_runs, first)
        if count <= MAX_FREE:
            n_halved += count * n_steps
        elif n_runs <= MAX_SUBSET_RUNS:
            n_subsets += 2 ** (n_runs // 2)
    if halving_repays_compiling(n_halved, 1) or counting_repays_compiling(n_subsets):
        import curvewise.kernels.compiled_kernels  # noqa: F401


# --- Many tables at once: one per task, dataset or pair, with p adjusted across them.

MAX_TABLES_WITH_NULLS = 40  # of more, null distributions are made when they are asked for


@question(n_keys=0, apart=("adjust",), member=compare)
def compare_many(
    tables: Mapping[str, Curves],
    *,
    error: ErrorTerm = "split",
    adjust: Literal["bh", "holm", "bonferroni"] = "bh",
    alpha: Share = 0.05,
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
    return ask(compare_many, locals(), _compared)


def _compared(asked: Asked, work: Work) -> Comparisons:
    tables, alpha, adjust = asked.tables, asked.alpha, asked.adjust
    levels = alpha, alpha / len(tables)
    member = work.of_member()
    is_large = len(tables) > MAX_TABLES_WITH_NULLS

    def compared(_: str, curves: Curves) -> Comparison:
        table = asked.to(compare, curves=curves)
        own = compare_curves(table, member, levels=levels)
        if not is_large:
            return own
        again = partial(compare_curves, table, member.by_itself(), levels=levels)
        return own.with_nulls_of(again)

    with single_blas():
        load_compiler(tables.values())
        found = ask_each(tables, compared)
    effects = {name: own.effects[own.error] for name, own in found.items()}
    pvalues = {
        effect: {name: own[effect].pvalue for name, own in effects.items() if effect in own}
        for effect in EFFECTS
    }
    result = Comparisons(
        comparisons=found,
        pvalues_adjusted={effect: adjusted(values, adjust) for effect, values in pvalues.items()},
        at_least={
            effect: n_different_at_least(np.array(list(values.values())), alpha)
            for effect, values in pvalues.items()
        },
        adjust=adjust,
        alpha=alpha,
        caveats=gathered({name: own.caveats for name, own in found.items()}),
        seed=work.seed,
    )
    # Where p itself is out of reach, the tables say so.
    if min(own.smallest_pvalue for own in found.values()) <= alpha < result.smallest_pvalue:
        reach = TooManyTables(len(found), result.smallest_pvalue, alpha, adjust)
        return replace(result, caveats=(reach, *result.caveats))
    return result
