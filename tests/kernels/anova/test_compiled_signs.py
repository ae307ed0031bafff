from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_signs import LANES, N_FORMS, count_negative
from curvewise.kernels.compiling import OPTIONS, njit

LENGTH = 64


@njit(**OPTIONS)
def count(rows, others, span, bases, width, counts):  # type: ignore[no-untyped-def]
    return count_negative(rows, others, span, bases, width, counts)  # type: ignore[call-arg]


def tables() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(3)
    rows, others = rng.integers(-(2**31), 2**31, size=(2, N_FORMS, LENGTH))
    # Their sum is small enough, although neither is.
    others = rng.integers(-(2**30), 2**30, size=rows.shape) - rows
    bases = np.array([5, -7, 2**20, -(2**20)])
    return tuple(each.astype(np.int32) for each in (rows, others, bases))


@pytest.mark.parametrize("span", [(0, 1), (16, 32), (16, 63), (3, 49), (32, 33)])
def test_negative_sums_are_counted_whatever_their_number(span: tuple[int, int]) -> None:
    rows, others, bases = tables()
    counts = np.zeros(N_FORMS * LANES, dtype=np.int32)
    sums = rows + others + bases[:, None]
    negative = np.sum(sums[:, slice(*span)] < 0, axis=1)
    for times in (1, 2):
        is_near = count(
            rows.ravel(), others.ravel(), (LENGTH, *span), bases, np.int32(1), counts
        )
        assert not is_near
        of_forms = counts.reshape(N_FORMS, LANES).sum(axis=1)
        assert of_forms.tolist() == (times * negative).tolist()


@pytest.mark.parametrize("form", range(N_FORMS))
@pytest.mark.parametrize(
    ("total", "near"), [(-1, False), (0, True), (8, True), (9, False)]
)
def test_a_sum_near_the_bound_keeps_all_from_being_counted(
    form: int, total: int, near: bool
) -> None:
    rows, others, bases = tables()
    counts = np.zeros(N_FORMS * LANES, dtype=np.int32)
    others[form, 40] = total - bases[form] - rows[form, 40]
    arrays = rows.ravel(), others.ravel()
    found = count(*arrays, (LENGTH, 16, 41), bases, np.int32(9), counts)
    assert found == near
    assert bool(counts.any()) != near
    # Beyond the last place nothing matters.
    assert not count(*arrays, (LENGTH, 16, 40), bases, np.int32(9), counts)
