"""What a study says: claims held against what was computed, tables, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Claim", "Picture", "Sheet", "Study", "Verdict", "judged"]

Verdict = Literal["agrees", "differs", "cannot be known"]


def judged(holds: object) -> Verdict:
    """Return the verdict on a claim that either holds or does not."""
    return "agrees" if holds else "differs"


@dataclass(frozen=True)
class Claim:
    """Something a paper says, what a re-run gives, and whether they agree.

    ``where`` is a table, figure or section of the paper; ``published`` and ``ours`` are short
    texts with the numbers, ``ours`` always computed; ``note`` names free choices and slips.
    A claim is ``own`` if no paper makes it but the study.
    """

    where: str
    claim: str
    published: str
    ours: str
    verdict: Verdict
    note: str = ""
    own: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, with a name for its file and a caption."""

    name: str
    caption: str
    figure: Figure = field(repr=False)


@dataclass(frozen=True, eq=False)
class Study:
    """All of one study, ready for the page."""

    name: str
    title: str
    paragraphs: tuple[str, ...]
    claims: tuple[Claim, ...]
    sheets: tuple[Sheet, ...]
    pictures: tuple[Picture, ...]
    seed: int
    quick: bool
    seconds: float
    seconds_before: float = 0.0  # spent earlier on results that were kept and used again
