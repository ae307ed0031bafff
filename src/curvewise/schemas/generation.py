"""From types to JSON schemas.

Types are TypedDicts and what their keys hold: numbers, texts, lists, pairs, mappings from
names, literals, unions. ``Annotated[type, "words"]`` describes a value, and
``Annotated[type, Keywords(...)]`` adds to its schema.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 (in a dataclass)
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

__all__ = ["Keywords", "schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    NoneType: "null",
}


@dataclass(frozen=True, eq=False)
class Keywords:
    """What a schema says of a value besides its type."""

    added: Mapping[str, Any]


def schema(record: Any, name: str, description: str) -> dict[str, Any]:
    """Return the JSON schema of a record that says by its first key, ``schema``, what it is."""
    defined: dict[str, Any] = {}
    kinds = [record] if is_typeddict(record) else get_args(record)
    choices = [_object(kind, defined) for kind in kinds]
    for own in choices:
        own["properties"] = {"schema": {"const": name}, **own["properties"]}
        own["required"] = ["schema", *own["required"]]
    body = choices[0] if len(choices) == 1 else {"anyOf": choices}
    return {
        "$schema": DIALECT,
        "$id": f"urn:{name.replace('/', ':')}",
        "title": name,
        **body,
        "description": " ".join(description.split()),
        "$defs": dict(sorted(defined.items())),
    }


def _of(kind: Any, defined: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; those of TypedDicts go to ``defined``."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        if kind.__name__ not in defined:
            defined[kind.__name__] = {}  # a type may hold others of its kind
            defined[kind.__name__] |= _object(kind, defined)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin is Annotated:
        found = _of(arguments[0], defined)
        for note in arguments[1:]:
            found |= note.added if isinstance(note, Keywords) else {"description": note}
        return found
    if origin is Literal:
        return (
            {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        )
    if origin in (Union, UnionType):
        return _any_of([_of(each, defined) for each in arguments])
    if origin is list:
        return {"type": "array", "items": _of(arguments[0], defined)}
    if origin is tuple:
        n = len(arguments)
        items = [_of(each, defined) for each in arguments]
        same = all(item == items[0] for item in items)
        held = {"items": items[0]} if same else {"prefixItems": items, "items": False}
        return {"type": "array", **held, "minItems": n, "maxItems": n}
    if origin is dict:
        if arguments[1] is Any:
            return {"type": "object"}
        return {"type": "object", "additionalProperties": _of(arguments[1], defined)}
    return {"type": PLAIN[kind]}


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Join schemas of which one must hold; of types without further conditions in one word."""
    if all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return {"anyOf": choices}


def _object(kind: Any, defined: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a TypedDict: its keys, which are all there are."""
    properties, required = {}, []
    for key, hint in get_type_hints(kind, include_extras=True).items():
        is_optional = get_origin(hint) is NotRequired
        if not is_optional:
            required.append(key)
        properties[key] = _of(get_args(hint)[0] if is_optional else hint, defined)
    return {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split()),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
