"""Claims about Figures 1 and 2: the mean learning curves in the two grid worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.gorski2009.mean_curves import MAX_EPISODES
from studies.gorski2009.measuring import OPTIMUM, interval_ends, overtaking_episode
from studies.gorski2009.readings import PLAIN_WINDOW
from studies.report import Claim, judge
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studies.gorski2009.findings import Findings
    from studies.gorski2009.mean_curves import Floats, Means

__all__ = ["curve_claims"]

MIN_GAIN = 0.5  # "much better": this share of the distance from the control to the optimum
OPTIMUM_TOLERANCE = 0.01  # a mean reward this close to the optimum counts as optimal
LEVEL_TOLERANCE = 0.05  # a curve that stays this close to its last value has levelled off


def curve_claims(found: Findings) -> Iterator[Claim]:
    """Judge Figures 1 and 2, and whether the curves reach the optimum."""
    yield _figure_1(found)
    yield _figure_2(found.plain)
    yield _optimum(found)


def _figure_1(found: Findings) -> Claim:
    control, transfer = found.plain["4x4"].until(PLAIN_WINDOW[0])
    gain = found.table["4x4"].calibrated_transfer_ratio
    low, high = interval_ends(gain)
    return Claim(
        "Figure 1",
        "In the 4x4 world the transfer condition does much better than the control.",
        "mean curves of 20,000 trials, not listed",
        f"first episode: {_pair(control[0], transfer[0])}; mean of {len(control)} episodes: "
        f"{_pair(control.mean(), transfer.mean())}",
        judge(low > MIN_GAIN),
        f"Judged so if transfer takes more than {_percent(MIN_GAIN)} of what the control leaves to "
        f"the optimum; it takes {_percent(gain.value)} (CTR, 95 % interval {_percent(low)} "
        f"to {_percent(high)}).",
    )


def _figure_2(means: Mapping[str, Means]) -> Claim:
    control, transfer = means["3x3"].until(PLAIN_WINDOW[1])
    small, large = (
        [_levelling_episode(curve) for curve in means[world].until(MAX_EPISODES)]
        for world in ("3x3", "4x4")
    )
    levels_off_sooner = all(first < second for first, second in zip(small, large, strict=True))
    return Claim(
        "Figure 2",
        "In the 3x3 world the curves have the same general shape, and less training is needed.",
        "mean curves of 20,000 trials, not listed",
        f"first episode: {_pair(control[0], transfer[0])}; mean of {len(control)} episodes: "
        f"{_pair(control.mean(), transfer.mean())}; levelled off from episode {small[0]} "
        f"(control) and {small[1]} (transfer), in 4x4 {large[0]} and {large[1]}",
        judge(transfer[0] > control[0] and transfer.mean() > control.mean() and levels_off_sooner),
        "Judged so if transfer is ahead at first and in the mean, and both conditions level "
        f"off sooner than in the 4x4 world: stay within {LEVEL_TOLERANCE:g} of the mean reward of "
        f"episode {MAX_EPISODES}.",
    )


def _optimum(found: Findings) -> Claim:
    final = {
        world: [float(curve[-1]) for curve in each.until(WORLDS[world].n_episodes)]
        for world, each in found.plain.items()
    }
    both = all(min(pair) > OPTIMUM - OPTIMUM_TOLERANCE for pair in final.values())
    n_there = sum(
        all(
            min(curve[-1] for curve in each.until(WORLDS[world].n_episodes))
            > OPTIMUM - OPTIMUM_TOLERANCE
            for world, each in means.items()
        )
        for means in found.means.values()
    )
    return Claim(
        "section 3",
        f"Training brings both conditions to the optimal reward, {OPTIMUM:+g}.",
        "taken for granted of both worlds",
        "; ".join(
            f"episode {WORLDS[world].n_episodes}, {world}: {_pair(*pair)}"
            for world, pair in final.items()
        )
        + f"; both at the optimum with {n_there} of {len(found.means)} learners",
        judge(both),
        f"Judged by the plain reading: mean rewards within {OPTIMUM_TOLERANCE:g} of the optimum."
        + ("" if both else _why_below_optimum(found)),
    )


def _why_below_optimum(found: Findings) -> str:
    """Return why a condition stays below the optimum, and what follows for the CTR."""
    overtaking = {
        world: overtaking_episode(*each.until(MAX_EPISODES)) for world, each in found.plain.items()
    }
    episodes = [f"{n} ({world})" for world, n in overtaking.items() if n is not None]
    longer = next(each for each in found.readings if each.name == "40 and 20 episodes")
    ratios = [
        " and ".join(f"{row['calibrated_transfer_ratio']:.4f}" for row in rows.values())
        for rows in (found.readings[0].rows, longer.rows)
    ]
    return (
        " A greedy learner need not leave a detour that the source task taught it."
        + (f" The control is ahead from episode {', '.join(episodes)} on." if episodes else "")
        + f" The CTR is {ratios[0]} in the plain windows, {ratios[1]} over {longer.name}."
    )


def _levelling_episode(curve: Floats) -> int:
    """Return the first episode from which a mean curve stays close to its last value."""
    outside = np.flatnonzero(np.abs(curve - curve[-1]) > LEVEL_TOLERANCE)
    return int(outside[-1]) + 2 if len(outside) else 1


def _percent(share: float | None) -> str:
    return "an undefined share" if share is None else f"{100 * share:.0f} %"


def _pair(control: float, transfer: float) -> str:
    return f"control {control:.3f}, transfer {transfer:.3f}"
