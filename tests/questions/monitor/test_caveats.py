"""The warnings of monitoring, in words."""

from __future__ import annotations

from curvewise.questions.monitor.result import SmallerBatches


def test_smaller_batches_are_named_with_what_p_takes_for_granted() -> None:
    caveat = SmallerBatches(("a", "b", "c", "d"), (3, 2, 1, 1), 4)
    said = caveat.sentence()
    assert "in batch 'a' (3), batch 'b' (2), batch 'c' (1) and 1 more." in said
    assert "p holds if that does not depend on their scores" in said
    assert caveat.to_dict()["n_runs"] == [3, 2, 1, 1]
