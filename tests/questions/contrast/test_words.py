"""Every sentence about contrasts, in full: read them aloud."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Contrasts, Interval, contrast
from curvewise.inference.work import Sampling
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Contrast

EXACT = Sampling(exact=True, n_relabellings=126, n_shuffles=126)
SAMPLED = Sampling(exact=False, n_relabellings=126, n_shuffles=99)


@cache
def _found() -> Contrast:
    return contrast(some_curves(0, (5, 5)), {"A": 1, "B": -1})


def found(**fields: Any) -> Contrast:
    """A contrast of PPO and DQN with these numbers."""
    given = {
        "coefficients": {"PPO": 1.0, "DQN": -1.0},
        "value": 5.3,
        "interval": Interval(1.417, 9.167),
        "pvalue": 0.0119,
        "sampling": EXACT,
    }
    return replace(_found(), **{**given, **fields})


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval 1.417 to 9.167) and "
                "differs from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"pvalue": 0.213},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval 1.417 to 9.167) and "
                "does not differ detectably from 0 (exact p = 0.21)."
            ),
        ),
        (
            {"alternative": "greater", "interval": Interval(2.125, math.inf)},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval 2.125 to inf) and is "
                "above 0 (exact p = 0.012)."
            ),
        ),
        (
            {"alternative": "greater", "interval": Interval(-2.125, math.inf), "pvalue": 0.2},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval -2.125 to inf) and is "
                "not detectably above 0 (exact p = 0.20)."
            ),
        ),
        (
            {"alternative": "less", "value": -5.3, "interval": Interval(-math.inf, -2.1)},
            (
                "PPO - DQN, averaged over training, is -5.300 (95% interval -inf to -2.100) and "
                "is below 0 (exact p = 0.012)."
            ),
        ),
        (
            {"alternative": "less", "interval": Interval(-math.inf, 8.5), "pvalue": 0.99},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval -inf to 8.500) and is "
                "not detectably below 0 (exact p = 0.99)."
            ),
        ),
        (
            {"sampling": SAMPLED, "confidence": 0.999},
            (
                "PPO - DQN, averaged over training, is 5.300 (99.9% interval 1.417 to 9.167) and "
                "differs from 0 (p = 0.012)."
            ),
        ),
        (
            {"pvalue_adjusted": 0.0357},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval 1.417 to 9.167) and "
                "differs from 0 (adjusted p = 0.036)."
            ),
        ),
        (
            {"pvalue_adjusted": 0.0714},
            (
                "PPO - DQN, averaged over training, is 5.300 (95% interval 1.417 to 9.167) and "
                "does not differ detectably from 0 (adjusted p = 0.071)."
            ),
        ),
        (
            {
                "coefficients": {"PPO": 1.0, "DQN": -0.5, "SAC": -0.5},
                "approximate": True,
                "sampling": SAMPLED,
            },
            (
                "PPO - 0.5 DQN - 0.5 SAC, averaged over training, is 5.300 (95% interval 1.417 to "
                "9.167) and differs from 0 (p = 0.012). With more than two algorithms residuals "
                "are shuffled, and p is approximate."
            ),
        ),
        (
            {"interval": Interval(-math.inf, math.inf), "pvalue": 0.6},
            (
                "PPO - DQN, averaged over training, is 5.300 (too few runs for an interval) and "
                "does not differ detectably from 0 (exact p = 0.60)."
            ),
        ),
        (
            {"weights": "trend", "value": 0.001008},
            (
                "PPO - DQN, in the slope over training, is 0.001008 (95% interval 1.417 to 9.167) "
                "and differs from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"weights": "area", "value": 50745.0},
            (
                "PPO - DQN, in the area under the curve, is 50745 (95% interval 1.417 to 9.167) "
                "and differs from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"weights": "mean from step 10 to 30"},
            (
                "PPO - DQN, averaged from step 10 to 30, is 5.300 (95% interval 1.417 to 9.167) "
                "and differs from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"weights": np.arange(6)},
            (
                "PPO - DQN, weighted as given, is 5.300 (95% interval 1.417 to 9.167) and differs "
                "from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"higher_is_better": False},
            (
                "PPO - DQN, averaged over training (lower is better), is 5.300 (95% interval "
                "1.417 to 9.167) and differs from 0 (exact p = 0.012)."
            ),
        ),
        (
            {"coefficients": {"red \x1b[31m": 1.0, "DQN": -1.0}},
            (
                "red \\x1b[31m - DQN, averaged over training, is 5.300 (95% interval 1.417 to "
                "9.167) and differs from 0 (exact p = 0.012)."
            ),
        ),
    ],
)
def test_one_contrast(fields: dict[str, Any], sentence: str) -> None:
    assert found(**fields).describe() == sentence


def family(adjusted: list[float], adjust: str = "holm", **fields: Any) -> Contrasts:
    members = {
        f"contrast {number}": found(value=float(number), pvalue_adjusted=p, **fields)
        for number, p in enumerate(adjusted, start=1)
    }
    return Contrasts(contrasts=members, adjust=adjust, alpha=0.05, caveats=())


@pytest.mark.parametrize(
    ("contrasts", "sentence"),
    [
        (
            family([0.8, 0.06]),
            "After Holm's adjustment, none of 2 contrasts detectably differs from 0.",
        ),
        (
            family([0.8, 0.06, 0.3], alternative="greater"),
            "After Holm's adjustment, none of 3 contrasts detectably exceeds 0.",
        ),
        (
            family([0.8, 0.06, 0.3], alternative="less"),
            "After Holm's adjustment, none of 3 contrasts detectably lies below 0.",
        ),
        (
            family([0.8, 0.02], "bonferroni"),
            (
                "After Bonferroni's adjustment, 1 of 2 contrasts differs from 0: contrast 2 "
                "(2.000, p = 0.020)."
            ),
        ),
        (
            family([0.004, 0.02, 0.3], "max-t", alternative="greater"),
            (
                "After adjustment by the largest statistic (max-t), 2 of 3 contrasts exceed 0: "
                "contrast 1 (1.000, p = 0.0040); contrast 2 (2.000, p = 0.020)."
            ),
        ),
        (
            family([0.004, 0.02, 0.3], alternative="less"),
            (
                "After Holm's adjustment, 2 of 3 contrasts lie below 0: contrast 1 (1.000, "
                "p = 0.0040); contrast 2 (2.000, p = 0.020)."
            ),
        ),
        (
            family([0.01] * 8),
            (
                "After Holm's adjustment, 8 of 8 contrasts differ from 0: contrast 1 (1.000, "
                "p = 0.010); contrast 2 (2.000, p = 0.010); contrast 3 (3.000, p = 0.010); "
                "contrast 4 (4.000, p = 0.010); contrast 5 (5.000, p = 0.010); contrast 6 "
                "(6.000, p = 0.010); and 2 more."
            ),
        ),
        # One contrast is not a family: its own sentence says more.
        (
            family([0.02]),
            (
                "PPO - DQN, averaged over training, is 1.000 (95% interval 1.417 to 9.167) and "
                "differs from 0 (adjusted p = 0.020)."
            ),
        ),
    ],
)
def test_several_contrasts(contrasts: Contrasts, sentence: str) -> None:
    assert contrasts.describe() == sentence
