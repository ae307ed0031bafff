from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from curvewise import CurvesError, OptionError
from studies.sources import cross_validation, endgames, grid_worlds, krk, notebook
from studies.sources.c45 import Domain, Tree
from studies.sources.cross_validation import domain, learning_curves, stored_curves
from studies.sources.grid_worlds import WORLDS, Learner
from studies.sources.modifications import CASES, TILT, modified, stretched, tilted
from studies.sources.td_tictactoe import LINES

Integers = npt.NDArray[np.int64]


def test_chess_positions_are_those_of_the_repository() -> None:
    attributes, classes = krk.positions()
    assert attributes.shape == (28_056, 6)
    assert len(np.unique(attributes, axis=0)) == 28_056
    counts = dict(zip(krk.CLASSES, np.bincount(classes).tolist(), strict=True))
    assert counts == {
        "draw": 2796,
        "zero": 27,
        "one": 78,
        "two": 246,
        "three": 81,
        "four": 198,
        "five": 471,
        "six": 592,
        "seven": 683,
        "eight": 1433,
        "nine": 1712,
        "ten": 1985,
        "eleven": 2854,
        "twelve": 3597,
        "thirteen": 4194,
        "fourteen": 4553,
        "fifteen": 2166,
        "sixteen": 390,
    }


@pytest.mark.parametrize(
    ("white_king", "rook", "black_king", "expected"),
    [
        ("c2", "a8", "a1", "zero"),  # mate
        ("c3", "b2", "a1", "draw"),  # stalemate
        ("d1", "h8", "g7", "draw"),  # the rook is taken
        ("c2", "b8", "a1", "one"),  # the king must go to a2, where Ra8 mates
    ],
)
def test_chess_positions_can_be_checked_by_hand(
    white_king: str, rook: str, black_king: str, expected: str
) -> None:
    attributes, classes = krk.positions()
    squares = white_king + rook + black_king
    wanted = ["abcdefgh12345678".index(sign) % 8 for sign in squares]
    (row,) = np.nonzero((attributes == wanted).all(axis=1))[0]
    assert krk.CLASSES[classes[row]] == expected


def test_boards_are_those_of_the_repository() -> None:
    boards, classes = endgames.boards()
    assert boards.shape == (958, 9)
    assert len(np.unique(boards, axis=0)) == 958
    x_won, o_won = (
        (boards[:, LINES] == mark).all(axis=2).any(axis=1)
        for mark in (endgames.CROSS, endgames.NOUGHT)
    )
    assert (x_won.sum(), o_won.sum(), (~x_won & ~o_won).sum()) == (626, 316, 16)
    assert (classes == x_won).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", cross_validation.DOMAINS)
def test_stored_curves_are_those_their_script_makes(name: str) -> None:
    path = cross_validation.DATA / f"{name}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["made_by"] == "studies/sources/cross_validation.py"
    assert record["on"] == "2026-11-15"
    assert record["steps"] == list(cross_validation.STEPS)
    # The first fold and the last of chess, every one of tic-tac-toe.
    folds = [0, 19] if name != "tictactoe" else list(range(20))
    made = learning_curves(domain(name), np.random.default_rng(record["seed"]), folds=folds)
    stored = stored_curves(name)
    assert stored.shape == (20, 20)
    np.testing.assert_array_equal(made, stored[folds])


@pytest.mark.parametrize(
    ("name", "final"), [("chess_numeric", 81), ("chess_nominal", 57), ("tictactoe", 85)]
)
def test_stored_curves_end_where_c45_ends(name: str, final: float) -> None:
    curves = stored_curves(name)
    assert curves[:, -1].mean() == pytest.approx(final, abs=1)
    assert (curves > 0).all()
    assert (curves <= 100).all()


