"""What is claimed by `monitor`, over all of its looks."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import curvewise as cw
from studies.calibration.claims import ALPHA, N_SHUFFLES, Claim, Question
from studies.calibration.comparing import EFFECTS
from studies.calibration.designs import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["QUESTIONS"]

PAGE = "monitor.md"


def _monitor(spending: Literal["linear", "obf"]) -> Callable[[DataSet], cw.Monitoring]:
    def ask(data: DataSet) -> cw.Monitoring:
        n_batches = len(data.design.blocks)
        return cw.monitor(
            data.curves,
            n_batches=n_batches,
            batch_size=data.design.sizes[0] // n_batches,
            spending=spending,
            alpha=ALPHA,
            n_shuffles=N_SHUFFLES,
            seed=int(data.rng.integers(2**31)),
        )

    return ask


def _alike(effect: str, data: DataSet) -> set[frozenset[str]]:
    """Return the pairs that do not differ."""
    return {
        frozenset((NAMES[a], NAMES[b]))
        for a, b in combinations(range(data.n_algorithms), 2)
        if not data.differs(effect, (a, b))
    }


def _false_claim(*effects: str) -> Callable[[cw.Monitoring, DataSet], bool | None]:
    """Look for a difference that is claimed by the last look and is none."""

    def is_wrong(found: cw.Monitoring, data: DataSet) -> bool | None:
        alike = {effect: _alike(effect, data) for effect in effects}
        if not any(alike.values()):
            return None
        return any(
            getattr(pair, effect).significant and frozenset((pair.a, pair.b)) in pairs
            for effect, pairs in alike.items()
            for pair in found.pairs
        )

    return is_wrong


def _false_verdict(found: cw.Monitoring, data: DataSet) -> bool | None:
    """Tell whether anything false is claimed of two; of more, each effect is by itself."""
    return _false_claim(*EFFECTS)(found, data) if data.n_algorithms == 2 else None


CLAIMS = tuple(
    Claim(f"{noun} found by the last look", _false_claim(effect), PAGE)
    for effect, noun in EFFECTS.items()
)
QUESTIONS = (
    Question(
        "monitor",
        _monitor("linear"),
        (*CLAIMS, Claim("a false claim in the verdict", _false_verdict, PAGE)),
    ),
    Question('monitor, spending="obf"', _monitor("obf"), CLAIMS),
)
