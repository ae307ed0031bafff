from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numba

from curvewise.kernels.compiling import OPTIONS, njit

if TYPE_CHECKING:
    import pytest


def half(value: float) -> float:
    return value / 2


def test_compiled_code_that_cannot_be_kept_is_compiled_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A read-only home and package folder cost compiling again, and nothing else."""
    compile_without_cache = numba.njit
    asked = []

    def no_place_for_a_cache(*args: Any, cache: bool = False, **options: Any) -> Any:
        asked.append(cache)
        if cache:
            msg = "cannot cache function: no locator available"
            raise RuntimeError(msg)
        return compile_without_cache(*args, **options)

    monkeypatch.setattr(numba, "njit", no_place_for_a_cache)
    assert njit(**OPTIONS)(half)(3.0) == 1.5
    # Numba compiles functions of its own besides.
    assert asked[:2] == [True, False]


def test_division_by_zero_is_infinite_as_in_numpy() -> None:
    inverse = numba.njit(**OPTIONS)(lambda value: 1.0 / value)
    assert inverse(0.0) == math.inf
