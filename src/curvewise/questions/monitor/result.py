"""What `monitor` found at a look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from curvewise.inference.effects import EFFECTS
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import EffectName
    from curvewise.questions.monitor.plan import MonitoringPlan

__all__ = ["Answer", "Monitoring", "SequentialEffect", "SequentialPair", "Status"]

MAX_SIZES = 3  # algorithms whose runs are written one by one where they agree

Answer = Literal["stop: different", "go on", "stop: not decided", "stopping advised"]
Status = Literal["different", "undecided", "given up", "stopping advised"]


@dataclass(frozen=True, eq=False)
class SequentialEffect:
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

    name: EffectName
    pvalues: tuple[float, ...]
    pvalues_adjusted: tuple[float, ...]
    alpha: float
    smallest_pvalue_now: float

    @property
    def pvalue_sequential(self) -> float:
        """The sequential p at the present look: valid whenever one stops."""
        return self.pvalues[-1]

    @property
    def pvalue_adjusted(self) -> float:
        """The sequential p at the present look, adjusted for all pairs."""
        return self.pvalues_adjusted[-1]

    @property
    def rejected_at(self) -> int | None:
        """The look by which a difference was found; None if it was not. Never withdrawn."""
        for look, pvalue in enumerate(self.pvalues_adjusted, start=1):
            if pvalue <= self.alpha:
                return look
        return None

    @property
    def significant(self) -> bool:
        """Whether a difference was found by the present look."""
        return self.rejected_at is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as JSON-ready data."""
        return {
            "pvalue_sequential": self.pvalue_sequential,
            "pvalue_adjusted": self.pvalue_adjusted,
            "rejected_at": self.rejected_at,
            "smallest_pvalue_now": self.smallest_pvalue_now,
            "pvalues": list(self.pvalues),
            "pvalues_adjusted": list(self.pvalues_adjusted),
        }


@dataclass(frozen=True, eq=False)
class SequentialPair:
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
    n_looks: int
    status: Status
    chance: float | None = None

    def effect(self, name: EffectName) -> SequentialEffect:
        """Return an effect by its name."""
        found: SequentialEffect = getattr(self, name)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON-ready data."""
        return {
            **vars(self),
            **{name: self.effect(name).to_dict() for name in EFFECTS},
            "n_runs": list(self.n_runs),
        }


@dataclass(frozen=True, eq=False)
class Monitoring(Result):
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
    """

    plan: MonitoringPlan
    answer: Answer
    look: int
    algorithms: tuple[str, ...]
    batches: Mapping[str, Mapping[str, int]]
    overall: SequentialEffect
    algorithm: SequentialEffect
    interaction: SequentialEffect
    pairs: tuple[SequentialPair, ...]
    next_batch: Mapping[str, int]
    caveats: tuple[Caveat, ...]
    n_steps: int
    stated: str | None = None
    higher_is_better: bool = True
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = ("pairs.difference",)

    @property
    def plan_id(self) -> str:
        """Twelve hexadecimal digits that change with anything in the plan."""
        return self.plan.plan_id

    @property
    def alpha(self) -> float:
        """The chance of any false claim, over all looks together."""
        return self.plan.alpha

    @property
    def spent(self) -> float:
        """How much of alpha is spent by the present look."""
        return self.spending[self.look - 1]

    @property
    def spending(self) -> tuple[float, ...]:
        """How much of alpha is spent by each look of the plan."""
        return tuple((self.plan.alpha * self.plan.shares).round(12).tolist())

    @property
    def exact(self) -> bool:
        """Whether all relabellings were visited; a sample is as valid."""
        return self.plan.exact

    @property
    def n_runs(self) -> dict[str, int]:
        """How many runs each algorithm has so far."""
        return {
            name: sum(own[name] for own in self.batches.values())
            for name in self.algorithms
        }

    @property
    def has_shape(self) -> bool:
        """Whether there are several steps: one alone has no shape."""
        return self.n_steps > 1

    def effect(self, name: EffectName) -> SequentialEffect:
        """Return an effect by its name."""
        found: SequentialEffect = getattr(self, name)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "monitor",
            "answer": self.answer,
            "look": self.look,
            "plan": self.plan.to_dict(),
            "plan_id": self.plan_id,
            "spent": self.spent,
            "spending": list(self.spending),
            "exact": self.exact,
            "batches": {name: dict(own) for name, own in self.batches.items()},
            "n_runs": self.n_runs,
            "n_steps": self.n_steps,
            **{name: self.effect(name).to_dict() for name in EFFECTS},
            "smallest_pvalues": self.plan.smallest_pvalues(),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "next_batch": dict(self.next_batch),
            "stated": self.stated,
            "higher_is_better": self.higher_is_better,
            "source": self.source,
            **self.shared_dict(),
        }

    def looks_table(self) -> Table:
        """Return a row for each look so far, with what is spent and the sequential p."""
        effects = {name: EFFECTS[name].noun for name in self._asked()}
        several = len(self.pairs) > 1
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
        if several:
            p = "p is the smallest of all pairs, sequential and adjusted."
        note = (
            f"{p} Look {self.look} of {self.plan.n_batches}, {self.plan.spending} spending. {how}. "
            f"Plan {self.plan_id}."
        )
        header = (
            "look",
            "batch",
            "runs",
            "α spent",
            *(f"p: {n}" for n in effects.values()),
        )
        return Table(header, rows, notes=(note,), n_text_columns=2)

    def pairs_table(self) -> Table:
        """Return a row for every two algorithms."""
        effects = {name: EFFECTS[name].noun for name in self._asked()}
        advised = any(pair.chance is not None for pair in self.pairs)
        rows = tuple(
            (
                f"{pair.a} − {pair.b}",
                pair.status
                if pair.status != "different"
                else f"different since look {since}",
                *((number_text(pair.difference),) if self.quotes_scores else ()),
                *(p_text(pair.effect(name).pvalue_adjusted) for name in effects),
                *((_chance(pair.chance),) if advised else ()),
            )
            for pair, since in ((pair, pair.overall.rejected_at) for pair in self.pairs)
        )
        header = ("pair", "status", *(("difference",) if self.quotes_scores else ()))
        columns = [f"p: {noun}" for noun in effects.values()]
        note = (
            "p is sequential, and adjusted by Holm over all pairs at every look, for each effect. "
            "Differences are as estimated; sequential designs overstate them."
        )
        chance = ("chance",) if advised else ()
        return Table((*header, *columns, *chance), rows, notes=(note,), n_text_columns=2)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        several = len(self.pairs) > 1
        return [*([self.pairs_table()] if several else []), self.looks_table()]

    def _asked(self) -> list[EffectName]:
        """Return the effects that curves of so many steps can have."""
        return [name for name in EFFECTS if self.has_shape or name != "interaction"]


def _sizes(sizes: list[int]) -> str:
    """Write the runs of each algorithm in a batch; of many algorithms once, if they agree."""
    if len(sizes) > MAX_SIZES and len(set(sizes)) == 1:
        return f"{sizes[0]} each"
    return " + ".join(map(str, sizes))


def _chance(chance: float | None) -> str:
    return "" if chance is None else f"{chance:.2f}"
