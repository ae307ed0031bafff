"""What is claimed by `locate`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw
from studies.calibration.claims import ALPHA, N_RESAMPLES, N_SHUFFLES, Claim, Question
from studies.calibration.data_sets import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from studies.calibration.data_sets import DataSet
    from studies.calibration.truths import Truth

__all__ = ["QUESTIONS"]

PAGE = "locate.md"


def _locate(data: DataSet) -> cw.Location:
    return cw.locate(
        data.curves,
        alpha=ALPHA,
        n_shuffles=N_SHUFFLES,
        n_resamples=N_RESAMPLES if data.n_algorithms == 2 else 0,
        exact=data.design.exact,
        rng=data.rng,
    )


def _false_step(adjusted: str) -> Callable[[cw.Location, DataSet], bool | None]:
    """Look for a step that is named by an adjusted p and does not differ."""

    def is_wrong(found: cw.Location, data: DataSet) -> bool | None:
        alike = ~data.differing_steps
        pvalue = getattr(found.effects["algorithm"], adjusted)
        return bool((pvalue[alike] <= ALPHA).any()) if alike.any() else None

    return is_wrong


def _intervalwise(found: cw.Location, data: DataSet) -> bool | None:
    """Look for a step named interval by interval; that is promised where nothing differs."""
    pvalue = found.effects["algorithm"].pvalue_intervalwise
    if pvalue is None or data.differs("overall"):
        return None
    return bool((pvalue <= ALPHA).any())


def _false_change(found: cw.Location, data: DataSet) -> bool | None:
    if data.differs("interaction"):
        return None
    return bool(found.effects["interaction"].regions)


def _false_cluster(found: cw.Location, data: DataSet) -> bool | None:
    if data.differs("overall"):
        return None
    clusters = found.effects["algorithm"].clusters
    return any(cluster.pvalue <= ALPHA for cluster in clusters)


def _too_early(found: cw.Location, data: DataSet) -> bool | None:
    differing = data.differing_steps
    if differing[0]:
        return None
    if found.differs_from is None:
        return False
    return not differing[data.steps <= found.differs_from].any()


def _too_late(found: cw.Location, data: DataSet) -> bool | None:
    differing = data.differing_steps
    if differing[-1]:
        return None
    if found.differs_until is None:
        return False
    return not differing[data.steps >= found.differs_until].any()


def _false_window(found: cw.Location, data: DataSet) -> bool | None:
    """Look for a window that is named and in which there is no such difference."""
    windows = found.windows
    if windows is None:
        return None
    alike = _windows_alike(
        data.truth,
        data.n_algorithms,
        tuple(data.steps),
        tuple(windows.starts),
        tuple(windows.stops),
    ) & (windows.lengths > 0)
    return bool((windows.pvalue_adjusted[alike] <= ALPHA).any()) if alike.any() else None


@lru_cache(maxsize=64)
def _windows_alike(
    truth: Truth,
    n_algorithms: int,
    steps: tuple[float, ...],
    starts: tuple[float, ...],
    stops: tuple[float, ...],
) -> npt.NDArray[np.bool_]:
    """Tell for height and shape in which windows algorithms do not differ; (2, start, stop)."""
    effects = truth.effects(n_algorithms, len(steps))
    alike = np.zeros((2, len(starts), len(stops)), dtype=bool)
    for i, j in np.ndindex(len(starts), len(stops)):
        inside = (np.array(steps) >= starts[i]) & (np.array(steps) <= stops[j])
        if inside.any():
            own = effects[:, inside]
            means = own.mean(axis=1, keepdims=True)
            alike[0, i, j] = np.ptp(means) <= TOLERANCE
            alike[1, i, j] = np.ptp(own - means, axis=0).max() <= TOLERANCE
    return alike


def _band_missed(found: cw.Location, data: DataSet) -> bool | None:
    if found.band is None:
        return None
    difference = data.effects[0] - data.effects[1]
    below, above = found.band.low <= difference, difference <= found.band.high
    return not bool((below & above).all())


def _true_crossing(data: DataSet) -> float | None:
    """Return the step at which the true difference of two algorithms changes sign."""
    difference = data.effects[0] - data.effects[1]
    (at,) = np.nonzero(difference[:-1] * difference[1:] < 0)
    if not len(at):
        return None
    before, after = difference[at[0]], difference[at[0] + 1]
    return float(data.steps[at[0]] + before / (before - after))


def _false_crossing(found: cw.Location, data: DataSet) -> bool | None:
    if data.n_algorithms != 2 or _true_crossing(data) is not None:
        return None
    return found.crossing is not None


def _crossing_missed(found: cw.Location, data: DataSet) -> bool | None:
    """Tell whether a crossing is told and its interval does not hold the true one.

    Its confidence is that of the band, whether or not a crossing is told.
    """
    at = _true_crossing(data)
    if data.n_algorithms != 2 or at is None:
        return None
    if found.crossing is None:
        return False
    low, high = found.crossing.interval
    return not low <= at <= high


def _false_paragraph(found: cw.Location, data: DataSet) -> bool | None:
    """Look for any false claim among those of the paragraph."""
    told = [claim.is_wrong(found, data) for claim in PARAGRAPH]
    return None if all(wrong is None for wrong in told) else any(told)


PARAGRAPH = (
    Claim("a step that does not differ", _false_step("pvalue_adjusted"), PAGE),
    Claim('"differs from" is too early', _too_early, PAGE),
    Claim('"differs until" is too late', _too_late, PAGE),
    Claim("a change of a constant difference", _false_change, PAGE),
    Claim("a crossing where there is none", _false_crossing, PAGE),
    Claim("interval of the crossing misses", _crossing_missed, PAGE),
)

QUESTIONS = (
    Question(
        "locate",
        _locate,
        (
            *PARAGRAPH,
            Claim("a false claim in the paragraph", _false_paragraph, PAGE, promised=0.08),
            Claim("a step, stepping down", _false_step("pvalue_stepdown"), PAGE),
            Claim("a step, interval-wise", _intervalwise, PAGE),
            Claim("a cluster", _false_cluster, PAGE),
            Claim("a window that does not differ", _false_window, PAGE),
            Claim("band misses at some step", _band_missed, PAGE, promised=0.07),
        ),
    ),
)
