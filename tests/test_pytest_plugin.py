"""The fixture ``gate`` of the pytest plug-in."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ("pytester",)

TEST = """
import numpy as np
import curvewise as cw

def curves(moved):
    values = np.arange(6.0)[:, None] + moved
    return cw.Curves(values, ["x"] * 6)

def test_gate(gate):
    found = gate(curves(0), curves({moved}), margin={margin})
    assert found.answer == "pass"
"""


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "curvewise.pytest_plugin", *options)


def test_a_pass_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TEST.format(moved=0, margin=5))
    run(pytester).assert_outcomes(passed=1)


def test_a_fail_fails_with_the_verdict(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TEST.format(moved=-9, margin=1))
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*Fail: the candidate is worse than the baseline*(margin 1*"]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("options", "ini", "outcome"),
    [
        ([], "", "failed"),
        (["--gate-undecided", "skip"], "", "skipped"),
        ([], "skip", "skipped"),
        (["--gate-undecided", "fail"], "skip", "failed"),
    ],
)
def test_undecided_is_as_configured(
    pytester: pytest.Pytester, options: list[str], ini: str, outcome: str
) -> None:
    pytester.makepyfile(TEST.format(moved=0, margin=1))
    if ini:
        pytester.makeini(f"[pytest]\ngate_undecided = {ini}")
    result = run(pytester, "-rs", *options)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines(["*Undecided: the candidate may be up to*"])


def test_an_unknown_setting_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TEST.format(moved=0, margin=1))
    pytester.makeini("[pytest]\ngate_undecided = perhaps")
    result = run(pytester)
    assert "gate_undecided must be one of fail, skip" in result.stdout.str()


def test_paths_names_and_options_are_taken(pytester: pytest.Pytester) -> None:
    rows = [
        f"{name},{run},{step},{run + step},{game}"
        for name in "AB"
        for run in range(5)
        for step in range(3)
        for game in ("pong", "qbert")
    ]
    text = "\n".join(["agent,seed,step,score,game", *rows])
    (pytester.path / "runs.csv").write_text(text, encoding="utf-8")
    pytester.makepyfile(
        """
        import pytest
        import curvewise as cw

        names = {"baseline": "A", "candidate": "B"}

        def test_paths(gate):
            gate("runs.csv", "runs.csv", names=names, margin=4, reading={"task": "pong"})

        def test_curves_and_path(gate):
            curves = cw.read("runs.csv", task="pong")
            gate(curves, curves, names=names, margin=0.9, unit="relative", alpha=0.1)

        def test_tasks(gate):
            with pytest.raises(cw.CurvesError, match="several tasks: 'pong', 'qbert'"):
                gate("runs.csv", "runs.csv", names=names, margin=4)

        def test_no_margin(gate):
            with pytest.raises(TypeError, match="margin"):
                gate(cw.read("runs.csv", task="pong", only=["A"]), "runs.csv")
        """
    )
    run(pytester).assert_outcomes(passed=3, failed=1)


def test_the_plugin_is_light() -> None:
    code = (
        "import sys, curvewise.pytest_plugin\n"
        "heavy = {'numpy', 'scipy', 'polars', 'matplotlib', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    import tomllib
    from pathlib import Path

    root: Path = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["pytest11"]
    assert entries == {"curvewise": "curvewise.pytest_plugin"}
