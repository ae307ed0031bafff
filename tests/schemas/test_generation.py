"""From types to JSON schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from jsonschema import Draft202012Validator

from curvewise.schemas.generation import Keywords, schema


class Leaf(TypedDict):
    """A leaf."""

    size: Annotated[float, Keywords({"minimum": 0}), "In metres."]
    kind: Literal["oak", "elm"]
    more: NotRequired[list[int]]
    pair: tuple[int, str]
    names: dict[str, bool]
    free: dict[str, Any]
    maybe: float | None
    child: Leaf | None


class Other(TypedDict):
    """Another."""

    kind: Literal["other"]


GOOD = {
    "schema": "leaf/1",
    "size": 1.5,
    "kind": "oak",
    "pair": [1, "a"],
    "names": {"x": True},
    "free": {"x": [None]},
    "maybe": None,
    "child": None,
}


def valid(record: object, kind: Any = Leaf) -> bool:
    made = schema(kind, "leaf/1", "Leaves.")
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made).is_valid(record)


def test_what_the_types_say_is_valid() -> None:
    assert valid(GOOD)
    assert valid({**GOOD, "more": [1, 2], "maybe": 1})
    child = {name: value for name, value in GOOD.items() if name != "schema"}
    assert valid({**GOOD, "child": child})


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "leaf/2"},
        {"size": -1},
        {"size": None},
        {"kind": "ash"},
        {"more": [1.5]},
        {"pair": [1]},
        {"pair": ["a", 1]},
        {"pair": [1, "a", 2]},
        {"names": {"x": 1}},
        {"free": []},
        {"maybe": "1"},
        {"child": {}},
        {"unknown": 1},
    ],
)
def test_anything_else_is_not(change: dict[str, object]) -> None:
    assert not valid({**GOOD, **change})


@pytest.mark.parametrize("key", list(GOOD))
def test_no_key_may_be_missing(key: str) -> None:
    assert not valid({name: value for name, value in GOOD.items() if name != key})


def test_a_union_is_one_of_its_records() -> None:
    assert valid(GOOD, Leaf | Other)
    assert valid({"schema": "leaf/1", "kind": "other"}, Leaf | Other)
    assert not valid({"schema": "leaf/1", "kind": "neither"}, Leaf | Other)


def test_descriptions_are_kept() -> None:
    made = schema(Leaf, "leaf/1", "Leaves.")
    assert made["description"] == "Leaves."
    assert made["$defs"]["Leaf"]["description"] == "A leaf."
    assert (
        made["properties"]["size"]
        == made["$defs"]["Leaf"]["properties"]["size"]
        == {
            "type": "number",
            "minimum": 0,
            "description": "In metres.",
        }
    )
