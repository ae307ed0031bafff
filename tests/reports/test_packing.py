"""Arrays as text, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from curvewise.reports.payload import counts_of, packed, packed_json, packed_numbers
from tests.reports.unpacking import unpacked, unpacked_json, unpacked_numbers

SHAPES = st.tuples(st.integers(0, 5), st.integers(0, 30))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hnp.arrays(np.int64, SHAPES, elements=st.integers(1 - 2**31, 2**31 - 1)))
def test_whole_numbers_come_back(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> None:
    record = packed(values)
    assert record["width"] == (2 if np.abs(values).max(initial=0) < 2**15 else 4)
    np.testing.assert_array_equal(unpacked(record), values)


def test_what_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not fit in 2 bytes"):
        packed(np.array([[2**15]]), 2)
    with pytest.raises(ValueError, match="does not fit in 4 bytes"):
        packed(np.array([[2**31]]))


@pytest.mark.parametrize("width", [2, 4])
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=hnp.arrays(np.float64, (3, 7), elements=st.floats(-1e140, 1e140)))
def test_numbers_come_back_to_a_small_share_of_their_range(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], width: int
) -> None:
    found = unpacked_numbers(packed_numbers(values, width))
    share = 0.51 / (2 ** (8 * width - 1) - 1)
    rounding = 4e-16 * np.abs(values).max()
    assert np.abs(found - values).max() <= share * np.ptp(values) + rounding + 1e-300


def test_smooth_rows_take_little_room() -> None:
    smooth = np.arange(10_000)[None, :]
    assert len(packed(smooth)["base64"]) < 200
    assert packed(smooth)["differences"]


def test_counts_are_those_of_the_p_values_and_of_no_others() -> None:
    counts = np.arange(1, 10_001)
    np.testing.assert_array_equal(counts_of(counts / 10_000, 10_000), counts)
    with pytest.raises(ValueError, match="no shares of 7 relabellings"):
        counts_of(np.array([0.1]), 7)


def test_json_comes_back() -> None:
    value = {"name": "é </script>", "list": [1, 2.5, None]}
    assert unpacked_json(packed_json(value)) == value
    assert "<" not in packed_json(value)["base64"]
