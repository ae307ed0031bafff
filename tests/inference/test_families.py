"""Families: each member asked, p adjusted for how many there are."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import CurvesError, OptionError
from curvewise.inference.work import (
    ADJUSTMENTS,
    FAMILYWISE,
    adjusted,
    ask_each,
    check_members,
    own_level,
    tag_of,
)
from curvewise.kernels.pvalues import holm
from curvewise.shuffling.visit import reporting_progress


def test_p_values_keep_their_names() -> None:
    pvalues = {"b": 0.01, "a": 0.04, "c": 0.03}
    assert adjusted(pvalues, "holm") == pytest.approx({"b": 0.03, "a": 0.06, "c": 0.06})
    assert adjusted(pvalues, "bonferroni") == pytest.approx({"b": 0.03, "a": 0.12, "c": 0.09})
    assert list(adjusted(pvalues, "holm")) == ["b", "a", "c"]
    assert adjusted({}, "holm") == {}


def test_holm_against_its_definition() -> None:
    pvalues = np.random.default_rng(0).uniform(size=20)
    order = np.argsort(pvalues)
    expected = np.empty(20)
    for rank, place in enumerate(order):
        expected[place] = min(1, max((20 - r) * pvalues[order[r]] for r in range(rank + 1)))
    np.testing.assert_allclose(holm(pvalues), expected)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2, 0.3])
def test_the_own_level_says_what_the_adjusted_p_says(alpha: float) -> None:
    # Nine times 1/180 is 0.05, but 0.05 · (1/180) / 0.05 is below 1/180 by a rounding error.
    for n_relabellings in (20, 45, 90, 180, 10_000):
        for factor in range(1, 12):
            for count in range(1, 20):
                p = count / n_relabellings
                adjusted_p = min(p * factor, 1.0)
                level = own_level(alpha, p, adjusted_p)
                assert (p <= level) == (adjusted_p <= alpha)
                assert level == pytest.approx(alpha * p / adjusted_p)


def test_every_adjustment_has_a_title_for_a_sentence() -> None:
    assert {name: found.title for name, found in ADJUSTMENTS.items()} == {
        "holm": "Holm's adjustment",
        "bonferroni": "Bonferroni's adjustment",
        "max-t": "adjustment by the largest statistic (max-t)",
        "closed": "closed testing",
        "bh": "the Benjamini-Hochberg adjustment",
    }
    assert set(FAMILYWISE) == set(ADJUSTMENTS) - {"bh", "closed"}
    assert ADJUSTMENTS["max-t"].adjust is ADJUSTMENTS["closed"].adjust is None


def test_a_tag_belongs_to_a_set_of_names() -> None:
    assert tag_of(["a", "b"]) == tag_of("ba") != tag_of(["ab"])
    assert len({tag_of(names) for names in ("ab", "ac", "abc", "a")}) == 4
    assert 0 <= tag_of("ab") < 2**64


@pytest.mark.parametrize("members", [{}, [], None, ["a"], "ab"])
def test_a_family_is_a_mapping_with_members(members: object) -> None:
    with pytest.raises(OptionError) as refused:
        check_members(members, "Curves")
    assert str(refused.value) == ("Give a mapping from names to Curves, with at least one of them.")
    check_members({"a": 1}, "Curves")


def test_each_member_is_asked_and_reported() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        answers = ask_each({"a": 1, "b": 2}, lambda name, member: f"{name}{member}")
    assert answers == {"a": "a1", "b": "b2"}
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("label", "message"), [("", "b: it is wrong."), ("Task", "Task 'b': it is wrong.")]
)
@pytest.mark.parametrize("kind", [CurvesError, OptionError])
def test_an_error_has_the_name_of_its_member(
    kind: type[CurvesError | OptionError], label: str, message: str
) -> None:
    def ask(name: str, member: int) -> int:
        if name == "b":
            msg = "it is wrong."
            raise kind(msg)
        return member

    with pytest.raises(kind) as refused:
        ask_each({"a": 1, "b": 2}, ask, label)
    assert str(refused.value) == message


def test_an_error_keeps_the_option_it_is_about() -> None:
    def ask(_: str, __: int) -> int:
        msg = "n_jobs must be a positive integer."
        raise OptionError(msg, option="n_jobs")

    with pytest.raises(OptionError) as refused:
        ask_each({"a": 1}, ask)
    assert refused.value.option == "n_jobs"


def test_other_errors_pass_through() -> None:
    def ask(_: str, __: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_each({"a": 1}, ask)
