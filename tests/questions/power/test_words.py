from __future__ import annotations

from dataclasses import replace

import numpy as np

import curvewise as cw
from tests.questions.power.test_result import found


def test_the_paragraph() -> None:
    text = found(n_runs=(5, 10)).describe()
    assert text.startswith("Chance to find a lift of 1 (α = 0.05): at all ")
    assert "with 5 runs of each" in text
    assert "In height " in text
    assert "It leaves shape as it is, and what is found there is a false alarm." in text
    assert "In brackets: the 90% range, since 5 pilots say little about the spread." in text
    assert "With fewer than 4 runs nothing could be significant." in text
    assert "mean curve of A; gaussian noise of 5 pilots" in text
    assert "Height and shape count where compare() would claim them" in text


def test_what_is_claimed_stands_before_the_test_alone() -> None:
    power = found(n_runs=(6,), effect=cw.scenario("lift", 1.5), n_experiments=400)
    claimed = power.algorithm.claimed
    assert claimed is not None
    shares = claimed.power[0, 0], power.algorithm.power[0, 0]
    assert shares[0] < shares[1]
    low, high = claimed.range[0, 0]
    assert (
        f"In height {shares[0]:.0%} ({low:.0%} to {high:.0%}) with 6 (by its test alone "
        f"{shares[1]:.0%})."
    ) in power.describe()


def test_percentages_are_rounded_as_in_the_table() -> None:
    # 0.385 is 38% to one way of rounding, and 0.39 to another.
    power = found(n_runs=(5,))
    assert power.algorithm.claimed is not None
    claimed = replace(power.algorithm.claimed, power=np.array([[0.385]]))
    rounded = replace(power, algorithm=replace(power.algorithm, claimed=claimed))
    assert "In height 39% " in rounded.describe()
    assert rounded.table().rows[0][2].startswith("0.39 ")


def test_brackets_are_explained_where_there_are_any() -> None:
    few = found(n_runs=(2, 3)).describe()
    assert "at all 0% with 2 runs of each and 0% with 3." in few
    assert "In brackets" not in few
    assert "nothing to simulate" in few


def test_of_many_numbers_the_first_the_last_and_the_first_that_is_enough() -> None:
    text = found(n_runs=range(4, 14), effect=cw.scenario("lift", 2)).describe()
    height, _, alone = text.partition("In height ")[2].partition(".")[0].partition(" (by its")
    assert alone.count("%") == 3
    assert height.count("with") == 3
    assert "with 4, " in height
    assert height.endswith("with 13")


def test_what_else_was_assumed_is_said() -> None:
    assumed = found(noise=cw.noise(sd=2), ratio=2, n_algorithms=3, sizes=(1, 2)).describe()
    assert "assumed noise with a standard deviation of 2" in assumed
    assert "2 runs of the first for each of another" in assumed
    assert "3 algorithms" in assumed
    assert "with 3 runs of each other algorithm" in assumed
    assert "a lift of 2 (α" in assumed
    assert "The table has the other sizes." in assumed
    assert "In brackets" not in assumed
    unit = found(effect=cw.scenario("lift", 2, unit="sd")).describe()
    assert "a lift of 2 standard deviations of curve means (that is " in unit
