"""What `gate` and `gate_many` found, in words a person can quote."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.data.roles import BASELINE, CANDIDATE
from curvewise.inference.phrases import method_parts, one_line
from curvewise.questions.gate.amounts import amount_text, limits_text
from curvewise.questions.gate.deciding import MAX_RUNS
from curvewise.questions.gate.result import Gate, Gates
from curvewise.text import (
    about_step,
    call,
    capitalised,
    listed,
    number_text,
    p_short,
    percent,
    printable,
)

if TYPE_CHECKING:
    from curvewise.inference.result import Result

__all__ = ["advice", "describe", "headline", "verdict"]

MAX_NAMED = 6  # gates that a sentence can hold
TESTS = {
    "shuffle": "one-sided shuffle tests of runs",
    "Welch": "one-sided tests of Welch's kind, which allow for unequal spread",
    "both": "one-sided shuffle tests of runs and tests of Welch's kind, both of which must agree",
    "log-rank": "one-sided log-rank shuffle tests of runs",
    "normal": "noncentral t, which assumes normal numbers of runs",
}
NEW_RUNS = (
    "Make new runs and ask of those alone: to add some to these and ask again would make wrong "
    "answers more frequent than alpha."
)
# What gates that did not decide a family did.
OTHERS = {"undecided": "undecided", "pass": "passed", "not examined": "not examined"}
CENTERS = {"mean": (), "trimmed": ("typical runs",), "ranks": ("ranks of runs",)}


@singledispatch
def describe(result: Result) -> str:
    """Say whether the candidate passes, how much worse it may be, and what would decide."""
    raise TypeError(type(result).__name__)


@describe.register
def _(gate: Gate) -> str:
    needed = _runs_needed(gate)
    if gate.answer == "undecided" and (gate.step is not None or gate.unit == "factor"):
        what = "every step" if gate.step is not None else "times to a score"
        needed = f"How many runs would decide is not computed for {what}."
    parts = [verdict(gate), _size(gate), needed, _method(gate)]
    return " ".join(part for part in parts if part)


@describe.register
def _(gates: Gates) -> str:
    sided = "±" if next(iter(gates.values())).two_sided else ""
    margins = {name: f"{sided}{own.margin_text}" for name, own in gates.items()}
    shown = f"margin {next(iter(margins.values()))}"
    if len(set(margins.values())) > 1:
        each = [f"{margin} for {name}" for name, margin in margins.items()]
        shown = f"margins {listed(each, MAX_NAMED)}"
    if gates.answer == "pass":
        every = "the gate passes" if len(gates) == 1 else f"all {len(gates)} gates pass"
        return f"Pass: {every} ({shown}; α = {gates.alpha:g} each)."
    failed = gates.answered("fail")
    others = {
        name: listed(gates.answered(name), MAX_NAMED)
        for name in ("undecided", "pass", "not examined")
    }
    rest = [f"{OTHERS[name]}: {names}" for name, names in others.items() if names]
    if failed:
        fails = f"{listed(failed, MAX_NAMED)} {'fails' if len(failed) == 1 else 'fail'}"
        more = f" {capitalised('; '.join(rest))}." if rest else ""
        return f"Fail: {fails} after Holm's adjustment ({shown}).{more}"
    return (
        f"Undecided: not all gates pass, and none fails ({shown}). "
        f"{capitalised('; '.join(rest))}."
    )


def headline(gate: Gate | Gates) -> str:
    """Return the verdict, with names that fit in a line."""
    if isinstance(gate, Gates):
        return describe(gate)
    return one_line(
        lambda candidate, baseline: verdict(
            replace(gate, candidate=candidate, baseline=baseline)
        ),
        gate.candidate,
        gate.baseline,
    )


def verdict(gate: Gate) -> str:
    """Return the verdict in a sentence, with the margin in it."""
    candidate, baseline = _who(gate)
    margin = f"{'±' if gate.two_sided else ''}{gate.margin_text}"
    if gate.answer == "undecided":
        return _undecided(gate, candidate, baseline, margin)
    p = gate.pvalue_pass
    if gate.answer == "fail":
        p = gate.pvalue_fail
        p = p if gate.pvalue_fail_adjusted is None else gate.pvalue_fail_adjusted
    kind = "exact " if gate.exact else ""
    if gate.unit == "factor":
        does = "does not take" if gate.answer == "pass" else "takes"
        says = f"{candidate} {does} more than {margin} as long as {baseline} to reach the score"
        if gate.margin == 1:
            when = "sooner" if gate.answer == "pass" else "later"
            says = f"{candidate} reaches the score {when} than {baseline}"
        return f"{gate.answer.capitalize()}: {says} (margin {margin}, {kind}p = {p_short(p)})."
    at = " at every step" if gate.step is not None else ""
    if gate.two_sided:
        says = {
            "pass": f"{candidate} differs from {baseline} by less than the margin",
            "fail": f"{candidate} differs from {baseline} by more than the margin",
        }[gate.answer]
    elif gate.margin == 0:
        at = at if gate.answer == "pass" else _at_step(gate)
        better = "better" if gate.answer == "pass" else "worse"
        says = f"{candidate} is {better} than {baseline}{at}"
        return f"{gate.answer.capitalize()}: {says} (margin 0, {kind}p = {p_short(p)})."
    else:
        at = at if gate.answer == "pass" else _at_step(gate)
        does = "is not worse" if gate.answer == "pass" else "is worse"
        says = f"{candidate} {does} than {baseline} by more than the margin{at}"
    return (
        f"{gate.answer.capitalize()}: {says} (margin {margin}, {kind}p = {p_short(p)})."
    )


def _at_step(gate: Gate) -> str:
    return "" if gate.step is None else " at some step"


def _undecided(gate: Gate, candidate: str, baseline: str, margin: str) -> str:
    runs = " + ".join(map(str, gate.n_runs))
    if gate.sampling.smallest_by_runs > gate.alpha:
        enough = ""
        if gate.n_enough is not None:
            enough = f"; {' + '.join(map(str, gate.n_enough))} could"
        return (
            f"Undecided: with {runs} runs no result could pass (margin {margin}){enough}."
        )
    neither = (
        f"Undecided: it is not shown that {candidate} is within the margin of {baseline}, nor "
        f"that it is beyond it (margin {margin})."
    )
    if not gate.quotes_scores or all(map(math.isinf, gate.limits)):
        return neither
    if gate.unit == "factor":
        high = gate.limits.high
        much = "any number of" if math.isinf(high) else f"up to {number_text(high)}"
        return (
            f"Undecided: {candidate} may take {much} times as long as {baseline} to reach the "
            f"score (margin {margin})."
        )
    low, high = gate.limits_fail if gate.two_sided else gate.limits
    if math.isinf(low) or (gate.two_sided and math.isinf(high)):
        return neither
    if low == 0:  # and so is the margin
        return (
            f"Undecided: it is not shown that {candidate} is better than {baseline}, nor that it "
            f"is worse (margin {margin})."
        )
    ways = [f"up to {amount_text(-low, gate.unit)} worse"]
    if gate.two_sided:
        ways = [
            f"up to {amount_text(size, gate.unit)} {way}"
            for size, way in ((-low, "worse"), (high, "better"))
            if size > 0
        ]
    worse = f"may be {' or '.join(ways)} than {baseline}"
    at = "" if gate.step is None else f" at step {about_step(gate.step)}"
    return f"Undecided: {candidate} {worse}{at} (margin {margin})."


def _size(gate: Gate) -> str:
    """Say how large the difference is, with its limits."""
    if not gate.quotes_scores:
        return ""
    candidate, baseline = _who(gate)
    if gate.unit == "factor":
        return _times(gate, candidate, baseline)
    better = "better" if gate.difference > 0 else "worse"
    size = amount_text(abs(gate.difference), gate.unit)
    how = f"{size} {better} than" if gate.difference else "level with"
    lower = "" if gate.higher_is_better else " (lower is better)"
    found = f"By the {gate.measure}{lower}, {candidate} is {how} {baseline}"
    if all(map(math.isinf, gate.limits)):
        return f"{found}."
    level = percent(1 - 2 * gate.alpha)
    return f"{found}; the {level} interval is {limits_text(gate.limits, gate.unit)}."


def _times(gate: Gate, candidate: str, baseline: str) -> str:
    """Say how long each takes, and how many runs never get there."""
    level = percent(1 - 2 * gate.alpha)
    parts = []
    for name, median, reached, n_runs in zip(
        (candidate, baseline),
        gate.medians or (),
        gate.n_reached or (),
        gate.n_runs,
        strict=True,
    ):
        half = (
            "not half of them"
            if math.isinf(median)
            else f"half by step {about_step(median)}"
        )
        parts.append(f"{reached} of {n_runs} runs of {name} reach it, {half}")
    takes = f"{candidate} takes {amount_text(gate.difference, gate.unit)} as long as {baseline}"
    if math.isinf(gate.difference):
        takes = (
            f"{candidate} is later, whatever the times of {baseline} are multiplied by"
        )
    low, high = gate.limits
    interval = f"the {level} interval is {limits_text(gate.limits, gate.unit)}"
    if math.isinf(high):
        interval = f"the {level} interval is {number_text(low)} times and more"
        if low == 0:
            interval = "these runs set the multiple no limits"
    return f"By the {gate.measure}, {takes}; {interval}. {capitalised('; '.join(parts))}."


def _runs_needed(gate: Gate) -> str:
    """Say how many runs would decide, where the gate is undecided; else nothing."""
    if gate.answer != "undecided" or gate.step is not None or gate.unit == "factor":
        return ""
    if not gate.quotes_scores:
        return ""  # it would depend on the fill as well
    _, baseline = _who(gate)
    truth = f"as good as {baseline}"
    if gate.assumed:
        way = "better" if gate.assumed > 0 else "worse"
        truth = f"{amount_text(abs(gate.assumed), gate.unit)} {way}"
    n, cautious = gate.runs_to_decide, gate.runs_to_decide_cautious
    if n is None:
        if gate.assumed <= -gate.margin:
            return (
                f"No number of runs would let a candidate pass that is in truth {truth}."
            )
        if gate.n_blocks is not None:
            return ""
        return (
            f"Even {MAX_RUNS:,} runs of each would not decide if it is in truth {truth}."
        )
    have, of = _have(gate)
    cases = "4 of 5 cases" if gate.power == 0.8 else f"{percent(gate.power)} of cases"
    range_of = (
        "" if cautious in {n, None} else f" (up to {cautious:,}, should runs vary more)"
    )
    if n <= have:
        return (
            f"{n:,} {of}{range_of} let a candidate that is in truth {truth} pass in {cases}; "
            f"there {_are(have)}, and this one did not."
        )
    return (
        f"{n:,} {of}{range_of} would decide in {cases} if it is in truth {truth}; there "
        f"{_are(have)}."
    )


def _are(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {number:,}"


def advice(result: Gate | Gates) -> str:
    """Say what to do next, in a sentence or two."""
    if result.answer == "pass":
        return "The candidate may replace the baseline, as far as this margin goes."
    if result.answer == "fail":
        return f"Find out where the candidate falls behind: {call('locate')}."
    undecided = (
        {"": result}
        if isinstance(result, Gate)
        else {name: result[name] for name in result.answered("undecided")}
    )
    parts = []
    for name, gate in undecided.items():
        needed = _runs_needed(gate)
        if gate.n_enough is not None:
            least = " + ".join(map(str, gate.n_enough))
            needed = f"Make at least {least} runs. {needed}".rstrip()
        else:
            needed = f"{needed} {NEW_RUNS}".lstrip()
        parts.append(f"{printable(name)}: {needed}" if name else needed)
    return " ".join(parts)


def _have(gate: Gate) -> tuple[int, str]:
    """Return how many runs or blocks there are, and what these are called."""
    if gate.n_blocks is not None:
        return gate.n_blocks, "blocks"
    n_candidate, n_baseline = gate.n_runs
    if n_candidate == n_baseline:
        return n_candidate, "runs of each"
    candidate, baseline = _who(gate)
    fewer = candidate if n_candidate < n_baseline else baseline
    return min(gate.n_runs), f"runs of {fewer}"


def _method(gate: Gate) -> str:
    if gate.test == "normal":
        n_candidate, n_baseline = gate.n_runs
        return f"Method: {TESTS['normal']}; {n_candidate} + {n_baseline} runs; α = {gate.alpha:g}."
    parts = method_parts(
        gate.sampling,
        gate.n_runs,
        gate.measure,
        gate.n_blocks,
        gate.alpha,
        *CENTERS[gate.center],
    )
    moved = (
        "the baseline scaled" if gate.margin_score is None else "the candidate shifted"
    )
    at = " at every step" if gate.step is not None else ""
    return f"Method: {TESTS[gate.test]}{at}, {moved} by the margin; {parts}."


def _who(gate: Gate) -> tuple[str, str]:
    """Name the two, by their roles where that is what they are called."""
    candidate, baseline = printable(gate.candidate), printable(gate.baseline)
    if (candidate, baseline) == (CANDIDATE, BASELINE):
        return f"the {candidate}", f"the {baseline}"
    return candidate, baseline
