"""TD(0) learning tic-tac-toe against a random player: the report's learning curves.

Piater & Cohen (1997), appendix. The report states neither how much the learner explores,
nor its first values, nor who starts; here it explores on one move in fifty, starts from
zero and begins every second game, which gives scores of the published magnitude.

All runs play in lockstep: a move is made on every board at once.
"""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LEARNING_RATES", "STEPS", "learning_curves"]

LEARNING_RATES = {"A1": 0.001, "A2": 0.8, "A3": 0.1}
STEPS = (0, 200, 500, 1_000, 2_000, 3_000, 5_000, 8_000)
EXPLORATION = 0.02
N_TEST_GAMES = 100

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LINES = np.array(
    [
        (0, 1, 2),
        (3, 4, 5),
        (6, 7, 8),
        (0, 3, 6),
        (1, 4, 7),
        (2, 5, 8),
        (0, 4, 8),
        (2, 4, 6),
    ]
)
POWERS = 3 ** np.arange(9)
LEARNER, OPPONENT = 1, 2


def learning_curves(
    learning_rates: Sequence[float],
    rng: np.random.Generator,
    *,
    steps: Sequence[int] = STEPS,
) -> Floats:
    """Train one learner per learning rate, and test it at each step; (runs, steps).

    A score is the sum over 100 greedy games of +1 (won), 0 (drawn) and -1 (lost).
    """
    rates = np.asarray(learning_rates, dtype=np.float64)
    values = np.zeros((len(rates), 3**9))
    curves = np.empty((len(rates), len(steps)))
    n_played = 0
    for place, step in enumerate(steps):
        while n_played < step:
            _train(values, rates, rng, learner_starts=n_played % 2 == 0)
            n_played += 1
        curves[:, place] = _test(values, rng)
    return curves


def _train(
    values: Floats, rates: Floats, rng: np.random.Generator, *, learner_starts: bool
) -> None:
    """Play one game on every board, learning from each of the learner's moves."""
    runs = np.arange(len(rates))
    previous = np.full(len(rates), -1)

    def learn(state: Integers, target: Floats, where: npt.NDArray[np.bool_]) -> None:
        who, old = runs[where], state[where]
        values[who, old] += rates[where] * (target[where] - values[who, old])

    def after_move(state: Integers, playing: npt.NDArray[np.bool_]) -> None:
        learn(previous, values[runs, state], playing & (previous >= 0))
        previous[playing] = state[playing]

    outcome = _play(
        values,
        runs,
        rng,
        EXPLORATION,
        learner_starts=learner_starts,
        after_move=after_move,
    )
    learn(previous, outcome, previous >= 0)


def _test(values: Floats, rng: np.random.Generator) -> Floats:
    """Play greedy games, half of them started by the learner, and add up the outcomes."""
    runs = np.repeat(np.arange(len(values)), N_TEST_GAMES // 2)
    total = np.zeros(len(values))
    for learner_starts in (True, False):
        outcome = _play(values, runs, rng, 0.0, learner_starts=learner_starts)
        total += outcome.reshape(len(values), -1).sum(axis=1)
    return total


def _play(
    values: Floats,
    owner: Integers,
    rng: np.random.Generator,
    exploration: float,
    *,
    learner_starts: bool,
    after_move: object = None,
) -> Floats:
    """Play one game per board; ``owner`` says whose values its learner goes by."""
    n_boards = len(owner)
    boards = np.zeros((n_boards, 9), dtype=np.int64)
    outcome = np.zeros(n_boards)
    playing = np.ones(n_boards, dtype=np.bool_)
    for ply in range(9):
        learners_turn = (ply % 2 == 0) == learner_starts
        free = boards == 0
        # The greatest of random numbers on free squares is a square at random; adding
        # it to equal values breaks their tie at random.
        chance = np.where(free, rng.random((n_boards, 9)), -1.0)
        square = chance.argmax(axis=1)
        if learners_turn:
            state = (boards @ POWERS)[:, None] + LEARNER * POWERS
            worth = np.where(free, values[owner[:, None], state * free], -np.inf)
            best = worth == worth.max(axis=1, keepdims=True)
            greedy = np.where(best, chance, -1.0).argmax(axis=1)
            explores = rng.random(n_boards) < exploration
            square = np.where(explores, square, greedy)
        mark = LEARNER if learners_turn else OPPONENT
        boards[playing, square[playing]] = mark
        if learners_turn and callable(after_move):
            after_move(boards @ POWERS, playing)
        won = playing & (boards[:, LINES] == mark).all(axis=2).any(axis=1)
        outcome[won] = 1.0 if learners_turn else -1.0
        playing &= ~won
        if not playing.any():
            break
    return outcome


def example(seed: int, n_runs: int = 10) -> dict[str, list[list[int]]]:
    """Return the curves of the three learning rates, as stored with the package."""
    rates = [rate for rate in LEARNING_RATES.values() for _ in range(n_runs)]
    curves = learning_curves(rates, np.random.default_rng(seed)).astype(int)
    return {
        name: curves[place * n_runs : (place + 1) * n_runs].tolist()
        for place, name in enumerate(LEARNING_RATES)
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    record: Mapping[str, object] = {
        "about": "TD(0) learning tic-tac-toe; sum of 100 test games after each step",
        "algorithms": {
            name: f"learning rate {rate:g}" for name, rate in LEARNING_RATES.items()
        },
        "made_by": "studies/sources/td_tictactoe.py",
        "seed": arguments.seed,
        "with": f"NumPy {np.__version__}",
        "on": arguments.date,
        "steps": STEPS,
        "scores": example(arguments.seed),
    }
    text = json.dumps(record, indent=1)
    # A run to a line, so that the file can be read and compared by eye.
    print(re.sub(r"\[[-\d,\s]+\]", lambda match: re.sub(r"\s+", " ", match[0]), text))


if __name__ == "__main__":
    _main()
