"""Claims about Tables 1 to 4, judged by the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, PUBLISHED, PUBLISHED_P
from studies.piater1997.published_tables import printed_numbers
from studies.piater1997.quantile_ranges import (
    frequency,
    joint_ranges,
    judge_frequency,
    judge_replications,
    quantile_range,
    share,
    short,
)
from studies.report import Claim, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studies.piater1997.heights import Heights
    from studies.piater1997.replications import Replications
    from studies.report import Verdict

__all__ = ["table_claims"]


def table_claims(replicated: Mapping[str, Replications], all_runs: Heights) -> list[Claim]:
    """Judge what the report says about its tables."""
    first, second, third, fourth = (replicated[name] for name in COMPARED)
    same = _same_curves(second)
    return [
        *_magnitude_claims(first),
        *_first_table(first),
        same,
        *_magnitude_claims(second, other_curves=same.verdict == "differs"),
        _second_table(second, all_runs),
        *_magnitude_claims(third),
        *_third_table(first, third),
        *_magnitude_claims(fourth, effects=("interaction",)),
        *_fourth_table(fourth),
        _growing_vector(replicated["v/2"], fourth, replicated["2v"]),
    ]


def _magnitude_claims(
    replicated: Replications, effects: Sequence[str] = EFFECTS, *, other_curves: bool = False
) -> list[Claim]:
    """Judge whether the sums of squares, F and p of a table lie within the ranges."""
    titles = {"SS": "Sums of squares", "F": "F", "p": "p of the randomized test"}
    claims = []
    for column, all_numbers in printed_numbers(replicated).items():
        numbers = [each for each in all_numbers if column != "p" or each.source in effects]
        joint = joint_ranges([each.values for each in numbers])
        pairs = list(zip(numbers, joint.ranges, strict=True))
        outside = [each.source for each, ours in pairs if not ours.contains(each.published)]
        claims.append(
            Claim(
                replicated.name,
                f"{titles[column]} of {', '.join(COMPARED[replicated.name])}",
                "; ".join(f"{each.source} {short(each.published)}" for each in numbers),
                "; ".join(f"{each.source} {ours.text()}" for each, ours in pairs),
                _judge_position(outside, replicated, other_curves=other_curves),
                f"{joint.text()} of the replications, so wide that "
                f"{frequency(joint.inside)} pass themselves."
                + ("" if other_curves else f" Agrees if {_all_lie(numbers)} inside.")
                + _reservations(outside, replicated, other_curves=other_curves),
            )
        )
    return claims


def _judge_position(
    outside: Sequence[str], replicated: Replications, *, other_curves: bool
) -> Verdict:
    """Judge published numbers by whether all lie within the ranges."""
    if other_curves and not outside:
        return "cannot be known"
    return judge_replications(not outside, rough=replicated.rough)


def _reservations(outside: Sequence[str], replicated: Replications, *, other_curves: bool) -> str:
    """Return which numbers lie outside, and what limits the verdict."""
    note = f" Outside: {', '.join(outside)}." if outside else ""
    if outside and replicated.rough:
        note += " Few replications that share runs cannot refute."
    if other_curves:
        note += f" {replicated.name} is of other curves than the other tables"
        note += "." if outside else ", so lying inside these wide ranges says nothing."
    return note


def _all_lie(numbers: Sequence[object]) -> str:
    if len(numbers) == 1:
        return "it lies"
    return "both lie" if len(numbers) == 2 else f"all {len(numbers)} lie"


def _first_table(replicated: Replications) -> list[Claim]:
    p = PUBLISHED_P["Table 1"]
    height, shape = replicated.found("algorithm"), replicated.found("interaction")
    return [
        Claim(
            "Table 1",
            "The algorithm effect of A1 and A2 is significant",
            f"p = {p['algorithm']}",
            f"p ≤ {ALPHA} in {frequency(height)}",
            judge_frequency(height, rough=replicated.rough),
            "A published p is one draw of ten runs of each.",
        ),
        Claim(
            "Table 1",
            "The interaction of A1 and A2 is not significant",
            f"p = {p['interaction']}",
            f"p > {ALPHA} in {frequency(~shape)}",
            judge_frequency(~shape, rough=replicated.rough),
            f"If A1 and A2 learned alike, p ≤ {ALPHA} would come in {100 * ALPHA:.0f} % of the "
            f"replications; it comes in {share(shape)}.",
        ),
    ]


def _same_curves(second: Replications) -> Claim:
    """Judge whether Table 2 can come from the same curves as the other tables."""
    error = {name: table["error"]["ss"] for name, table in PUBLISHED.items()}
    implied = error["Table 4"] / 2 + error["Table 3"] - error["Table 1"]
    return Claim(
        "Tables 1 to 4",
        "All tables are of the same ten curves of each algorithm",
        f"SS error of A1, A3 in Table 2: {error['Table 2']:.2f}",
        f"{implied:,.2f} by Tables 1, 3 and 4; {quantile_range(second.ss['error']).text()} in the "
        "replications",
        judge(abs(implied - error["Table 2"]) <= 0.05),
        "SS error is a sum over the algorithms: half of Table 4's is A1's, and what Table 3 "
        "has more than Table 1 is A3's. If the two differ, Table 2 is of other curves; the "
        "report does not say of which.",
    )


def _second_table(replicated: Replications, all_runs: Heights) -> Claim:
    p = PUBLISHED_P["Table 2"]
    missed = {effect: ~replicated.found(effect) for effect in EFFECTS}
    return Claim(
        "Table 2, Figure 5",
        "A1 and A3 are indistinguishable",
        "; ".join(f"{effect} p = {p[effect]}" for effect in EFFECTS),
        f"p > {ALPHA}: "
        + "; ".join(f"{effect} in {frequency(missed[effect])}" for effect in EFFECTS),
        judge_frequency(min(missed.values(), key=np.mean), rough=replicated.rough),
        "Judged by the effect that is found more often, in ten runs of each. "
        f"{all_runs.gap_text('A1', 'A3')}.",
    )


def _third_table(first: Replications, replicated: Replications) -> list[Claim]:
    weaker = replicated.p["algorithm"] > first.p["algorithm"]
    p, p_first = PUBLISHED_P["Table 3"]["algorithm"], PUBLISHED_P["Table 1"]["algorithm"]
    return [
        Claim(
            "Table 3",
            "The algorithm effect of A1, A2 and A3 is significant",
            f"p = {p}",
            f"p ≤ {ALPHA} in {frequency(replicated.found('algorithm'))}",
            judge_frequency(replicated.found("algorithm"), rough=replicated.rough),
        ),
        Claim(
            "Table 3",
            "With A3 beside them, A1 and A2 differ less significantly than alone",
            f"{p} against {p_first}",
            f"so in {frequency(weaker)}",
            judge_frequency(weaker, rough=replicated.rough),
        ),
    ]


def _fourth_table(replicated: Replications) -> list[Claim]:
    ss = {each: np.unique(np.round(replicated.ss[each], 6)) for each in EFFECTS}
    published, p = PUBLISHED["Table 4"], PUBLISHED_P["Table 4"]["algorithm"]
    same = all(np.all(ss[each] == published[each]["ss"]) for each in EFFECTS)
    ours, larger = (
        np.unique(replicated.p["algorithm"]),
        quantile_range(replicated.p_larger["algorithm"]),
    )
    return [
        Claim(
            "Table 4",
            "A1 and A1 + v differ in shape and not at all in height",
            "; ".join(f"SS {each} {published[each]['ss']:.2f}" for each in EFFECTS),
            "; ".join(
                f"SS {each} {', '.join(f'{value:.2f}' for value in ss[each])}" for each in EFFECTS
            ),
            judge(same),
            "The vector alone decides both, whatever the runs. Agrees if both are exact in "
            "every replication.",
        ),
        Claim(
            "Table 4",
            "p of the algorithm effect of A1 and A1 + v differs from 1 because shuffling is random",
            f"{p}",
            f"{', '.join(f'{value:g}' for value in ours)}; counting only the shuffles with "
            f"a larger F: {larger.text()}",
            judge(bool(np.all(ours < 1))),
            "F is 0 and no shuffle can give less, so p is 1 however one shuffles. "
            + (
                "The published p is what counting only larger F gives: shuffles with F = 0 "
                "are left out."
                if larger.contains(p)
                else "The published p is not what counting only larger F gives."
            ),
        ),
    ]


def _growing_vector(half: Replications, whole: Replications, twice: Replications) -> Claim:
    order = (("v/2", half), ("v", whole), ("2v", twice))
    p = [replicated.p["interaction"] for _, replicated in order]
    falls = (p[2] <= p[1]) & (p[1] <= p[0])
    return Claim(
        "Table 4",
        "The interaction is the more significant, the larger the elements of v",
        "significance increases",
        "median p "
        + ", ".join(
            f"{short(float(np.median(values)))} with {name}"
            for values, (name, _) in zip(p, order, strict=True)
        )
        + f"; p never rises in {frequency(falls)}",
        judge_frequency(falls, rough=whole.rough),
    )
