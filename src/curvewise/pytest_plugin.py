"""A pytest plug-in: the fixture ``gate`` fails a test if a candidate is too much worse.

It is loaded by every run of pytest where curvewise is installed, so nothing is imported here
before the fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from curvewise import Curves, Gate

    Side = str | os.PathLike[str] | Curves

__all__ = ["gate", "pytest_addoption"]

UNDECIDED = ("fail", "skip")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what becomes of a test whose gate is undecided, as an option and to the ini file."""
    text = "what becomes of a test whose gate is undecided: fail (the default) or skip"
    parser.getgroup("curvewise").addoption(
        "--gate-undecided", choices=UNDECIDED, default=None, help=text
    )
    parser.addini("gate_undecided", text, default="fail")


@pytest.fixture
def gate(pytestconfig: pytest.Config) -> Callable[..., Gate]:
    """Return a function that tests a candidate against a baseline, and fails the test on a fail.

    ``gate(baseline, candidate, margin=…)`` takes paths or Curves of one algorithm each, and the
    options of `curvewise.gate`; ``names`` chooses the algorithms where there are several, and
    ``reading`` has options of `curvewise.read`. Returns the Gate where it passes.
    """
    undecided = pytestconfig.getoption("--gate-undecided")
    undecided = undecided or pytestconfig.getini("gate_undecided")
    if undecided not in UNDECIDED:
        msg = (
            f"gate_undecided must be one of {', '.join(UNDECIDED)}; it is {undecided!r}."
        )
        raise pytest.UsageError(msg)

    def check(
        baseline: Side,
        candidate: Side,
        *,
        names: dict[str, str] | None = None,
        reading: dict[str, Any] | None = None,
        **options: Any,
    ) -> Gate:
        __tracebackhide__ = True
        found = _asked(baseline, candidate, names, reading or {}, options)
        if found.answer == "fail":
            pytest.fail(found.describe(), pytrace=False)
        if found.answer == "undecided":
            end = pytest.skip if undecided == "skip" else pytest.fail
            end(found.describe(), **({} if undecided == "skip" else {"pytrace": False}))
        return found

    return check


def _asked(
    baseline: Side,
    candidate: Side,
    names: dict[str, str] | None,
    reading: dict[str, Any],
    options: dict[str, Any],
) -> Gate:
    import curvewise
    from curvewise.data.roles import BASELINE, CANDIDATE, unaligned
    from curvewise.readers.sides import read_sides

    sides = [
        unaligned(own.select(names[role]) if names and role in names else own)
        if isinstance(own, curvewise.Curves)
        else own
        for role, own in ((BASELINE, baseline), (CANDIDATE, candidate))
    ]
    found = read_sides(*sides, names=names, **reading)
    if len(found) > 1:
        tasks = ", ".join(map(repr, found))
        msg = (
            f"There are several tasks: {tasks}. Choose one, as in reading={{'task': …}}."
        )
        raise curvewise.CurvesError(msg)
    (curves,) = found.values()
    return curvewise.gate(curves, candidate=CANDIDATE, baseline=BASELINE, **options)
