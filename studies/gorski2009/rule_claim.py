"""The claim that one method made both rows of Table 1, judged by their digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.gorski2009.mean_curves import PLAIN
from studies.gorski2009.measuring import measure, metric_values
from studies.gorski2009.published import METRICS, PUBLISHED, rule_constant, rule_constant_range
from studies.report import Claim, judge
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studies.gorski2009.findings import Findings
    from studies.gorski2009.mean_curves import Means
    from studies.gorski2009.published import Row
    from studies.gorski2009.readings import Reading

__all__ = ["rule_claim"]

MIN_EPISODES = 5  # of the windows in which b is searched
ALGEBRA = (
    "Judged by b = R (1/CTR + 1/(TR − 1)), which must be 1 up to rounding in both rows. With "
    "D the area between the curves over T episodes, R = D / (box · T), CTR = D / (optimum · T "
    "− area of the control) and TR − 1 = D / (area of the control + shift · T); so b = "
    "(optimum + shift) / box, whatever the curves: 1 where the shift lifts the lowest mean to "
    "0 and the best mean is the optimum, more where the window ends before."
)


def rule_claim(found: Findings) -> Claim:
    """Judge whether the method was the same in both worlds."""
    spans = {world: rule_constant_range(world) for world in PUBLISHED}
    return Claim(
        "Table 1",
        "One method makes both rows: the lowest mean is lifted to 0, and the curves are "
        "compared until the best mean is the optimum.",
        "the method is the same in both worlds",
        "from the published digits, "
        + "; ".join(
            f"{world}: b = {rule_constant(PUBLISHED[world]):.4f} ({low:.4f} to {high:.4f} with "
            "rounding)"
            for world, (low, high) in spans.items()
        ),
        judge(all(low <= 1 <= high for low, high in spans.values())),
        ALGEBRA + _early_text(found.means) + _equal_text(found.readings),
    )


def _early_text(means: Mapping[str, Mapping[str, Means]]) -> str:
    """Return the metrics in 4x4 windows with the published b, as text."""
    passing = [row for both in means.values() for row in _passing(both["4x4"])]
    if not passing:
        return ""
    plain = _passing(means[PLAIN]["4x4"])
    texts = [
        f"{METRICS[metric]} {_span(passing, metric)}"
        + (f" (plain {_span(plain, metric)})" if plain else "")
        + f", published {PUBLISHED['4x4'][metric]:.4f}"
        for metric in ("transfer_ratio", "calibrated_transfer_ratio")
    ]
    return (
        f" Windows of the 4x4 world in which b passes {rule_constant(PUBLISHED['4x4']):.4f} give, "
        f"over {len(means)} learners: {'; '.join(texts)}."
    )


def _passing(means: Means) -> list[Row]:
    """Return the rows of the two windows between which b crosses the published value."""
    published = rule_constant(PUBLISHED["4x4"])
    previous: list[Row] = []
    for stop in range(MIN_EPISODES, WORLDS["4x4"].n_episodes + 1):
        row = metric_values(measure(*means.until(stop)))
        if rule_constant(row) < published:
            return [*previous, row]
        previous = [row]
    return []


def _span(rows: Sequence[Row], metric: str) -> str:
    low, high = (f"{end([row[metric] for row in rows]):.2f}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _equal_text(readings: Sequence[Reading]) -> str:
    """Return b and the transfer ratio for short windows of equal length, as text."""
    equal = next(each for each in readings if each.name == "10 and 10 episodes")
    first, second = (equal.rule(world) for world in PUBLISHED)
    direction = "rises" if equal.keeps("transfer_ratio") else "falls"
    return (
        f" Windows of {equal.name} have b {first:.4f} and {second:.4f}, but with them the "
        f"transfer ratio {direction} from 4x4 to 3x3."
    )
