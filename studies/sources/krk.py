"""King and rook against king: all positions with Black to move, and White's moves to mate.

The domain of Bain (1994), "krkopt" of the UCI repository, on which Piater, Cohen, Zhang &
Atighetchi (1998) ran C4.5. It is generated here by retrograde analysis: working backwards
from the mates, White to move wins if some move leads to a position lost for Black, and Black
to move has lost if every move leads to a position won for White.

Of positions that are equal by symmetry of the board one is kept: the white king stands in
the triangle a1-d1-d4; if it is on the diagonal a1-h8, the black king is on or below that
diagonal; if both kings are on it, so is the rook. Black may be in check; a position is drawn
if Black is stalemated or can take the rook. Positions are sorted by their attributes; the
repository sorts them by class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["CLASSES", "positions"]

CLASSES = (
    *("draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
)

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

FILE, RANK = np.divmod(np.arange(64), 8)
OFF_BOARD = 64


def positions() -> tuple[Integers, Integers]:
    """Return the attributes (0 for file a and for rank 1) and classes of all positions."""
    board = _board()
    moves = _moves_to_mate(board)
    white, rook, black = np.nonzero(board.legal & _canonical())
    attributes = np.stack(
        [FILE[white], RANK[white], FILE[rook], RANK[rook], FILE[black], RANK[black]], axis=1
    )
    return attributes, moves[white, rook, black] + 1


class _Board(NamedTuple):
    """Properties of each position, indexed by white king, rook and black king."""

    legal: Booleans  # with Black to move
    check: Booleans
    takes: Booleans  # Black can take the rook
    escapes: Booleans  # with a last axis for the eight moves of the black king
    hidden: Booleans  # a piece on the first square stands between the other two


def _board() -> _Board:
    adjacent = np.maximum(*(abs(line[:, None] - line) for line in (FILE, RANK))) <= 1
    distinct = ~np.eye(64, dtype=np.bool_)
    aligned = distinct & ((FILE[:, None] == FILE) | (RANK[:, None] == RANK))
    hidden = _between(FILE, RANK) | _between(RANK, FILE)
    legal = distinct[:, :, None] & distinct[None] & ~adjacent[:, None, :]
    check = aligned[None] & ~hidden
    takes = (adjacent & distinct)[None] & ~adjacent[:, :, None]
    escapes = _pad_off_board(legal & ~check)[:OFF_BOARD, :, _king_moves()]
    return _Board(legal, check, takes, escapes, hidden)


def _between(same: Integers, other: Integers) -> Booleans:
    """Return where the first of three squares lies between the others on one line."""
    aligned = (same[:, None, None] == same[:, None]) & (same[:, None] == same)
    before, after = other[:, None, None] - other[:, None], other[:, None, None] - other
    return aligned & (before * after < 0)


def _king_moves() -> Integers:
    """Return the squares a king can move to from each square; (64, 8)."""
    steps = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j])
    file, rank = FILE[:, None] + steps[:, 0], RANK[:, None] + steps[:, 1]
    inside = (file >= 0) & (file < 8) & (rank >= 0) & (rank < 8)
    return np.where(inside, 8 * file + rank, OFF_BOARD)


def _rook_moves() -> Integers:
    """Return the squares a rook can move to on an empty board; (64, 14)."""
    aligned = (FILE[:, None] == FILE) != (RANK[:, None] == RANK)
    return np.nonzero(aligned)[1].reshape(64, 14)


def _pad_off_board(holds: Booleans) -> Booleans:
    """Append an off-board square for both kings, where nothing holds."""
    return np.pad(holds, ((0, 1), (0, 0), (0, 1)))


def _moves_to_mate(board: _Board) -> Integers:
    """Return White's moves to mate with Black to move, -1 for a draw."""
    king_moves, rook_moves = _king_moves(), _rook_moves()
    squares = np.arange(64)
    # Whether a king on the first square leaves a move of the rook free; (64, 64, 14).
    free = ~board.hidden[:, squares[:, None], rook_moves]
    moves = np.full(board.legal.shape, -1)
    can_move = board.escapes.any(axis=3)
    lost = board.legal & board.check & ~can_move & ~board.takes
    depth = 0
    while (new := lost & (moves < 0)).any():
        moves[new] = depth
        depth += 1
        by_king = _pad_off_board(lost)[king_moves, :, :OFF_BOARD].any(axis=1)
        by_rook = np.zeros_like(lost)
        for way in range(rook_moves.shape[1]):
            open_way = free[:, None, :, way] & free[None, :, :, way]
            by_rook |= open_way.transpose(0, 2, 1) & lost[:, rook_moves[:, way]]
        won = _pad_off_board(by_king | by_rook)[:OFF_BOARD, :, king_moves]
        forced = can_move & ~board.takes & ~(board.escapes & ~won).any(axis=3)
        lost = lost | (board.legal & forced)
    return moves


def _canonical() -> Booleans:
    """Return which of the positions that are equal by symmetry are kept."""
    below, on_diagonal = RANK <= FILE, RANK == FILE
    white, rook, black = np.ix_(*[np.arange(64)] * 3)
    triangle = below[white] & (FILE[white] < 4)
    by_king = ~on_diagonal[white] | below[black]
    by_rook = ~on_diagonal[white] | ~on_diagonal[black] | below[rook]
    return triangle & by_king & by_rook