def test_training_samples_are_nested_and_leave_the_fold_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n = 407
    samples: list[Integers] = []
    leaf = np.array([-1]), np.array([-1]), np.array([0]), np.array([0]), np.array([1])

    def learn(_: Domain, rows: Integers) -> Tree:
        samples.append(rows)
        return Tree(*leaf, estimated_errors=0.0)

    monkeypatch.setattr(cross_validation, "learn", learn)
    nothing = np.zeros((n, 1), dtype=np.int64)
    objects = Domain(nothing, nothing[:, 0] + 1, np.array([False]))
    curves = learning_curves(objects, np.random.default_rng(0))
    assert (curves == 100).all()
    assert len(samples) == 400
    tested = []
    for fold in range(20):
        grown = samples[20 * fold : 20 * fold + 20]
        n_training = len(grown[-1])
        assert [len(rows) for rows in grown] == [n_training * i // 20 for i in range(1, 21)]
        assert all((rows == grown[-1][: len(rows)]).all() for rows in grown)
        tested.append(np.setdiff1d(np.arange(n), grown[-1]))
        assert len(tested[-1]) + n_training == n
    assert sorted(np.concatenate(tested)) == list(range(n))
    # Small samples of different folds are different samples.
    assert len(np.intersect1d(samples[0], samples[20])) < len(samples[0]) / 2


def test_the_same_rng_gives_the_same_curves_and_another_gives_others() -> None:
    boards = domain("tictactoe")
    first, again, other = (
        learning_curves(boards, np.random.default_rng(seed), folds=[3, 7]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("function", [domain, stored_curves])
def test_unknown_domains_are_refused(function: object) -> None:
    assert callable(function)
    with pytest.raises(OptionError, match=r"one of \['chess_nominal', .* not 'chess'"):
        function("chess")


CURVE = np.array([10.0, 30.0, 40.0, 60.0, 80.0, 90.0])  # learns 80


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("a", [11, 31, 41, 61, 81, 91]),
        ("b", [12.4, 31.6, 40.8, 59.2, 78.4, 87.6]),
        ("c", [10, 30.2, 40.6, 61.5, 82.8, 94]),
        ("d", [10, 30.8, 41.6, 61.6, 80.8, 90]),
    ],
)
def test_modifications_by_hand(case: str, expected: list[float]) -> None:
    np.testing.assert_allclose(modified([CURVE], case, 1), [expected])


@pytest.mark.parametrize("case", CASES)
def test_modifications_of_many_curves_are_those_of_each(case: str) -> None:
    curves = np.random.default_rng(0).normal(size=(5, 8)).cumsum(axis=1)
    factors = np.arange(11)
    changed = modified(curves, case, factors)
    assert changed.shape == (11, 5, 8)
    np.testing.assert_array_equal(changed[0], curves)
    for index, factor in enumerate(factors):
        each = [modified([curve], case, factor)[0] for curve in curves]
        np.testing.assert_allclose(changed[index], each)


def test_what_each_modification_leaves_alone() -> None:
    curves = stored_curves("chess_numeric")
    means = {case: modified(curves, case, 3.0).mean(axis=1) for case in CASES}
    np.testing.assert_allclose(means["b"], curves.mean(axis=1))
    assert all((means[case] > curves.mean(axis=1)).all() for case in "acd")
    raised = modified(curves, "a", 3.0) - curves
    np.testing.assert_allclose(raised, raised[:, :1].repeat(20, axis=1))
    np.testing.assert_allclose(modified(curves, "c", 3.0)[:, 0], curves[:, 0])
    np.testing.assert_allclose(modified(curves, "d", 3.0)[:, [0, -1]], curves[:, [0, -1]])


def test_modifications_that_mean_nothing_are_refused() -> None:
    with pytest.raises(OptionError, match="'a', 'b', 'c' or 'd', not 'e'"):
        modified([CURVE], "e", 1)
    with pytest.raises(CurvesError, match=r"even number of steps, and there are 5\. Leave out"):
        modified([CURVE[:5]], "b", 1)
    np.testing.assert_allclose(modified([CURVE[:5]], "d", 1) - CURVE[:5], [[0, 0.7, 1.4, 0.7, 0]])


def test_stretching_multiplies_and_tilting_keeps_the_mean() -> None:
    curves = np.arange(16.0).reshape(2, 8)
    np.testing.assert_allclose(stretched(curves, 1.1), 1.1 * curves)
    np.testing.assert_allclose(stretched(curves, [1, 1.2]), np.stack([curves, 1.2 * curves]))
    assert TILT.tolist() == [-7, -5, -3, -1, 1, 3, 5, 7]
    np.testing.assert_allclose(tilted(curves) - curves, [TILT, TILT])
    np.testing.assert_allclose(tilted(curves).mean(axis=1), curves.mean(axis=1))
    # Two sets of ten such curves: the interaction of Table 4, 2 × 10 × Σ(v/2)².
    assert 2 * 10 * ((TILT / 2) ** 2).sum() == 840


def rewards(name: str, learner: Learner, *, transfer: bool) -> npt.NDArray[np.float64]:
    return grid_worlds.learning_curves(
        WORLDS[name], 30, np.random.default_rng(4), transfer=transfer, learner=learner
    )


@pytest.mark.parametrize("name", WORLDS)
def test_grid_worlds_have_an_optimum_that_the_control_finds(name: str) -> None:
    curves = rewards(name, Learner(), transfer=False)
    assert curves.shape == (30, WORLDS[name].n_episodes)
    assert curves.max() == 1
    assert (curves[:, -1] == 1).all()


def test_no_source_episodes_are_no_transfer() -> None:
    from_nothing = Learner(n_source_episodes=0)
    np.testing.assert_array_equal(
        rewards("3x3", from_nothing, transfer=True), rewards("3x3", Learner(), transfer=False)
    )


def test_without_bumps_every_detour_is_even() -> None:
    """Moves that change the cell change its colour, as on a chessboard."""
    curves = rewards("4x4", Learner(bumps=False), transfer=False)
    assert (curves % 2 == 1).all()
    assert (rewards("4x4", Learner(), transfer=False) % 2 == 0).any()


def test_trials_that_keep_their_order_draw_it_once() -> None:
    rng = np.random.default_rng(6)
    learner = Learner(keeps_order=True)
    grid_worlds.learning_curves(WORLDS["3x3"], 5, rng, transfer=True, learner=learner)
    again = np.random.default_rng(6)
    again.random((5, 4))
    assert rng.random() == again.random()


def test_the_notebook_shows_what_its_cells_give() -> None:
    page = Path(__file__).parents[2] / "docs/notebook.ipynb"
    stored = json.loads(page.read_text(encoding="utf-8"))
    again = notebook.executed()
    assert stored["cells"][:-1] == again["cells"][:-1]
    # The report says when it was made, and is as large as its script.
    for told in (stored, again):
        (output,) = told["cells"][-1]["outputs"]
        assert output["data"]["text/html"][0].startswith("<iframe sandbox=")
    assert stored["nbformat"] == again["nbformat"] == 4
