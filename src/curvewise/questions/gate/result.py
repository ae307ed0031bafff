"""What `gate` and `gate_many` found."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from curvewise.data.tasks import BASELINE, CANDIDATE
from curvewise.inference.caveats import Caveat
from curvewise.inference.result import Family, Result
from curvewise.inference.work import Sampled
from curvewise.records import INLINE, told
from curvewise.rendering.tables import Table
from curvewise.text import about_step, argument, interval_text, number_text, p_text, percent, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from curvewise.inference.result import Center, Interval
    from curvewise.inference.work import Sampling
    from curvewise.records import As, Count, Extended, Probability


def amount_text(value: float, unit: str) -> str:
    """Write a difference in the unit of the margin.

    >>> amount_text(-1.5, "score"), amount_text(0.0312, "relative"), amount_text(2.0, "sd")
    ('-1.500', '3.12%', '2.000 SD')
    """
    if unit == "relative":
        shown = 100 * value
        return f"{shown:.0f}%" if math.isinf(shown) else f"{shown:.3g}%"
    return {"sd": "{} SD", "factor": "{} times"}.get(unit, "{}").format(number_text(value))


def limits_text(limits: tuple[float, float], unit: str) -> str:
    """Write limits in the unit of the margin.

    >>> limits_text((-0.125, 0.5), "relative"), limits_text((-0.5, 1.0), "sd")
    ('-12.5% to 50%', '-0.5000 to 1.000 SD')
    """
    low, high = limits
    if all(map(math.isinf, limits)):
        return interval_text(limits)
    first = amount_text(low, unit) if unit == "relative" else number_text(low)
    return f"{first} to {amount_text(high, unit)}"


def margin_text(margin: float, unit: str, margin_score: float | None = None) -> str:
    """Write a margin as it was given, and in units of the score where that is another number.

    >>> margin_text(2.0, "score"), margin_text(0.1, "relative"), margin_text(1.5, "sd", 3.2)
    ('2', '10%', '1.5 SD = 3.200')
    """
    shown = f"{100 * margin:.6g}%" if unit == "relative" else f"{margin:.6g}"
    shown += {"sd": " SD", "factor": " times"}.get(unit, "")
    if unit == "sd" and margin_score is not None:
        shown += f" = {number_text(margin_score)}"
    return shown


Answer = Literal["pass", "fail", "undecided"]
Unit = Literal["score", "relative", "sd"]

MAX_RUNS = 100_000  # that are needed to decide: more are no plan
FEW_RUNS = 2  # tell next to nothing of their spread
SIDES = "The interval has a one-sided limit at either end, each at {level} confidence."
FAIL = {
    True: "The interval for fail has that confidence after Holm's adjustment: a gate fails if it "
    "lies beyond the margin.",
    False: "The interval for fail has half of alpha at either end: the gate fails if it lies beyond "
    "the margin.",
}
BETTER = "A positive difference means that the candidate is better."
CENTERS = {
    "trimmed": "Differences are of typical runs: a fifth is cut off at either end.",
    "ranks": "Differences are medians of all differences of two runs; p is of ranks.",
}


def answered(pvalue_pass: float, pvalue_fail: float, alpha: float, alpha_fail: float) -> Answer:
    """Return what p of a pass and of a fail say, each at its level."""
    if pvalue_pass <= alpha:
        return "pass"
    return "fail" if pvalue_fail <= alpha_fail else "undecided"


class Passing(Result):
    """A result that is true if it is a pass, so that ``if gate(...)`` lets nothing else through."""

    @property
    @abstractmethod
    def answer(self) -> Answer:
        """Pass, fail or undecided."""

    @property
    def passed(self) -> bool:
        """Whether the answer is a pass; a fail is none, nor is undecided."""
        return self.answer == "pass"

    def __bool__(self) -> bool:
        return self.passed


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate(Sampled, Passing, question="gate"):
    """Whether the candidate is not worse than the baseline by more than a margin.

    Attributes
    ----------
    answer : "pass", "fail" or "undecided"
        Pass: not worse by more than the margin, at ``alpha``. Fail: worse by more than that, at
        ``alpha``. Undecided: neither is shown, which says nothing of equality.
    passed : bool
        Whether the answer is a pass; also the truth value of the gate.
    candidate, baseline : str
    n_runs : (int, int)
        The runs of the candidate, and of the baseline.
    difference : float
        The candidate less the baseline, in the unit of the margin; positive where the candidate
        is better. On time to a threshold: how many times as long the candidate takes.
    limits : Interval
        A one-sided limit of the difference at either end, each at confidence 1 − ``alpha``. The
        gate passes exactly if they lie on the good side of the margin.
    limits_fail : Interval
        The same at 1 − ``alpha_fail``. The gate fails exactly if they lie beyond the margin.
    alpha_fail : float
        The level at which a fail is judged: alpha, half of it where both sides of a margin can
        fail, and less by Holm's factor in a family.
    margin : float
        As it was given; ``unit`` says in what: "score", "relative" (a share of the baseline's
        mean), "sd", or "factor" for times.
    margin_score : float or None
        The margin in units of the score; None where it is a share or a factor.
    measure : str
        The number taken of each run.
    step : float or None
        The step that decided, where the gate is on every step.
    pvalue_pass, pvalue_fail : float
        Of the hypotheses "worse by the margin or more" and "not worse by more than the margin".
    pvalue_fail_adjusted : float or None
        ``pvalue_fail`` adjusted by Holm's method for the other gates of a family.
    smallest_pvalue : float
        The smallest p that this many runs, or shuffles, could give.
    n_enough : (int, int) or None
        The nearest larger numbers of runs with which p could reach alpha; None if these can.
    runs_to_decide : int or None
        How many runs of each (blocks, where there are blocks; where one algorithm has more runs
        than the other, of the other) make a pass as likely as ``power``, if the true difference
        is ``assumed``; None if no number does, or it was not computed.
    runs_to_decide_cautious : int or None
        The same for the largest spread that these runs leave likely, at 80% confidence.
    means, sds : (float, float)
        Of the candidate and of the baseline, in units of the score; SDs are None with a single
        run. On time to a threshold both are None.
    medians, n_reached : (float, float), (int, int)
        On time to a threshold: the step by which half of the runs have reached it (Kaplan–Meier),
        infinite if they never do; and how many do at all. Else None.
    test : "shuffle", "Welch", "both", "normal" or "log-rank"
        How p was found: by shuffles; by Welch's kind of test, where spreads may differ; as the
        larger p of both; by noncentral t; by shuffled log-rank scores.
    condition : "equal spread" or None
        What the answer holds on: with one or two runs of either, that runs of both vary alike.
    answer_equal : "pass", "fail", "undecided" or None
        Where two tests must agree, the answer if runs of both vary alike; else None.
    two_sided : bool
        Whether being better by more than the margin counts as a fail too (equivalence).
    sampling : Sampling
        How relabellings were visited; its attributes are those of the result.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    """

    candidate: str
    baseline: str
    n_runs: tuple[int, int]
    measure: str
    margin: float
    unit: Literal["score", "relative", "sd", "factor"]
    margin_score: float | None
    difference: Extended
    limits: Interval
    limits_fail: Interval
    pvalue_pass: Probability
    pvalue_fail: Probability
    alpha: Probability
    alpha_fail: Probability
    two_sided: bool
    test: Annotated[str, As(Literal["shuffle", "Welch", "both", "normal", "log-rank"])]
    assumed: float
    power: Probability
    runs_to_decide: Count | None
    runs_to_decide_cautious: Count | None
    n_enough: tuple[int, int] | None
    means: tuple[float, float] | None
    sds: tuple[float | None, float | None] | None
    step: float | None = None
    medians: tuple[Extended, Extended] | None = None
    n_reached: tuple[int, int] | None = None
    center: Center = "mean"
    n_blocks: Count | None = None
    answer_equal: Answer | None = None
    higher_is_better: bool = True
    pvalue_fail_adjusted: Probability | None = None
    source: str = ""
    sampling: Sampling = field(metadata=INLINE)
    in_score_units: ClassVar[tuple[str, ...]] = (
        "difference",
        "limits",
        "limits_fail",
        "means",
        "sds",
    )

    @property
    @told(after="")
    def answer(self) -> Answer:
        """Pass, fail or undecided, as p says."""
        p = self.pvalue_fail if self.pvalue_fail_adjusted is None else self.pvalue_fail_adjusted
        return answered(self.pvalue_pass, p, self.alpha, self.alpha)

    @property
    @told(after="answer")
    def condition(self) -> Literal["equal spread"] | None:
        """What the answer holds on; None where nothing need be assumed of spreads."""
        few = min(self.n_runs) <= FEW_RUNS and self.n_runs[0] != self.n_runs[1]
        return "equal spread" if few and self.test == "shuffle" else None

    @property
    @told()
    def smallest_pvalue(self) -> Probability:
        """The smallest p that this many runs, or shuffles, could give."""
        by_runs = self.sampling.smallest_by_runs
        if self.test == "normal":
            return by_runs
        # Draws are symmetric: half of the smallest two-sided p.
        by_draws = 0.5 / (1 + self.n_shuffles)
        drawn = self.test in {"Welch", "both"}
        return max(by_runs, by_draws) if drawn else super().smallest_pvalue

    @property
    def margin_text(self) -> str:
        """The margin in words."""
        return margin_text(self.margin, self.unit, self.margin_score)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        names = (self.candidate, "candidate"), (self.baseline, "baseline")
        found: Iterable[tuple[str, str]]
        if self.medians is not None and self.n_reached is not None:
            columns = "reached it", "half by step"
            steps = ("never" if math.isinf(own) else about_step(own) for own in self.medians)
            found = zip(map(str, self.n_reached), steps, strict=True)
        else:
            columns = self.measure, "SD of runs"
            sds = ("" if sd is None else number_text(sd) for sd in self.sds or ())
            found = zip(map(number_text, self.means or ()), sds, strict=True)
        rows = tuple(
            (name, "" if name == role else role, str(n_runs), *own)
            for (name, role), n_runs, own in zip(names, self.n_runs, found, strict=True)
        )
        sides = Table(("algorithm", "", "runs", *columns), rows, n_text_columns=2)
        sign = "/" if self.unit == "factor" else "−"
        return [sides, gate_table({f"candidate {sign} baseline": self})]


@dataclass(frozen=True, eq=False, kw_only=True)
class Gates(Passing, Family[str, Gate], question="gate_many", members="gates"):
    """Several gates, by the name of the metric or task, and what they say together.

    Attributes
    ----------
    answer : "pass", "fail" or "undecided"
        Pass: every gate passes, each at ``alpha``. Fail: some gate fails, with p adjusted by
        Holm's method. Both are wrong with a chance of at most alpha.
    passed : bool
        Whether every gate passes; also the truth value of all.
    order : tuple of str
        The fixed order in which gates were examined; empty for all at once.
    alpha : float
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    order: tuple[str, ...]
    alpha: Probability
    seed: int | None = None
    gates: Mapping[str, Gate]

    @property
    def examined(self) -> tuple[str, ...]:
        """The gates that were examined: of a fixed order those up to the first without a pass."""
        if not self.order:
            return tuple(self)
        n_passed = len(list(takewhile(lambda name: self[name].answer == "pass", self.order)))
        return self.order[: n_passed + 1]

    @property
    @told(after="")
    def answers(self) -> dict[str, Answer | Literal["not examined"]]:
        """The answer of each gate, or "not examined"."""
        examined = self.examined
        return {
            name: own.answer if name in examined else "not examined" for name, own in self.items()
        }

    def answered(self, answer: str) -> tuple[str, ...]:
        """Return the gates with this answer."""
        return tuple(name for name, own in self.answers.items() if own == answer)

    @property
    @told(after="")
    def answer(self) -> Answer:
        """Pass if all pass, fail if any fails, else undecided."""
        answers = set(self.answers.values())
        if answers == {"pass"}:
            return "pass"
        return "fail" if "fail" in answers else "undecided"

    def tables(self) -> list[Table]:
        """Return a row for every gate."""
        note = (
            "Gates were examined in the order given, each at alpha until the first without a "
            "pass: all passes hold together."
            if self.order
            else "That all pass holds at alpha; a single pass among others holds by itself only."
        )
        return [gate_table(self, self.answers, note)]


