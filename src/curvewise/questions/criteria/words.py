"""What `check_criteria` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.criteria.result import JUDGED
from curvewise.questions.transfer.words import undefined_text
from curvewise.text import interval_text, listed, number_text, p_text, plural

if TYPE_CHECKING:
    from curvewise.questions.criteria.result import Criteria
    from curvewise.questions.criteria.verdict import CaseResult, Outcome, Verdict

__all__ = ["describe", "outcome_text", "reason", "reason_undefined", "sentence"]

# What was divided and multiplied back is 0 only up to rounding.
ROUNDING = 1e-12


def describe(criteria: Criteria) -> str:
    """Say which metric fails which criteria, and where that is not what was published."""
    found = _one(criteria) if len(criteria.criteria) == 1 else _all(criteria)
    differences = [f"{v.criterion} ({v.short})" for v in criteria.differences]
    if all(verdict.published is None for verdict in criteria.values()):
        return found
    if not differences:
        return f"{found} Gorski & Laird (2009) found the same."
    verb = "differs" if len(differences) == 1 else "differ"
    return (
        f"{found} {plural(len(differences), 'verdict')} of {len(criteria)} {verb} from "
        f"Table 2 of Gorski & Laird (2009): {', '.join(differences)}."
    )


def _one(criteria: Criteria) -> str:
    name = criteria.criteria[0].capitalize()
    met = [verdict.short for verdict in criteria.values() if verdict.holds]
    failed = [verdict.short for verdict in criteria.crosses]
    if not failed:
        return f"{name}: all of {listed(met)}."
    if not met:
        return f"{name}: none of {listed(failed)}."
    return f"{name}: {listed(met)}; not {listed(failed)}."


def _all(criteria: Criteria) -> str:
    """Say how many criteria each metric meets, the one that meets most first."""
    total = len(criteria.criteria)
    failed = {
        short: [
            verdict.criterion for verdict in criteria.crosses if verdict.metric == name
        ]
        for name, short in JUDGED.items()
    }
    parts = [
        f"{short} {total - len(failed[short])} (not {listed(failed[short])})"
        if failed[short]
        else f"{short} all"
        for short in sorted(failed, key=lambda short: len(failed[short]))
    ]
    return f"Of {total} criteria the metrics meet: {'; '.join(parts)}."


def sentence(verdict: Verdict) -> str:
    """Say which case decided, and what its values were."""
    decided = verdict.deciding
    outcomes = f"{_capital(decided.case.name)}: {_outcomes(decided)}"
    if verdict.holds:
        n_held = sum(result.holds for result in verdict.tried)
        tried = plural(len(verdict.tried), "case")
        return f"{outcomes}. Holds in {n_held} of {tried} tried."
    reasons = {outcome.reason for outcome in decided.outcomes if outcome.reason}
    why = f" ({' '.join(sorted(reasons)).rstrip('.')})" if reasons else ""
    none = ""
    if verdict.one_case_suffices:
        none = f" None of the {len(verdict.tried)} tried does."
    return f"{outcomes}{why}. {_capital(decided.case.wanted)}.{none}"


def reason(verdict: Verdict) -> str:
    """Say why a verdict is not the paper's; "" where it is."""
    if verdict.agrees:
        return ""
    return verdict.case.note or "None of the cases tried makes the metric fail."


def _outcomes(result: CaseResult) -> str:
    """Write the value of each pair, with its name where there are several."""
    if len(result.outcomes) == 1:
        return outcome_text(result.outcomes[0])
    return "; ".join(
        f"{pair.name}: {outcome_text(outcome)}"
        for pair, outcome in zip(result.case.pairs, result.outcomes, strict=True)
    )


def outcome_text(outcome: Outcome) -> str:
    """Write a value, and its interval and p where there are such."""
    if outcome.value is None:
        return "undefined"
    text = number_text(0.0 if abs(outcome.value) < ROUNDING else outcome.value)
    if outcome.interval is None:
        return text
    p = "" if outcome.pvalue is None else f", p = {p_text(outcome.pvalue)}"
    return f"{text} (interval {interval_text(outcome.interval)}{p})"


def reason_undefined(outcome: Outcome) -> str:
    """Say why a metric has no value; "" where it has one."""
    if outcome.undefined is None:
        return ""
    return undefined_text(outcome.undefined, "control", "experimental")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
