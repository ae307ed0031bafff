"""What is warned of once where several results are shown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from curvewise.inference.caveats import DifferentSpread, OfMembers, SilentTasks, StrayRuns
from curvewise.inference.result import warnings_of
from curvewise.questions.best.result import SpreadsOnTasks
from curvewise.questions.tasks.result import SpreadsDiffer, StraysOnTasks

if TYPE_CHECKING:
    from curvewise.inference.caveats import Caveat

SPREAD = DifferentSpread("A", "B", 3.0, "curve means", (5, 5))
STRAY = StrayRuns(("A",), (1,))


def of(*caveats: Caveat) -> SimpleNamespace:
    return SimpleNamespace(caveats=caveats, warnings=("not read",))


def test_what_an_earlier_result_says_of_the_same_tasks_is_left_out() -> None:
    first = SpreadsDiffer(("pong", "qbert"), 8)
    strays = StraysOnTasks(("pong",), 8)
    others = (
        SpreadsOnTasks(("qbert", "pong"), 8, "pong", SPREAD),
        OfMembers(("pong",), SPREAD),
        OfMembers(("pong",), STRAY),
    )
    assert warnings_of([of(first, strays), of(*others)]) == (first.sentence(), strays.sentence())


def test_what_is_about_other_tasks_or_something_else_is_said() -> None:
    first = SpreadsDiffer(("pong",), 8)
    more = SpreadsOnTasks(("pong", "qbert"), 8, "qbert", SPREAD)
    other = OfMembers(("pong",), STRAY)
    silent = SilentTasks(("pong",), 8)
    shown = [of(first, silent), of(more, other, silent)]
    expected = tuple(own.sentence() for own in (first, silent, more, other))
    assert warnings_of(shown) == expected


def test_one_table_and_one_result_say_all_they_have_to() -> None:
    # Two algorithms of one table may vary more than others, each in its own way.
    wider = DifferentSpread("C", "D", 9.0, "curve means", (5, 5))
    assert warnings_of([of(SPREAD), of(wider)]) == (SPREAD.sentence(), wider.sentence())
    several = (OfMembers(("pong",), SPREAD), OfMembers(("pong",), wider))
    assert len(warnings_of([of(*several)])) == 2
    listing = SimpleNamespace(warnings=("a file is empty",))
    assert warnings_of([listing, listing]) == ("a file is empty",)
