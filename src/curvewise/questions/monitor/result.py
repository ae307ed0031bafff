"""What `monitor` found at a look."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from curvewise.data.checks import refuse_option, value_text
from curvewise.errors import refuse
from curvewise.inference.caveats import Caveat
from curvewise.inference.result import EFFECTS, Result
from curvewise.kernels.sequential import spent_shares
from curvewise.records import UNTOLD, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import listed, number_text, p_text, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from curvewise.inference.asking import Asked
    from curvewise.inference.result import EffectName
    from curvewise.kernels import Floats
    from curvewise.records import Count, Probability


MAX_SIZES = 3  # algorithms whose runs are written one by one where they agree

Answer = Literal["stop: different", "go on", "stop: not decided", "stopping advised"]
Status = Literal["different", "undecided", "given up", "stopping advised"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SequentialEffect(Record):
    """One effect over the looks so far.

    Attributes
    ----------
    name : "overall", "algorithm" or "interaction"
    pvalues : tuple of float
        The sequential p at each look; it never rises. That of height and of shape is no smaller
        than the overall one, since neither is claimed before an overall difference is.
    pvalues_adjusted : tuple of float
        The same, adjusted for all pairs by Holm at each look; of two algorithms the same.
    alpha : float
    smallest_pvalue_now : float
        The smallest sequential p that the runs so far could have given, whatever their scores.
    """

    name: EffectName = field(metadata=UNTOLD)
    smallest_pvalue_now: Probability
    pvalues: tuple[Probability, ...]
    pvalues_adjusted: tuple[Probability, ...]
    alpha: float = field(metadata=UNTOLD)

    @property
    @told(after="")
    def pvalue_sequential(self) -> Probability:
        """The sequential p at the present look: valid whenever one stops."""
        return self.pvalues[-1]

    @property
    @told(after="pvalue_sequential")
    def pvalue_adjusted(self) -> Probability:
        """The sequential p at the present look, adjusted for all pairs."""
        return self.pvalues_adjusted[-1]

    @property
    @told(after="pvalue_adjusted")
    def rejected_at(self) -> int | None:
        """The look by which a difference was found; None if it was not. Never withdrawn."""
        looks = enumerate(self.pvalues_adjusted, start=1)
        return next((look for look, pvalue in looks if pvalue <= self.alpha), None)

    @property
    def significant(self) -> bool:
        """Whether a difference was found by the present look."""
        return self.rejected_at is not None


@dataclass(frozen=True, eq=False)
class SequentialPair(Record):
    """Two algorithms, watched on their own curves.

    Attributes
    ----------
    a, b : str
    overall, algorithm, interaction : SequentialEffect
    difference : float
        The curve mean of ``a`` minus that of ``b``, inside batches, as estimated: who stops
        because a difference is large overstates it.
    n_runs : (int, int)
    n_looks : int
        How many batches both have runs in.
    status : "different", "undecided", "given up" or "stopping advised"
    chance : float or None
        Where an effect was stated: the simulated chance that it is found by the last look, if
        the runs to come have it.
    """

    a: str
    b: str
    overall: SequentialEffect
    algorithm: SequentialEffect
    interaction: SequentialEffect
    difference: float
    n_runs: tuple[int, int]
    n_looks: Count
    status: Status
    chance: Probability | None = None

    def effect(self, name: EffectName) -> SequentialEffect:
        """Return an effect by its name."""
        found: SequentialEffect = getattr(self, name)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Monitoring(Result, question="monitor"):
    """An experiment at one of its looks.

    Attributes
    ----------
    plan : MonitoringPlan
        What was fixed beforehand; ``plan_id`` changes with anything in it.
    answer : "stop: different", "go on", "stop: not decided" or "stopping advised"
        Of several algorithms the first means that all pairs differ, and the third that no runs
        are left for some that were not told apart.
    look : int
        How many batches there are.
    batches : mapping
        The runs of each algorithm in each batch.
    overall, algorithm, interaction : SequentialEffect
        Do they differ at all, in height, in shape; of several algorithms, do any two.
    pairs : tuple of SequentialPair
        Every two algorithms.
    next_batch : mapping from algorithm to int
        How many runs to add before the next look; 0 for an algorithm that needs no more.
    stated : str or None
        The effect in words, where one was stated.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    source : str
        Where the curves came from.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    answer: Answer
    look: Count
    plan: MonitoringPlan
    algorithms: tuple[str, ...] = field(metadata=UNTOLD)
    batches: Mapping[str, Mapping[str, Count]]
    n_steps: Count
    overall: SequentialEffect
    algorithm: SequentialEffect
    interaction: SequentialEffect
    pairs: tuple[SequentialPair, ...]
    next_batch: Mapping[str, Count]
    stated: str | None = None
    higher_is_better: bool = True
    source: str = ""
    period: str = field(default="over training", repr=False, metadata=UNTOLD)
    in_score_units: ClassVar[tuple[str, ...]] = ("pairs.difference",)

    @property
    @told(after="plan")
    def plan_id(self) -> str:
        """Twelve hexadecimal digits that change with anything in the plan."""
        return self.plan.plan_id

    @property
    def alpha(self) -> float:
        """The chance of any false claim, over all looks together."""
        return self.plan.alpha

    @property
    @told(after="plan_id")
    def spent(self) -> Probability:
        """How much of alpha is spent by the present look."""
        return self.spending[self.look - 1]

    @property
    @told(after="spent")
    def spending(self) -> tuple[Probability, ...]:
        """How much of alpha is spent by each look of the plan."""
        return tuple((self.plan.alpha * self.plan.shares).round(12).tolist())

    @property
    @told(after="spending")
    def exact(self) -> bool:
        """Whether all relabellings were visited; a sample is as valid."""
        return self.plan.exact

    @property
    @told(after="batches")
    def n_runs(self) -> dict[str, Count]:
        """How many runs each algorithm has so far."""
        return {name: sum(own[name] for own in self.batches.values()) for name in self.algorithms}

    @told(after="interaction")
    def smallest_pvalues(self) -> list[Probability]:
        """Return the smallest sequential p possible by each look, for two algorithms."""
        return self.plan.smallest_pvalues()

    @property
    def has_shape(self) -> bool:
        """Whether there are several steps: one alone has no shape."""
        return self.n_steps > 1

    def effect(self, name: EffectName) -> SequentialEffect:
        """Return an effect by its name."""
        found: SequentialEffect = getattr(self, name)
        return found

    def looks_table(self) -> Table:
        """Return a row for each look so far, with what is spent and the sequential p."""
        effects = {name: EFFECTS[name].noun for name in self._asked()}
        rows = tuple(
            (
                str(look),
                batch,
                _sizes([own[name] for name in self.algorithms]),
                f"{self.spending[look - 1]:.3g}",
                *(p_text(self.effect(name).pvalues[look - 1]) for name in effects),
            )
            for look, (batch, own) in enumerate(self.batches.items(), start=1)
        )
        how = "All relabellings inside batches"
        if not self.exact:
            how = f"{self.plan.n_shuffles:,} relabellings inside batches, seed {self.plan.seed}"
        p = "p is sequential: it holds over all looks."
        if len(self.pairs) > 1:
            p = "p is the smallest of all pairs, sequential and adjusted."
        note = (
            f"{p} Look {self.look} of {self.plan.n_batches}, {self.plan.spending} spending. {how}. "
            f"Plan {self.plan_id}."
        )
        header = ("look", "batch", "runs", "α spent", *(f"p: {n}" for n in effects.values()))
        return Table(header, rows, notes=(note,), n_text_columns=2)

    def pairs_table(self) -> Table:
        """Return a row for every two algorithms."""

        def status(pair: SequentialPair) -> str:
            since = pair.overall.rejected_at
            return pair.status if since is None else f"different since look {since}"

        def p_of(name: EffectName) -> tuple[str, Callable[[SequentialPair], str]]:
            noun = EFFECTS[name].noun
            return f"p: {noun}", lambda pair: p_text(pair.effect(name).pvalue_adjusted)

        quotes = self.quotes_scores
        note = (
            "p is sequential, and adjusted by Holm over all pairs at every look, for each effect. "
            "Differences are as estimated; sequential designs overstate them."
        )
        return Table.of(
            self.pairs,
            ("pair", lambda pair: f"{pair.a} − {pair.b}"),
            ("status", status),
            ("difference", lambda pair: number_text(pair.difference) if quotes else None),
            *map(p_of, self._asked()),
            ("chance", lambda pair: None if pair.chance is None else f"{pair.chance:.2f}"),
            notes=(note,),
            n_text_columns=2,
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [*([self.pairs_table()] if len(self.pairs) > 1 else []), self.looks_table()]

    def _asked(self) -> list[EffectName]:
        """Return the effects that curves of so many steps can have."""
        return [name for name in EFFECTS if self.has_shape or name != "interaction"]


def _sizes(sizes: list[int]) -> str:
    """Write the runs of each algorithm in a batch; of many algorithms once, if they agree."""
    if len(sizes) > MAX_SIZES and len(set(sizes)) == 1:
        return f"{sizes[0]} each"
    return " + ".join(map(str, sizes))


MAX_NAMED = 3  # batches


class SmallerBatches(Caveat):
    """Some batches have fewer runs of an algorithm than were planned.

    ``n_runs`` has the fewest runs of an algorithm in each of the ``batches``.
    """

    batches: tuple[str, ...]
    n_runs: tuple[int, ...]
    n_planned: int

    def sentence(self) -> str:
        """Say which batches, and what p takes for granted."""
        shown = [
            f"batch {batch!r} ({n})" for batch, n in zip(self.batches, self.n_runs, strict=True)
        ]
        return (
            f"Fewer than the {plural(self.n_planned, 'run')} planned of each algorithm are in "
            f"{listed(shown, MAX_NAMED)}. p holds if that does not depend on their scores, and if "
            "no run is added to a batch once it was looked at."
        )


class OtherSteps(Caveat):
    """At the first look the curves had other ends: ``before``, and ``now``."""

    before: tuple[float, float]
    now: tuple[float, float]

    def sentence(self) -> str:
        """Say how they changed, and what that does to alpha."""
        before, now = (" to ".join(map(step_text, ends)) for ends in (self.before, self.now))
        return (
            f"Steps {now} were looked at, and at the first look steps {before}. That keeps alpha "
            "where it follows from the logs of new runs, and not where the steps were chosen after "
            "a look."
        )


# --- The plan of a monitored experiment: fixed before the first look, and never changed.

Spending = Literal["linear", "obf"]

MIN_BATCH_SIZE = 2
# More looks, runs or shuffles are no plan, and would not be done with in hours.
MAX_BATCHES, MAX_BATCH_SIZE, MAX_SHUFFLES = 100, 1_000, 1_000_000
MAX_SEED = 2**128 - 1
MAX_ENUMERATED = 20_000  # relabellings; of more, a sample is drawn


@dataclass(frozen=True)
class MonitoringPlan(Record):
    """All that an answer depends on besides the scores.

    Attributes
    ----------
    n_batches : int
        How many batches there will be at most; there is a look after each.
    batch_size : int
        How many runs of each algorithm are in a batch.
    spending : "linear" or "obf"
        How alpha is spent over the looks.
    alpha : float
        The chance of a false claim, over all looks together.
    n_shuffles : int
        How many random relabellings, where not all are visited.
    seed : int
        What they are drawn from.
    algorithms : tuple of str
        In the order of their names.
    """

    n_batches: Count
    batch_size: Count
    spending: Spending
    alpha: Probability
    n_shuffles: Count
    seed: int
    algorithms: tuple[str, ...]

    @property
    def plan_id(self) -> str:
        """Twelve hexadecimal digits that change with anything in the plan."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def shares(self) -> Floats:
        """Which share of alpha is spent by each look; the last is 1."""
        return spent_shares(self.spending, self.n_batches, self.alpha)

    @property
    def n_relabellings(self) -> int:
        """How many relabellings of two algorithms the whole plan allows."""
        return math.comb(2 * self.batch_size, self.batch_size) ** self.n_batches

    @property
    def exact(self) -> bool:
        """Whether all relabellings are visited."""
        return self.n_relabellings <= MAX_ENUMERATED

    @property
    def n_pairs(self) -> int:
        """How many pairs of algorithms there are."""
        return math.comb(len(self.algorithms), 2)

    def smallest_pvalues(self) -> list[float]:
        """Return the smallest sequential p possible by each look, for two algorithms."""
        sizes = [(self.batch_size, self.batch_size)] * self.n_batches
        return self.smallest_pvalues_of(sizes)

    def smallest_pvalues_of(self, sizes: Sequence[tuple[int, int]]) -> list[float]:
        """Return the same for batches with these runs of either algorithm."""
        # What is more than a float can hold is infinite, and p no smaller than 0.
        ways = [float(min(math.comb(a + b, a), 10**300)) for a, b in sizes]
        # Swapping the two in all batches, where that is allowed, changes no statistic.
        n_alike = np.minimum.accumulate([2.0 if a == b else 1.0 for a, b in sizes])
        with np.errstate(over="ignore"):
            least = n_alike / np.cumprod(ways)
        if not self.exact:
            least = np.maximum(least, 1 / (1 + self.n_shuffles))
        with np.errstate(divide="ignore", over="ignore"):
            smallest = np.minimum(least / self.shares[: len(sizes)], 1.0)
        return np.minimum.accumulate(smallest).tolist()


def checked_plan(asked: Asked, algorithms: tuple[str, ...]) -> MonitoringPlan:
    """Return the plan, or say what of it cannot be used; a plan that cannot decide is refused."""
    plan = MonitoringPlan(
        n_batches=_whole(asked.n_batches, "n_batches", (1, MAX_BATCHES)),
        batch_size=_whole(asked.batch_size, "batch_size", (MIN_BATCH_SIZE, MAX_BATCH_SIZE)),
        n_shuffles=_whole(asked.n_shuffles, "n_shuffles", (1, MAX_SHUFFLES)),
        seed=_whole(asked.seed, "seed", (0, MAX_SEED)),
        spending=asked.spending,
        alpha=asked.alpha,
        algorithms=tuple(sorted(algorithms)),
    )
    _check_reach(plan)
    return plan


def _whole(value: object, option: str, limits: tuple[int, int]) -> int:
    """Return an integer within limits, both included; a float may be one."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if isinstance(value, float | np.floating):
        whole = float(value).is_integer()
    least, most = limits
    if not whole or not least <= value <= most:  # type: ignore[operator]
        range_of = f"an integer from {least} to {most:,}"
        if option == "seed":
            range_of = "a non-negative integer of 128 bits at most, the same at every look"
        refuse_option(option, f"must be {range_of}, not {value_text(value)}.")
    return int(value)  # type: ignore[call-overload]


def _check_reach(plan: MonitoringPlan) -> None:
    """Raise if no data could ever be significant."""
    smallest, pairs = plan.smallest_pvalues()[-1] * plan.n_pairs, ""
    if smallest <= plan.alpha:
        return
    if plan.n_pairs > 1:
        pairs = f", adjusted for {plan.n_pairs} pairs,"
    by_shuffles = plan.n_pairs / (1 + plan.n_shuffles) > plan.alpha
    if not plan.exact and by_shuffles:
        n_enough = math.ceil(plan.n_pairs / plan.alpha) - 1
        todo = f"Use at least {n_enough:,}."
        if n_enough > MAX_SHUFFLES:
            todo = f"Use {MAX_SHUFFLES:,}, and a larger alpha."
        refuse_option(
            "n_shuffles",
            f"is {plan.n_shuffles:,}: the smallest p possible{pairs} is {p_text(min(smallest, 1))}, "
            f"above alpha = {plan.alpha:g}, so that no data could be significant. {todo}",
        )
    per_batch = math.comb(2 * plan.batch_size, plan.batch_size)
    least = 2 * plan.n_pairs / plan.alpha
    n_enough = next(n for n in range(1, 99) if per_batch**n >= least * (1 - 1e-12))
    refuse(
        f"With {plural(plan.n_batches, 'batch')} of "
        f"{plan.batch_size} runs of each algorithm the smallest p possible{pairs} is "
        f"{p_text(min(smallest, 1))}, above alpha = {plan.alpha:g}: no data could be "
        f"significant. Plan larger batches, or {n_enough} of them.",
        option="n_batches",
    )
