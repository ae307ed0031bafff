"""Learning curves of TD(0) playing tic-tac-toe against a random opponent.

Piater & Cohen (1997), appendix. The report does not state how much the learner explores, its
initial values, or who begins. Here it explores on one move in fifty, its values start at
zero, and it begins every second game, which gives scores of the published magnitude.

All runs play in lockstep: each move is made on all boards before the next.
"""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.sources.compiling import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LEARNING_RATES", "STEPS", "learning_curves"]

LEARNING_RATES = {"A1": 0.001, "A2": 0.8, "A3": 0.1}
STEPS = (0, 200, 500, 1_000, 2_000, 3_000, 5_000, 8_000)
EXPLORATION = 0.02
N_TEST_GAMES = 100

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

LINES = np.array(
    [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
)
LEARNER, OPPONENT = 1, 2

# The squares of a player are the bits of a number below 512. A state is a number of nine
# ternary digits: 0 for a free square, otherwise the player. `TERNARY` turns bits into digits.
POWERS = 3 ** np.arange(9)
BITS = np.arange(2**9)[:, None] >> np.arange(9) & 1
TERNARY = BITS @ POWERS
WINS = np.any(BITS[:, LINES].all(axis=2), axis=1)


def learning_curves(
    learning_rates: Sequence[float], rng: np.random.Generator, *, steps: Sequence[int] = STEPS
) -> Floats:
    """Train one learner for each learning rate, and test it at each step; (runs, steps).

    A score is the sum over 100 greedy games of +1 (won), 0 (drawn) and -1 (lost).
    """
    rates = np.asarray(learning_rates, dtype=np.float64)
    values = np.zeros((len(rates), 3**9))
    curves = np.empty((len(rates), len(steps)))
    n_played = 0
    for index, step in enumerate(steps):
        while n_played < step:
            _train(values, rates, rng, learner_starts=n_played % 2 == 0)
            n_played += 1
        curves[:, index] = _test(values, rng)
    return curves


def _train(
    values: Floats, rates: Floats, rng: np.random.Generator, *, learner_starts: bool
) -> None:
    """Play one game per run, with learning after each move of the learner."""
    runs = np.arange(len(rates))
    last, outcome = _play(values, runs, rates, rng, EXPLORATION, learner_starts=learner_starts)
    values[runs, last] += rates * (outcome - values[runs, last])


def _test(values: Floats, rng: np.random.Generator) -> Floats:
    """Return the sums of the outcomes of greedy games; the learner begins half of them."""
    runs = np.repeat(np.arange(len(values)), N_TEST_GAMES // 2)
    total = np.zeros(len(values))
    for learner_starts in (True, False):
        _, outcome = _play(
            values, runs, np.zeros(len(runs)), rng, 0.0, learner_starts=learner_starts
        )
        total += outcome.reshape(len(values), -1).sum(axis=1)
    return total


def _play(
    values: Floats,
    owner: Integers,
    rates: Floats,
    rng: np.random.Generator,
    exploration: float,
    *,
    learner_starts: bool,
) -> tuple[Integers, Floats]:
    """Play one game per board; return the last state of the learner, and the outcome.

    ``owner`` is the run whose values the learner on a board uses.
    """
    n_boards = len(owner)
    taken = np.zeros((n_boards, 3), dtype=np.int64)
    last = np.full(n_boards, -1)
    outcome = np.zeros(n_boards)
    playing = np.ones(n_boards, dtype=np.bool_)
    for ply in range(9):
        # The free square with the largest random number is a random square; the same
        # numbers break ties between squares of equal value.
        chance = rng.random((n_boards, 9))
        if (ply % 2 == 0) == learner_starts:
            explores = rng.random(n_boards) < exploration
            _learners_move(taken, playing, chance, explores, values, owner, rates, last)
            mark, result = LEARNER, 1.0
        else:
            _opponents_move(taken, playing, chance)
            mark, result = OPPONENT, -1.0
        won = playing & WINS[taken[:, mark]]
        outcome[won] = result
        playing &= ~won
        if not playing.any():
            break
    return last, outcome


@compiled
def _learners_move(
    taken: Integers,
    playing: Booleans,
    chance: Floats,
    explores: Booleans,
    values: Floats,
    owner: Integers,
    rates: Floats,
    last: Integers,
) -> None:
    """Move to a state of the greatest value, or explore; update the value of the last state."""
    for board in range(len(taken)):
        if not playing[board]:
            continue
        own_values, rate = values[owner[board]], rates[board]
        own, others = taken[board, LEARNER], taken[board, OPPONENT]
        here = LEARNER * TERNARY[own] + OPPONENT * TERNARY[others]
        chosen, best_value, best_draw = 0, -np.inf, -1.0
        for square in range(9):
            if (own | others) >> square & 1:
                continue
            value = 0.0 if explores[board] else own_values[here + LEARNER * POWERS[square]]
            draw = chance[board, square]
            if value > best_value or (value == best_value and draw > best_draw):
                chosen, best_value, best_draw = square, value, draw
        taken[board, LEARNER] |= 1 << chosen
        state = here + LEARNER * POWERS[chosen]
        if last[board] >= 0 and rate:
            own_values[last[board]] += rate * (own_values[state] - own_values[last[board]])
        last[board] = state


@compiled
def _opponents_move(taken: Integers, playing: Booleans, chance: Floats) -> None:
    """Move to a random free square."""
    for board in range(len(taken)):
        if not playing[board]:
            continue
        occupied = taken[board, LEARNER] | taken[board, OPPONENT]
        chosen, best_draw = 0, -1.0
        for square in range(9):
            draw = -1.0 if occupied >> square & 1 else chance[board, square]
            chosen = square if draw > best_draw else chosen
            best_draw = max(draw, best_draw)
        taken[board, OPPONENT] |= 1 << chosen


def example(seed: int, n_runs: int = 10) -> dict[str, list[list[int]]]:
    """Return the curves of the three learning rates, as stored with the package."""
    rates = [rate for rate in LEARNING_RATES.values() for _ in range(n_runs)]
    curves = learning_curves(rates, np.random.default_rng(seed)).astype(int)
    return {
        name: curves[index * n_runs : (index + 1) * n_runs].tolist()
        for index, name in enumerate(LEARNING_RATES)
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    record: Mapping[str, object] = {
        "about": "TD(0) learning tic-tac-toe; sum of 100 test games after each step",
        "algorithms": {name: f"learning rate {rate:g}" for name, rate in LEARNING_RATES.items()},
        "made_by": "studies/sources/td_tictactoe.py",
        "seed": arguments.seed,
        "with": f"NumPy {np.__version__}",
        "on": arguments.date,
        "steps": STEPS,
        "scores": example(arguments.seed),
    }
    text = json.dumps(record, indent=1)
    # One run per line keeps the file readable.
    print(re.sub(r"\[[-\d,\s]+\]", lambda match: re.sub(r"\s+", " ", match[0]), text))


if __name__ == "__main__":
    _main()
