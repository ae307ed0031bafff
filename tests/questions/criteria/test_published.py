"""The paper's Table 2 as it is printed."""

from __future__ import annotations

from curvewise.questions.criteria.criteria import CRITERIA
from curvewise.questions.criteria.published import CITATION, PUBLISHED
from curvewise.questions.criteria.result import JUDGED


def test_the_published_table_as_it_is_printed() -> None:
    ticks = [sum(PUBLISHED[c, metric] for c in CRITERIA) for metric in JUDGED]
    assert ticks == [5, 7, 7, 7]
    printed = {
        "transfer_ratio": "xxx✓✓✓xx✓✓",
        "transfer_regret": "✓✓x✓x✓x✓✓✓",
        "calibrated_transfer_ratio": "x✓✓✓✓xx✓✓✓",
        "average_relative_reduction": "xx✓✓✓✓✓✓x✓",
    }
    for metric, column in printed.items():
        assert [PUBLISHED[c, metric] for c in CRITERIA] == [s == "✓" for s in column]
    assert len(PUBLISHED) == 40


def test_the_source_is_cited() -> None:
    assert "Gorski & Laird (2009)" in CITATION
    assert "Table 2" in CITATION
