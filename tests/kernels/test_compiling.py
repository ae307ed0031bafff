from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import pytest

from curvewise import CurvewiseWarning
from curvewise.kernels.compiling import OPTIONS, compiler_is_loaded, njit, worth_compiling

numba = pytest.importorskip("numba")


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


def test_large_work_is_worth_compiling_where_numba_is() -> None:
    assert worth_compiling(True)
    assert not worth_compiling(False)
    assert compiler_is_loaded()


@pytest.mark.usefixtures("without_numba")
def test_a_missing_numba_is_said_once_and_only_to_large_work() -> None:
    assert not compiler_is_loaded()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not worth_compiling(False)
    with pytest.warns(CurvewiseWarning, match="is not installed") as said:
        found = worth_compiling(True), worth_compiling(True)
    assert found == (False, False)
    assert len(said) == 1
    assert 'pip install "curvewise[fast]"' in str(said[0].message)


class Unfit:
    """Finds a numba that refuses this NumPy, as numba itself does."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "numba":
            msg = "Numba needs NumPy 2.2 or less. Got NumPy 2.9."
            raise ImportError(msg)


def test_a_numba_that_cannot_be_imported_is_one_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, without_numba: None
) -> None:
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setattr(sys, "meta_path", [Unfit(), *sys.meta_path])
    with pytest.warns(CurvewiseWarning, match=r"cannot be used \(Numba needs NumPy 2.2"):
        assert not worth_compiling(True)
