"""May the candidate replace the baseline? A test against a margin that was chosen beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.errors import CurvesError
from curvewise.inference.centers import check_center
from curvewise.inference.effects import Interval
from curvewise.inference.requirements import check_curves, check_design
from curvewise.inference.work import shuffling_work
from curvewise.questions.gate.caveats import gate_caveats
from curvewise.questions.gate.choosing import Asked, design_of
from curvewise.questions.gate.deciding import enough_runs
from curvewise.questions.gate.numbers import GateNumbers, measured
from curvewise.questions.gate.options import GateOptions
from curvewise.questions.gate.result import Gate
from curvewise.text import about_step, argument, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.questions.gate.bounds import BoundTest
    from curvewise.questions.gate.numbers import On
    from curvewise.questions.gate.options import SpreadChoice
    from curvewise.questions.gate.result import Unit

__all__ = ["gate", "gate_at_levels"]


def gate(
    curves: Curves,
    *,
    candidate: str,
    baseline: str,
    margin: float,
    unit: Unit = "score",
    on: On = "mean",
    alpha: float = 0.05,
    two_sided: bool = False,
    spread: SpreadChoice = "auto",
    assumed: float = 0.0,
    power: float = 0.8,
    sd_from: Curves | None = None,
    center: Center = "mean",
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Gate:
    """Test whether a candidate is not worse than a baseline by more than a margin.

    Every run becomes one number. The candidate's are raised by the margin, and the runs are
    shuffled: a pass rejects that the candidate is worse by the margin or more, a fail rejects
    that it is not worse by more than that. Each is wrong with a chance of at most ``alpha``,
    exactly so where the two differ by a shift.

    Parameters
    ----------
    curves : Curves
        Runs of both; other algorithms are left out.
    candidate, baseline : str
    margin : float
        How much worse the candidate may be; 0 asks whether it is better. To be chosen before
        looking, so there is no default.
    unit : "score", "relative" or "sd"
        What the margin is in: the score; a share of the baseline's mean, 0.1 being 10%, for
        scores of one sign; or standard deviations of runs, of ``sd_from`` where that is given,
        else of these runs, which assumes normal numbers.
    on : "mean", "final", (start, stop), "every step" or ("reach", score)
        The number taken of each run: its mean over training, over the last tenth of the steps,
        or over a window of steps. "every step" asks for a pass at all of them, which needs far
        more runs. With ("reach", score) it is the time at which a run first reaches the score,
        and ``margin`` is a factor of 1 or more: 1.2 lets the candidate take 20% longer.
    alpha : float
        The chance of a wrong pass, and of a wrong fail; below one half.
    two_sided : bool
        Whether being better by more than the margin is a fail too (equivalence, by two
        one-sided tests).
    spread : "auto", "equal" or "unequal"
        Equal shuffles the runs. Unequal allows for algorithms that vary differently, as in
        `compare`, and relies on runs being roughly normal. Auto is equal for as many runs of
        each, which keeps its promise in either case, in blocks, with another centre and at
        every step; and else asks both tests, which must agree.
    assumed : float
        The true difference for which ``runs_to_decide`` is computed, in the unit of the margin,
        positive where the candidate is better. Never the observed one.
    power : float
        The chance of a pass that ``runs_to_decide`` is to reach.
    sd_from : Curves, optional
        Runs of one algorithm, 10 or more, such as an earlier baseline, whose standard deviation
        is the unit of the margin.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs is compared, as in `contrast`.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `contrast`.

    Returns
    -------
    Gate

    Raises
    ------
    CurvesError
        If an algorithm is unknown or the runs cannot be used with this margin.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> found = cw.gate(curves, candidate="A3", baseline="A2", margin=2)
    >>> found.answer, round(found.pvalue_pass, 4)
    ('pass', 0.0034)
    """
    check_curves(curves, "gate()")
    options = GateOptions(
        candidate=candidate,
        baseline=baseline,
        margin=margin,
        unit=unit,
        on=on,
        alpha=alpha,
        two_sided=two_sided,
        spread=spread,
        assumed=assumed,
        power=power,
        sd_from=sd_from,
        center=center,
    )
    with shuffling_work(
        "gate",
        *(curves, *options.told()),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
    ) as work:
        return gate_at_levels(curves, options, work)(options.alpha)


def gate_at_levels(
    curves: Curves, options: GateOptions, work: Work
) -> Callable[[float], Gate]:
    """Ask, by itself or as a member of a family.

    Returns what gives the result with a fail judged at a level, at which the family judges it.
    """
    _check_names(curves, options)
    two = curves.select(options.candidate, options.baseline)
    check_design(two)
    check_center(two, options.center)
    profile, measure = measured(two, options.on)
    numbers = GateNumbers.of(two, profile, options.candidate, options.baseline)
    options.check_numbers(numbers)
    asked = Asked(two, numbers, options, options.reference(), work)
    tests, place = asked.tests()
    first, last = tests[0], tests[-1]
    if place is not None:
        measure = f"score at step {about_step(two.steps[place])}"
        at_step = np.eye(two.n_steps)[place]
        numbers = GateNumbers.of(two, at_step, options.candidate, options.baseline)
    prospect = asked.prospect()
    needed = (None, None) if prospect is None else prospect.needed(options.power)
    enough = None
    design = design_of(numbers)
    if design is not None and not design.reaches(options.alpha):
        enough = enough_runs(design, options.alpha)
    alpha = float(options.alpha)
    limits = Interval(first.low(alpha), last.high(alpha))
    times = asked.times
    pvalue_pass, pvalue_fail = _pvalues(tests, longer_is_worse=times is not None)
    sign = 1.0 if curves.higher_is_better else -1.0

    def with_fail_at(level: float) -> Gate:
        judged = level / 2 if options.two_sided else level
        fails = Interval(last.low(judged), first.high(judged))
        if not options.two_sided:
            # One side can fail only; the other limit is that of a pass.
            fails = (
                fails._replace(low=limits.low)
                if times is None
                else fails._replace(high=limits.high)
            )
        return Gate(
            candidate=options.candidate,
            baseline=options.baseline,
            n_runs=numbers.n_runs,
            measure=measure,
            margin=float(options.margin) + 0.0,  # and not -0.0
            unit=options.unit if times is None else "factor",
            margin_score=_margin_score(options, asked.reference),
            difference=first.value,
            limits=limits,
            limits_fail=fails,
            pvalue_pass=pvalue_pass,
            pvalue_fail=pvalue_fail,
            alpha=alpha,
            alpha_fail=judged,
            two_sided=options.two_sided,
            test=asked.test,
            assumed=float(options.assumed),
            power=float(options.power),
            runs_to_decide=needed[0],
            runs_to_decide_cautious=needed[1],
            n_enough=None if enough is None else enough.n_runs,
            means=None if times else _each(numbers, lambda own: sign * float(own.mean())),
            sds=None
            if times
            else _each(numbers, lambda own: own.std(ddof=1) if len(own) > 1 else None),
            medians=None if times is None else times.medians,
            n_reached=None if times is None else times.n_reached,
            sampling=first.sampling,
            caveats=tuple(gate_caveats(asked, first.sampling, enough)),
            step=None if place is None else two.steps[place].item(),
            center=options.center,
            n_blocks=two.n_blocks,
            higher_is_better=curves.higher_is_better,
            source=curves.source,
            preparation=curves.preparation,
        )

    return with_fail_at


def _check_names(curves: Curves, options: GateOptions) -> None:
    for role in ("candidate", "baseline"):
        name = getattr(options, role)
        if name not in curves.algorithms:
            msg = (
                f"No algorithm is called {name!r}; {did_you_mean(str(name), curves.algorithms)} "
                f"Name the {role} with {argument(role)}."
            )
            raise CurvesError(msg)


def _pvalues(tests: list[BoundTest], *, longer_is_worse: bool) -> tuple[float, float]:
    """Return p of a pass and of a fail, from the tests of the lower and the upper bound."""
    if longer_is_worse:
        return tests[0].pvalue_below, tests[0].pvalue_above
    if len(tests) == 1:
        return tests[0].pvalue_above, tests[0].pvalue_below
    lower, upper = tests
    # Both bounds must be kept; either may be crossed, and each gets half of alpha.
    return (
        max(lower.pvalue_above, upper.pvalue_below),
        min(1.0, 2 * min(lower.pvalue_below, upper.pvalue_above)),
    )


def _margin_score(options: GateOptions, reference: float | None) -> float | None:
    if options.unit == "score" and options.threshold is None:
        return float(options.margin)
    return None if reference is None else float(options.margin) * reference


def _each(numbers: GateNumbers, of: Callable[..., Any]) -> Any:
    """Return something of the candidate's numbers, and of the baseline's."""
    candidate, baseline = numbers.sides
    return of(candidate), of(baseline)
