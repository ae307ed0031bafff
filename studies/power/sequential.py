"""Looks after batches: how much is found, with how many runs, and what advice to stop does.

Two algorithms, normal heights in units of their standard deviation; one step, so that the three
effects are one. All looks are asked for at once, which gives the answers of looks one by one.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

__all__ = ["DESIGNS", "EFFECTS", "STATED", "advice_powers", "sequential_powers"]

N_SHUFFLES = 399
EFFECTS = (0.0, 0.8, 1.2, 2.0)
STATED = 1.2  # the effect that is worth finding, where advice is asked for


class Design(NamedTuple):
    """So many batches, so many runs of each algorithm in a batch, and how alpha is spent."""

    n_batches: int
    size: int
    spending: Literal["linear", "obf"]


DESIGNS = {
    "20 runs, one look": Design(1, 20, "linear"),
    "10 batches of 2, linear": Design(10, 2, "linear"),
    "5 batches of 4, linear": Design(5, 4, "linear"),
    "5 batches of 4, obf": Design(5, 4, "obf"),
    "2 batches of 10, linear": Design(2, 10, "linear"),
}
ADVISED = Design(5, 4, "linear")
ADVICE = ("advised", "ignored: found", "ignored: runs", "followed: found", "followed: runs")


def sequential_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each design and effect, how often it is found and the mean runs used."""

    def cell(name: str, effect: float) -> dict[str, float]:
        design = DESIGNS[name]
        looks = []
        for number in range(n_sets):
            curves = _heights(design, effect, f"{name} {effect}", seed, number)
            looks.append(_monitored(curves, design, number).overall.rejected_at)
        used = [design.size * (look or design.n_batches) for look in looks]
        return {
            "found": float(np.mean([look is not None for look in looks])),
            "runs": float(np.mean(used)),
        }

    return {
        name: {
            f"{effect:g}": load_or_compute(
                f"power/sequential {name} {effect:g}",
                {"seed": seed, "n_sets": n_sets},
                partial(cell, name, effect),
            )
            for effect in EFFECTS
        }
        for name in DESIGNS
    }


def advice_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return what becomes of experiments whose advice to stop is followed, and of those not.

    For each true effect: how often stopping is advised before a difference is found, and how
    often one is found with how many runs, if the advice is ignored and if it is followed.
    """

    def cell(effect: float) -> dict[str, float]:
        found: dict[str, list[float]] = {name: [] for name in ADVICE}
        for number in range(n_sets):
            curves = _heights(ADVISED, effect, f"advice {effect}", seed, number)
            look = _monitored(curves, ADVISED, number).overall.rejected_at
            end = look or ADVISED.n_batches
            advised = next((b for b in range(1, end) if _is_advised(curves, b, number)), None)
            found["advised"].append(advised is not None)
            found["ignored: found"].append(look is not None)
            found["ignored: runs"].append(ADVISED.size * end)
            found["followed: found"].append(look is not None and advised is None)
            found["followed: runs"].append(ADVISED.size * (advised or end))
        return {name: float(np.mean(values)) for name, values in found.items()}

    return {
        f"{effect:g}": load_or_compute(
            f"power/sequential advice {effect:g}",
            {"seed": seed, "n_sets": n_sets},
            partial(cell, effect),
        )
        for effect in (0.0, STATED / 2, STATED)
    }


def _heights(design: Design, effect: float, name: str, seed: int, number: int) -> cw.Curves:
    """Draw the runs of all batches; batches are far apart."""
    rng = stream(seed, f"power: sequential {name}", number)
    labels = np.tile(np.repeat(["A", "B"], design.size), design.n_batches)
    batches = np.repeat(np.arange(1, design.n_batches + 1), 2 * design.size)
    heights = rng.normal(size=len(labels)) + effect * (labels == "A")
    heights += 2 * rng.normal(size=design.n_batches)[batches - 1]
    return cw.Curves(heights[:, None], labels, blocks=batches)


def _monitored(
    curves: cw.Curves, design: Design, seed: int, effect: cw.Scenario | None = None
) -> cw.Monitoring:
    return cw.monitor(
        curves,
        n_batches=design.n_batches,
        batch_size=design.size,
        spending=design.spending,
        effect=effect,
        n_shuffles=N_SHUFFLES,
        seed=seed,
    )


def _is_advised(curves: cw.Curves, look: int, seed: int) -> bool:
    """Tell whether stopping is advised after the first batches."""
    n_runs = 2 * ADVISED.size * look
    batches = np.repeat(np.arange(1, look + 1), 2 * ADVISED.size)
    so_far = cw.Curves(curves.scores[:n_runs], curves.labels[:n_runs], blocks=batches)
    found = _monitored(so_far, ADVISED, seed, cw.scenario("lift", STATED))
    return found.answer == "stopping advised"
