"""The plan of a monitored experiment: fixed before the first look, and never changed."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from curvewise.data.choices import check_choice, refuse_option
from curvewise.errors import OptionError
from curvewise.inference.requirements import check_alpha, value_text
from curvewise.kernels.sequential import spent_shares
from curvewise.text import p_text, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats

__all__ = ["MAX_ENUMERATED", "MonitoringPlan", "Spending", "checked_plan"]

Spending = Literal["linear", "obf"]

MIN_BATCH_SIZE = 2
# More looks, runs or shuffles are no plan, and would not be done with in hours.
MAX_BATCHES, MAX_BATCH_SIZE, MAX_SHUFFLES = 100, 1_000, 1_000_000
MAX_SEED = 2**128 - 1
MAX_ENUMERATED = 20_000  # relabellings; of more, a sample is drawn


@dataclass(frozen=True)
class MonitoringPlan:
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

    n_batches: int
    batch_size: int
    spending: Spending
    alpha: float
    n_shuffles: int
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

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        return {**asdict(self), "algorithms": list(self.algorithms)}


def checked_plan(
    algorithms: tuple[str, ...],
    *,
    n_batches: object,
    batch_size: object,
    spending: object,
    alpha: object,
    n_shuffles: object,
    seed: object,
) -> MonitoringPlan:
    """Return the plan, or say what of it cannot be used; a plan that cannot decide is refused."""
    numbers = {
        "n_batches": _whole(n_batches, "n_batches", (1, MAX_BATCHES)),
        "batch_size": _whole(batch_size, "batch_size", (MIN_BATCH_SIZE, MAX_BATCH_SIZE)),
        "n_shuffles": _whole(n_shuffles, "n_shuffles", (1, MAX_SHUFFLES)),
        "seed": _whole(seed, "seed", (0, MAX_SEED)),
    }
    check_choice("spending", spending, get_args(Spending))
    check_alpha(alpha)
    plan = MonitoringPlan(
        **numbers,
        spending=spending,  # type: ignore[arg-type]
        alpha=float(alpha),  # type: ignore[arg-type]
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
            range_of = (
                "a non-negative integer of 128 bits at most, the same at every look"
            )
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
    msg = (
        f"With {plural(plan.n_batches, 'batch')} of "
        f"{plan.batch_size} runs of each algorithm the smallest p possible{pairs} is "
        f"{p_text(min(smallest, 1))}, above alpha = {plan.alpha:g}: no data could be "
        f"significant. Plan larger batches, or {n_enough} of them."
    )
    raise OptionError(msg, option="n_batches")
