"""Every question that may be compiled gives the same digits where numba is missing."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import curvewise as cw
from curvewise import Curves, CurvewiseWarning

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.inference.result import Result

pytest.importorskip("numba")


def curves(m: int, n: int, k: int, digits: int = 6) -> Curves:
    rng = np.random.default_rng(1)
    rising = np.linspace(0, 1, k) * rng.uniform(1, 2, (m, n, 1))
    noise = rng.normal(size=(m, n, k)).cumsum(axis=2) / 5
    scores = np.round(rising + noise, digits)
    return Curves.from_dict({f"a{i}": table for i, table in enumerate(scores)}, rows="runs")


def compare_f(some: Curves, *, exact: bool = False, n_shuffles: int = 1) -> Result:
    return cw.compare(some, overall="F", exact=exact, n_shuffles=n_shuffles, rng=0)


# Large enough to be compiled where numba is.
LARGE: dict[str, Callable[[], Result]] = {
    "locate": lambda: cw.locate(curves(2, 6, 100), n_shuffles=4_999, exact=False, rng=0),
    "transfer": lambda: cw.transfer(curves(2, 4, 400), control="a0", experimental="a1", rng=0),
}
LARGER: dict[str, Callable[[], Result]] = {
    "locate, ties": lambda: cw.locate(curves(6, 4, 150, digits=0), rng=0),
    "compare, pairs": lambda: compare_f(curves(2, 10, 9), n_shuffles=3_000_000),
    "compare, parts": lambda: compare_f(curves(2, 30, 9), n_shuffles=1_000_000),
    "compare, draws": lambda: compare_f(curves(3, 10, 9), n_shuffles=2_000_000),
    "compare, all": lambda: compare_f(curves(2, 12, 9), exact=True),
    "power": lambda: cw.estimate_power(
        curves(2, 5, 100), effect=cw.scenario("lift", 0.5), n_runs=(3, 10), rng=0
    ),
}


def ten_digits(result: Result) -> dict[str, Any]:
    """Return a result as data, without what only rounding tells apart."""
    text = json.dumps(result.to_dict())
    record: dict[str, Any] = json.loads(text, parse_float=lambda number: f"{float(number):.10g}")
    return record


def check_digits_without_numba(request: pytest.FixtureRequest, ask: Callable[[], Result]) -> None:
    expected = ten_digits(ask())
    request.getfixturevalue("without_numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CurvewiseWarning)
        found = ten_digits(ask())
    engines = [record.pop("engine", None) for record in (found, expected)]
    assert engines[0] is None or engines[0].startswith("NumPy")
    assert found == expected


@pytest.mark.parametrize("name", LARGE)
def test_digits_are_the_same_without_numba(name: str, request: pytest.FixtureRequest) -> None:
    check_digits_without_numba(request, LARGE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER)
def test_digits_of_large_work_are_the_same_without_numba(
    name: str, request: pytest.FixtureRequest
) -> None:
    check_digits_without_numba(request, LARGER[name])
