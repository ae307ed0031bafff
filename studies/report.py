"""The report of a study: claims with verdicts, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Claim", "Picture", "Study", "Table", "Verdict", "judge"]

Verdict = Literal["agrees", "differs", "cannot be known"]


def judge(holds: object) -> Verdict:
    """Return "agrees" if ``holds`` is true, else "differs"."""
    return "agrees" if holds else "differs"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, what the study computed, and whether the two agree.

    Attributes
    ----------
    where : str
        The table, figure or section of the paper.
    claim : str
        The claim, in one sentence.
    published, ours : str
        The published and the computed numbers, as short texts.
    verdict : str
        "agrees", "differs" or "cannot be known".
    note : str
        The rule behind the verdict, free choices, and errors of the paper.
    own : bool
        Whether the study makes the claim, not a paper.
    """

    where: str
    claim: str
    published: str
    ours: str
    verdict: Verdict
    note: str = ""
    own: bool = False


@dataclass(frozen=True)
class Table:
    """A table whose cells are texts; every row is as long as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its caption; ``name`` is the end of its file name."""

    name: str
    caption: str
    figure: Figure = field(repr=False)


@dataclass(frozen=True, eq=False)
class Study:
    """Everything the page shows of one study."""

    name: str
    title: str
    paragraphs: tuple[str, ...]
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]
    seed: int
    quick: bool
    seconds: float
    seconds_before: float = 0.0  # spent earlier on stored results that were used again
