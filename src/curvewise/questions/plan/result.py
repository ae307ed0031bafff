"""What `plan` found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.inference.effects import EFFECTS, json_ready
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import call, percent, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import EffectName, Interval
    from curvewise.questions.plan.pairing import Pairing
    from curvewise.questions.power.result import Assumptions

__all__ = ["Plan"]


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """How many runs an experiment needs.

    Attributes
    ----------
    n_runs : int
        Runs of each algorithm (with a ratio: of each but the first); ``max_runs`` where that is
        not enough.
    n_estimate : float
        What is needed if runs vary as the pilots do; infinite beyond ``max_runs``. It is
        ``n_runs`` unless the plan is cautious.
    n_runs_range : Interval
        What would be needed if runs vary less, or more, than the pilots, as far as pilots of this
        number leave open; infinite beyond ``max_runs``.
    sizes : tuple of int
        Runs of each algorithm.
    reachable : bool
        Whether ``max_runs`` are enough.
    power : float
        What was asked for.
    power_at : mapping from int to float
        With each number of runs that was tried, how often `compare` would claim the difference:
        one in height or in shape only where its overall test is significant too. It is of all
        experiments with ``n_estimate`` runs and one more, and of no more than 500 with numbers
        far from these.
    power_at_ends : (mapping, mapping)
        The same if runs vary more, and less, than the pilots.
    test_power_at, test_power_at_ends
        The same of the test of height, or of shape, alone; of any difference they are equal.
    smallest_n : int
        With fewer runs no data could be significant.
    question : "algorithm", "interaction" or "overall"
        Which difference is to be found.
    cautious : bool
        Whether runs are planned as if they varied as much more than the pilots as is left open.
    reuse_pilot : bool
        Whether the pilots stay in the data, and count among the runs.
    pairing : Pairing or None
        How paired pilots correlate, where they are paired.
    max_runs : int
        The most runs that were considered.
    assumptions : Assumptions
        What was simulated.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    n_runs: int
    n_estimate: float
    n_runs_range: Interval
    sizes: tuple[int, ...]
    reachable: bool
    power: float
    power_at: Mapping[int, float]
    power_at_ends: tuple[Mapping[int, float], Mapping[int, float]]
    test_power_at: Mapping[int, float]
    test_power_at_ends: tuple[Mapping[int, float], Mapping[int, float]]
    smallest_n: int
    question: EffectName
    cautious: bool
    reuse_pilot: bool
    pairing: Pairing | None
    max_runs: int
    assumptions: Assumptions
    caveats: tuple[Caveat, ...]
    seed: int | None = None
    source: str = ""
    preparation: Preparation | None = field(default=None, repr=False)
    in_score_units: ClassVar[tuple[str, ...]] = (
        "assumptions.height_sd",
        "assumptions.lift",
    )

    @property
    def effect_source(self) -> str:
        """Where the effect comes from: "stated" or "observed, shrunk"."""
        return self.assumptions.effect_source

    @property
    def noise_df(self) -> float:
        """How many runs' worth is known about the spread."""
        return self.assumptions.noise_df

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; what is infinite is None."""
        more, less = self.power_at_ends
        return {
            "question": "plan",
            "n_runs": self.n_runs,
            "n_estimate": json_ready(self.n_estimate),
            "n_runs_range": [json_ready(end) for end in self.n_runs_range],
            "sizes": list(self.sizes),
            "reachable": self.reachable,
            "power": self.power,
            "power_at": _by_runs(self.power_at),
            "power_at_if_runs_vary_more": _by_runs(more),
            "power_at_if_runs_vary_less": _by_runs(less),
            "test_power_at": _by_runs(self.test_power_at),
            "test_power_at_if_runs_vary_more": _by_runs(self.test_power_at_ends[0]),
            "test_power_at_if_runs_vary_less": _by_runs(self.test_power_at_ends[1]),
            "smallest_n": self.smallest_n,
            "to_find": self.question,
            "cautious": self.cautious,
            "reuse_pilot": self.reuse_pilot,
            "pairing": None if self.pairing is None else self.pairing.to_dict(),
            "max_runs": self.max_runs,
            "assumptions": self.assumptions.to_dict(),
            "seed": self.seed,
            "source": self.source,
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return what is needed, by how much runs vary."""
        asked = self.assumptions
        low, high = self.n_runs_range
        (more, less), (test_more, test_less) = self.power_at_ends, self.test_power_at_ends
        as_known = "as in the pilots" if asked.n_pilots else "as assumed"
        rows = [(as_known, self.n_estimate, self.power_at, self.test_power_at)]
        if math.isfinite(asked.noise_df):
            rows = [
                ("less than the pilots", low, less, test_less),
                *rows,
                ("more than the pilots", high, more, test_more),
            ]
        shows_test = self.question != "overall"
        each = "runs of each needed" if asked.ratio == 1 else "runs of each other needed"
        if asked.blocks:
            each = "blocks needed"
        cells = tuple(
            (
                name,
                f"more than {self.max_runs}" if math.isinf(n) else f"{n:.0f}",
                *(
                    _power_text(powers, self.max_runs if math.isinf(n) else int(n))
                    for powers in (claims, *([tests] if shows_test else []))
                ),
            )
            for name, n, claims, tests in rows
        )
        aim = f"To find a difference {EFFECTS[self.question].how} with a power of {self.power:g}"
        notes = [f"{aim} at α = {asked.alpha:g}."]
        if shows_test:
            notes.append(
                f"Power: how often {call('compare')} claims it, which takes a difference overall "
                f"too; its test: that of {EFFECTS[self.question].noun} alone."
            )
        if len(rows) > 1:
            notes.append(
                f"Less and more: by as much as {plural(asked.n_pilots, 'pilot')} leave open "
                f"({percent(asked.confidence)})."
            )
        return Table(
            (
                *("if runs vary", each, "power with these"),
                *(["its test"] if shows_test else []),
            ),
            cells,
            notes=tuple(notes),
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


def _by_runs(powers: Mapping[int, float]) -> dict[str, float]:
    """Return powers by runs as JSON has it, whose keys are text."""
    return {str(n): powers[n] for n in sorted(powers)}


def _power_text(powers: Mapping[int, float], n_runs: int) -> str:
    return f"{powers[n_runs]:.2f}" if n_runs in powers else ""
