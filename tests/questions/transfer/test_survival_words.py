"""When runs reach a threshold, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise import transfer
from curvewise.questions.transfer.survival_words import notes, sentence
from tests.questions.transfer.gains import SIDES, pair

if TYPE_CHECKING:
    from curvewise import Transfer


def found(**changes: Any) -> Transfer:
    steps = np.arange(1, 9)
    control, experimental = (
        np.array([steps >= time for time in times], dtype=float)
        for times in ([4, 6, 99], [2, 3, 5])
    )
    measured = transfer(
        pair(control, experimental, steps=steps), **SIDES, threshold=1.0, n_resamples=0
    )
    return replace(measured, survival=replace(measured.survival, **changes))


def test_who_reaches_it_by_when_and_how_sure() -> None:
    assert sentence(found()) == (
        "Reaching a score of 1: 3 of 3 runs of E (median step 3), 2 of 3 of C (median step "
        "6); log-rank test, exact p = 0.20."
    )
    assert "; log-rank test, p = 0.20." in sentence(found(exact=False))
    assert sentence(found(pvalue=None)).endswith("(median step 6).")


def test_names_are_escaped() -> None:
    odd = replace(found(), control="\x1b[1m")
    assert "\x1b" not in sentence(odd)


def test_crossing_is_said_in_both_places() -> None:
    crossing = found(crossing=6.0, ahead_at_last="control")
    for text in (sentence(crossing), notes(crossing)[-1]):
        assert "E is ahead at first, and C by step 6: where such curves cross" in text
        assert "neither the medians nor the means nor p tell all" in text
    other = found(crossing=6.0, ahead_at_last="experimental")
    assert "C is ahead at first, and E by step 6" in sentence(other)


def test_notes_say_what_counts_as_reaching() -> None:
    (note,) = notes(found())
    assert note.startswith(
        "Reaching a score of 1. Log-rank test of the times, exact p = "
    )
    assert "at 3 consecutive steps. Log-rank" in notes(found(hold=3))[0]
    assert notes(found(pvalue=None)) == ("Reaching a score of 1.",)
    assert "never reaches it, as it counts" in notes(found(failed_never_reach=True))[1]
    unasked = replace(found(), threshold_given=False)
    assert ", where the runs of both end on average." in notes(unasked)[0]
