"""What the paper's Table 2 says: which metric meets which criterion."""

from __future__ import annotations

__all__ = ["CITATION", "PUBLISHED"]

CITATION = "Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, Table 2"
_METRICS = (
    "transfer_ratio",
    "transfer_regret",
    "calibrated_transfer_ratio",
    "average_relative_reduction",
)
_TICKS = {  # in the order of the metrics; 1 is a tick
    "defined": (0, 1, 0, 0),
    "consistent": (0, 1, 1, 0),
    "meaningful": (0, 0, 1, 1),
    "unitless": (1, 1, 1, 1),
    "distinguishing": (1, 0, 1, 1),
    "independent": (1, 1, 0, 1),
    "parameter-free": (0, 0, 0, 1),
    "similar": (0, 1, 1, 1),
    "degenerate": (1, 1, 1, 0),
    "testable": (1, 1, 1, 1),
}
PUBLISHED = {
    (criterion, metric): bool(tick)
    for criterion, ticks in _TICKS.items()
    for metric, tick in zip(_METRICS, ticks, strict=True)
}
