from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from curvewise import Curves, best
from curvewise.questions.best.result import NOTES
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Best


@cache
def found() -> Best:
    curves = some_curves(0, (5, 5, 5))
    scores = curves.scores + 4.5 * curves.codes[:, None]
    return best(Curves(scores, curves.labels), adjust="bonferroni", rng=0)


def test_contenders_and_worse_follow_from_the_rows() -> None:
    assert (found().leader, found().contenders) == ("C", ("C",))
    assert found().worse == ("B", "A")
    leader, second, third = found().rows
    kept = replace(found(), rows=(leader, replace(second, contends=True), third))
    assert (kept.contenders, kept.worse) == (("C", "B"), ("A",))


def test_json_has_everything() -> None:
    shown = json.loads(json.dumps(found().to_dict()))
    assert set(shown) == {
        "question",
        "source",
        "leader",
        "contenders",
        "worse",
        "adjust",
        "center",
        "alpha",
        "higher_is_better",
        "seed",
        "rows",
        "smallest_pvalue",
        "notes",
        "preparation",
        "warnings",
        "caveats",
    }
    assert (shown["question"], shown["leader"], shown["seed"]) == ("best", "C", 0)
    leader, second, _ = shown["rows"]
    assert set(leader) == {
        "name",
        "n_runs",
        "mean",
        "difference",
        "interval",
        "pvalue",
        "pvalue_adjusted",
        "contends",
        "smallest_pvalue",
    }
    assert (leader["difference"], leader["interval"], leader["pvalue"]) == (0, None, None)
    assert second["interval"][0] is None
    assert second["interval"][1] < 0


@pytest.mark.parametrize("adjust", NOTES)
def test_notes_say_how_p_was_adjusted(adjust: str) -> None:
    (note,) = replace(found(), adjust=adjust).notes
    assert {
        "closed": "that of the pair among all pairs, by closed testing",
        "bonferroni": "multiplied by 2, since the leader was picked by the data",
        "max-t": "by the largest statistic of each shuffle (max-t)",
    }[adjust] in note
    assert note in str(replace(found(), adjust=adjust))
    assert replace(found(), even_blocks=False).notes[1] == (
        "Blocks hold different algorithms: means are adjusted for that."
    )


def test_the_table_tells_leader_and_ruled_out() -> None:
    (table,) = found().tables()
    assert [row[:2] for row in table.rows] == [
        ("C", "leader"),
        ("B", "ruled out"),
        ("A", "ruled out"),
    ]
    assert table.rows[0][4:] == ("0", "", "", "")
    leader, second, third = found().rows
    unknown = replace(third, difference=None, interval=None, pvalue=None, pvalue_adjusted=None)
    rows = (leader, second, replace(unknown, contends=True))
    table = replace(found(), rows=rows).table()
    assert table.rows[2][1] == ""
    assert table.rows[2][4:] == ("", "", "", "")
    assert "<table>" in found()._repr_html_()
