"""What is claimed by `transfer` and `transfer_many`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from studies.calibration.claims import ALPHA, N_RESAMPLES, N_SHUFFLES, NEAR, Claim, Question
from studies.calibration.data_sets import draw_data_set, true_means
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from studies.calibration.data_sets import DataSet
    from studies.calibration.designs import Design
    from studies.calibration.processes import Process
    from studies.calibration.truths import Truth

__all__ = ["METRICS", "QUESTIONS"]

PAGE = "transfer.md"
N_TASKS = 5
N_DRAWN = 400  # data sets from which the true median times are found
METRICS = (
    "transfer_ratio",
    "transfer_regret",
    "calibrated_transfer_ratio",
    "average_relative_reduction",
    "jumpstart",
    "asymptotic_advantage",
    "area_difference",
    "average_gain",
    "time_to_threshold",
)
AVERAGED = ("calibrated_transfer_ratio", "average_relative_reduction")


@lru_cache(maxsize=64)
def _settings(process: Process, design: Design, truth: Truth) -> Mapping[str, Any]:
    """Return the options that make the true values definite: optimum and threshold."""
    means = true_means(process, design, truth)
    low, high = means[0].min(), means[0].max()
    return {
        "control": "A",
        "experimental": "B",
        "optimum": float(means.max() + 5 * process.reference(design.n_steps).unit),
        "threshold": float(low + 0.6 * (high - low)),
        "allow_optimum_below": True,
    }


@lru_cache(maxsize=64)
def _true_values(process: Process, design: Design, truth: Truth) -> Mapping[str, float | None]:
    """Return the metrics of the true mean curves; of times those of many runs."""
    means = true_means(process, design, truth)
    found = cw.transfer(
        cw.Curves(np.repeat(means, 2, axis=0), list("AABB"), _steps(design)),
        **_settings(process, design, truth),
        n_shuffles=1,
        n_resamples=0,
        exact=False,
        rng=0,
    )
    values = {name: found.metrics[name].value for name in METRICS}
    return {**values, "time_to_threshold": _true_ratio(process, design, truth)}


def _true_ratio(process: Process, design: Design, truth: Truth) -> float | None:
    """Return the ratio of the median times to the threshold of many runs.

    None where half of the runs of neither condition reach it.
    """
    threshold = _settings(process, design, truth)["threshold"]
    times: dict[str, list[float]] = {"A": [], "B": []}
    for number in range(N_DRAWN):
        rng = stream(0, f"true times {process.name} {design.name} {truth.name}", number)
        curves = draw_data_set(process, design, truth, rng).curves
        reached = curves.scores >= threshold
        first = np.where(reached.any(axis=1), curves.steps[reached.argmax(axis=1)], np.inf)
        for name in times:
            times[name] += first[curves.labels == name].tolist()
    control, experimental = (
        float(np.quantile(own, 0.5, method="inverted_cdf")) for own in times.values()
    )
    return None if np.isinf([control, experimental]).all() else experimental / control


def _steps(design: Design) -> npt.NDArray[np.int64]:
    return np.arange(1, design.n_steps + 1)


def _options(data: DataSet) -> dict[str, Any]:
    return {
        **_settings(data.process, data.design, data.truth),
        "confidence": 1 - ALPHA,
        "n_shuffles": N_SHUFFLES,
        "n_resamples": N_RESAMPLES,
        "exact": data.design.exact,
        "rng": data.rng,
    }


def _transfer(data: DataSet) -> cw.Transfer:
    return cw.transfer(data.curves, **_options(data))


def _false_alarm(name: str) -> Callable[[cw.Transfer, DataSet], bool | None]:
    def is_wrong(found: cw.Transfer, data: DataSet) -> bool | None:
        pvalue = found.metrics[name].pvalue
        if pvalue is None or data.differs("overall"):
            return None
        return pvalue <= ALPHA

    return is_wrong


def _recommended(found: cw.Transfer, data: DataSet) -> bool | None:
    return _false_alarm(found.recommended)(found, data)


def _missed(name: str) -> Callable[[cw.Transfer, DataSet], bool | None]:
    """Look for an interval that does not hold the metric of the true mean curves.

    A shift of the scores, which the transfer ratio may need, changes what it is about.
    """

    def is_wrong(found: cw.Transfer, data: DataSet) -> bool | None:
        interval = found.metrics[name].interval
        true = _true_values(data.process, data.design, data.truth)[name]
        shifted = name == "transfer_ratio" and found.shift != 0
        if interval is None or true is None or shifted:
            return None
        return not interval.low <= true <= interval.high

    return is_wrong


def _transfer_many(data: DataSet) -> cw.Transfers:
    return cw.transfer_many(data.tasks, **_options(data))


def _false_mean(name: str) -> Callable[[cw.Transfers, DataSet], bool | None]:
    def is_wrong(found: cw.Transfers, data: DataSet) -> bool | None:
        if name not in found.across or data.truly_different:
            return None
        return found.across[name].pvalue <= ALPHA

    return is_wrong


def _mean_missed(name: str) -> Callable[[cw.Transfers, DataSet], bool | None]:
    """Look for an interval that does not hold the mean of the true values of all tasks."""

    def is_wrong(found: cw.Transfers, data: DataSet) -> bool | None:
        mean = found.across.get(name)
        if mean is None or mean.interval is None or mean.n_tasks < mean.n_all:
            return None
        different = _true_values(data.process, data.design, data.truth)[name]
        if different is None:
            return None
        alike = found[next(iter(found))].metrics[name].no_effect
        values = [different if task in data.truly_different else alike for task in data.tasks]
        return not mean.interval.low <= np.mean(values) <= mean.interval.high

    return is_wrong


def _words(name: str) -> str:
    return name.replace("_", " ")


# Exact only where what is left to improve differs by a factor, and where the box that both
# curves span is known; transfer.md says so.
PROMISED = {"calibrated_transfer_ratio": 0.1, "transfer_regret": NEAR}

QUESTIONS = (
    Question(
        "transfer",
        _transfer,
        (
            Claim("p of the recommended metric", _recommended, PAGE),
            *(Claim(f"p: {_words(name)}", _false_alarm(name), PAGE) for name in METRICS),
            *(
                Claim(
                    f"interval: {_words(name)}",
                    _missed(name),
                    PAGE,
                    promised=PROMISED.get(name, ALPHA),
                )
                for name in METRICS
            ),
        ),
    ),
    Question(
        "transfer_many",
        _transfer_many,
        (
            *(Claim(f"p: {_words(name)}", _false_mean(name), PAGE) for name in AVERAGED),
            *(Claim(f"interval: {_words(name)}", _mean_missed(name), PAGE) for name in AVERAGED),
        ),
        n_tasks=N_TASKS,
    ),
)
