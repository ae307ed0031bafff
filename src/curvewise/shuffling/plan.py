"""Exact or sampled, how many relabellings, from which key: decided once for every question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.stopping import MAX_SHUFFLES, RULES, StoppingRule
from curvewise.text import argument

if TYPE_CHECKING:
    from curvewise.kernels.relabelling.restriction import Relabellings, Restriction

__all__ = ["MAX_FREE", "Limits", "Plan"]

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
        free = (
            limits.free if isinstance(n_shuffles, str) else max(n_shuffles, limits.free)
        )
        if exact is None:
            exact = restriction.count <= min(limits.exact, free)
        elif exact and restriction.count > limits.exact:
            msg = (
                f"There are {_large(restriction.count)} relabellings, more than can be visited one by one. "
                f"Sample them instead: {argument('exact', value=False)}."
            )
            raise OptionError(msg, option="exact")
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
    return f"{count:,}" if count < 10**15 else f"more than 10^{len(str(count)) - 1}"
