"""All boards on which a game of tic-tac-toe can end if x begins.

The domain of Aha (1991) in the UCI repository, on which Piater, Cohen, Zhang & Atighetchi
(1998) ran C4.5. It is generated here: all games are played at once, move by move, without
duplicate boards. A board is positive if x has won. Boards are sorted by the number of moves,
then by their squares; the repository sorts them by class.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studies.sources.td_tictactoe import LINES

__all__ = ["BLANK", "CROSS", "NOUGHT", "boards"]

BLANK, CROSS, NOUGHT = 0, 1, 2

Integers = npt.NDArray[np.int64]


def boards() -> tuple[Integers, Integers]:
    """Return the nine squares of all 958 final boards, and whether x has won (1) or not."""
    playing = np.full((1, 9), BLANK)
    over, classes = [], []
    for move in range(9):
        mark = CROSS if move % 2 == 0 else NOUGHT
        board, square = np.nonzero(playing == BLANK)
        after = playing[board]
        after[np.arange(len(after)), square] = mark
        after = np.unique(after, axis=0)
        won = (after[:, LINES] == mark).all(axis=2).any(axis=1)
        ended = won | (after != BLANK).all(axis=1)
        over.append(after[ended])
        classes.append((won[ended] & (mark == CROSS)).astype(np.int64))
        playing = after[~ended]
    return np.concatenate(over), np.concatenate(classes)
