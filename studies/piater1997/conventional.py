"""Section 4.1 and Figure 4: the randomized test compared with the conventional F test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, PUBLISHED, PUBLISHED_P
from studies.piater1997.quantile_ranges import (
    frequency,
    joint_ranges,
    judge_frequency,
    quantile_range,
    short,
)
from studies.piater1997.replications import N_SHUFFLES
from studies.report import Claim, judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.piater1997.replications import Replications
    from studies.report import Verdict

__all__ = ["conventional_claims"]

# The means given in section 4.1. Its wording leaves open whether they belong to the standard
# F distributions or to the shuffled ones of Figure 4, so both readings are checked.
PUBLISHED_MEANS = {"interaction": 1.02, "algorithm": 1.06}
MAX_TAIL_RATIO = 2.0  # a tail of 5 % may be larger or smaller by this factor


def conventional_claims(replicated: Mapping[str, Replications]) -> list[Claim]:
    """Judge what the report says about the conventional test."""
    return [
        *(
            _smaller_or_larger_p(replicated[name], effect)
            for name in ("Table 1", "Table 2")
            for effect in EFFECTS
        ),
        _same_distribution(replicated["Table 1"]),
        _means_of_f(replicated["Table 1"]),
    ]


def _smaller_or_larger_p(replicated: Replications, effect: str) -> Claim:
    """Judge whether the conventional p is on the reported side of the randomized p."""
    is_algorithm = effect == "algorithm"
    smallest_p = 1 / (N_SHUFFLES + 1)
    informative = (
        replicated.p[effect] > smallest_p
    )  # the smallest possible p is only an upper bound
    p, conventional = (
        replicated.p[effect][informative],
        replicated.p_parametric[effect][informative],
    )
    as_reported = conventional < p if is_algorithm else conventional > p
    published = (
        PUBLISHED[replicated.name][effect]["p_conventional"],
        PUBLISHED_P[replicated.name][effect],
    )
    return Claim(
        "Section 4.1",
        f"The conventional F test takes the {'algorithm effect' if is_algorithm else effect} "
        f"of {' and '.join(COMPARED[replicated.name])} for "
        f"{'more' if is_algorithm else 'less'} significant than the randomized test does",
        f"p = {published[0]} against {published[1]}",
        f"so in {frequency(as_reported)}",
        judge_frequency(as_reported, rough=replicated.rough),
        f"Replications left out because their randomized p is the smallest possible, "
        f"{smallest_p:g}: {informative.size - informative.sum()}."
        if not informative.all()
        else "",
    )


def _same_distribution(replicated: Replications) -> Claim:
    """Judge whether the shuffled F follow the F distribution apart from their mean."""
    as_they_are = {each: quantile_range(replicated.tail[each]) for each in EFFECTS}
    at_mean = {each: quantile_range(replicated.tail_at_mean[each]) for each in EFFECTS}
    low, high = ALPHA / MAX_TAIL_RATIO, ALPHA * MAX_TAIL_RATIO
    return Claim(
        "Figure 4",
        "Apart from their means, the shuffled F of A1 and A2 are distributed as the standard F is",
        "the same to the eye",
        f"share of shuffled F above the standard {100 * ALPHA:.0f} % point, both brought to "
        "one mean: "
        + "; ".join(f"{each} {at_mean[each].text()}" for each in EFFECTS)
        + "; as they are: "
        + "; ".join(f"{each} {as_they_are[each].text()}" for each in EFFECTS),
        judge(all(low <= ours.median <= high for ours in at_mean.values())),
        "5 % to 95 % of the replications. Agrees if, at one mean, the medians "
        f"({', '.join(f'{each} {short(at_mean[each].median)}' for each in EFFECTS)}) lie "
        f"between {low:g} and {high:g}.",
    )


def _means_of_f(replicated: Replications) -> Claim:
    df = PUBLISHED["Table 1"]["error"]["df"]
    expected = df / (df - 2)
    joint = joint_ranges([replicated.null_mean[each] for each in EFFECTS])
    ours = dict(zip(EFFECTS, joint.ranges, strict=True))
    inside = [each for each in EFFECTS if ours[each].contains(PUBLISHED_MEANS[each])]
    return Claim(
        "Section 4.1",
        "Means of the standard F distributions (or of the shuffled F) of interaction and algorithm",
        "; ".join(f"{each} {PUBLISHED_MEANS[each]}" for each in EFFECTS),
        f"{expected:.3f} for both; of the shuffled F "
        + "; ".join(f"{each} {ours[each].text()}" for each in EFFECTS),
        _judge_means(expected, possible=replicated.rough or len(inside) == len(EFFECTS)),
        "The mean of F is df / (df − 2) of its error, the same for both effects. The words "
        "may also mean the shuffled F: so read, the published ones lie inside "
        f"{joint.text()} of the replications for "
        f"{' and '.join(inside) if inside else 'neither effect'}; {frequency(joint.inside)} "
        "pass for both. "
        + (
            "Few replications that share runs cannot refute that reading."
            if replicated.rough
            else "If for both, it cannot be known which means are printed."
        ),
    )


def _judge_means(expected: float, *, possible: bool) -> Verdict:
    """Judge the published means; ``possible`` says they may be those of the shuffled F."""
    if all(abs(published - expected) <= 0.005 for published in PUBLISHED_MEANS.values()):
        return "agrees"
    return "cannot be known" if possible else "differs"
