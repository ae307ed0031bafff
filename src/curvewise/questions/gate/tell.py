"""What `gate` and `gate_many` found, in words a person can quote."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from curvewise.data.checks import check_drawn
from curvewise.data.tasks import BASELINE, CANDIDATE
from curvewise.inference.result import method_parts, one_line
from curvewise.questions.gate.result import MAX_RUNS, Gate, Gates, amount_text, limits_text
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    WORSE_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    point,
)
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
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves


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


def describe(gate: Gate | Gates) -> str:
    """Say whether the candidate passes, how much worse it may be, and what would decide."""
    if isinstance(gate, Gates):
        return _together(gate)
    needed = _runs_needed(gate)
    if gate.answer == "undecided" and (gate.step is not None or gate.unit == "factor"):
        what = "every step" if gate.step is not None else "times to a score"
        needed = f"How many runs would decide is not computed for {what}."
    parts = [verdict(gate), _if_equal(gate), _size(gate), needed, _method(gate)]
    return " ".join(filter(None, parts))


def _together(gates: Gates) -> str:
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
    rest = [
        f"{said}: {listed(names, MAX_NAMED)}"
        for answer, said in OTHERS.items()
        if (names := gates.answered(answer))
    ]
    if failed:
        fails = f"{listed(failed, MAX_NAMED)} {'fails' if len(failed) == 1 else 'fail'}"
        more = f" {capitalised('; '.join(rest))}." if rest else ""
        return f"Fail: {fails} after Holm's adjustment ({shown}).{more}"
    return (
        f"Undecided: not all gates pass, and none fails ({shown}). {capitalised('; '.join(rest))}."
    )


def headline(gate: Gate | Gates) -> str:
    """Return the verdict, with names that fit in a line."""
    if isinstance(gate, Gates):
        return describe(gate)
    return one_line(
        lambda candidate, baseline: verdict(
            replace(gate, candidate=candidate, baseline=baseline), "runs vary alike"
        ),
        gate.candidate,
        gate.baseline,
    )


def verdict(gate: Gate, condition: str = "") -> str:
    """Return the verdict in a sentence, with the margin in it, and the condition it holds on."""
    says = _verdict(gate)
    if gate.condition is None or gate.n_enough is not None:
        return says
    condition = condition or f"its runs vary as those of {_who(gate)[1]}"
    return says.replace(": ", f": if {condition}, ", 1)


def _verdict(gate: Gate) -> str:
    candidate, baseline = _who(gate)
    margin = f"{'±' if gate.two_sided else ''}{gate.margin_text}"
    if gate.answer == "undecided":
        enough = "" if gate.n_enough is None else f"; {' + '.join(map(str, gate.n_enough))} could"
        return f"Undecided: {_undecided(gate, candidate, baseline)} (margin {margin}){enough}."
    passes = gate.answer == "pass"
    p = gate.pvalue_fail if gate.pvalue_fail_adjusted is None else gate.pvalue_fail_adjusted
    p = gate.pvalue_pass if passes else p
    at = "" if gate.step is None else f" at {'every' if passes else 'some'} step"
    if gate.unit == "factor" and gate.margin == 1:
        says = f"{candidate} reaches the score {'sooner' if passes else 'later'} than {baseline}"
    elif gate.unit == "factor":
        does = "does not take" if passes else "takes"
        says = f"{candidate} {does} more than {margin} as long as {baseline} to reach the score"
    elif gate.two_sided:
        how = "less" if passes else "more"
        says = f"{candidate} differs from {baseline} by {how} than the margin"
    elif gate.margin == 0:
        margin = "0"
        says = f"{candidate} is {'better' if passes else 'worse'} than {baseline}{at}"
    else:
        does = "is not worse" if passes else "is worse"
        says = f"{candidate} {does} than {baseline} by more than the margin{at}"
    kind = "exact " if gate.exact else ""
    return f"{gate.answer.capitalize()}: {says} (margin {margin}, {kind}p = {p_short(p)})."


def _if_equal(gate: Gate) -> str:
    """Say what keeps the gate from deciding, where two tests disagree."""
    if gate.answer != "undecided" or gate.answer_equal in {"undecided", None}:
        return ""
    candidate, baseline = _who(gate)
    return f"It would {gate.answer_equal} if runs of {candidate} vary as those of {baseline}."


def _undecided(gate: Gate, candidate: str, baseline: str) -> str:
    """Say what may be so, as far as that can be said."""
    if gate.sampling.smallest_by_runs > gate.alpha:
        return f"with {' + '.join(map(str, gate.n_runs))} runs no result could pass"
    unshown = f"it is not shown that {candidate} is"
    neither = f"{unshown} within the margin of {baseline}, nor that it is beyond it"
    if not gate.quotes_scores or all(map(math.isinf, gate.limits)):
        return neither
    if gate.unit == "factor":
        high = gate.limits.high
        much = "any number of" if math.isinf(high) else f"up to {number_text(high)}"
        return f"{candidate} may take {much} times as long as {baseline} to reach the score"
    low, high = gate.limits_fail if gate.two_sided else gate.limits
    if math.isinf(low) or (gate.two_sided and math.isinf(high)):
        return neither
    if low == 0:  # and so is the margin
        return f"{unshown} better than {baseline}, nor that it is worse"
    ways = {"worse": -low, "better": high} if gate.two_sided else {"worse": -low}
    sizes = [
        f"up to {amount_text(size, gate.unit)} {way}"
        for way, size in ways.items()
        if size > 0 or not gate.two_sided
    ]
    at = "" if gate.step is None else f" at step {about_step(gate.step)}"
    return f"{candidate} may be {' or '.join(sizes)} than {baseline}{at}"


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
        (candidate, baseline), gate.medians or (), gate.n_reached or (), gate.n_runs, strict=True
    ):
        half = "not half of them" if math.isinf(median) else f"half by step {about_step(median)}"
        parts.append(f"{reached} of {n_runs} runs of {name} reach it, {half}")
    takes = f"{candidate} takes {amount_text(gate.difference, gate.unit)} as long as {baseline}"
    if math.isinf(gate.difference):
        takes = f"{candidate} is later, whatever the times of {baseline} are multiplied by"
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
            return f"No number of runs would let a candidate pass that is in truth {truth}."
        if gate.n_blocks is not None:
            return ""
        return f"Even {MAX_RUNS:,} runs of each would not decide if it is in truth {truth}."
    have, of = _have(gate)
    there = f"there {'is' if have == 1 else 'are'} {have:,}"
    cases = "4 of 5 cases" if gate.power == 0.8 else f"{percent(gate.power)} of cases"
    range_of = "" if cautious in {n, None} else f" (up to {cautious:,}, should runs vary more)"
    if n <= have:
        return (
            f"{n:,} {of}{range_of} let a candidate that is in truth {truth} pass in {cases}; "
            f"{there}, and this one did not."
        )
    return f"{n:,} {of}{range_of} would decide in {cases} if it is in truth {truth}; {there}."


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
        gate.sampling, gate.n_runs, gate.measure, gate.n_blocks, gate.alpha, *CENTERS[gate.center]
    )
    moved = "the baseline scaled" if gate.margin_score is None else "the candidate shifted"
    at = " at every step" if gate.step is not None else ""
    return f"Method: {TESTS[gate.test]}{at}, {moved} by the margin; {parts}."


def _who(gate: Gate) -> tuple[str, str]:
    """Name the two, by their roles where that is what they are called."""
    candidate, baseline = printable(gate.candidate), printable(gate.baseline)
    if (candidate, baseline) == (CANDIDATE, BASELINE):
        return f"the {candidate}", f"the {baseline}"
    return candidate, baseline


# --- Pictures of gates: the interval of the difference against the margin.

LOOKS = {
    "pass": (CLEAR_COLOUR, "o", True),
    "fail": (WORSE_COLOUR, "s", True),
    "undecided": (UNCLEAR_COLOUR, "o", False),
    "not examined": ("0.7", "o", False),
}
UNITS = {
    "score": "in units of the score",
    "relative": "as a share of the baseline's mean",
    "sd": "in standard deviations of runs",
    "factor": "time to the score",
}


def plot_gates(gates: Gate | Gates, ax: Axes | None = None) -> Axes:
    """Draw the interval of each difference against its margin, with the answer beside it.

    Gates that share a margin are drawn in its unit; others as distances from their margins, each
    in half-widths of its own interval. Draws on the current Axes if none are given, and returns
    the Axes.
    """
    from matplotlib.lines import Line2D

    check_drawn(gates, (Gate, Gates), "plot_gates() draws what gate() or gate_many() found")
    ax = axes_or_current(ax, _figure_size(gates))
    named, answers = _named(gates)
    some = next(iter(named.values()))
    shared = len({(own.margin, own.unit) for own in named.values()}) == 1
    times = shared and some.unit == "factor"
    rows = [_row(name, own, answers[name], shared=shared) for name, own in named.items()]
    bounds: tuple[float, ...] = (0.0,)
    if shared:
        sides = (-1, 1) if some.two_sided else (-1,)
        bounds = (some.margin,) if times else tuple(side * some.margin for side in sides)
    forest(ax, rows, "answer", no_effect=1.0 if times else 0.0, shows=bounds)
    left, right = ax.get_xlim()
    look: dict[str, Any] = {"color": WORSE_COLOUR, "linewidth": 1.2, "zorder": 1}
    look["linestyle"] = (0, (4, 2))
    shade: dict[str, Any] = {"color": WORSE_COLOUR, "alpha": 0.07, "linewidth": 0, "zorder": 0}
    for bound in bounds:
        ax.axvline(bound, **look)
        ax.axvspan(bound, right if bound > 0 else left, **shade)
    ax.set_xlim(left, right)
    if shared and some.unit == "relative":
        from matplotlib.ticker import PercentFormatter

        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_xlabel(_axis_label(named, shared=shared))
    handles = [
        point(answer, colour, marker, filled=filled)
        for answer, (colour, marker, filled) in LOOKS.items()
        if answer in answers.values()
    ]
    shown = some.margin_text if shared else "of each"
    label = f"margin {'±' if some.two_sided else ''}{shown}"
    line = Line2D([], [], label=label, **look)
    legend_above(ax, [*handles, line], n_columns=5)
    return ax


def figure(gates: Gate | Gates, _curves: Curves | None = None) -> Figure:
    """Draw gates in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_gates, gates, _figure_size(gates))


