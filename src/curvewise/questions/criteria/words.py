"""What the ten criteria found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.criteria.result import JUDGED
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.questions.criteria.result import Criteria

__all__ = ["describe_criteria"]


def describe_criteria(criteria: Criteria) -> str:
    """Say which metric fails which criteria, and where that is not what was published."""
    told = _one(criteria) if len(criteria.criteria) == 1 else _all(criteria)
    if not criteria.differences:
        return f"{told} Gorski & Laird (2009) found the same."
    others = [f"{v.criterion} ({JUDGED[v.metric]})" for v in criteria.differences]
    verb = "differs" if len(others) == 1 else "differ"
    return (
        f"{told} {plural(len(others), 'verdict')} of {len(criteria)} {verb} from Table 2 of "
        f"Gorski & Laird (2009): {', '.join(others)}."
    )


def _one(criteria: Criteria) -> str:
    name = criteria.criteria[0].capitalize()
    met = [JUDGED[v.metric] for v in criteria.values() if v.holds]
    failed = [JUDGED[v.metric] for v in criteria.crosses]
    if not failed:
        return f"{name}: all of {_listed(met)}."
    if not met:
        return f"{name}: none of {_listed(failed)}."
    return f"{name}: {_listed(met)}; not {_listed(failed)}."


def _all(criteria: Criteria) -> str:
    """Say how many criteria each metric meets, the one that meets most first."""
    total = len(criteria.criteria)
    failed = {
        short: [v.criterion for v in criteria.crosses if v.metric == metric]
        for metric, short in JUDGED.items()
    }
    parts = [
        f"{short} {total - len(failed[short])} (not {_listed(failed[short])})"
        if failed[short]
        else f"{short} all"
        for short in sorted(failed, key=lambda short: len(failed[short]))
    ]
    return f"Of {total} criteria the metrics meet: {'; '.join(parts)}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
