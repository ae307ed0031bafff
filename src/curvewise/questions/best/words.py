"""What `best` and `best_many` found, in words a person can quote."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.phrases import one_line
from curvewise.questions.best.bests import Bests
from curvewise.questions.best.many_words import describe_many, headline_of_many
from curvewise.questions.best.result import Best
from curvewise.text import listed, number_text, percent, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["best_line", "describe", "headline"]

MAX_NAMED = 6  # algorithms that a sentence can hold

# What the leader has the best of.
LEADS = {
    "mean": "mean score over training",
    "trimmed": "mean score of its typical run over training",
    "ranks": "mean rank of runs by their score over training",
}


@singledispatch
def describe(result: object) -> str:
    """Say what a result of this folder found."""
    raise TypeError(type(result).__name__)


describe.register(Bests, describe_many)


@describe.register
def _(best: Best) -> str:
    """Say who leads, who can be ruled out as the best, and what that means."""
    if not best.worse:
        return best_line(best)
    highest = "highest" if best.higher_is_better else "lowest"
    what = {"mean": "mean", "trimmed": "trimmed mean", "ranks": "scores"}[best.center]
    return (
        f"{best_line(best)} With {percent(1 - best.alpha)} confidence the algorithm with the "
        f"{highest} true {what} is {_either(best.contenders)}."
    )


def headline(best: Best | Bests) -> str:
    """Say in one line who leads, and how many can be ruled out as the best."""
    if isinstance(best, Bests):
        return headline_of_many(best)
    n_others, n_worse = len(best.rows) - 1, len(best.worse)
    if n_worse == n_others:
        out = {1: "the other", 2: "both others"}.get(n_others, f"all {n_others} others")
        return one_line(
            lambda name: f"{name} leads; {out} can be ruled out as the best.", best.leader
        )
    who = f"{n_worse} of {n_others} others" if n_worse else "none of the others"
    who = "the other cannot" if n_others == 1 else f"{who} can"
    return one_line(
        lambda name: f"{name} leads; {who} be ruled out as the best.", best.leader
    )


def best_line(best: Best) -> str:
    """Say in one line who leads, and who can be ruled out."""
    mean = ""
    if best.quotes_scores:
        leading = next(row.mean for row in best.rows if row.name == best.leader)
        mean = f" ({number_text(leading)})"
    highest = "highest" if best.higher_is_better else "lowest"
    lead = f"{printable(best.leader)} has the {highest} {LEADS[best.center]}{mean}"
    others = [name for name in best.contenders if name != best.leader]
    two = len(best.rows) == 2
    if not others:
        every = "the other" if two else "all others"
        return f"{lead}, and {every} can be ruled out as the best."
    if not best.worse and best.smallest_pvalue > best.alpha:
        every = "the other" if two else "any other"
        return f"{lead}, but with so few runs no data could rule out {every} as the best."
    if not best.worse:
        none = "the other cannot" if two else "none of the others can"
        return f"{lead}, but {none} be ruled out as the best."
    worse = f"{listed(best.worse, MAX_NAMED)} can be ruled out as the best"
    return f"{lead}. {worse}; {listed(others, MAX_NAMED)} cannot."


def _either(names: Sequence[str]) -> str:
    """Return the names as alternatives, of too many only the first."""
    shown = [printable(name) for name in names[:MAX_NAMED]]
    if len(names) > MAX_NAMED:
        return f"one of {listed(names, MAX_NAMED)}"
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
