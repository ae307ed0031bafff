"""What a report is made of: any result finds its place."""

from __future__ import annotations

import re
from typing import Any

import curvewise as cw
from curvewise.data.curves import Display
from curvewise.reports.composing import compose
from tests.questions.test_every_question import _asked, answer
from tests.reports.unpacking import unpacked_json
from tests.simulation import some_curves

FEW: dict[str, Any] = {"n_shuffles": 99, "rng": 0}


def test_every_kind_of_result_gets_a_section_without_new_code() -> None:
    names = [name for name in _asked() if _asked()[name].curves is not None]
    curves = _asked()["compare"].curves
    assert curves is not None
    others = [name for name in names if name not in {"locate", "compare", "overview"}]
    some = [answer(name) for name in others[::4]]
    page = compose(curves, [answer("compare"), *some])
    sections = {section.headline: section for section in page.sections}
    for result in some:
        own = sections[result.headline()]
        assert own.words == (result.describe(),)
        assert list(own.tables) == result.tables()
        assert own.heading.endswith("?")
    text = page.html()
    assert text.count('<figure class="figure"><img') == len(
        [own for own in some if not isinstance(own, cw.Comparison)]
    )


def test_the_first_result_gives_headline_and_verdict() -> None:
    curves = some_curves(0, (4, 4))
    compared, where = cw.compare(curves), cw.locate(curves, n_resamples=0, rng=0)
    page = compose(curves, [compared, where])
    assert page.headline == compared.headline()
    assert page.words == (compared.describe(),)
    headings = [section.heading for section in page.sections]
    assert headings == ["Where do they differ?", "Tables"]
    assert page.sections[0].words[-1] == where.describe()
    assert page.title == "Learning curves of A and B"
    turned = compose(curves, [where, compared])
    assert turned.headline == where.headline()


def test_curves_alone_are_a_report() -> None:
    page = compose(some_curves(0, (2, 2)), [])
    assert page.headline == "A and B: 4 runs, 6 steps."
    assert [section.heading for section in page.sections] == ["The curves", "Tables"]


def test_an_overview_gives_where_and_who() -> None:
    curves = _asked()["overview"].curves
    assert curves is not None
    found = answer("overview")
    assert isinstance(found, cw.Overview)
    page = compose(curves, [found])
    assert [section.heading for section in page.sections] == [
        "Where do they differ?",
        "Which algorithms may be the best?",
        "Tables",
    ]


def test_where_is_no_claim_of_the_overall_test_if_that_found_nothing() -> None:
    curves = cw.load_example("atari")
    where = cw.locate(curves, n_resamples=0, rng=0)
    page = compose(curves, [cw.compare(curves), where])
    assert page.sections[0].words[0].startswith("The overall test found no difference")


def test_several_tasks_are_listed_with_what_was_found_of_each() -> None:
    tables = {"x": some_curves(0, (4, 4)), "y": some_curves(1, (4, 4))}
    family = cw.compare_many(tables, **FEW)
    where = cw.locate(tables["x"], n_resamples=0, **FEW)
    page = compose(tables, [family, {"x": [where]}])
    assert page.headline == family.headline()
    assert page.words == (family.describe(),)
    assert [task.name for task in page.tasks] == ["x", "y"]
    assert [task.headline for task in page.tasks] == [
        family["x"].headline(),
        family["y"].headline(),
    ]
    records = [unpacked_json(own["results"]) for own in page.data["tables"]]
    assert [[one["question"] for one in own] for own in records] == [
        ["compare", "locate"],
        ["compare"],
    ]
    assert page.data["tables"][0]["location"] is not None
    assert page.data["tables"][1]["location"] is None
    text = page.html()
    assert len(re.findall(r'<details class="task">', text)) == 2
    assert "not adjusted for the number of tasks" in text


def test_what_is_copied_is_what_is_shown() -> None:
    curves = some_curves(0, (4, 4))
    compared = cw.compare(curves)
    page = compose(curves, [compared])
    copies = unpacked_json(page.data["copies"])
    assert copies["verdict"] == compared.describe()
    for table in compared.tables():
        assert table.latex() in copies["latex"]
        assert table.markdown() in copies["markdown"]
    assert copies["bibtex"].startswith("@software{curvewise")


def test_steps_and_scores_are_called_as_in_the_table_or_as_asked() -> None:
    made = some_curves(0, (3, 3))
    named = cw.Curves(made.scores, made.labels, display=Display("frames", "return"))
    (data,) = compose(named, []).data["tables"]
    assert (data["step_name"], data["score_name"]) == ("frames", "return")
    (data,) = compose(named, [], step_name="M frames").data["tables"]
    assert (data["step_name"], data["score_name"]) == ("M frames", "return")


def test_a_name_looks_the_same_in_all_tasks() -> None:
    both = some_curves(0, (3, 3, 3))
    tables = {"x": both.select("A", "B"), "y": both.select("C", "B")}
    first, second = compose(tables, []).data["tables"]
    looks = [
        {own["name"]: (own["colour"], own["dark"], own["dash"]) for own in table["algorithms"]}
        for table in (first, second)
    ]
    assert looks[0]["B"] == looks[1]["B"]
    assert len({looks[0]["A"], looks[0]["B"], looks[1]["C"]}) == 3


def test_of_several_families_the_first_leads_each_task() -> None:
    tables = {"x": some_curves(0, (3, 3, 3)), "y": some_curves(1, (3, 3, 3))}
    family, bests = cw.compare_many(tables, **FEW), cw.best_many(tables, **FEW)
    page = compose(tables, [family, bests])
    assert page.tasks[0].headline == family["x"].headline()
    headings = [section.heading for section in page.tasks[0].sections]
    assert "Which algorithms may be the best?" in headings
