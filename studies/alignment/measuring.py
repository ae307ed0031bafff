"""How often two algorithms that are alike are found to differ, by rule and by policy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from studies.alignment.rules import RULES
from studies.alignment.simulated_logs import GAPS, LAST, SCHEDULES, curve, gapped_logs, logs_on
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAILURES", "POLICIES", "failure_rates", "gap_rates", "schedule_rates"]

N_SHUFFLES = 199
N_STEPS = 20  # where scores are missing
N_RUNS = 20  # of each algorithm, where runs fail
BAD = 0.35  # the share of runs that never take off
POLICIES: dict[str, dict[str, Any]] = {
    "drop": {"short": "drop", "reason": "measured"},
    "prefix": {"short": "prefix", "min_steps": 2},
    "carry": {"short": "carry"},
    "worst": {"short": "worst"},
}


def _ends_at_random(rng: np.random.Generator, _is_bad: bool, _is_a: bool) -> bool:  # noqa: FBT001
    return bool(rng.random() < 0.3)


def _bad_ends(_rng: np.random.Generator, is_bad: bool, _is_a: bool) -> bool:  # noqa: FBT001
    return is_bad


def _bad_ends_in_a(_rng: np.random.Generator, is_bad: bool, is_a: bool) -> bool:  # noqa: FBT001
    return is_bad and is_a


def _flaky_in_a(rng: np.random.Generator, _is_bad: bool, is_a: bool) -> bool:  # noqa: FBT001
    return is_a and bool(rng.random() < 0.6)


# Whether a run ends early, by whether it is a bad one, and one of A.
FAILURES: dict[str, Callable[[np.random.Generator, bool, bool], bool]] = {
    "30% of all runs, at random": _ends_at_random,
    "bad runs, of both": _bad_ends,
    "bad runs of A; those of B limp on": _bad_ends_in_a,
    "60% of A's runs, whatever their scores": _flaky_in_a,
    "bad runs of A, which are run again; those of B limp on": _bad_ends_in_a,
    "bad runs of both; those of A are run again": _bad_ends,
}


def schedule_rates(n_sets: int, seed: int) -> dict[str, dict[str, list[float]]]:
    """Return how often height and shape were found to differ, by schedule and rule."""

    def cell(schedule: str) -> dict[str, list[float]]:
        alarms = {rule: np.zeros(2) for rule in RULES}
        for number in range(n_sets):
            logs = logs_on(schedule, stream(seed, f"alignment: {schedule}", number))
            for rule, to_curves in RULES.items():
                found = cw.compare(
                    to_curves(logs), overall="F", exact=False, n_shuffles=N_SHUFFLES, rng=number
                )
                shape = found.interaction is not None and found.interaction.significant
                alarms[rule] += (found.algorithm.significant, shape)
        return {rule: (own / n_sets).tolist() for rule, own in alarms.items()}

    return {
        schedule: load_or_compute(
            f"alignment/schedule {place}", {"seed": seed, "n_sets": n_sets}, partial(cell, schedule)
        )
        for place, schedule in enumerate(SCHEDULES)
    }


def gap_rates(n_sets: int, seed: int) -> dict[str, list[float]]:
    """Return how often curves, heights and shapes were found to differ, by what is missing.

    Also the share of the scores compared that was interpolated, and that of the steps kept.
    """

    def cell(gaps: str) -> list[float]:
        sums = np.zeros(5)
        for number in range(n_sets):
            logs = gapped_logs(gaps, stream(seed, f"alignment: gaps {gaps}", number))
            curves = cw.align(logs, short="prefix", min_steps=2)
            found = cw.compare(curves, exact=False, n_shuffles=N_SHUFFLES, rng=number)
            done = curves.preparation
            n_interpolated = 0 if done is None else done.n_scores_interpolated
            sums += (
                found.overall.significant,
                found.algorithm.significant,
                found.interaction is not None and found.interaction.significant,
                n_interpolated / curves.scores.size,
                curves.n_steps / N_STEPS,
            )
        return (sums / n_sets).tolist()

    return {
        gaps: load_or_compute(
            f"alignment/gaps {place}", {"seed": seed, "n_sets": n_sets}, partial(cell, gaps)
        )
        for place, gaps in enumerate(GAPS)
    }


def failure_rates(n_sets: int, seed: int) -> dict[str, dict[str, float]]:
    """Return how often height was found to differ, by who fails and by policy."""

    def cell(kind: str) -> dict[str, float]:
        alarms = dict.fromkeys(POLICIES, 0)
        for number in range(n_sets):
            logs = _failing(kind, stream(seed, f"alignment: failing {kind}", number))
            for policy, options in POLICIES.items():
                found = cw.compare(
                    cw.align(logs, **options),
                    overall="F",
                    exact=False,
                    n_shuffles=N_SHUFFLES,
                    rng=number,
                )
                alarms[policy] += found.algorithm.significant
        return {policy: count / n_sets for policy, count in alarms.items()}

    return {
        kind: load_or_compute(
            f"alignment/failing {place}", {"seed": seed, "n_sets": n_sets}, partial(cell, kind)
        )
        for place, kind in enumerate(FAILURES)
    }


def _failing(kind: str, rng: np.random.Generator) -> list[cw.RunLog]:
    steps = np.arange(0, LAST + 1, 5_000, dtype=np.float64)
    logs = []
    for name in "AB":
        for run in range(N_RUNS):
            is_bad = bool(rng.random() < BAD)
            ends = FAILURES[kind](rng, is_bad, name == "A")
            while "run again" in kind and name == "A" and ends:
                is_bad = bool(rng.random() < BAD)
                ends = FAILURES[kind](rng, is_bad, True)  # noqa: FBT003
            level = 0.1 * abs(rng.normal()) if is_bad else None
            own = steps[: int(rng.integers(6, 17))] if ends else steps
            scores = curve(rng, level=level)(own)
            logs.append(cw.RunLog(name, str(run), "score", own, scores))
    # Every set has whole runs of both, so that dropping leaves some.
    for name in "AB":
        scores = curve(rng)(steps)
        logs.append(cw.RunLog(name, "whole", "score", steps, scores))
    return logs
