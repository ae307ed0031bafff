"""curvewise pairs: the pairs, and the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import curvewise
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


def test_pairs_and_the_best_are_printed(table: Path, tmp_path: Path) -> None:
    figure = tmp_path / "pairs.pdf"
    result = invoke("pairs", table, "--plot", figure)
    assert result.exit_code == 0, result.output
    curves = curvewise.read(table)
    with naming_flags():
        verdict = curvewise.compare_pairs(curves, rng=0).describe()
        best = curvewise.best(curves, rng=0).describe()
    text = one_line(result.stdout)
    assert text.startswith(one_line(verdict))
    assert one_line(best) in text
    assert figure.read_bytes().startswith(b"%PDF")


def test_json_has_the_pairs_and_the_best(table: Path) -> None:
    record = json_of("pairs", table, "--adjust", "max-t", "--error", "split")
    assert record["best"]["contenders"] == ["C"]
    assert len(record["pairs"]) == 3
    assert record["adjust"] == record["best"]["adjust"] == "max-t"


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--only", "A"], "at least two algorithms"), (["--alpha", "0"], "--alpha must lie")],
)
def test_what_cannot_be_used_is_told(table: Path, options: list[str], message: str) -> None:
    result = invoke("pairs", table, *options)
    assert result.exit_code == 3, result.output
    assert message in one_line(result.stderr)
    assert result.stdout == ""
