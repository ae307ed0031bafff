"""The JSON of criteria."""

from __future__ import annotations

import pytest

from tests.cli.running import json_of
from tests.schemas.tightness import assert_tight

# Tests of the commands check the schema as well, whenever they ask for JSON.
pytestmark = pytest.mark.slow


def test_the_criteria_print_what_the_schema_says() -> None:
    record = json_of("criteria")
    record["verdicts"] = record["verdicts"][:3]  # of many alike
    assert_tight("criteria", record)
