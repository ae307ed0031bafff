"""From records to their JSON, and to JSON schemas."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from curvewise import schemas
from curvewise.records import INLINE, UNTOLD, As, Keywords, Record, told
from curvewise.schemas import Printed, schema_of

if TYPE_CHECKING:
    from curvewise.records import Count, Extended


@dataclass(frozen=True)
class Twig:
    """A twig."""

    length: Extended
    age: Count = field(default=0, metadata={"unless": 0})


@dataclass(frozen=True, kw_only=True)
class Leaf(Record):
    """A leaf.

    It may be on a twig.

    Attributes
    ----------
    size : float
        In metres; None never.
    veins, names
        What is on it.
    """

    size: Annotated[float, Keywords({"minimum": 0})]
    kind: Literal["oak", "elm"] = "oak"
    more: tuple[int, ...] | None = field(default=None, metadata={"unless": None})
    pair: tuple[int, str]
    names: dict[str, bool]
    maybe: float | None = None
    child: Leaf | None = None
    twig: Twig = field(metadata=INLINE)
    veins: Annotated[Any, As(list[float])] = field(metadata={"key": "lines"})
    hidden: object = field(default=None, metadata=UNTOLD)

    @cached_property
    @told(after="size")
    def large(self) -> bool:
        """Whether it is larger than a metre."""
        return self.size > 1

    @told(key="first", after="")
    def _first(self) -> str:
        """Return what comes first."""
        return "first"


@dataclass(frozen=True)
class Other(Record):
    """Another."""

    kind: Literal["other"] = "other"


LEAF = Leaf(
    size=1.5, pair=(1, "a"), names={"x": True}, twig=Twig(np.inf), veins=np.array([1.0, 2.0])
)
GOOD = {
    "schema": "curvewise-leaf/1",
    "first": "first",
    "size": 1.5,
    "large": True,
    "kind": "oak",
    "pair": [1, "a"],
    "names": {"x": True},
    "maybe": None,
    "child": None,
    "length": None,
    "lines": [1.0, 2.0],
}


@pytest.fixture(autouse=True)
def leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "Leaf", Leaf, raising=False)
    monkeypatch.setattr(schemas, "Other", Other, raising=False)
    monkeypatch.setitem(schemas.SCHEMAS, "leaf", Printed("leaves.", ("Leaf",)))
    monkeypatch.setitem(schemas.SCHEMAS, "tree", Printed("trees.", ("Leaf", "Other")))


def valid(record: object, command: str = "leaf") -> bool:
    made = schema_of(command)
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made).is_valid(record)


def test_a_record_is_told_in_the_order_of_its_fields() -> None:
    record = {"schema": "curvewise-leaf/1", **LEAF.to_dict()}
    assert record == GOOD
    assert list(record) == list(GOOD)


def test_what_the_types_say_is_valid() -> None:
    assert valid(GOOD)
    assert valid({**GOOD, "more": [1, 2], "maybe": 1, "age": 2})
    child = {name: value for name, value in GOOD.items() if name != "schema"}
    assert valid({**GOOD, "child": child})


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "curvewise-leaf/2"},
        {"size": -1},
        {"size": None},
        {"kind": "ash"},
        {"more": [1.5]},
        {"pair": [1]},
        {"pair": ["a", 1]},
        {"pair": [1, "a", 2]},
        {"names": {"x": 1}},
        {"age": -1},
        {"lines": 1},
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
    good = {**GOOD, "schema": "curvewise-tree/1"}
    assert valid(good, "tree")
    assert valid({"schema": "curvewise-tree/1", "kind": "other"}, "tree")
    assert not valid({"schema": "curvewise-tree/1", "kind": "neither"}, "tree")


def test_docstrings_describe() -> None:
    made = schema_of("leaf")
    assert made["description"] == "What curvewise leaf prints: leaves."
    assert made["$defs"]["Leaf"]["description"] == "A leaf."
    size = {"type": "number", "minimum": 0, "description": "In metres; null never."}
    assert made["properties"]["size"] == made["$defs"]["Leaf"]["properties"]["size"] == size
    assert made["properties"]["large"]["description"] == "Whether it is larger than a metre."
    assert made["properties"]["first"]["description"] == "What comes first."
    assert made["properties"]["names"]["description"] == "What is on it."
