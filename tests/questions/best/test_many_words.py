"""Every sentence about the best on many tasks, in full: read them aloud."""

from __future__ import annotations

from typing import Any

import pytest

from curvewise import Best, Bests
from curvewise.questions.best.result import Contender


def one(contenders: str, worse: str = "") -> Best:
    """The first contender leads; means go down in the order of the names given."""
    rows = tuple(
        Contender(name, 5, 9.0 - place, -1.0, None, 0.1, 0.1, name in contenders)
        for place, name in enumerate(contenders + worse)
    )
    return Best(
        leader=contenders[0],
        rows=rows,
        adjust="closed",
        alpha=0.05,
        higher_is_better=True,
        factor=1,
        even_blocks=True,
        smallest_pvalue=0.0,
        caveats=(),
    )


def bests(*tasks: Best, **fields: Any) -> Bests:
    given: dict[str, Any] = {
        "adjust": "bh",
        "alpha": 0.05,
        "level": 0.05,
        "smallest_pvalue": 0.001,
        "smallest_pvalue_alone": 0.01,
        "dropped": (),
    }
    return Bests(
        tasks={str(place): own for place, own in enumerate(tasks)},
        algorithms=tuple(dict.fromkeys(row.name for own in tasks for row in own.rows)),
        pvalues_adjusted={},
        higher_is_better=True,
        caveats=(),
        **{**given, **fields},
    )


PROMISE = (
    "Of the tasks on which any algorithm is ruled out, at most 5% are expected to have lost the "
    "one that is truly the best."
)


@pytest.mark.parametrize(
    ("found", "paragraph"),
    [
        (
            bests(one("A", "BC"), one("AB", "C"), one("ABC")),
            (
                "After the Benjamini-Hochberg adjustment algorithms can be ruled out as the best "
                "on 2 of 3 tasks; on 1 any may be the best. A may be the best on 3 of 3 tasks "
                "(alone on 1; mean rank 1.00), B on 2 (alone on 0; 2.00) and C on 1 (alone on 0; "
                f"3.00). {PROMISE}"
            ),
        ),
        (
            bests(one("A", "B"), one("B", "A"), adjust="bonferroni"),
            (
                "After Bonferroni's adjustment algorithms can be ruled out as the best on 2 of 2 "
                "tasks. A may be the best on 1 of 2 tasks (alone on 1; mean rank 1.50) and B on 1 "
                "(alone on 1; 1.50). The chance that the truly best algorithm is ruled out on any "
                "task is at most 5%."
            ),
        ),
        (
            bests(one("AB"), one("BA"), smallest_pvalue_alone=0.45),
            (
                "With these runs the smallest adjusted p possible is 0.0010 (0.45 for a task that "
                "stands out alone). After the Benjamini-Hochberg adjustment no algorithm can be "
                "ruled out as the best on any of 2 tasks. A may be the best on 2 of 2 tasks "
                "(alone on 0; mean rank 1.50) and B on 2 (alone on 0; 1.50)."
            ),
        ),
        (
            bests(
                one("AB"),
                one("BA"),
                smallest_pvalue=0.45,
                smallest_pvalue_alone=0.45,
                adjust="bonferroni",
            ),
            (
                "Who may be the best on each of 2 tasks cannot be narrowed down after Bonferroni's "
                "adjustment: the smallest p possible is 0.45, above α = 0.05. A may be the best "
                "on 2 of 2 tasks (alone on 0; mean rank 1.50) and B on 2 (alone on 0; 1.50)."
            ),
        ),
        (
            bests(one("A", "BC"), one("BA"), dropped=("pong", "qbert")),
            (
                "After the Benjamini-Hochberg adjustment algorithms can be ruled out as the best "
                "on 1 of 2 tasks; on 1 any may be the best. A may be the best on 2 of 2 tasks "
                "(alone on 1; ran on 2), B on 1 (alone on 0; ran on 2) and C on 0 (alone on 0; ran "
                f"on 1). {PROMISE} Left out, since they lack an algorithm: pong and qbert."
            ),
        ),
        (
            bests(one("A", "BCDEFGH")),
            (
                "After the Benjamini-Hochberg adjustment algorithms can be ruled out as the best "
                "on 1 of 1 task. A may be the best on 1 of 1 task (alone on 1; mean rank 1.00), B "
                "on 0 (alone on 0; 2.00), C on 0 (alone on 0; 3.00), D on 0 (alone on 0; 4.00), E "
                "on 0 (alone on 0; 5.00), F on 0 (alone on 0; 6.00), and 2 more on no more tasks "
                f"than that. {PROMISE}"
            ),
        ),
    ],
    ids=["some", "bonferroni", "none", "undecidable", "dropped", "many"],
)
def test_the_paragraph(found: Bests, paragraph: str) -> None:
    assert found.describe() == paragraph


def test_names_cannot_steer_a_terminal() -> None:
    odd = one("A", "B")
    rows = tuple(
        Contender(f"\x1b[31m{row.name}", *list(vars(row).values())[1:]) for row in odd.rows
    )
    found = bests(
        Best(
            leader="\x1b[31mA",
            rows=rows,
            adjust="closed",
            alpha=0.05,
            higher_is_better=True,
            factor=1,
            even_blocks=True,
            smallest_pvalue=0.0,
            caveats=(),
        )
    )
    assert "\x1b" not in found.describe()
    assert r"\x1b[31mA may be the best on 1 of 1 task" in found.describe()


def test_the_headline_names_who_may_be_the_best_most_often() -> None:
    found = bests(one("AB", "C"), one("A", "BC"), one("ABC"))
    assert found.headline() == ("A may be the best on 3 of 3 tasks; algorithms are ruled out on 2.")
    few = bests(one("AB"), smallest_pvalue=0.2)
    assert few.headline().startswith("Who may be the best on the task cannot be")
