"""Section 5: sums of squares at each level, and their cumulative shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.piater1997.curves import select_algorithms
from studies.piater1997.published import COMPARED
from studies.piater1997.quantile_ranges import quantile_range
from studies.report import Claim, Table, judge
from studies.sources.td_tictactoe import STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.piater1997.replications import Replications

__all__ = ["PROFILES", "Profiles", "profile_claims", "profile_table", "profiles"]

Floats = npt.NDArray[np.float64]

# The algorithm effect of `locate` is the difference at each step, shape included.
PROFILES = {"algorithm": "differences", "interaction": "interaction"}


@dataclass(frozen=True)
class Profiles:
    """Sums of squares of A1 and A2, and cumulative shares, by effect: (replications, steps)."""

    ss: Mapping[str, Floats]
    share: Mapping[str, Floats]


def profiles(curves: Floats) -> Profiles:
    """Return the profiles of A1 and A2 in every replication."""
    found = [
        cw.locate(
            select_algorithms(replication, COMPARED["Table 1"]),
            windows=False,
            exact=False,
            n_shuffles=1,  # only sums of squares are looked at, no p
            n_resamples=0,
            rng=0,
        ).effects
        for replication in curves
    ]
    return Profiles(
        {name: np.stack([each[name].profile for each in found]) for name in PROFILES},
        {name: np.stack([each[name].cumulative_share for each in found]) for name in PROFILES},
    )


def profile_claims(found: Profiles, replicated: Replications, shown: int) -> list[Claim]:
    """Judge which sums of squares the profiles add up to."""
    sums = {name: profile.sum(axis=1) for name, profile in found.ss.items()}
    algorithm, interaction = replicated.ss["algorithm"], replicated.ss["interaction"]
    both_effects = algorithm + interaction
    equals_algorithm = np.allclose(sums["algorithm"], algorithm)
    equals_both = np.allclose(sums["algorithm"], both_effects)
    equals_interaction = np.allclose(sums["interaction"], interaction)
    n_steps = len(STEPS)
    return [
        Claim(
            "Section 5",
            "SS algorithm is the sum over levels of the differences between the algorithms, "
            "so a part of it tells where they differ",
            "SS algorithm",
            f"differences at the {n_steps} levels sum to {sums['algorithm'][shown]:,.1f}, "
            f"SS algorithm is {algorithm[shown]:,.1f}, SS interaction "
            f"{interaction[shown]:,.1f}",
            judge(equals_algorithm),
            "Agrees if the sums are equal in every replication; shown is the one of the "
            "figures. SS algorithm adds the same amount at every level, so its share up to "
            "level h is always h/k."
            + (
                " The sum that can be stopped is that of SS algorithm and SS interaction "
                "together, in every replication, and the argument holds for it."
                if equals_both
                else ""
            ),
        ),
        Claim(
            "Section 5",
            "SS interaction can be stopped in the same way",
            "SS interaction",
            f"interaction at the {n_steps} levels sums to {sums['interaction'][shown]:,.1f}, "
            f"SS interaction is {interaction[shown]:,.1f}",
            judge(equals_interaction),
            "Agrees if the sums are equal in every replication.",
        ),
    ]


def profile_table(found: Profiles, shown: int) -> Table:
    """Return the profiles of one replication, and the range of the shares over all."""
    rows = []
    for index, step in enumerate(STEPS):
        cells = [f"{step:,}"]
        for name in PROFILES:
            interval = quantile_range(found.share[name][:, index])
            cells += [
                f"{found.ss[name][shown, index]:,.1f}",
                f"{found.share[name][shown, index]:.2f}",
                f"{interval.low:.2f} to {interval.high:.2f}",
            ]
        rows.append(tuple(cells))
    columns = ("SS", "share so far", "share, 5 % to 95 %")
    return Table(
        "Where A1 and A2 differ: profiles of sums of squares",
        ("games", *(f"{what}, {each}" for what in PROFILES.values() for each in columns)),
        tuple(rows),
        "SS and share of the replication of the figures, and the range of the share in all "
        f"{len(found.share['algorithm'])}. Differences are SS algorithm and SS interaction "
        "together.",
    )
