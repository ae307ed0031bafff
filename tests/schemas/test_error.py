"""The line of JSON on standard error if there is no result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.running import invoke, strict_json
from tests.schemas.tightness import assert_tight

if TYPE_CHECKING:
    from pathlib import Path


def test_a_refusal_names_the_option_and_prints_no_result(pong: Path) -> None:
    result = invoke("compare", pong, "--alpha", "2", "--json")
    sentence, line = result.stderr.splitlines()[-2:]
    record = strict_json(line)
    assert result.exit_code == record["exit_code"] == 3
    assert (result.stdout, record["option"]) == ("", "--alpha")
    assert sentence == f"Error: {record['error']}"
    assert_tight("error", record)


def test_without_json_there_is_the_sentence_only(pong: Path) -> None:
    result = invoke("compare", pong, "--alpha", "2")
    assert result.stderr.splitlines()[-1].startswith("Error: ")
