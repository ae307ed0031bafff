"""What ``--json`` prints, as JSON schemas: one file a command, written as types.

The file of a command has a `Record`: a TypedDict, or a union of them, with every key that the
command may print. `generation` makes the schema of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["SAME_AS", "SCHEMAS", "schema_name", "schema_of"]

# The version of what each command prints: it grows when a key goes, or means something else, and
# stays when keys are added.
SCHEMAS = {
    "inspect": 1,
    "compare": 1,
    "locate": 1,
    "pairs": 1,
    "contrast": 1,
    "transfer": 1,
    "criteria": 1,
    "power": 1,
    "plan": 1,
    "calibrate": 1,
    "gate": 1,
    "monitor": 1,
    "tasks": 1,
    "error": 1,
}
# Commands that print what another prints.
SAME_AS = {"demo": "compare"}


def schema_name(command: str) -> str:
    """Return what a command's JSON says it is, such as "curvewise-compare/1"."""
    command = SAME_AS.get(command, command)
    return f"curvewise-{command}/{SCHEMAS[command]}"


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of what a command prints with ``--json``."""
    from curvewise.schemas.generation import schema

    module = import_module(f"{__name__}.{SAME_AS.get(command, command)}")
    return schema(module.Record, schema_name(command), module.__doc__ or "")
