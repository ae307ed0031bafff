"""Do the curves differ, in height or in shape? The randomized ANOVA.

Piater & Cohen (1997), CMPSCI TR 97-41; Piater, Cohen, Zhang & Atighetchi (1998), ICML.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from curvewise.inference.effects import (
    PARTS,
    Center,
    EffectName,
    ErrorTerm,
    Interval,
    OverallTest,
    Spread,
)
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    check_variation,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.anova.design import Design
from curvewise.questions.compare.caveats import comparison_caveats
from curvewise.questions.compare.combined_overall import combined_overall
from curvewise.questions.compare.effect_sizes import measure_difference
from curvewise.questions.compare.randomized_anova import (
    RandomizedAnova,
    anova_effects,
    anova_limits,
    exact_height,
)
from curvewise.questions.compare.result import AlgorithmSummary, Comparison
from curvewise.shuffling.layout import Layout

if TYPE_CHECKING:
    import os

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Effect
    from curvewise.inference.requirements import (
        RNGLike,
    )
    from curvewise.inference.work import Work
    from curvewise.questions.compare.randomized_anova import HeightCounter
    from curvewise.questions.compare.result import Difference
    from curvewise.shuffling.visiting import Counts

__all__ = ["compare"]


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
        The test of whether they differ at all, which stands before height and shape. Combined,
        the default, looks at all steps together, at height, at shape and at the most striking
        step, and weighs them by how unusual each is among shuffled curves. F adds up sums of
        squares over all steps, so that those where runs vary most decide; it is what the
        pooled error term, unequal spread and a single step use.
    error : "split" or "pooled"
        What an effect is measured against. Split, the default, takes height against the
        spread of curve heights and shape against the spread of curve shapes, so that
        neither effect can fake the other. Pooled is the papers'.
    spread : "equal" or "unequal"
        Unequal asks whether means differ where algorithms vary differently from run to
        run: a statistic of Welch's kind is held against tables that are drawn with equal
        means and each algorithm's own spread. Equal, the default, can take a difference in
        spread for one in the mean, the more so the more algorithms there are; a warning says
        where.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs is its height, where some of them may fail: their mean; the
        typical run, the mean after a fifth of the runs is cut off at either end (at least one;
        it needs five runs, and no blocks); or their ranks, which ask whose runs tend to be
        higher and lose little from 8 runs on. The overall test and that of shape stay as they
        are. To be chosen before looking at the data; with the split error term and equal spread
        only.
    alpha : float
        The significance level, between 0 and 1.
    n_shuffles : int, "auto" or "precise"
        How many random shuffles, when not every relabelling is visited. "auto" goes on
        until the verdict at alpha is settled, "precise" until p is known to within 10%; both
        give up at 2³⁰ shuffles, with unequal spread at 2²².
    exact : bool, optional
        True visits every relabelling, False samples. By default all are visited when
        there are at most ``n_shuffles`` or 400,000, whichever is more; and of two
        algorithms with up to 44 runs the height is exact in any case. Of more than 400,000
        the combined test takes a sample, unless True and they are fewer than ten million.
        With unequal spread no p is exact, and True is refused.
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
    check_curves(curves, "compare()")
    check_alpha(alpha)
    with shuffling_work(
        "compare",
        *(curves, overall, error, spread, alpha, center),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
    ) as work:
        return compare_curves(
            curves,
            work,
            overall=overall,
            error=error,
            spread=spread,
            alpha=float(alpha),
            center=center,
        )


def compare_curves(
    curves: Curves,
    work: Work,
    *,
    overall: OverallTest = "combined",
    error: ErrorTerm,
    alpha: float,
    levels: tuple[float, ...] | None = None,
    spread: Spread = "equal",
    center: Center = "mean",
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
    check_choice("overall", overall, get_args(OverallTest))
    check_choice("error", error, get_args(ErrorTerm))
    check_choice("spread", spread, get_args(Spread))
    check_choice("center", center, get_args(Center))
    check_design(curves)
    if center != "mean":
        # What only few comparisons need is imported for them.
        from curvewise.questions.compare.typical_runs import check_typical

        check_typical(curves, center, error=error, spread=spread)
    layout, design = laid_out or layout_and_design(curves)
    levels = levels or (alpha,)
    most_striking = None
    if spread == "unequal":
        from curvewise.questions.compare.unequal_spread import compare_unequal

        found, effects = compare_unequal(
            curves, layout, design, work, error=error, alpha=alpha, levels=levels
        )
    else:
        check_variation(curves, sum(design.totals))
        is_combined = overall == "combined" and error == "split" and curves.n_steps > 1
        plan = work.plan(layout.restriction, levels=levels, limits=anova_limits(layout))
        deciders = PARTS if is_combined else get_args(EffectName)
        if center != "mean":
            deciders = tuple(name for name in deciders if name != "algorithm")
        found = work.visit(plan, RandomizedAnova(design, error, deciders))
        effects = anova_effects(
            design,
            found,
            layout,
            alpha=alpha,
            height_counter=height_counter if work.exact is None else None,
            is_combined=is_combined,
            errors=reported,
        )
        if center != "mean":
            from curvewise.questions.compare.typical_runs import typical_height

            height, height_plan = typical_height(
                layout, work, center, alpha=alpha, levels=levels
            )
            effects = {"split": {**effects["split"], "algorithm": height}}
        if curves.n_steps == 1:
            # There is nothing but height, whose p may be the exact one.
            effects["split"]["overall"] = replace(
                effects["split"]["algorithm"], name="overall"
            )
        if is_combined:
            effects["split"]["overall"], ends = combined_overall(
                design, layout, work, effects["split"]["overall"], found, levels=levels
            )
            most_striking = Interval(*(curves.steps[end].item() for end in ends))
    sampling = work.sampling(found)
    if not effects[error]["overall"].exact:
        sampling = sampling.with_seed(work.seed)
    difference = None
    if design.contrast is not None:
        difference = _difference(curves, layout, design, found, effects["split"], spread)
        if center != "mean":
            from curvewise.questions.compare.typical_runs import typical_difference

            difference = typical_difference(difference, layout, height, height_plan)
    summaries = _summaries(curves)
    if center == "trimmed":
        from curvewise.questions.compare.typical_runs import with_typical_scores

        summaries = with_typical_scores(summaries, curves)
    return Comparison(
        algorithms=summaries,
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
        caveats=comparison_caveats(
            curves, layout, effects, sampling, error=error, spread=spread
        ),
        source=curves.source,
        spread=spread,
        most_striking=most_striking,
        center=center,
        preparation=curves.preparation,
    )


def layout_and_design(curves: Curves) -> tuple[Layout, Design]:
    """Lay out the curves, and sum them up."""
    layout = Layout.of(curves)
    return layout, Design.from_scores(
        layout.scores, layout.labels, layout.blocks, layout.noise
    )


def _difference(
    curves: Curves,
    layout: Layout,
    design: Design,
    found: Counts,
    effects: dict[str, Effect],
    spread: Spread,
) -> Difference:
    """Return how far apart two algorithms are, with the interval that belongs to the test."""
    height = effects["algorithm"]
    if spread == "equal":
        return measure_difference(curves, layout, design, found, height=height)
    from curvewise.questions.compare.unequal_spread import studentised_interval

    difference = measure_difference(curves, layout, design, None, height=height)
    means = layout.scores.mean(axis=1) * layout.unit
    interval = studentised_interval(difference.value, means, layout.labels, height, found)
    return replace(difference, interval=interval)


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
