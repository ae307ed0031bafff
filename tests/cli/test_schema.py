"""``curvewise schema``."""

from __future__ import annotations

import json

from curvewise.schemas import SCHEMAS, schema_name, schema_of
from tests.cli.running import invoke


def test_it_prints_the_schema_of_a_command() -> None:
    assert json.loads(invoke("schema", "gate").stdout) == schema_of("gate")
    assert invoke("schema", "demo").stdout == invoke("schema", "compare").stdout


def test_it_lists_the_schemas() -> None:
    listed = dict(line.split() for line in invoke("schema").stdout.splitlines())
    assert set(listed) == {*SCHEMAS, "demo"}
    assert all(listed[command] == schema_name(command) for command in listed)


def test_an_unknown_command_is_refused() -> None:
    result = invoke("schema", "gat")
    assert result.exit_code == 3
    assert "There is no schema of 'gat'; there are 'inspect'" in result.stderr
    assert "did you mean 'gate'?" in result.stderr
    assert result.stdout == ""