def gate_table(
    gates: Mapping[str, Gate], answers: Mapping[str, str] | None = None, *notes: str
) -> Table:
    """Return a row for each gate: its difference, limits, margin, p and answer."""
    some = next(iter(gates.values()))
    adjusted = any(own.pvalue_fail_adjusted is not None for own in gates.values())
    wider = any(own.limits_fail != own.limits for own in gates.values())
    said = [SIDES.format(level=percent(1 - some.alpha))]
    if wider:
        said.append(FAIL[adjusted])
    if some.unit != "factor":
        lower = not any(own.higher_is_better for own in gates.values())
        said.append(f"Lower scores are better. {BETTER}" if lower else BETTER)
    if some.center in CENTERS:
        said.append(CENTERS[some.center])

    def told(title: str, says: Callable[[Gate], str | None]) -> Any:
        return title, lambda name: says(gates[name])

    difference = "difference" if some.unit != "factor" else "times as long"
    level = percent(1 - 2 * some.alpha)
    return Table.of(
        tuple(gates),
        ("gate" if answers else "", str),
        told(difference, lambda own: amount_text(own.difference, own.unit)),
        told(f"{level} interval", lambda own: limits_text(own.limits, own.unit)),
        told(
            "interval for fail",
            lambda own: limits_text(own.limits_fail, own.unit) if wider else None,
        ),
        told("margin", lambda own: f"{'±' if own.two_sided else ''}{own.margin_text}"),
        told("p of pass", lambda own: p_text(own.pvalue_pass)),
        told("p of fail", lambda own: p_text(own.pvalue_fail)),
        told("adjusted", lambda own: p_text(own.pvalue_fail_adjusted or 1.0) if adjusted else None),
        ("answer", lambda name: answers[name] if answers else gates[name].answer),
        notes=(" ".join(said), *notes),
    )


