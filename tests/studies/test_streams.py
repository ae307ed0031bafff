from __future__ import annotations

import itertools

import numpy as np

from studies.streams import stream


def test_no_two_streams_are_the_same() -> None:
    """NumPy drops zeros at the end of a seed, so that [7, 0] is 7."""
    places = [(), *itertools.product(range(3)), *itertools.product(range(3), range(3))]
    firsts = {
        stream(seed, purpose, *place).integers(2**63)
        for seed in (0, 1, 7)
        for purpose in ("a: b", "a: c")
        for place in places
    }
    plain = {np.random.default_rng(seed).integers(2**63) for seed in (0, 1, 7)}
    assert len(firsts | plain) == 3 * 2 * len(places) + 3


def test_a_stream_is_the_same_again() -> None:
    assert stream(7, "a: b", 0).random() == stream(7, "a: b", 0).random()
