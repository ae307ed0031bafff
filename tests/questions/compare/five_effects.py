"""The five effects of a comparison, and whether two comparisons found the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from curvewise import Comparison
    from curvewise.inference.result import Effect


def five_effects(found: Comparison) -> dict[str, Effect]:
    """The F effects under both error terms, by the names of tests/textbook.py."""
    split, pooled = found.effects["split"], found.effects["pooled"]
    return {
        "overall": pooled["overall"],
        "algorithm split": split["algorithm"],
        "interaction split": split["interaction"],
        "algorithm pooled": pooled["algorithm"],
        "interaction pooled": pooled["interaction"],
    }


def assert_same_effects(one: Comparison, other: Comparison, rel: float = 1e-9) -> None:
    effects, others = (
        {**five_effects(found), "combined": found.effects["split"]["overall"]}
        for found in (one, other)
    )
    for name, effect in effects.items():
        same = others[name]
        assert same.statistic == pytest.approx(effect.statistic, rel=rel), name
        assert same.pvalue == effect.pvalue, name