ROLES = (BASELINE, CANDIDATE)


class GateOutOfReach(Caveat):
    """No result could pass or fail, for lack of runs; ``n_enough`` would do.

    ``n_blocks`` is how many blocks such as these would do, where runs are in blocks.
    """

    n_runs: tuple[int, int]
    n_enough: tuple[int, int] | None
    smallest_pvalue: float
    alpha: float
    n_blocks: int | None = None

    def sentence(self) -> str:
        """Say how small p can be, and how many runs would do."""
        enough = ""
        if self.n_enough is not None:
            enough = f" {' + '.join(map(str, self.n_enough))} runs could."
        if self.n_blocks is not None:
            enough = (
                f" {self.n_blocks} such blocks could. If runs of a block share no more than the "
                "number of a seed, leave the blocks out."
            )
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest one-sided p possible is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: no result "
            f"could pass or fail.{enough}"
        )


class FailOutOfReach(Caveat):
    """No result could be beyond either side of the margin, for lack of runs; some could pass.

    ``alpha_fail`` is the level of a side, half of ``alpha``.
    """

    n_runs: tuple[int, int]
    smallest_pvalue: float
    alpha_fail: float

    def sentence(self) -> str:
        """Say how small p can be, and that a pass is not affected."""
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest one-sided p possible is "
            f"{p_text(self.smallest_pvalue)}, and a fail needs {self.alpha_fail:g}, half of alpha "
            "for each side: no result could fail. Passing is not affected. Use more runs."
        )


