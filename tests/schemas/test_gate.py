"""The JSON of gate, whatever the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import invoke, strict_json
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--shuffles", "99", "--json")


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (["--baseline", "A", "--candidate", "C", "--margin", "0.5"], "pass"),
        (["--baseline", "C", "--candidate", "A", "--margin", "0.01"], "fail"),
        (["--baseline", "A", "--candidate", "B", "--margin", "0", "--block", "seed"], ""),
        (["--baseline", "A", "--candidate", "C", "--margin", "2", "--unit", "sd"], ""),
        (["--baseline", "A", "--candidate", "C", "--margin", "1", "--center", "ranks"], ""),
        (["--baseline", "A", "--candidate", "C", "--margin", "1.2", "--on", "reach:1"], ""),
        (["--baseline", "A", "--candidate", "C", "--margin", "1", "--on", "every-step"], ""),
        (["--baseline", "A", "--candidate", "C", "--margin", "9", "--two-sided"], "pass"),
    ],
)
def test_one_gate(pong: Path, options: list[str], answer: str) -> None:
    result = invoke("gate", pong, *FEW, *options)
    record = strict_json(result.stdout)
    assert record["answer"] == (answer or record["answer"])
    assert result.exit_code == {"pass": 0, "fail": 1, "undecided": 4}[record["answer"]]
    assert_tight("gate", record)


@pytest.mark.parametrize("order", [[], ["--order", "pong", "--order", "maze"]])
def test_gates_of_several_tasks(runs: Path, order: list[str]) -> None:
    sides = ("--baseline", "C", "--candidate", "A", "--margin", "0.01")
    result = invoke("gate", runs, "--task", "game", *FEW, *sides, *order)
    record = strict_json(result.stdout)
    assert record["question"] == "gate_many"
    assert ("not examined" in record["answers"].values()) == bool(order)
    assert_tight("gate", record)
