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
    Names = dict[str, str] | None


UNDECIDED = ("fail", "skip")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what becomes of a test whose gate is undecided, as an option and to the ini file."""
    text = "what becomes of a test whose gate is undecided: fail (the default) or skip"
    parser.getgroup("curvewise").addoption(
        "--gate-undecided", choices=UNDECIDED, default=None, help=text
    )
    parser.addini("gate_undecided", text, default="fail")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an unknown word in the ini file."""
    undecided = config.getini("gate_undecided")
    if undecided not in UNDECIDED:
        msg = f"gate_undecided must be one of {', '.join(UNDECIDED)}; it is {undecided!r}."
        raise pytest.UsageError(msg)


@pytest.fixture
def gate(pytestconfig: pytest.Config) -> Callable[..., Gate]:
    """Return a function that tests a candidate against a baseline, and fails the test on a fail.

    ``gate(baseline, candidate, margin=…)`` takes paths or Curves of one algorithm each, the
    options of `curvewise.gate` (with ``rng=0``, so that a test gives the same answer again), and
    of paths those of `curvewise.read`; ``names={"baseline": …, "candidate": …}`` chooses the
    algorithms where there are several. Returns the Gate where it passes.
    """
    undecided = pytestconfig.getoption("--gate-undecided")
    undecided = undecided or pytestconfig.getini("gate_undecided")

    def check(
        baseline: Side, candidate: Side, *, margin: float, names: Names = None, **options: Any
    ) -> Gate:
        __tracebackhide__ = True
        from curvewise import CurvewiseError

        asked = {"rng": 0, **options, "margin": margin}
        try:
            found = _asked(baseline, candidate, names, asked)
        except CurvewiseError as error:
            # The sentence says it all: how the reader came to it is nobody's concern.
            raise error.with_traceback(None) from None
        if found.answer == "undecided" and undecided == "skip":
            pytest.skip(found.describe())
        if found.answer != "pass":
            pytest.fail(found.describe(), pytrace=False)
        return found

    return check


def _asked(baseline: Side, candidate: Side, names: Names, options: dict[str, Any]) -> Gate:
    import curvewise
    from curvewise.data.tasks import BASELINE, CANDIDATE, unaligned
    from curvewise.readers import Options, read_sides

    of_paths = {"task", *Options.__annotations__}
    reading = {name: options.pop(name) for name in of_paths & set(options)}
    if reading and all(isinstance(own, curvewise.Curves) for own in (baseline, candidate)):
        msg = f"{min(reading)} says how paths are read, and both sides are Curves. Leave it out."
        raise curvewise.OptionError(msg, option=min(reading))
    sides = [
        unaligned(own.select(names[role]) if names and role in names else own)
        if isinstance(own, curvewise.Curves)
        else own
        for role, own in ((BASELINE, baseline), (CANDIDATE, candidate))
    ]
    found = read_sides(*sides, names=names, **reading)
    if len(found) > 1:
        tasks = ", ".join(map(repr, found))
        msg = f"There are several tasks: {tasks}. Choose one, as in task={next(iter(found))!r}."
        raise curvewise.CurvesError(msg)
    (curves,) = found.values()
    return curvewise.gate(curves, candidate=CANDIDATE, baseline=BASELINE, **options)