class SpreadMatters(Caveat):
    """Runs vary differently, and the test takes spreads for equal.

    ``ratio`` is that of the standard deviations of wide and narrow; ``n_runs`` are theirs.
    ``remedy`` says whether the test can allow for it.
    """

    wide: str
    narrow: str
    ratio: float
    n_runs: tuple[int, int]
    remedy: bool

    def sentence(self) -> str:
        """Say what it does to the gate, and what to do."""
        wide, narrow = (
            f"the {name}" if name in ROLES else name for name in (self.wide, self.narrow)
        )
        if self.n_runs[0] == self.n_runs[1]:
            return (
                f"The runs of {wide} vary more than those of {narrow}. If they are "
                "skewed as well, as where some of them fail, wrong passes or wrong fails can be "
                "twice as frequent as alpha: look at the single runs before you act on it."
            )
        fewer = self.n_runs[0] < self.n_runs[1]
        does = (
            "wrong passes and wrong fails are then more frequent than alpha"
            if fewer
            else "the gate then decides too seldom"
        )
        todo = "have as many runs of each"
        if self.remedy:
            todo = f"use {argument('spread', 'unequal')}, or {todo}"
        return (
            f"The runs of {wide} vary more than those of {narrow}, and "
            f"{'fewer' if fewer else 'more'} of them were made ({self.n_runs[0]} and "
            f"{self.n_runs[1]}): {does}. To be safe, {todo}."
        )


class AssumesNormal(Caveat):
    """A margin in standard deviations of the same runs needs normal numbers."""

    def sentence(self) -> str:
        """Say what is assumed, and what would not need it."""
        return (
            "The margin is in standard deviations of these same runs, so that p and limits "
            "(noncentral t) assume that the numbers of runs are normal and vary alike. With "
            f"{argument('sd_from')}, the runs of an earlier baseline, nothing need be assumed."
        )


class EveryStepIsStrict(Caveat):
    """A pass at every step needs far more runs than one on the mean."""

    n_steps: int

    def sentence(self) -> str:
        """Say what a pass and a fail mean, and what they need."""
        return (
            f"A pass means not worse by more than the margin at any of "
            f"{plural(self.n_steps, 'step')}, which needs far more runs than a pass on the mean."
        )


class TooManyGates(Caveat):
    """No adjusted p of a fail can be as small as alpha."""

    n_gates: int
    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p of a fail possible, adjusted for {self.n_gates} gates, is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: none of them "
            "can fail. Passing is not affected. Use more runs."
        )
