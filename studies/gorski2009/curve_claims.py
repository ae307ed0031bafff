"""Claims about Figures 1 and 2: the mean learning curves in the two grid worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.gorski2009.mean_curves import LONGEST
from studies.gorski2009.measuring import OPTIMUM, ends, overtaken
from studies.gorski2009.readings import PLAIN_WINDOW
from studies.report import Claim, judged
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studies.gorski2009.findings import Findings
    from studies.gorski2009.mean_curves import Floats, Means

__all__ = ["curve_claims"]

MUCH = 0.5  # of the distance from the control to the optimum
NEAR = 0.01  # a mean reward this close to the optimum has come to it
LEVEL = 0.05  # a mean reward this close to its end has levelled off


def curve_claims(found: Findings) -> Iterator[Claim]:
    """Yield a claim for each figure, and one on where the curves end."""
    yield _figure_1(found)
    yield _figure_2(found.plain)
    yield _optimum(found)


def _figure_1(found: Findings) -> Claim:
    control, transfer = found.plain["4x4"].until(PLAIN_WINDOW[0])
    gain = found.table["4x4"].calibrated_transfer_ratio
    low, high = ends(gain)
    return Claim(
        "Figure 1",
        "In the 4x4 world the transfer condition does much better than the control.",
        "mean curves of 20,000 trials, not listed",
        f"first episode: {_pair(control[0], transfer[0])}; mean of {len(control)} episodes: "
        f"{_pair(control.mean(), transfer.mean())}",
        judged(low > MUCH),
        f"Judged so if transfer takes more than {_percent(MUCH)} of what the control leaves to "
        f"the optimum; it takes {_percent(gain.value)} (CTR, 95 % interval {_percent(low)} "
        f"to {_percent(high)}).",
    )


def _figure_2(means: Mapping[str, Means]) -> Claim:
    control, transfer = means["3x3"].until(PLAIN_WINDOW[1])
    small, large = (
        [_levelled(curve) for curve in means[world].until(LONGEST)]
        for world in ("3x3", "4x4")
    )
    sooner = all(first < second for first, second in zip(small, large, strict=True))
    return Claim(
        "Figure 2",
        "In the 3x3 world the curves have the same general shape, and less training is "
        "needed.",
        "mean curves of 20,000 trials, not listed",
        f"first episode: {_pair(control[0], transfer[0])}; mean of {len(control)} episodes: "
        f"{_pair(control.mean(), transfer.mean())}; levelled off from episode {small[0]} "
        f"(control) and {small[1]} (transfer), in 4x4 {large[0]} and {large[1]}",
        judged(transfer[0] > control[0] and transfer.mean() > control.mean() and sooner),
        "Judged so if transfer is ahead at first and in the mean, and both conditions level "
        f"off sooner than in the 4x4 world: stay within {LEVEL:g} of the mean reward of "
        f"episode {LONGEST}.",
    )


def _optimum(found: Findings) -> Claim:
    lasts = {
        world: [float(curve[-1]) for curve in each.until(WORLDS[world].n_episodes)]
        for world, each in found.plain.items()
    }
    both = all(min(pair) > OPTIMUM - NEAR for pair in lasts.values())
    n_there = sum(
        all(
            min(curve[-1] for curve in each.until(WORLDS[world].n_episodes))
            > OPTIMUM - NEAR
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
            for world, pair in lasts.items()
        )
        + f"; both at the optimum with {n_there} of {len(found.means)} learners",
        judged(both),
        f"Judged by the plain reading: mean rewards within {NEAR:g} of the optimum."
        + ("" if both else _detour(found)),
    )


def _detour(found: Findings) -> str:
    """Say why a condition stays below the optimum, and what follows for the CTR."""
    ahead = {
        world: overtaken(*each.until(LONGEST)) for world, each in found.plain.items()
    }
    told = [f"{n} ({world})" for world, n in ahead.items() if n is not None]
    longer = next(each for each in found.readings if each.name == "40 and 20 episodes")
    ratios = [
        " and ".join(f"{row['calibrated_transfer_ratio']:.4f}" for row in rows.values())
        for rows in (found.readings[0].rows, longer.rows)
    ]
    return (
        " A greedy learner need not leave a detour that the source task taught it."
        + (f" The control is ahead from episode {', '.join(told)} on." if told else "")
        + f" The CTR is {ratios[0]} in the plain windows, {ratios[1]} over {longer.name}."
    )


def _levelled(curve: Floats) -> int:
    """Return the episode from which a mean curve stays close to its end."""
    away = np.flatnonzero(np.abs(curve - curve[-1]) > LEVEL)
    return int(away[-1]) + 2 if len(away) else 1


def _percent(share: float | None) -> str:
    return "an undefined share" if share is None else f"{100 * share:.0f} %"


def _pair(control: float, transfer: float) -> str:
    return f"control {control:.3f}, transfer {transfer:.3f}"
