"""Section 4.1 and Figure 4: the randomized test beside the conventional F test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.piater1997.bands import band, frequency, joint_band, settled, short
from studies.piater1997.published import ALPHA, COMPARED, EFFECTS, PUBLISHED, PUBLISHED_P
from studies.piater1997.replications import N_SHUFFLES
from studies.report import Claim, judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.piater1997.replications import Replications
    from studies.report import Verdict

__all__ = ["conventional_claims"]

# Means, as the text has them: of the standard F distributions, or of the shuffled F. "The
# standard F distributions [...] look essentially the same, but have different means (...)":
# the same as those of Figure 4, which are shuffled, so either may be meant.
PUBLISHED_MEANS = {"interaction": 1.02, "algorithm": 1.06}
ALIKE = 2.0  # a share of 5 % may be so many times as large or small


def conventional_claims(made: Mapping[str, Replications]) -> list[Claim]:
    """Hold what the report says of the conventional test against the replications."""
    return [
        *(
            _side(made[name], effect)
            for name in ("Table 1", "Table 2")
            for effect in EFFECTS
        ),
        _alike(made["Table 1"]),
        _means(made["Table 1"]),
    ]


def _side(made: Replications, effect: str) -> Claim:
    """Ask on which side of the randomized p the conventional one lies."""
    more = effect == "algorithm"
    least = 1 / (N_SHUFFLES + 1)
    shows = made.p[effect] > least  # the smallest p possible hides how small it is
    p, conventional = made.p[effect][shows], made.p_parametric[effect][shows]
    so = conventional < p if more else conventional > p
    said = PUBLISHED[made.name][effect]["p_conventional"], PUBLISHED_P[made.name][effect]
    return Claim(
        "Section 4.1",
        f"The conventional F test takes the {'algorithm effect' if more else effect} of "
        f"{' and '.join(COMPARED[made.name])} for {'more' if more else 'less'} significant "
        "than the randomized test does",
        f"p = {said[0]} against {said[1]}",
        f"so in {frequency(so)}",
        settled(so, rough=made.rough),
        f"Replications left out because their randomized p is the smallest possible, "
        f"{least:g}: {shows.size - shows.sum()}."
        if not shows.all()
        else "",
    )


def _alike(made: Replications) -> Claim:
    """Ask whether shuffled F are distributed as F is, apart from the mean."""
    as_they_are = {each: band(made.tail[each]) for each in EFFECTS}
    at_mean = {each: band(made.tail_at_mean[each]) for each in EFFECTS}
    least, most = ALPHA / ALIKE, ALPHA * ALIKE
    return Claim(
        "Figure 4",
        "Apart from their means, the shuffled F of A1 and A2 are distributed as the standard "
        "F is",
        "the same to the eye",
        f"share of shuffled F above the standard {100 * ALPHA:.0f} % point, both brought to "
        "one mean: "
        + "; ".join(f"{each} {at_mean[each].text()}" for each in EFFECTS)
        + "; as they are: "
        + "; ".join(f"{each} {as_they_are[each].text()}" for each in EFFECTS),
        judged(all(least <= ours.median <= most for ours in at_mean.values())),
        "5 % to 95 % of the replications. Agrees if, at one mean, the medians "
        f"({', '.join(f'{each} {short(at_mean[each].median)}' for each in EFFECTS)}) lie "
        f"between {least:g} and {most:g}.",
    )


def _means(made: Replications) -> Claim:
    df = PUBLISHED["Table 1"]["error"]["df"]
    expected = df / (df - 2)
    together = joint_band([made.null_mean[each] for each in EFFECTS])
    ours = dict(zip(EFFECTS, together.bands, strict=True))
    inside = [each for each in EFFECTS if ours[each].holds(PUBLISHED_MEANS[each])]
    return Claim(
        "Section 4.1",
        "Means of the standard F distributions (or of the shuffled F) of interaction and "
        "algorithm",
        "; ".join(f"{each} {PUBLISHED_MEANS[each]}" for each in EFFECTS),
        f"{expected:.3f} for both; of the shuffled F "
        + "; ".join(f"{each} {ours[each].text()}" for each in EFFECTS),
        _of_which(expected, possible=made.rough or len(inside) == len(EFFECTS)),
        "The mean of F is df / (df − 2) of its error, the same for both effects. The words "
        "may also mean the shuffled F: so read, the published ones lie inside "
        f"{together.text()} of the replications for "
        f"{' and '.join(inside) if inside else 'neither effect'}; {frequency(together.inside)} "
        "pass for both. "
        + (
            "Few replications that share runs cannot refute that reading."
            if made.rough
            else "If for both, it cannot be known which means are printed."
        ),
    )


def _of_which(expected: float, *, possible: bool) -> Verdict:
    """Judge the means as those of the standard F; they may be those of the shuffled."""
    if all(abs(said - expected) <= 0.005 for said in PUBLISHED_MEANS.values()):
        return "agrees"
    return "cannot be known" if possible else "differs"