def _named(gates: Gate | Gates) -> tuple[Mapping[str, Gate], Mapping[str, str]]:
    """Return the gates by name, and their answers."""
    if isinstance(gates, Gates):
        return dict(gates), gates.answers
    sign = "/" if gates.unit == "factor" else "−"
    name = f"{label_text(gates.candidate, 20)} {sign} {label_text(gates.baseline, 20)}"
    return {name: gates}, {name: gates.answer}


def _row(name: str, gate: Gate, answer: str, *, shared: bool) -> Row:
    limits = gate.limits if answer == "pass" else gate.limits_fail
    numbers = [gate.difference, *limits]
    if not shared:
        half = (gate.limits.high - gate.limits.low) / 2
        half = half if 0 < half < float("inf") else 1.0
        better = -1 if gate.unit == "factor" else 1
        numbers = [better * (x + better * gate.margin) / half for x in numbers]
    value, low, high = numbers
    interval = min(low, high), max(low, high)
    label, faded = label_text(name).strip(), answer == "not examined"
    return Row(label, value, interval, answer, *LOOKS[answer], faded=faded)


def _axis_label(named: Mapping[str, Gate], *, shared: bool) -> str:
    some = next(iter(named.values()))
    # Of what does not pass, the limits are those that a fail is judged by.
    levels = {own.alpha if own.answer == "pass" else own.alpha_fail for own in named.values()}
    interval = "intervals at the levels of the answers"
    if len(levels) == 1:
        interval = f"{percent(1 - 2 * levels.pop())} interval"
    if not shared:
        return f"distance from the margin, in half-widths of the interval\n({interval})"
    sign = "/" if some.unit == "factor" else "−"
    what = f"candidate {sign} baseline, {UNITS[some.unit]}"
    lower = "" if some.higher_is_better or sign == "/" else "; above 0 the candidate is better"
    return f"{what}\n({some.measure}, {interval}{lower})"


def _figure_size(gates: Gate | Gates) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every gate."""
    width, height = forest_size(len(gates) if isinstance(gates, Gates) else 1)
    return width, height + 0.2
