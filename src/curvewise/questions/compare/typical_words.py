"""What `compare` says of typical runs, where height is not the mean of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from curvewise.inference.effects import Center

__all__ = ["HEIGHTS", "METHODS", "Subjects", "subjects"]

# What height is, said where it is first named.
HEIGHTS: dict[Center, str] = {
    "mean": "in height, the mean score over training",
    "trimmed": "in height, the typical run's mean score over training",
    "ranks": "in height, how high runs rank by their mean score over training",
}
METHODS: dict[Center, str] = {
    "trimmed": "height of the typical run (a fifth of the runs cut off at either end)",
    "ranks": "height by ranks of runs",
}


class Subjects(NamedTuple):
    """Who scores more than whom, and the sentence if neither does."""

    one_scores: str
    other: str
    score_the_same: str


def subjects(a: str, b: str, center: Center) -> Subjects:
    """Return the words around a difference of two algorithms.

    >>> subjects("A", "B", "trimmed").one_scores
    'the typical run of A scores'
    """
    if center == "trimmed":
        return Subjects(
            f"the typical run of {a} scores",
            f"that of {b}",
            f"the typical runs of {a} and {b} score the same",
        )
    if center == "ranks":
        return Subjects(
            f"a run of {a} typically scores",
            f"a run of {b}",
            f"runs of {a} and {b} typically score the same",
        )
    return Subjects(f"{a} scores", b, f"{a} and {b} score the same")
