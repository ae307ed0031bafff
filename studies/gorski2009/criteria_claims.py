"""Claims about Table 2 and Figures 3 and 4: which metric meets which criterion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.gorski2009.figure_cases import FIGURES, case_values
from studies.gorski2009.published import METRICS
from studies.gorski2009.text import join_words
from studies.report import Claim, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import curvewise as cw

__all__ = ["criteria_claims"]

DRAWN = "Its curves are drawn, not listed; ours follow its words."


def criteria_claims(criteria: cw.Criteria) -> Iterator[Claim]:
    """Judge the cells of Table 2, the number of criteria met, and the two figures."""
    yield from _cells(criteria)
    yield _ticks(criteria)
    yield _figure_3(criteria)
    yield _figure_4(criteria)


def _cells(criteria: cw.Criteria) -> Iterator[Claim]:
    n_named = sum(each.holds_in_paper == each.published for each in criteria.values())
    yield Claim(
        "Table 2",
        "Ticks and crosses, on the cases that the report names.",
        f"{len(criteria)} cells",
        f"{n_named} of {len(criteria)} come out alike",
        judge(n_named == len(criteria)),
        "Judged so if every cell is alike. The report draws its cases or only names them; "
        "ours were made after its words with its table in view. So the table can be had by "
        "computing; it is not an independent confirmation.",
    )
    different = [f"{each.title}: {each.criterion}" for each in criteria.differences]
    n_equal = len(criteria) - len(different)
    sources = {
        (each.criterion, tried.case.name): tried.case.source
        for each in criteria.values()
        for tried in each.tried
    }
    ours = sum(not source for source in sources.values())
    yield Claim(
        "Table 2",
        "Ticks and crosses, on all cases tried.",
        f"{len(criteria)} cells",
        f"{n_equal} of {len(criteria)} come out alike"
        + (f"; otherwise {'; '.join(different)}" if different else ""),
        judge(not different),
        "Judged so if every cell is alike. A tick stands only if every case meets the "
        f"criterion; {ours} of {len(sources)} cases are ours, not the report's."
        + (" Each case that decides otherwise is listed below the table." if different else ""),
    )


def _ticks(criteria: cw.Criteria) -> Claim:
    published = {
        metric: sum(bool(each.published) for each in criteria.values() if each.metric == metric)
        for metric in METRICS
    }
    ours = {
        metric: sum(each.holds for each in criteria.values() if each.metric == metric)
        for metric in METRICS
    }
    holds = _fewer(ours)
    return Claim(
        "section 6",
        "Transfer ratio and transfer regret meet fewer criteria than CTR and ARR.",
        "fewer",
        f"ticks in the published Table 2: {_counts(published)}; on all cases tried: "
        f"{_counts(ours)}",
        judge(_fewer(published)),
        "Judged by the published table: each of the first two must have fewer ticks than each "
        f"of the others. On all cases tried that is {'so' if holds else 'not so'}.",
    )


def _fewer(ticks: Mapping[str, int]) -> bool:
    ratio, regret, calibrated, reduction = (ticks[metric] for metric in METRICS)
    return max(ratio, regret) < min(calibrated, reduction)


def _counts(ticks: Mapping[str, int]) -> str:
    return ", ".join(f"{title} {ticks[metric]}" for metric, title in METRICS.items())


def _figure_3(criteria: cw.Criteria) -> Claim:
    pairs, same = _compared(criteria, "Figure 3")
    higher = [METRICS[m] for m in METRICS if not same[m] and pairs[m][1] > pairs[m][0]]
    ranked = join_words(higher) if higher else "none"
    return Claim(
        "Figure 3",
        "Transfer regret is the same for both pairs; the other metrics tell them apart.",
        "distinguishing: transfer regret ×, the others ✓",
        _pairs_text(pairs),
        judge(same == {metric: metric == "transfer_regret" for metric in METRICS}),
        f"{DRAWN} The report takes 3b for the better one; higher there: {ranked}.",
    )


def _figure_4(criteria: cw.Criteria) -> Claim:
    pairs, same = _compared(criteria, "Figure 4")
    return Claim(
        "Figure 4",
        "The transfer ratio differs between the pairs; the other metrics are the same.",
        "similar: transfer ratio ×, the others ✓",
        _pairs_text(pairs),
        judge(same == {metric: metric != "transfer_ratio" for metric in METRICS}),
        f"{DRAWN} 4a is 4b squeezed under a ceiling.",
    )


def _compared(criteria: cw.Criteria, figure: str) -> tuple[dict[str, list[float]], dict[str, bool]]:
    """Return the values of each metric for the two pairs, and whether they are equal."""
    criterion = FIGURES[figure]
    pairs = {m: case_values(criteria, criterion, m, figure) for m in METRICS}
    return pairs, {m: math.isclose(*pairs[m], rel_tol=1e-9) for m in METRICS}


def _pairs_text(pairs: Mapping[str, list[float]]) -> str:
    return "; ".join(
        f"{title} {pairs[metric][0]:.4f} (a), {pairs[metric][1]:.4f} (b)"
        for metric, title in METRICS.items()
    )
