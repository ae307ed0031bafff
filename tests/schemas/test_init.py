"""All schemas: valid, published, and of every command that prints JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from curvewise.cli import COMMANDS
from curvewise.schemas import SAME_AS, SCHEMAS, schema_name, schema_of
from tests.cli.running import invoke

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("command", SCHEMAS)
def test_a_schema_is_valid_and_published(command: str) -> None:
    schema = schema_of(command)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == schema_name(command)
    file = PUBLISHED / f"{command}.json"
    assert json.loads(file.read_text(encoding="utf-8")) == schema, "run make schemas"


def test_no_other_file_is_published() -> None:
    assert {path.stem for path in PUBLISHED.glob("*.json")} == set(SCHEMAS)


def test_every_command_with_json_has_a_schema() -> None:
    printing = {
        command
        for command in COMMANDS
        if "--json" in invoke(command, "--help").stdout and command != "schema"
    }
    assert printing == {*SCHEMAS, *SAME_AS} - {"error"}


def test_a_name_tells_command_and_version() -> None:
    assert schema_name("gate") == "curvewise-gate/1"
    assert schema_name("demo") == schema_name("compare")
