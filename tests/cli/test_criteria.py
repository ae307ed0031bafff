"""curvewise criteria: the whole table, or one criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


def test_one_criterion_is_printed_and_drawn(tmp_path: Path) -> None:
    figure = tmp_path / "figure3.png"
    result = invoke("criteria", "--criterion", "Similar", "--plot", figure)
    assert result.exit_code == 0, result.output
    assert "1.046" in result.stdout
    assert "defined" not in result.stdout
    assert figure.stat().st_size > 1_000


def test_all_criteria_in_every_style() -> None:
    record = json_of("criteria")
    assert record["n_verdicts"] == 40
    assert record["verdict"]
    assert "| defined | × |" in invoke("criteria", "--markdown").stdout
    latex = invoke("criteria", "--criterion", "testable", "--latex").stdout
    assert r"\toprule" in latex
    assert "✓" not in latex


def test_an_unknown_criterion_is_refused() -> None:
    result = invoke("criteria", "--criterion", "simlar")
    assert result.exit_code == 3
    assert "did you mean 'similar'?" in one_line(result.stderr)
