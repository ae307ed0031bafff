"""What is shuffled and how often: the layout of the runs, the plan, and when to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import refuse
from curvewise.kernels.anova import rounding, step_rounding
from curvewise.kernels.pvalues import clopper_pearson
from curvewise.kernels.relabel import BATCH, WithinBlocks
from curvewise.text import argument

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabel import Relabellings, Restriction


# --- When enough has been shuffled.
#
# ``"auto"`` shuffles until the verdict at alpha is settled: for every p that decides it, the
# interval of p lies on one side of alpha. It is looked at after 16,384 shuffles and each time their
# number has doubled, at most seventeen times. The intervals are so wide that the chance of any look
# misleading any of these p is below a thousandth of alpha, and p is held against alpha less that
# thousandth: so the chance of a false alarm stays below alpha, whatever the looks (Gandy 2009
# bounds the risk in the same way).
#
# ``"precise"`` shuffles until every p is known to within 10%: until a hundred relabellings were as
# extreme for each (Besag & Clifford 1991).
#
# Both give up at 2³⁰ shuffles, or earlier where a question says so.

RULES = ("auto", "precise")
MAX_SHUFFLES = 2**30
FIRST_LOOK = 16 * BATCH  # shuffles before it is first asked whether they are enough
N_LOOKS = int(math.log2(MAX_SHUFFLES / FIRST_LOOK)) + 1
RISK_SHARE = 1e-3  # of alpha, spent on the risk that a look misleads
MIN_EXTREME = 100  # relabellings as extreme, for a p that is known to within 10%


@dataclass(frozen=True)
class StoppingRule:
    """When to stop shuffling: "auto", against some levels, or "precise"."""

    name: str
    levels: tuple[float, ...] = (0.05,)

    def is_settled(self, n_extreme: Integers, count: int) -> bool:
        """Tell whether ``count`` shuffles, so many of them extreme, are enough."""
        if self.name == "precise":
            return bool(min(n_extreme) >= MIN_EXTREME)
        return all(self._is_decided(n_extreme, count, level) for level in self.levels)

    def _is_decided(self, n_extreme: Integers, count: int, alpha: float) -> bool:
        confidence = 1 - RISK_SHARE * alpha / (N_LOOKS * len(n_extreme))
        bar = alpha * (1 - RISK_SHARE)
        intervals = [clopper_pearson(int(n), count, confidence) for n in n_extreme]
        return all(high < bar or low > bar for low, high in intervals)


# --- Exact or sampled, how many relabellings, from which key: decided once for every question.

# Relabellings that NumPy enumerates in a fraction of a second; all of them are kept.
MAX_FREE = 400_000
# Beyond this an exact answer would take NumPy minutes.
MAX_IN_NUMPY = 10_000_000


@dataclass(frozen=True)
class Limits:
    """How many relabellings a statistic can be computed for.

    Attributes
    ----------
    free : int
        All relabellings are visited without being asked for when there are no more.
    exact : int
        All relabellings can be visited, when asked for, up to this number.
    shuffles : int
        The most shuffles that "auto" and "precise" go on for.
    """

    free: int = MAX_FREE
    exact: int = MAX_IN_NUMPY
    shuffles: int = MAX_SHUFFLES


@dataclass(frozen=True, eq=False)
class Plan:
    """What is visited: every allowed relabelling, or shuffles drawn with a key.

    ``rule``, where there is one, says when enough has been shuffled; ``n_shuffles`` is then
    the most.
    """

    restriction: Restriction
    exact: bool
    n_shuffles: int
    key: int
    rule: StoppingRule | None = None

    @classmethod
    def of(
        cls,
        restriction: Restriction,
        *,
        n_shuffles: int | str,
        exact: bool | None,
        key: int,
        levels: tuple[float, ...] = (0.05,),
        limits: Limits | None = None,
    ) -> Plan:
        """Decide whether all relabellings are visited: as asked, or when that is cheap.

        ``n_shuffles`` is a number, or "auto" or "precise"; "auto" settles on which side of
        each of the ``levels`` p lies. Raises if all are asked for and there are too many.
        """
        limits = limits or Limits()
        rule = None
        if isinstance(n_shuffles, str):
            assert n_shuffles in RULES  # noqa: S101 (checked by `shuffle_count`)
            rule = StoppingRule(n_shuffles, levels)
        most = limits.shuffles if isinstance(n_shuffles, str) else n_shuffles
        free = limits.free if isinstance(n_shuffles, str) else max(n_shuffles, limits.free)
        if exact is None:
            exact = restriction.count <= min(limits.exact, free)
        elif exact and restriction.count > limits.exact:
            refuse(
                f"There are {_large(restriction.count)} relabellings, more than can be visited one by one. "
                f"Sample them instead: {argument('exact', value=False)}.",
                option="exact",
            )
        return cls(restriction, exact, most, key, None if exact else rule)

    @cached_property
    def relabellings(self) -> Relabellings:
        """All that may be visited."""
        if self.exact:
            return self.restriction.every()
        return self.restriction.drawn(self.n_shuffles, self.key)

    @property
    def n_batches(self) -> int:
        """How many batches the relabellings come in."""
        return -(-self.relabellings.count // BATCH)

    @property
    def keeps_all(self) -> bool:
        """Whether values of every distinct relabelling can be kept."""
        return self.exact and self.relabellings.count <= MAX_FREE

    def cut(self, n_shuffles: int) -> Plan:
        """Return the plan of fewer shuffles, the first of the same ones."""
        return replace(self, n_shuffles=n_shuffles, rule=None)


def _large(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"more than 10^{int(math.log10(count))}"


# --- Curves as they are shuffled: in an order, and in units, that depend on scores alone.


@dataclass(frozen=True, eq=False)
class Layout:
    """Runs put in order by block and score, centred and scaled.

    The order in which runs came changes no digit, and neither do their names.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
        Minus their mean, divided by ``unit``.
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, as numbers.
    unit : float
        A power of two, so that dividing changes no digit and squares stay in range.
    noise : float
        How far rounding can move the table of scores, in these units.
    step_noise : array, (n_steps,)
        How far it can move each column.
    order : array, (n_runs,)
        Which run of the curves stands where.
    """

    scores: Floats
    labels: Integers
    blocks: Integers
    unit: float
    noise: float
    step_noise: Floats
    order: Integers

    @cached_property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed: inside blocks."""
        return WithinBlocks(self.labels, self.blocks)

    @classmethod
    def of(cls, curves: Curves) -> Layout:
        """Lay out the curves."""
        order, blocks = _canonical_order(curves)
        deviations = curves.scores[order]
        deviations = deviations - deviations.mean()
        unit = 2.0 ** math.frexp(float(np.abs(deviations).max()))[1]
        noise = rounding(curves.scores, curves.precision) / unit
        by_step = step_rounding(curves.scores, curves.precision) / unit
        labels = curves.codes[order]
        return cls(deviations / unit, labels, blocks, unit, noise, by_step, order)


def _canonical_order(curves: Curves) -> tuple[Integers, Integers]:
    """Order runs by block and score; return the order, and the block of each run in it.

    The order must not depend on the labels, or relabellings would no longer be
    exchangeable.
    """
    scores = curves.scores
    varying = np.flatnonzero(scores.max(axis=0) > scores.min(axis=0))[:64]
    leading = scores[:, varying[0]] if len(varying) else scores.mean(axis=1)
    by_score = np.argsort(leading)
    if (np.diff(leading[by_score]) == 0).any():
        keys = [scores.mean(axis=1), *(scores[:, step] for step in reversed(varying))]
        by_score = np.lexsort(keys)
    if curves.blocks is None:
        return by_score, np.zeros(curves.n_runs, dtype=np.int64)
    rank = np.empty(curves.n_runs, dtype=np.int64)
    rank[by_score] = np.arange(curves.n_runs)
    first = {name: int(rank[curves.blocks == name].min()) for name in set(curves.blocks)}
    blocks = np.array([first[name] for name in curves.blocks])
    order = np.lexsort([rank, blocks])
    return order, np.unique(blocks[order], return_inverse=True)[1]
