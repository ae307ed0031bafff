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


@pytest.fixture(scope="module", autouse=True)
def _loaded_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what gates need: an inner pytest forgets modules, and NumPy cannot be loaded twice."""
    from curvewise import gate, read

    path = tmp_path_factory.mktemp("loading") / "runs.csv"
    rows = [f"{name},{run},{run + 1}" for name in "AB" for run in range(4)]
    path.write_text("\n".join(["agent,seed,0", *rows]), encoding="utf-8")
    for options in ({}, {"exact": False}, {"unit": "relative"}):
        roles = {"candidate": "A", "baseline": "B", "margin": 0.5}
        gate(read(path), **roles, **options)  # type: ignore[arg-type]


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
    result.stdout.fnmatch_lines(["*Fail: the candidate is worse than the baseline*(margin 1*"])
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
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: gate_undecided must be one of fail, skip; *"])


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
            gate("runs.csv", "runs.csv", names=names, margin=4, task="pong")

        def test_curves_and_path(gate):
            curves = cw.read("runs.csv", task="pong")
            gate(curves, curves, names=names, margin=0.9, unit="relative", alpha=0.1)

        def test_tasks(gate):
            with pytest.raises(cw.CurvesError, match="'qbert'.* as in task='pong'"):
                gate("runs.csv", "runs.csv", names=names, margin=4)

        def test_several_algorithms(gate):
            curves = cw.read("runs.csv", task="pong")
            with pytest.raises(cw.CurvesError, match="as in names={'baseline': 'A'}"):
                gate(curves, curves, margin=4)

        def test_nothing_to_read(gate):
            curves = cw.read("runs.csv", task="pong")
            with pytest.raises(cw.OptionError, match="short says how paths are read"):
                gate(curves, curves, names=names, margin=4, short="drop")

        def test_no_margin(gate):
            with pytest.raises(TypeError, match="margin"):
                gate("runs.csv", "runs.csv")
        """
    )
    run(pytester).assert_outcomes(passed=6)


def test_what_cannot_be_read_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_gate(gate): gate('no.csv', 'no.csv', margin=1)")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *CurvesError: There is no file 'no.csv'. *"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_what_cannot_be_asked_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_gate(gate): gate('a.csv', 'b.csv', margin=1, short='no')")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *OptionError: short must be *"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_answers_do_not_change_from_run_to_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np
        import curvewise as cw

        def test_gate(gate):
            scores = np.sin(np.arange(60.0)).reshape(2, 30, 1)
            sides = [cw.Curves(own, ["x"] * 30) for own in scores]
            sampled = {"exact": False, "n_shuffles": 99, "margin": 2}
            first, again = (gate(*sides, **sampled) for _ in range(2))
            assert first.pvalue_fail == again.pvalue_fail
            assert first.seed == 0
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_plugin_is_light() -> None:
    code = (
        "import sys, curvewise.pytest_plugin\n"
        "heavy = {'numpy', 'scipy', 'polars', 'matplotlib', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    import tomllib
    from pathlib import Path

    root: Path = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["pytest11"]
    assert entries == {"curvewise": "curvewise.pytest_plugin"}
