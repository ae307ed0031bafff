"""Every sentence about the best, in full: read them aloud."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from curvewise import Best
from curvewise.questions.best.result import Contender
from curvewise.questions.best.tell import best_line


def found(contenders: str, worse: str = "", **fields: Any) -> Best:
    """The first contender leads with a mean of 48.67; names are single letters."""

    def row(name: str) -> Contender:
        return Contender(name, 5, 48.671, -1.0, None, 0.1, 0.1, name in contenders)

    given: dict[str, Any] = {
        "adjust": "bonferroni",
        "alpha": 0.05,
        "higher_is_better": True,
        "factor": 2,
        "even_blocks": True,
        "smallest_pvalue": 0.01,
        "caveats": (),
    }
    rows = tuple(map(row, contenders + worse))
    return Best(leader=contenders[0], rows=rows, **{**given, **fields})


@pytest.mark.parametrize(
    ("best", "paragraph"),
    [
        (
            found("A", "B", center="trimmed"),
            (
                "A has the highest mean score of its typical run over training (48.67), and the "
                "other can be ruled out as the best. With 95% confidence the algorithm with the "
                "highest true trimmed mean is A."
            ),
        ),
        (
            found("A", "B", center="ranks"),
            (
                "A has the highest mean rank of runs by their score over training (48.67), and "
                "the other can be ruled out as the best. With 95% confidence the algorithm with "
                "the highest true scores is A."
            ),
        ),
        (
            found("AC", "B"),
            (
                "A has the highest mean score over training (48.67). B can be ruled out as the "
                "best; C cannot. With 95% confidence the algorithm with the highest true mean is "
                "A or C."
            ),
        ),
        (
            found("ACD", "BE", higher_is_better=False, alpha=0.001),
            (
                "A has the lowest mean score over training (48.67). B and E can be ruled out as "
                "the best; C and D cannot. With 99.9% confidence the algorithm with the lowest "
                "true mean is A, C or D."
            ),
        ),
        (
            found("A", "BC"),
            (
                "A has the highest mean score over training (48.67), and all others can be ruled "
                "out as the best. With 95% confidence the algorithm with the highest true mean is "
                "A."
            ),
        ),
        (
            found("A", "B"),
            (
                "A has the highest mean score over training (48.67), and the other can be ruled "
                "out as the best. With 95% confidence the algorithm with the highest true mean is "
                "A."
            ),
        ),
        (
            found("ABC"),
            (
                "A has the highest mean score over training (48.67), but none of the others can "
                "be ruled out as the best."
            ),
        ),
        (
            found("AB"),
            (
                "A has the highest mean score over training (48.67), but the other cannot be "
                "ruled out as the best."
            ),
        ),
        (
            found("ABC", smallest_pvalue=0.1),
            (
                "A has the highest mean score over training (48.67), but with so few runs no data "
                "could rule out any other as the best."
            ),
        ),
        (
            found("AB", smallest_pvalue=0.1, higher_is_better=False),
            (
                "A has the lowest mean score over training (48.67), but with so few runs no data "
                "could rule out the other as the best."
            ),
        ),
        # Some can be ruled out although others have too few runs for that.
        (
            found("AB", "C", smallest_pvalue=0.1),
            (
                "A has the highest mean score over training (48.67). C can be ruled out as the "
                "best; B cannot. With 95% confidence the algorithm with the highest true mean is "
                "A or B."
            ),
        ),
        (
            found("ABCDEFGHI", "JKLMNOPQ"),
            (
                "A has the highest mean score over training (48.67). J, K, L, M, N, O and 2 more "
                "can be ruled out as the best; B, C, D, E, F, G and 2 more cannot. With 95% "
                "confidence the algorithm with the highest true mean is one of A, B, C, D, E, F "
                "and 3 more."
            ),
        ),
        (
            found("ABCDEF", "G"),
            (
                "A has the highest mean score over training (48.67). G can be ruled out as the "
                "best; B, C, D, E and F cannot. With 95% confidence the algorithm with the "
                "highest true mean is A, B, C, D, E or F."
            ),
        ),
    ],
    ids=[
        "typical run",
        "ranks",
        "some",
        "lower is better",
        "one contender",
        "two algorithms",
        "none ruled out",
        "none of two",
        "undecidable",
        "undecidable of two",
        "partly undecidable",
        "more than six",
        "six",
    ],
)
def test_the_paragraph(best: Best, paragraph: str) -> None:
    assert best.describe() == paragraph
    assert paragraph.startswith(best_line(best))


def test_names_cannot_steer_a_terminal() -> None:
    odd = "red \x1b[31m"
    best = found("AB", "C")
    rows = tuple(replace(row, name=odd + row.name) for row in best.rows)
    shown = replace(best, leader=odd + "A", rows=rows).describe()
    assert "\x1b" not in shown
    assert shown.startswith("red \\x1b[31mA has the highest mean")


@pytest.mark.parametrize(
    ("contenders", "worse", "line"),
    [
        ("A", "BCD", "A leads; all 3 others can be ruled out as the best."),
        ("A", "BC", "A leads; both others can be ruled out as the best."),
        ("A", "B", "A leads; the other can be ruled out as the best."),
        ("AB", "", "A leads; the other cannot be ruled out as the best."),
        ("ABC", "D", "A leads; 1 of 3 others can be ruled out as the best."),
        ("ABC", "", "A leads; none of the others can be ruled out as the best."),
    ],
)
def test_the_headline_says_how_many_are_ruled_out(contenders: str, worse: str, line: str) -> None:
    assert found(contenders, worse).headline() == line
