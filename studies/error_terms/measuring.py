"""All that is measured, and kept: rates on AR(1) curves and on the papers' kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.error_terms.autoregression import limits
from studies.error_terms.designs import (
    DESIGNS,
    DOMAINS,
    DRAWS,
    FULL,
    KINDS,
    LIMIT_SIZES,
    PAPERS_SHUFFLES,
    QUICK,
    RUNS_DESIGN,
    SHIFT,
    TRUE,
)
from studies.error_terms.mechanism import mechanism
from studies.error_terms.rates import Rates, rates_of_autoregressive, rates_of_modified
from studies.sources.cross_validation import stored_curves
from studies.sources.td_tictactoe import LEARNING_RATES, learning_curves
from studies.store import fingerprint, kept
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
    """How much more often split finds an effect that is there than pooled."""

    share: float
    interval: Interval
    curves: tuple[str, ...]
    size: float
    always: bool  # both error terms find it in every data set


class Measured(NamedTuple):
    """All rates: keyed by (design, kind), by (domain, case, draw), and by runs.

    ``pools`` are the papers' kinds of curves; ``limits``, keyed by (design, kind), the
    false alarms of the pooled term with very many runs.
    """

    autoregressive: dict[tuple[str, str], Rates]
    papers: dict[tuple[str, str, str], Rates]
    more_runs: dict[int, Rates]
    pools: dict[str, Floats]
    limits: dict[tuple[str, str], Floats]
    mechanism: Mechanism

    @property
    def limit(self) -> float:
        """The false alarms of the pooled term with very many runs, at `SHIFT`."""
        return float(np.interp(SHIFT, LIMIT_SIZES, self.limits[RUNS_DESIGN, "parallel"]))

    def every(self) -> list[tuple[tuple[str, ...], Rates]]:
        """Return the rates of all kinds of curves; the second word is what was done."""
        return [*self.autoregressive.items(), *self.papers.items()]

    def gains(self) -> list[Gain]:
        """Return the gain at each size of each effect that is there, least first."""
        return sorted(
            Gain(gain, interval, curves, size, min(found) == rates.n_sets)
            for curves, rates in self.every()
            for (gain, interval), size, *found in zip(
                rates.gain(TRUE[curves[1]]),
                rates.sizes,
                *rates.found[TRUE[curves[1]]].values(),
                strict=True,
            )
            if size > 0
        )


def measure(seed: int, *, quick: bool) -> Measured:
    """Run all experiments, or take from the store what was run before."""
    scale = QUICK if quick else FULL
    suffix = "-quick" if quick else ""

    def keep(name: str, compute: Callable[[], Any], **key: object) -> Any:
        key = {"seed": seed, "scale": scale, **key}
        return kept(f"{NAME}-{name}{suffix}", key, compute)

    pools = {name: stored_curves(name) for name in DOMAINS if name != "td"}
    pools["td"] = np.array(keep("td", lambda: _td_curves(scale, seed)))
    told = {name: fingerprint(pool) for name, pool in pools.items()}
    rates = {
        "ar": keep("ar", lambda: _autoregressive(scale, seed), designs=DESIGNS),
        "papers": keep("papers", lambda: _papers(scale, seed, pools), pools=told),
        "runs": keep("runs", lambda: _more_runs(scale, seed), shift=SHIFT),
    }
    return Measured(
        _unpack(rates["ar"]),
        _unpack(rates["papers"]),
        {int(runs): each for (runs,), each in _unpack(rates["runs"]).items()},
        pools,
        _limits(),
        mechanism(stream(seed, "error_terms: mechanism")),
    )


def _td_curves(scale: Scale, seed: int) -> Floats:
    rates = [LEARNING_RATES["A1"]] * scale.n_td_runs
    return learning_curves(rates, stream(seed, "error_terms: td"), steps=scale.td_steps)


def _autoregressive(scale: Scale, seed: int) -> dict[str, Any]:
    return {
        f"{name}|{kind}": rates_of_autoregressive(
            design,
            kind,
            scale.sizes,
            scale.n_sets,
            stream(seed, "error_terms: ar", place, number),
        ).plain()
        for place, (name, design) in enumerate(DESIGNS.items())
        for number, kind in enumerate(KINDS)
    }


def _papers(scale: Scale, seed: int, pools: Mapping[str, Floats]) -> dict[str, Any]:
    return {
        f"{name}|{case}|{draw}": rates_of_modified(
            pools[name],
            case,
            scale.factors,
            scale.n_sets,
            stream(seed, "error_terms: papers", place, number, drawn),
            overlapping=DRAWS[draw],
            n_shuffles=PAPERS_SHUFFLES,
        ).plain()
        for place, name in enumerate(DOMAINS)
        for number, case in enumerate("ab")
        for drawn, draw in enumerate(DRAWS)
    }


def _more_runs(scale: Scale, seed: int) -> dict[str, Any]:
    design = DESIGNS[RUNS_DESIGN]
    return {
        str(runs): rates_of_autoregressive(
            design._replace(n_runs=runs, n_shuffles=PAPERS_SHUFFLES),
            "parallel",
            (0, SHIFT),
            scale.n_sets,
            stream(seed, "error_terms: runs", runs),
        ).plain()
        for runs in scale.n_runs
    }


def _limits() -> dict[tuple[str, str], Floats]:
    return {
        (name, kind): limits(kind, design.n_steps, LIMIT_SIZES)
        for name, design in DESIGNS.items()
        for kind in KINDS
    }


def _unpack(plain: Mapping[str, Mapping[str, Any]]) -> dict[Any, Rates]:
    return {tuple(name.split("|")): Rates(**rates) for name, rates in plain.items()}
