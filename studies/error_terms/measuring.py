"""All measurements: rates for AR(1) curves and for the papers' kinds of curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.error_terms.autoregression import limiting_rates
from studies.error_terms.designs import (
    DESIGNS,
    DOMAINS,
    DRAWS,
    FULL,
    KINDS,
    LIMIT_SIZES,
    N_SHUFFLES_PAPERS,
    PRESENT_EFFECT,
    QUICK,
    RUNS_DESIGN,
    SHIFT,
)
from studies.error_terms.mechanism import mechanism
from studies.error_terms.rates import Rates, rates_of_autoregressive, rates_of_modified
from studies.sources.cross_validation import stored_curves
from studies.sources.td_tictactoe import LEARNING_RATES, learning_curves
from studies.store import fingerprint, load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studies.error_terms.designs import Scale
    from studies.error_terms.mechanism import Mechanism
    from studies.error_terms.rates import Interval

__all__ = ["NAME", "Gain", "Measured", "measure"]

Floats = npt.NDArray[np.float64]

NAME = "error_terms"


class Gain(NamedTuple):
    """How much more often the split error term finds a present effect than the pooled one."""

    share: float
    interval: Interval
    curves: tuple[str, ...]
    size: float
    always: bool  # both error terms find it in every data set


class Measured(NamedTuple):
    """All rates.

    Attributes
    ----------
    autoregressive : dict
        Rates for AR(1) curves, by (design, kind).
    papers : dict
        Rates for the papers' kinds of curves, by (domain, case, draw).
    more_runs : dict
        Rates for AR(1) curves, by number of runs.
    pools : dict
        The papers' kinds of curves.
    limiting_rates : dict
        False-alarm rates of the pooled error term as the number of runs grows, by
        (design, kind), at `LIMIT_SIZES`.
    mechanism : Mechanism
        One data set, followed as the effect grows.
    """

    autoregressive: dict[tuple[str, str], Rates]
    papers: dict[tuple[str, str, str], Rates]
    more_runs: dict[int, Rates]
    pools: dict[str, Floats]
    limiting_rates: dict[tuple[str, str], Floats]
    mechanism: Mechanism

    @property
    def limit(self) -> float:
        """The limiting false-alarm rate of the pooled error term at `SHIFT`."""
        return float(np.interp(SHIFT, LIMIT_SIZES, self.limiting_rates[RUNS_DESIGN, "parallel"]))

    def all_rates(self) -> list[tuple[tuple[str, ...], Rates]]:
        """Return the rates of all curves by key; its second element is the kind or case."""
        return [*self.autoregressive.items(), *self.papers.items()]

    def gains(self) -> list[Gain]:
        """Return the gain at each size of each present effect, in ascending order."""
        return sorted(
            Gain(gain, interval, curves, size, min(found) == rates.n_sets)
            for curves, rates in self.all_rates()
            for (gain, interval), size, *found in zip(
                rates.gain(PRESENT_EFFECT[curves[1]]),
                rates.sizes,
                *rates.found[PRESENT_EFFECT[curves[1]]].values(),
                strict=True,
            )
            if size > 0
        )


def measure(seed: int, *, quick: bool) -> Measured:
    """Run all experiments, or load stored results."""
    scale = QUICK if quick else FULL
    suffix = "-quick" if quick else ""

    def cached(name: str, compute: Callable[[], Any], **key: object) -> Any:
        key = {"seed": seed, "scale": scale, **key}
        return load_or_compute(f"{NAME}-{name}{suffix}", key, compute)

    pools = {name: stored_curves(name) for name in DOMAINS if name != "td"}
    pools["td"] = np.array(cached("td", lambda: _td_curves(scale, seed)))
    fingerprints = {name: fingerprint(pool) for name, pool in pools.items()}
    rates = {
        "ar": cached("ar", lambda: _autoregressive(scale, seed), designs=DESIGNS),
        "papers": cached("papers", lambda: _papers(scale, seed, pools), pools=fingerprints),
        "runs": cached("runs", lambda: _more_runs(scale, seed), shift=SHIFT),
    }
    return Measured(
        _unpack(rates["ar"]),
        _unpack(rates["papers"]),
        {int(runs): each for (runs,), each in _unpack(rates["runs"]).items()},
        pools,
        _limiting_rates(),
        mechanism(stream(seed, "error_terms: mechanism")),
    )


def _td_curves(scale: Scale, seed: int) -> Floats:
    rates = [LEARNING_RATES["A1"]] * scale.n_td_runs
    return learning_curves(rates, stream(seed, "error_terms: td"), steps=scale.td_steps)


def _autoregressive(scale: Scale, seed: int) -> dict[str, Any]:
    return {
        f"{name}|{kind}": rates_of_autoregressive(
            design, kind, scale.sizes, scale.n_sets, stream(seed, "error_terms: ar", index, number)
        ).plain()
        for index, (name, design) in enumerate(DESIGNS.items())
        for number, kind in enumerate(KINDS)
    }


def _papers(scale: Scale, seed: int, pools: Mapping[str, Floats]) -> dict[str, Any]:
    return {
        f"{name}|{case}|{draw}": rates_of_modified(
            pools[name],
            case,
            scale.factors,
            scale.n_sets,
            stream(seed, "error_terms: papers", index, number, drawn),
            overlapping=DRAWS[draw],
            n_shuffles=N_SHUFFLES_PAPERS,
        ).plain()
        for index, name in enumerate(DOMAINS)
        for number, case in enumerate("ab")
        for drawn, draw in enumerate(DRAWS)
    }


def _more_runs(scale: Scale, seed: int) -> dict[str, Any]:
    design = DESIGNS[RUNS_DESIGN]
    return {
        str(runs): rates_of_autoregressive(
            design._replace(n_runs=runs, n_shuffles=N_SHUFFLES_PAPERS),
            "parallel",
            (0, SHIFT),
            scale.n_sets,
            stream(seed, "error_terms: runs", runs),
        ).plain()
        for runs in scale.n_runs
    }


def _limiting_rates() -> dict[tuple[str, str], Floats]:
    return {
        (name, kind): limiting_rates(kind, design.n_steps, LIMIT_SIZES)
        for name, design in DESIGNS.items()
        for kind in KINDS
    }


def _unpack(plain: Mapping[str, Mapping[str, Any]]) -> dict[Any, Rates]:
    return {tuple(name.split("|")): Rates(**rates) for name, rates in plain.items()}
