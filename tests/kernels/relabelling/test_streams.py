from __future__ import annotations

import numpy as np
from scipy import stats

from curvewise.kernels.relabel import random_words, stream_key, unit_interval


def test_words_are_those_of_splitmix64() -> None:
    """The first five for the seed 1234567, as Rosetta Code lists them (Splitmix64)."""
    assert random_words(np.uint64(1234567), 0, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_words_can_be_had_in_any_portions() -> None:
    key = stream_key(3, 5)
    whole = random_words(key, 0, 100)
    parts = [random_words(key, 0, 30), random_words(key, 30, 69), random_words(key, 99, 1)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_every_seed_and_batch_has_a_key_of_its_own() -> None:
    keys = {int(stream_key(seed, batch)) for seed in range(50) for batch in range(50)}
    assert len(keys) == 2_500
    assert stream_key(2**64 - 1, 2**40) == stream_key(2**64 - 1, 2**40)


def test_numbers_are_uniform_from_0_up_to_1() -> None:
    numbers = unit_interval(random_words(stream_key(0, 0), 0, 20_000))
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    largest = np.array([2**64 - 1], dtype=np.uint64)
    assert unit_interval(largest)[0] == 1 - 2.0**-53
    assert unit_interval(np.zeros(1, dtype=np.uint64))[0] == 0
