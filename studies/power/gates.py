"""What gates let pass and stop: at the margin, where both are mistakes, and away from it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KINDS", "MARGINS", "N_EQUAL", "RUNS", "SCENES", "gate_rates"]

Floats = npt.NDArray[np.float64]

N_SHUFFLES = 399
MAX_ENUMERATED = 10  # runs in all; of more, relabellings are sampled, which takes less time
OFFSET = 20.0  # far above 0, as a relative margin needs


def normal(rng: np.random.Generator, n: int) -> Floats:
    """Draw normal numbers."""
    return rng.normal(size=n)


def skewed(rng: np.random.Generator, n: int) -> Floats:
    """Draw exponential numbers, with a long tail of good runs."""
    return rng.exponential(size=n) - 1


def skewed_down(rng: np.random.Generator, n: int) -> Floats:
    """Draw exponential numbers, with a long tail of bad runs."""
    return 1 - rng.exponential(size=n)


def heavy(rng: np.random.Generator, n: int) -> Floats:
    """Draw numbers with heavy tails, t with 3 degrees of freedom."""
    return np.asarray(rng.standard_t(3, size=n)) / np.sqrt(3)


def failing(rng: np.random.Generator, n: int) -> Floats:
    """Draw normal numbers, of which 15% are far lower."""
    return rng.normal(size=n) - 5 * (rng.random(n) < 0.15) + 0.75


KINDS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": normal,
    "skewed": skewed,
    "skewed down": skewed_down,
    "t₃": heavy,
    "15% fail": failing,
}
N_EQUAL = (3, 5, 10, 20)
RUNS = (*((n, n) for n in N_EQUAL), (3, 10), (5, 20), (20, 5))
MARGINS = (0.5, 1.0, 1.5, 2.0, 3.0)


class Scene(NamedTuple):
    """Curves that differ by a truth, and how the gate is asked.

    ``moved`` is what the candidate is moved by, in standard deviations of a run; with
    ``stretched`` its times are multiplied instead. ``wide`` multiplies its spread.
    """

    runs: tuple[int, int]
    options: dict[str, Any]
    moved: float = 0.0
    kind: str = "normal"
    wide: float = 1.0
    n_steps: int = 1
    at: str = "all"
    stretched: float | None = None
    times: str = "lognormal"


_WIDE = {"margin": 1.5}
_RELATIVE = {"margin": 0.1, "unit": "relative"}
_EVERY = {"margin": 1.5, "on": "every step"}
_REACH = {"margin": 1.5, "on": ("reach", 1.0)}
SCENES: dict[str, Scene] = {
    **{
        f"candidate's spread × 2, {kind}, {c} + {b}, spread={spread}": Scene(
            (c, b), {**_WIDE, "spread": spread}, moved=-1.5, wide=2.0, kind=kind
        )
        for kind in ("normal", "skewed down")
        for c, b in ((5, 5), (3, 10), (5, 20), (20, 5))
        for spread in ("equal", "unequal", "auto")
    },
    **{
        f"relative, {c} + {b}, {kind}": Scene((c, b), _RELATIVE, moved=-2.0, kind=kind)
        for kind in ("normal", "skewed")
        for c, b in ((5, 5), (10, 10), (5, 20))
    },
    **{
        f"SDs of these runs, {n} + {n}": Scene((n, n), {"margin": 1.0, "unit": "sd"}, moved=-1.0)
        for n in (3, 5, 20)
    },
    **{
        f"two-sided, {n} + {n}, {moved:g} SD": Scene(
            (n, n), {"margin": 1.5, "two_sided": True}, moved=moved
        )
        for n in (5, 10)
        for moved in (-1.5, 1.5, 0.0)
    },
    **{
        f"every step, {n} + {n}, worse {at}": Scene((n, n), _EVERY, moved=-1.5, n_steps=20, at=at)
        for n in (5, 10)
        for at in ("everywhere", "at one step")
    },
    "every step, 10 + 10, as good": Scene((10, 10), _EVERY, n_steps=20),
    **{
        f"time, {times}, {n} + {n}, {name}": Scene(
            (n, n), _REACH, n_steps=60, stretched=factor, times=times
        )
        for times in ("lognormal", "exponential")
        for n in (5, 10)
        for name, factor in (("1.5 times as long", 1.5), ("as long", 1.0))
    },
}


def _numbers(scene: Scene, rng: np.random.Generator) -> cw.Curves:
    """Draw curves of a scene; of several steps, with noise about the number of each run."""
    n_candidate, n_baseline = scene.runs
    n = n_candidate + n_baseline
    mine = np.arange(n) < n_candidate
    heights = KINDS[scene.kind](rng, n) * np.where(mine, scene.wide, 1.0)
    scores = OFFSET + np.repeat(heights[:, None], scene.n_steps, axis=1)
    if scene.n_steps > 1:
        scores = 0.7 * (scores - OFFSET) + OFFSET + 0.7 * rng.normal(size=scores.shape)
    moved = np.full(scene.n_steps, scene.moved)
    if scene.at == "at one step":
        moved = np.where(np.arange(scene.n_steps) == scene.n_steps // 2, moved, 3.0)
    scores += mine[:, None] * moved
    return cw.Curves(scores, np.where(mine, "candidate", "baseline"))


def _times(scene: Scene, rng: np.random.Generator) -> cw.Curves:
    """Draw curves that reach 1 at a random time, or not before training ends."""
    n_candidate, n_baseline = scene.runs
    n = n_candidate + n_baseline
    mine = np.arange(n) < n_candidate
    times = 20 * np.exp(0.4 * rng.normal(size=n))
    if scene.times == "exponential":
        times = 20 * rng.exponential(size=n)
    times = times * np.where(mine, scene.stretched or 1.0, 1.0)
    steps = np.arange(1, scene.n_steps + 1)
    # A little noise, which reaches nothing, so that runs differ.
    scores = 0.1 * rng.random((n, scene.n_steps)) + (steps >= times[:, None])
    return cw.Curves(scores, np.where(mine, "candidate", "baseline"), steps)


def _rates(scene: Scene, name: str, n_sets: int, seed: int) -> dict[str, float]:
    answers = {"pass": 0, "fail": 0, "undecided": 0}
    draw = _numbers if scene.stretched is None else _times
    for number in range(n_sets):
        rng = stream(seed, f"power: gate {name}", number)
        curves = draw(scene, rng)
        few = sum(scene.runs) <= MAX_ENUMERATED
        found = cw.gate(
            curves,
            candidate="candidate",
            baseline="baseline",
            n_shuffles=N_SHUFFLES,
            exact=None if few else False,
            rng=number,
            **scene.options,
        )
        answers[found.answer] += 1
    return {answer: count / n_sets for answer, count in answers.items()}


def gate_rates(n_sets: int, seed: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return how often gates pass and fail: at the margin, by margin, and in other scenes."""
    at_margin = {
        f"{kind}, {c} + {b}": Scene((c, b), {"margin": 1.5}, moved=-1.5, kind=kind)
        for kind in KINDS
        for c, b in RUNS
    }
    passed = {
        f"as good, {n} + {n}, margin {margin:g}": Scene((n, n), {"margin": margin})
        for n in N_EQUAL
        for margin in MARGINS
    }
    groups = {"at margin": at_margin, "as good": passed, "scenes": SCENES}
    return {
        group: {
            name: load_or_compute(
                f"power/gate {name.replace(' ', '-').replace(',', '')}",
                {"seed": seed, "n_sets": n_sets},
                partial(_rates, scene, name, n_sets, seed),
            )
            for name, scene in scenes.items()
        }
        for group, scenes in groups.items()
    }
