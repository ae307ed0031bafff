"""Tables 1 to 4: what the report says of them, held against the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.piater1997.bands import (
    band,
    frequency,
    joint_band,
    settled,
    share,
    short,
    weighed,
)
from studies.piater1997.published import (
    ALPHA,
    COMPARED,
    EFFECTS,
    PUBLISHED,
    PUBLISHED_P,
)
from studies.piater1997.table_sheets import printed
from studies.report import Claim, judged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studies.piater1997.heights import Heights
    from studies.piater1997.replications import Replications
    from studies.report import Verdict

__all__ = ["table_claims"]


def table_claims(made: Mapping[str, Replications], all_runs: Heights) -> list[Claim]:
    """Hold what the report says of its tables against the replications."""
    first, second, third, fourth = (made[name] for name in COMPARED)
    same = _same_curves(second)
    return [
        *_magnitudes(first),
        *_first_table(first),
        same,
        *_magnitudes(second, other_curves=same.verdict == "differs"),
        _second_table(second, all_runs),
        *_magnitudes(third),
        *_third_table(first, third),
        *_magnitudes(fourth, effects=("interaction",)),
        *_fourth_table(fourth),
        _growing(made["v/2"], fourth, made["2v"]),
    ]


def _magnitudes(
    made: Replications, effects: Sequence[str] = EFFECTS, *, other_curves: bool = False
) -> list[Claim]:
    """Claim by claim: sums of squares, F and p lie where honest replications do."""
    words = {"SS": "Sums of squares", "F": "F", "p": "p of the randomized test"}
    claims = []
    for column, every in printed(made).items():
        numbers = [each for each in every if column != "p" or each.source in effects]
        together = joint_band([each.values for each in numbers])
        pairs = list(zip(numbers, together.bands, strict=True))
        outside = [each.source for each, ours in pairs if not ours.holds(each.published)]
        claims.append(
            Claim(
                made.name,
                f"{words[column]} of {', '.join(COMPARED[made.name])}",
                "; ".join(f"{each.source} {short(each.published)}" for each in numbers),
                "; ".join(f"{each.source} {ours.text()}" for each, ours in pairs),
                _placed(outside, made, other_curves=other_curves),
                f"{together.text()} of the replications, so wide that "
                f"{frequency(together.inside)} pass themselves."
                + ("" if other_curves else f" Agrees if {_all(numbers)} inside.")
                + _reserve(outside, made, other_curves=other_curves),
            )
        )
    return claims


def _placed(outside: Sequence[str], made: Replications, *, other_curves: bool) -> Verdict:
    """Judge published numbers by whether any lies outside the ranges."""
    if other_curves and not outside:
        return "cannot be known"
    return weighed(not outside, rough=made.rough)


def _reserve(outside: Sequence[str], made: Replications, *, other_curves: bool) -> str:
    """Say what is outside, and what the verdict is held back by."""
    said = f" Outside: {', '.join(outside)}." if outside else ""
    if outside and made.rough:
        said += " Few replications that share runs cannot refute."
    if other_curves:
        said += f" {made.name} is of other curves than the other tables"
        said += "." if outside else ", so lying inside these wide ranges says nothing."
    return said


def _all(numbers: Sequence[object]) -> str:
    if len(numbers) == 1:
        return "it lies"
    return "both lie" if len(numbers) == 2 else f"all {len(numbers)} lie"


def _first_table(made: Replications) -> list[Claim]:
    p = PUBLISHED_P["Table 1"]
    height, shape = made.found("algorithm"), made.found("interaction")
    return [
        Claim(
            "Table 1",
            "The algorithm effect of A1 and A2 is significant",
            f"p = {p['algorithm']}",
            f"p ≤ {ALPHA} in {frequency(height)}",
            settled(height, rough=made.rough),
            "A published p is one draw of ten runs of each.",
        ),
        Claim(
            "Table 1",
            "The interaction of A1 and A2 is not significant",
            f"p = {p['interaction']}",
            f"p > {ALPHA} in {frequency(~shape)}",
            settled(~shape, rough=made.rough),
            f"If A1 and A2 learned alike, p ≤ {ALPHA} would come in {100 * ALPHA:.0f} % of the "
            f"replications; it comes in {share(shape)}.",
        ),
    ]


def _same_curves(second: Replications) -> Claim:
    """Ask whether Table 2 can be of the curves of the other tables."""
    error = {name: table["error"]["ss"] for name, table in PUBLISHED.items()}
    implied = error["Table 4"] / 2 + error["Table 3"] - error["Table 1"]
    return Claim(
        "Tables 1 to 4",
        "All tables are of the same ten curves of each algorithm",
        f"SS error of A1, A3 in Table 2: {error['Table 2']:.2f}",
        f"{implied:,.2f} by Tables 1, 3 and 4; {band(second.ss['error']).text()} in the "
        "replications",
        judged(abs(implied - error["Table 2"]) <= 0.05),
        "SS error is a sum over the algorithms: half of Table 4's is A1's, and what Table 3 "
        "has more than Table 1 is A3's. If the two differ, Table 2 is of other curves; the "
        "report does not say of which.",
    )


def _second_table(made: Replications, all_runs: Heights) -> Claim:
    p = PUBLISHED_P["Table 2"]
    missed = {effect: ~made.found(effect) for effect in EFFECTS}
    return Claim(
        "Table 2, Figure 5",
        "A1 and A3 are indistinguishable",
        "; ".join(f"{effect} p = {p[effect]}" for effect in EFFECTS),
        f"p > {ALPHA}: "
        + "; ".join(f"{effect} in {frequency(missed[effect])}" for effect in EFFECTS),
        settled(min(missed.values(), key=np.mean), rough=made.rough),
        "Judged by the effect that is found more often, in ten runs of each. "
        f"{all_runs.gap_text('A1', 'A3')}.",
    )


def _third_table(first: Replications, made: Replications) -> list[Claim]:
    weaker = made.p["algorithm"] > first.p["algorithm"]
    p, p_first = PUBLISHED_P["Table 3"]["algorithm"], PUBLISHED_P["Table 1"]["algorithm"]
    return [
        Claim(
            "Table 3",
            "The algorithm effect of A1, A2 and A3 is significant",
            f"p = {p}",
            f"p ≤ {ALPHA} in {frequency(made.found('algorithm'))}",
            settled(made.found("algorithm"), rough=made.rough),
        ),
        Claim(
            "Table 3",
            "With A3 beside them, A1 and A2 differ less significantly than alone",
            f"{p} against {p_first}",
            f"so in {frequency(weaker)}",
            settled(weaker, rough=made.rough),
        ),
    ]


def _fourth_table(made: Replications) -> list[Claim]:
    ss = {each: np.unique(np.round(made.ss[each], 6)) for each in EFFECTS}
    published, p = PUBLISHED["Table 4"], PUBLISHED_P["Table 4"]["algorithm"]
    same = all(np.all(ss[each] == published[each]["ss"]) for each in EFFECTS)
    ours, larger = np.unique(made.p["algorithm"]), band(made.p_larger["algorithm"])
    return [
        Claim(
            "Table 4",
            "A1 and A1 + v differ in shape and not at all in height",
            "; ".join(f"SS {each} {published[each]['ss']:.2f}" for each in EFFECTS),
            "; ".join(
                f"SS {each} {', '.join(f'{value:.2f}' for value in ss[each])}"
                for each in EFFECTS
            ),
            judged(same),
            "The vector alone decides both, whatever the runs. Agrees if both are exact in "
            "every replication.",
        ),
        Claim(
            "Table 4",
            "p of the algorithm effect of A1 and A1 + v differs from 1 because shuffling "
            "is random",
            f"{p}",
            f"{', '.join(f'{value:g}' for value in ours)}; counting only the shuffles with "
            f"a larger F: {larger.text()}",
            judged(bool(np.all(ours < 1))),
            "F is 0 and no shuffle can give less, so p is 1 however one shuffles. "
            + (
                "The published p is what counting only larger F gives: shuffles with F = 0 "
                "are left out."
                if larger.holds(p)
                else "The published p is not what counting only larger F gives."
            ),
        ),
    ]


def _growing(half: Replications, whole: Replications, twice: Replications) -> Claim:
    order = (("v/2", half), ("v", whole), ("2v", twice))
    p = [made.p["interaction"] for _, made in order]
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
        settled(falls, rough=whole.rough),
    )
