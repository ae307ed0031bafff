"""What `plan` found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from curvewise.inference.caveats import Caveat
from curvewise.inference.result import EFFECTS
from curvewise.questions.power.result import Simulated
from curvewise.records import UNTOLD, Probability, told
from curvewise.rendering.tables import Table
from curvewise.text import argument, call, percent, plural

if TYPE_CHECKING:
    from curvewise.inference.result import EffectName, Interval
    from curvewise.questions.plan.method import Pairing
    from curvewise.questions.power.result import Assumptions
    from curvewise.records import Count, Extended


ByRuns = Mapping[int, Probability]  # by the number of runs of each algorithm
IN_ORDER = {"through": lambda powers: dict(sorted(powers.items()))}


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(Simulated, question="plan"):
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

    n_runs: Count
    n_estimate: Extended
    n_runs_range: Interval
    sizes: tuple[Count, ...]
    reachable: bool
    power: Probability
    power_at: ByRuns = field(metadata=IN_ORDER)
    power_at_ends: tuple[ByRuns, ByRuns] = field(metadata=UNTOLD)
    test_power_at: ByRuns = field(metadata=IN_ORDER)
    test_power_at_ends: tuple[ByRuns, ByRuns] = field(metadata=UNTOLD)
    smallest_n: Count
    question: EffectName = field(metadata={"key": "to_find"})
    cautious: bool
    reuse_pilot: bool
    pairing: Pairing | None
    max_runs: Count
    assumptions: Assumptions
    seed: int | None = None
    source: str = ""

    @told(after="power_at", **IN_ORDER)
    def power_at_if_runs_vary_more(self) -> ByRuns:
        """Return ``power_at`` if runs vary more than the pilots."""
        return self.power_at_ends[0]

    @told(after="power_at_if_runs_vary_more", **IN_ORDER)
    def power_at_if_runs_vary_less(self) -> ByRuns:
        """Return ``power_at`` if runs vary less than the pilots."""
        return self.power_at_ends[1]

    @told(after="test_power_at", **IN_ORDER)
    def test_power_at_if_runs_vary_more(self) -> ByRuns:
        """Return ``test_power_at`` if runs vary more than the pilots."""
        return self.test_power_at_ends[0]

    @told(after="test_power_at_if_runs_vary_more", **IN_ORDER)
    def test_power_at_if_runs_vary_less(self) -> ByRuns:
        """Return ``test_power_at`` if runs vary less than the pilots."""
        return self.test_power_at_ends[1]

    def table(self) -> Table:
        """Return what is needed, by how much runs vary."""
        asked, shows_test = self.assumptions, self.question != "overall"
        low, high = self.n_runs_range
        (more, less), (test_more, test_less) = self.power_at_ends, self.test_power_at_ends
        as_known = "as in the pilots" if asked.n_pilots else "as assumed"
        items = [(as_known, self.n_estimate, self.power_at, self.test_power_at)]
        if math.isfinite(asked.noise_df):
            items.insert(0, ("less than the pilots", low, less, test_less))
            items.append(("more than the pilots", high, more, test_more))
        each = "runs of each needed" if asked.ratio == 1 else "runs of each other needed"
        rows = []
        for name, n, claims, tests in items:
            needed = f"more than {self.max_runs}" if math.isinf(n) else f"{n:.0f}"
            powers = [
                own.get(int(min(n, self.max_runs))) for own in (claims, tests)[: 1 + shows_test]
            ]
            texts = ("" if power is None else f"{power:.2f}" for power in powers)
            rows.append((name, needed, *texts))
        aim = f"To find a difference {EFFECTS[self.question].how} with a power of {self.power:g}"
        notes = [f"{aim} at α = {asked.alpha:g}."]
        if shows_test:
            notes.append(
                f"Power: how often {call('compare')} claims it, which takes a difference overall "
                f"too; its test: that of {EFFECTS[self.question].noun} alone."
            )
        if len(items) > 1:
            notes.append(
                f"Less and more: by as much as {plural(asked.n_pilots, 'pilot')} leave open "
                f"({percent(asked.confidence)})."
            )
        header = ("if runs vary", "blocks needed" if asked.blocks else each, "power with these")
        return Table(
            (*header, *(["its test"] if shows_test else [])), tuple(rows), notes=tuple(notes)
        )


class NotReachable(Caveat):
    """The most runs that were considered are not enough."""

    max_runs: int
    power_there: float
    power: float

    def sentence(self) -> str:
        """Say what power there is, and what to do."""
        return (
            f"With {plural(self.max_runs, 'run')} the power is {self.power_there:.2f}, below the "
            f"{self.power:g} asked for. Look for a larger difference, ask for less power, or "
            f"allow more runs: {argument('max_runs')}."
        )


class PairsTooFew(Caveat):
    """With pairs more runs are needed before anything can be significant."""

    smallest_n: int
    smallest_unpaired: int

    def sentence(self) -> str:
        """Say how many pairs it takes at least."""
        return (
            f"Paired runs need at least {self.smallest_n} pairs before any data could be "
            f"significant; runs that are not paired need {self.smallest_unpaired} of each."
        )
