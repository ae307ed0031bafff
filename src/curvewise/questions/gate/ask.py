"""May the candidate replace the baseline? A test against a margin that was chosen beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.data.checks import as_names, check_names, check_number, refuse_option
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.asking import (
    Asked,
    Number,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_curves,
    check_design,
    question,
)
from curvewise.inference.caveats import gathered
from curvewise.inference.result import Center, Interval, told_of
from curvewise.inference.two_groups import EVERY_STEP, check_center
from curvewise.inference.work import ask_each, at_own_levels
from curvewise.kernels.anova import rounding
from curvewise.kernels.survival import kaplan_meier
from curvewise.questions.gate.method import (
    GateNumbers,
    GateTest,
    On,
    design_of,
    enough_runs,
    gate_caveats,
    measured,
)
from curvewise.questions.gate.result import Gate, Gates, TooManyGates, Unit, answered
from curvewise.text import about_step, argument, did_you_mean, listed, plural, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats
    from curvewise.questions.gate.method import BoundTest


# --- What is asked of a gate, as one object; what does not go together is refused here.

SpreadChoice = Literal["auto", "equal", "unequal"]
MIN_REFERENCE_RUNS = 10  # for a standard deviation that counts as known
MAX_NAMED = 6  # algorithms that a message lists
# Options that the result tells as they were given.
COPIED = ("candidate", "baseline", "alpha", "two_sided", "assumed", "power", "center")


class GateOptions(Asked):
    """What is asked of a gate; the attributes are the parameters of `gate`."""

    def settle(self) -> None:
        """Raise for a margin that cannot be used, and where options exclude each other."""
        if self.alpha >= 0.5:
            text = f"must lie below 0.5 for a gate, such as 0.05; it is {self.alpha!r}."
            refuse_option("alpha", text)
        what = "number"
        if str(self.margin).endswith("%"):
            what = "number (a share of the baseline's mean is margin=0.02, unit='relative' for 2%)"
        check_number("margin", self.margin, what)
        self.margin: float = float(self.margin)
        check_names(candidate=self.candidate, baseline=self.baseline)
        self._check_margin()
        self._check_together()
        if self.candidate == self.baseline:
            both = f"Candidate and baseline are both {self.candidate!r}"
            refuse(f"{both}; name two different algorithms.", "candidate")

    @property
    def threshold(self) -> float | None:
        """The score whose time is taken; None where the number of a run is another."""
        on = self.on
        if isinstance(on, tuple | list) and len(on) == 2 and on[0] == "reach":
            check_number("on", on[1], "score after 'reach'")
            return float(on[1])
        return None

    def _check_margin(self) -> None:
        if self.threshold is not None and self.margin < 1:
            refuse(
                f"On time to a threshold {argument('margin')} is a factor of 1 or more: 1.2 lets the candidate "
                f"take 20% longer than the baseline. It is {self.margin:g}.",
                option="margin",
            )
        if self.margin < 0:
            refuse(
                f"{argument('margin')} must be 0 or more: it is how much worse the candidate may be, "
                f"whether higher or lower scores are better; it is {self.margin:g}.",
                option="margin",
            )
        if self.threshold is None and self.unit == "relative" and self.margin >= 1:
            refuse(
                "A relative margin is a share of the baseline's mean, below 1: 0.1 is 10%. It is "
                f"{self.margin:g}.",
                option="margin",
            )
        if self.two_sided and self.margin == 0:
            refuse(
                f"{argument('two_sided', value=True)} needs a margin above 0: nothing could show "
                "that two algorithms do not differ at all.",
                option="margin",
            )

    def _check_together(self) -> None:
        """Raise where options exclude each other."""
        if self.sd_from is not None and self.unit != "sd":
            refuse(f"{argument('sd_from')} goes with {argument('unit', 'sd')} only.", "sd_from")
        on_times, own_sd = self.threshold is not None, self.unit == "sd" and self.sd_from is None
        # What may not go with something else, and what to use instead.
        instead: dict[str, Any] = {
            "unit": "score" if self.sd_from is None or on_times else self.unit,
            "two_sided": False,
            "spread": "auto" if self.spread == "unequal" else self.spread,
            "center": "mean",
        }
        every_step = isinstance(self.on, str) and self.on == EVERY_STEP
        excluded = (
            (every_step, argument("on", EVERY_STEP), tuple(instead)),
            (on_times, f"{argument('on')} time to a threshold", tuple(instead)),
            (own_sd, f"{argument('unit', 'sd')} of these same runs", ("spread", "center")),
            (self.unit == "relative", argument("unit", "relative"), ("center",)),
            (self.spread == "unequal", argument("spread", "unequal"), ("center",)),
        )
        for what, name in (
            (what, name) for holds, what, names in excluded if holds for name in names
        ):
            value = getattr(self, name)
            if value == instead[name]:
                continue
            shown, todo = argument(name, value), f"Use {argument(name, instead[name])}"
            if name == "two_sided":
                shown = argument(name, value=value)
                todo = f"Leave {shown} out"
            refuse(f"{what} does not go with {shown}. {todo}.", option=name)

    @property
    def bounds(self) -> tuple[float, ...]:
        """The differences that are tested, in the unit of the margin."""
        below = 0.0 - self.margin  # and not -0.0
        return (below, self.margin) if self.two_sided else (below,)

    def reference(self) -> float | None:
        """Return the standard deviation of the reference runs; None where there are none."""
        if self.sd_from is None:
            return None
        check_curves(self.sd_from, "sd_from")
        names = self.sd_from.algorithms
        if len(names) > 1:
            refuse(
                f"{argument('sd_from')} must hold one algorithm, and there are {len(names)}: "
                f"{listed(names, MAX_NAMED)}. Give it the runs of one alone."
            )
        if self.sd_from.n_runs < MIN_REFERENCE_RUNS:
            refuse(
                f"{argument('sd_from')} needs at least {MIN_REFERENCE_RUNS} runs for a standard "
                f"deviation that counts as known, and there are {plural(self.sd_from.n_runs, 'run')}."
                " Add runs, or give the margin in units of the score."
            )
        profile, _ = measured(self.sd_from, self.on)
        values = self.sd_from.scores @ profile
        if not _vary(values, values - values.mean(), self.sd_from.precision):
            refuse(
                f"The runs of {argument('sd_from')} do not vary: there is no unit to take. Give "
                "the margin in units of the score."
            )
        return float(values.std(ddof=1))

    def check_numbers(self, numbers: GateNumbers) -> None:
        """Raise where the numbers of runs cannot be used with this margin."""
        if self.unit != "sd" or self.sd_from is not None:
            return
        if numbers.curves.blocks is not None:
            refuse(
                f"{argument('unit', 'sd')} of runs in blocks needs {argument('sd_from')}, the "
                "runs of an earlier baseline: inside blocks runs vary less than between them. "
                "Or give the margin in units of the score."
            )
        residuals = np.concatenate([own - own.mean() for own in numbers.sides])
        if not _vary(numbers.values, residuals, numbers.curves.precision):
            refuse(
                "The runs of neither algorithm vary: there is no standard deviation for "
                f"{argument('unit', 'sd')}. Give the margin in units of the score."
            )


def _vary(values: Floats, residuals: Floats, precision: float) -> bool:
    """Tell whether residuals are more than the rounding of values."""
    return float(np.linalg.norm(residuals)) > rounding(values, precision)


# --- May the candidate replace the baseline?


@question(GateOptions)
def gate(
    curves: Curves,
    *,
    candidate: str,
    baseline: str,
    margin: float,
    unit: Unit = "score",
    on: On = "mean",
    alpha: Share = 0.05,
    two_sided: bool = False,
    spread: SpreadChoice = "auto",
    assumed: Number = 0.0,
    power: Share = 0.8,
    sd_from: Curves | None = None,
    center: Center = "mean",
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
    candidate : str
        The algorithm that is the candidate.
    baseline : str
        The algorithm that is the baseline.
    margin : float
        How much worse the candidate may be; 0 asks whether it is better. To be chosen before
        looking, so there is no default.
    unit : "score", "relative" or "sd"
        What the margin is in: the score, a share of the baseline's mean (0.1 is 10%), or
        standard deviations of runs. A share needs scores of one sign. Standard deviations are
        those of ``sd_from`` where that is given, else of these runs, which assumes normal
        numbers.
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
        Whether the algorithms may vary differently; auto allows for it where they have
        different numbers of runs. Equal shuffles the runs. Unequal is that of `compare`, and
        relies on runs being roughly normal. Auto is equal for as many runs of
        each, which keeps its promise in either case, in blocks, with another centre and at
        every step; with one or two runs of either, which the answer says as a condition; and
        else asks both tests, which must agree.
    assumed : float
        The true difference for which the needed runs are computed; positive is better. It is in
        the unit of the margin, and never the observed one; the runs are ``runs_to_decide``.
    power : float
        The chance of a pass that the needed runs are to give.
    sd_from : Curves, optional
        Runs of an earlier baseline, 10 or more, whose standard deviation is the unit of
        ``unit="sd"``. They are of one algorithm.
    center : "mean", "trimmed" or "ranks"
        As in `contrast`.
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
    return ask(gate, locals(), lambda asked, work: gate_at(asked, work)(asked.alpha))


def gate_at(asked: GateOptions, work: Work) -> Callable[[float], Gate]:
    """Ask, by itself or as a member of a family.

    Returns a function: level for a fail -> Gate.
    """
    curves, alpha = asked.curves, asked.alpha
    for role in ("candidate", "baseline"):
        name = getattr(asked, role)
        if name not in curves.algorithms:
            refuse(
                f"No algorithm is called {name!r}; {did_you_mean(str(name), curves.algorithms)} "
                f"Name the {role} with {argument(role)}."
            )
    two = curves.select(asked.candidate, asked.baseline)
    check_design(two)
    check_center(two, asked.center)
    profile, measure = measured(two, asked.on)
    numbers = GateNumbers.of(two, profile, asked.candidate, asked.baseline)
    asked.check_numbers(numbers)
    test = GateTest(two, numbers, asked, asked.reference(), work)
    tests, place = test.tests()
    first, last = tests[0], tests[-1]
    if place is not None:
        measure = f"score at step {about_step(two.steps[place])}"
        numbers = numbers.at_step(two, place)
    prospect, design, times = test.prospect(), design_of(numbers), test.times
    enough = None if design is None or design.reaches(alpha) else enough_runs(design, alpha)
    limits = Interval(first.end(alpha, -1), last.end(alpha, 1))
    pvalue_pass, pvalue_fail = _pvalues(tests, longer_is_worse=times is not None)
    sign, sides = 1.0 if curves.higher_is_better else -1.0, numbers.sides
    alone = [own.shuffled for own in tests if own.shuffled is not None]
    in_score = 1.0 if asked.unit == "score" and times is None else test.reference
    found: dict[str, Any] = {
        **{name: getattr(asked, name) for name in COPIED},
        "n_runs": numbers.n_runs,
        "measure": measure,
        "margin": asked.margin + 0.0,  # and not -0.0
        "unit": asked.unit if times is None else "factor",
        "margin_score": None if in_score is None else asked.margin * in_score,
        "difference": first.value,
        "limits": limits,
        "pvalue_pass": pvalue_pass,
        "pvalue_fail": pvalue_fail,
        "test": test.test,
        "runs_to_decide": prospect and prospect.runs(asked.power),
        "runs_to_decide_cautious": prospect and prospect.runs(asked.power, cautious=True),
        "n_enough": None if enough is None else enough.n_runs,
        "means": None if times else tuple(sign * float(own.mean()) for own in sides),
        "sds": None if times else tuple(own.std(ddof=1) if len(own) > 1 else None for own in sides),
        "medians": times and tuple(kaplan_meier(own).median for own in times.sides),
        "n_reached": times and tuple(int(own.reached.sum()) for own in times.sides),
        "sampling": first.sampling,
        "caveats": tuple(gate_caveats(test, first.sampling, enough)),
        "step": None if place is None else two.steps[place].item(),
        **told_of(curves, Gate),
        "n_blocks": two.n_blocks,
    }

    def with_fail_at(level: float) -> Gate:
        judged = level / 2 if asked.two_sided else level
        low, high = last.end(judged, -1), first.end(judged, 1)
        # One side can fail only; the other limit is that of a pass.
        if not asked.two_sided:
            low, high = (limits.low, high) if times is None else (low, limits.high)
        equal = None
        if alone:
            equal = answered(*_pvalues(alone, longer_is_worse=False), alpha, level)
        limits_fail = Interval(low, high)
        return Gate(**found, limits_fail=limits_fail, alpha_fail=judged, answer_equal=equal)

    return with_fail_at


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


# --- Several gates: metrics, or tasks, that must all pass.

OWN = ("margin", "unit", "on", "sd_from")  # options that gates may have values of their own for


@question(n_keys=0, member=gate)
def gate_many(
    members: Mapping[str, Curves],
    *,
    candidate: str,
    baseline: str,
    margin: float | Mapping[str, float],
    unit: Unit | Mapping[str, Unit] = "score",
    on: On | Mapping[str, On] = "mean",
    order: Sequence[str] | None = None,
    alpha: float = 0.05,
    two_sided: bool = False,
    spread: SpreadChoice = "auto",
    assumed: Number = 0.0,
    power: Share = 0.8,
    sd_from: Mapping[str, Curves] | None = None,
    center: Center = "mean",
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
) -> Gates:
    """Test a candidate against a baseline on several metrics or tasks.

    All pass if each passes at alpha (intersection–union: no adjustment is needed, and the
    chance of a wrong "all pass" is at most alpha). Any fails if its p of a fail, adjusted by
    Holm's method, is at most alpha.

    Parameters
    ----------
    members : mapping from name to Curves
        One for each metric or task, with runs of both algorithms.
    margin, unit, on
        As in `gate`; the same for all, or a mapping from name.
    order : sequence of str, optional
        The order in which metrics or tasks are examined, up to the first that does not pass. All
        names, the most important first; later ones are "not examined", and all passes hold
        together at alpha. Without it only "all pass" does.
    sd_from : mapping from name to Curves, optional
        As in `gate`, for each name.
    candidate, baseline, alpha, two_sided, spread, assumed, power, center
        As in `gate`.
    n_shuffles, exact, n_jobs, rng, checkpoint
        As in `gate`.

    Returns
    -------
    Gates
        A mapping from name to Gate.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("tictactoe")
    >>> halves = {"early": curves.window(0, 4000), "late": curves.window(5000, 8000)}
    >>> cw.gate_many(halves, candidate="A1", baseline="A2", margin=1).answers
    {'early': 'pass', 'late': 'pass'}
    """
    return ask(gate_many, locals(), _gated)


def _gated(asked: Asked, work: Work) -> Gates:
    members, member = asked.members, work.of_member()
    examined = _checked_order(asked.order, members)
    own = {
        name: {option: _own(option, getattr(asked, option), name, members) for option in OWN}
        for name in members
    }
    tested = ask_each(
        members, lambda name, curves: gate_at(asked.to(gate, curves=curves, **own[name]), member)
    )
    alpha = float(asked.alpha)
    found = at_own_levels(tested, alpha, "holm", work.seed, "pvalue_fail")
    gathered_caveats = gathered({name: own.caveats for name, own in found.items()})
    caveats = (*_none_can_fail(found, alpha), *gathered_caveats)
    return Gates(gates=found, order=examined, alpha=alpha, caveats=caveats, seed=work.seed)


def _own(option: str, given: Any, name: str, members: Mapping[str, Curves]) -> Any:
    """Return the value of an option for one member."""
    if not isinstance(given, Mapping):
        return given
    unknown = [other for other in given if other not in members]
    if unknown:
        refuse(
            f"{option} names {unknown[0]!r}, and no gate is called so; "
            f"{did_you_mean(str(unknown[0]), members)}",
            option=option,
        )
    if name not in given:
        refuse(
            f"{option} has no value for {name!r}. Give one for each of {listed(list(members), MAX_NAMED)}.",
            option=option,
        )
    return given[name]


def _checked_order(order: Sequence[str] | None, members: Mapping[str, Curves]) -> tuple[str, ...]:
    names = as_names("order", order)
    if names is None:
        return ()
    if sorted(map(str, names)) != sorted(members):
        refuse(
            f"order must name every gate once: {listed(list(members), MAX_NAMED)}; it is "
            f"{shown_value(order)}.",
            option="order",
        )
    return tuple(names)


def _none_can_fail(family: Mapping[str, Gate], alpha: float) -> Iterator[Caveat]:
    """Warn where a fail cannot be found for the number of gates, although each could alone."""
    smallest = [own.smallest_pvalue for own in family.values()]
    if min(smallest) <= alpha < min(smallest) * len(family):
        yield TooManyGates(len(family), min(min(smallest) * len(family), 1.0), alpha)
