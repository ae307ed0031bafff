"""The paragraphs at the top of this study, and text that its claims share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.gorski2009.published import METRICS
from studies.gorski2009.readings import KINDS, PLAIN_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from studies.gorski2009.findings import Findings
    from studies.gorski2009.published import Row

__all__ = ["SIGNS", "changes", "join_words", "paragraphs", "row_text", "windows"]

SIGNS = {True: "✓", False: "×"}


def paragraphs(found: Findings) -> tuple[str, ...]:
    """Return the subject, the choices that the text leaves open, and the readings tried."""
    subject = (
        "Learners in a 4x4 and a 3x3 grid world start from nothing (control) or from what "
        "they learned with the goal in another cell (transfer), and four metrics say how "
        "much that helped: the transfer ratio (TR), transfer regret (R), the calibrated "
        "transfer ratio (CTR) and the average relative reduction (ARR). The report's point: "
        "the last two may be compared between the worlds, the first two may not. It then "
        "asks ten things of such a metric and judges the four by them."
    )
    choices = (
        "Its text leaves open how many episodes the source task has, what a move into the "
        "wall does, how ties are broken, when the next move is chosen and whether rewards "
        "are discounted; how many episodes are compared; what is added to the rewards for "
        "the transfer ratio, and between which scores the box of transfer regret lies. The "
        "plain reading: 100 source episodes, a bump stays and costs 1, ties at random, SARSA "
        f"without discount, {windows()}, the lowest mean lifted to 0, the box around "
        "the mean curves, trials counted from 1."
    )
    tried = (
        f"{len(found.readings)} readings are measured, the plain one and others with one "
        f"choice changed, in one case two: the plain one with {found.n_plain:,} trials of "
        f"each condition, other learners with {found.n_others:,}. What a reading changes: "
        + "; ".join(f"{kind}, {changed}" for kind, changed in KINDS.items())
        + ". The window that ends where both curves have levelled off is the usual one by "
        "section 2.5 of the report."
    )
    return subject, choices, tried


def windows() -> str:
    """Return the lengths of the plain windows, as text."""
    return f"{PLAIN_WINDOW[0]} and {PLAIN_WINDOW[1]} episodes"


def join_words(words: Iterable[str]) -> str:
    """Join words with commas and a final "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def row_text(row: Row) -> str:
    """Return the four metrics of a row with their names, as text."""
    return ", ".join(f"{title} {row[metric]:.4f}" for metric, title in METRICS.items())


def changes(rows: Mapping[str, Row], metrics: Sequence[str] = tuple(METRICS)) -> str:
    """Return the change of metrics from the 4x4 to the 3x3 world, as text."""
    return "; ".join(
        f"{METRICS[metric]} {rows['4x4'][metric]:.4f} → {rows['3x3'][metric]:.4f}"
        for metric in metrics
    )
