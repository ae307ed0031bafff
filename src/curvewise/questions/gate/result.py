"""What `gate` and `gate_many` found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.inference.sampling import Sampled
from curvewise.questions.gate.amounts import amount_text, limits_text, margin_text
from curvewise.rendering.tables import Table
from curvewise.text import about_step, number_text, p_text, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center, Interval
    from curvewise.inference.sampling import Sampling

__all__ = ["Answer", "Gate", "Gates", "Unit"]

Answer = Literal["pass", "fail", "undecided"]
Unit = Literal["score", "relative", "sd"]

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


@dataclass(frozen=True, eq=False)
class Gate(Sampled, Result):
    """Whether the candidate is not worse than the baseline by more than a margin.

    Attributes
    ----------
    answer : "pass", "fail" or "undecided"
        Pass: not worse by more than the margin, at ``alpha``. Fail: worse by more than that, at
        ``alpha``. Undecided: neither is shown, which says nothing of equality.
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
    unit: str
    margin_score: float | None
    difference: float
    limits: Interval
    limits_fail: Interval
    pvalue_pass: float
    pvalue_fail: float
    alpha: float
    alpha_fail: float
    two_sided: bool
    test: str
    assumed: float
    power: float
    runs_to_decide: int | None
    runs_to_decide_cautious: int | None
    n_enough: tuple[int, int] | None
    means: tuple[float, float] | None
    sds: tuple[float | None, float | None] | None
    sampling: Sampling
    caveats: tuple[Caveat, ...]
    step: float | None = None
    medians: tuple[float, float] | None = None
    n_reached: tuple[int, int] | None = None
    center: Center = "mean"
    n_blocks: int | None = None
    higher_is_better: bool = True
    pvalue_fail_adjusted: float | None = None
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "difference",
        "limits",
        "limits_fail",
        "means",
        "sds",
    )

    @property
    def answer(self) -> Answer:
        """Pass, fail or undecided, as p says."""
        if self.pvalue_pass <= self.alpha:
            return "pass"
        p = self.pvalue_fail
        p = p if self.pvalue_fail_adjusted is None else self.pvalue_fail_adjusted
        return "fail" if p <= self.alpha else "undecided"

    @property
    def smallest_pvalue(self) -> float:
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; what is infinite is None."""
        values = {name: json_ready(value) for name, value in vars(self).items()}
        for name in ("sampling", "caveats", "preparation"):
            del values[name]
        pairs = (
            *("n_runs", "n_enough", "n_reached"),
            *("limits", "limits_fail", "means", "sds", "medians"),
        )
        for name in pairs:
            pair = getattr(self, name)
            values[name] = None if pair is None else [json_ready(own) for own in pair]
        return {
            "question": "gate",
            "answer": self.answer,
            **values,
            **self.sampling.to_dict(),
            "smallest_pvalue": self.smallest_pvalue,
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        names = (self.candidate, "candidate"), (self.baseline, "baseline")
        shown = [
            (name, "" if name == role else role, str(n_runs))
            for (name, role), n_runs in zip(names, self.n_runs, strict=True)
        ]
        found: list[tuple[str, str]] = []
        columns: tuple[str, str] = (self.measure, "SD of runs")
        if self.means is not None and self.sds is not None:
            found = [
                (number_text(mean), "" if sd is None else number_text(sd))
                for mean, sd in zip(self.means, self.sds, strict=True)
            ]
        elif self.medians is not None and self.n_reached is not None:
            columns = "reached it", "half by step"
            found = [
                (str(n), "never" if math.isinf(median) else about_step(median))
                for n, median in zip(self.n_reached, self.medians, strict=True)
            ]
        rows = tuple((*left, *right) for left, right in zip(shown, found, strict=True))
        sides = Table(("algorithm", "", "runs", *columns), rows, n_text_columns=2)
        sign = "/" if self.unit == "factor" else "−"
        return [sides, gate_table({f"candidate {sign} baseline": self})]


@dataclass(frozen=True, eq=False)
class Gates(Result, Mapping[str, Gate]):
    """Several gates, by the name of the metric or task, and what they say together.

    Attributes
    ----------
    answer : "pass", "fail" or "undecided"
        Pass: every gate passes, each at ``alpha``. Fail: some gate fails, with p adjusted by
        Holm's method. Both are wrong with a chance of at most alpha.
    order : tuple of str
        The fixed order in which gates were examined; empty for all at once.
    alpha : float
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    gates: Mapping[str, Gate]
    order: tuple[str, ...]
    alpha: float
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    def __getitem__(self, name: str) -> Gate:
        return self.gates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.gates)

    def __len__(self) -> int:
        return len(self.gates)

    @property
    def examined(self) -> tuple[str, ...]:
        """The gates that were examined: of a fixed order those up to the first without a pass."""
        if not self.order:
            return tuple(self)
        found = []
        for name in self.order:
            found.append(name)
            if self[name].answer != "pass":
                break
        return tuple(found)

    @property
    def answers(self) -> dict[str, str]:
        """The answer of each gate, or "not examined"."""
        examined = self.examined
        return {
            name: own.answer if name in examined else "not examined"
            for name, own in self.items()
        }

    def answered(self, answer: str) -> tuple[str, ...]:
        """Return the gates with this answer."""
        return tuple(name for name, own in self.answers.items() if own == answer)

    @property
    def answer(self) -> Answer:
        """Pass if all pass, fail if any fails, else undecided."""
        answers = set(self.answers.values())
        if answers == {"pass"}:
            return "pass"
        return "fail" if "fail" in answers else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "gate_many",
            "answer": self.answer,
            "answers": self.answers,
            "order": list(self.order),
            "alpha": self.alpha,
            "seed": self.seed,
            "gates": {name: own.to_dict() for name, own in self.items()},
            **self.shared_dict(),
        }

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
    wider = [own for own in gates.values() if own.limits_fail != own.limits]
    rows = tuple(
        (
            name,
            amount_text(own.difference, own.unit),
            limits_text(own.limits, own.unit),
            *((limits_text(own.limits_fail, own.unit),) if wider else ()),
            f"{'±' if own.two_sided else ''}{own.margin_text}",
            p_text(own.pvalue_pass),
            p_text(own.pvalue_fail),
            *((p_text(own.pvalue_fail_adjusted or 1.0),) if adjusted else ()),
            own.answer if answers is None else answers[name],
        )
        for name, own in gates.items()
    )
    header = (
        "" if len(gates) == 1 and answers is None else "gate",
        "difference" if some.unit != "factor" else "times as long",
        f"{percent(1 - 2 * some.alpha)} interval",
        *(("interval for fail",) if wider else ()),
        "margin",
        "p of pass",
        "p of fail",
        *(("adjusted",) if adjusted else ()),
        "answer",
    )
    level = percent(1 - some.alpha)
    said = [SIDES.format(level=level)]
    if wider:
        said.append(FAIL[adjusted])
    if some.unit != "factor":
        lower = not any(own.higher_is_better for own in gates.values())
        said.append(f"Lower scores are better. {BETTER}" if lower else BETTER)
    if some.center in CENTERS:
        said.append(CENTERS[some.center])
    return Table(header, rows, notes=(" ".join(said), *notes))
