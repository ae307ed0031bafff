"""Caveats of a family: each once, with whom it is about."""

from __future__ import annotations

import json

from curvewise.inference.caveats import (
    MAX_MEMBERS,
    DifferentSpread,
    OfMembers,
    SingleRun,
    SingleStep,
    TooFewShuffles,
    gathered,
)
from curvewise.text import naming_flags


def test_it_is_the_caveat_itself_and_its_members() -> None:
    members = OfMembers(("game 1", "game 2"), TooFewShuffles(10, 0.05))
    sentence = (
        "game 1; game 2: 10 shuffles cannot give a p below 0.0909, which is above alpha = "
        "0.05: nothing can be significant. Use at least n_shuffles=19."
    )
    assert members.kind == "too few shuffles"
    assert members.about == ("game 1", "game 2")
    assert members.sentence() == sentence
    with naming_flags():
        assert members.sentence() == sentence.replace("n_shuffles=19", "--shuffles 19")
    assert json.loads(json.dumps(members.to_dict())) == {
        "kind": "too few shuffles",
        "n_shuffles": 10,
        "alpha": 0.05,
        "members": ["game 1", "game 2"],
    }


def test_doubts_and_subject_are_those_of_the_caveat() -> None:
    for n_runs in ((5, 5), (9, 4)):
        caveat = DifferentSpread("a", "b", 4.0, "curve means", n_runs)
        members = OfMembers(("x",), caveat)
        assert members.doubts_means == caveat.doubts_means
        assert members.subject == caveat.subject


def test_of_many_members_some_are_named() -> None:
    names = tuple(f"game {number}" for number in range(1_004))
    shown = OfMembers(names, SingleStep()).sentence()
    assert shown.startswith("game 0; game 1; game 2; and 1,001 more: There is a single")
    assert MAX_MEMBERS == 3
    exactly = OfMembers(names[:3], SingleStep()).sentence()
    assert exactly.startswith("game 0; game 1; game 2: There is")


def test_what_is_about_every_member_stands_by_itself() -> None:
    few, single = TooFewShuffles(5, 0.05), SingleRun("A")
    found = gathered({"x": [few, single], "y": [few], "z": (c for c in (few,))})
    assert found == (few, OfMembers(("x",), single))
    named = gathered({"x": [few], "y": [few]}, name_all=True)
    assert named == (OfMembers(("x", "y"), few),)
    assert gathered({"x": [], "y": []}) == ()
    # The same kind with other numbers is another caveat.
    assert gathered({"x": [SingleRun("A")], "y": [SingleRun("B")]}) == (
        OfMembers(("x",), SingleRun("A")),
        OfMembers(("y",), SingleRun("B")),
    )
