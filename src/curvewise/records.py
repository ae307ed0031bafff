"""Records: data whose JSON follows from their fields.

Every field of a record is told under its own name, in the order of the class. ``metadata`` of a
field says where the JSON differs, and `told` says the same of a property or method:

- ``key``: another name;
- ``after``: the key before it; "" to be the first;
- ``unless``: the value with which it is left out;
- ``inline``: the keys of the value stand among those of the record;
- ``through``: a function that makes the value to be told;
- ``untold``: it is left out.

The annotations say what the JSON schema says: see `curvewise.schemas`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar

LARGEST_COUNT = 10**300  # that JSON is given, so that every reader of it can hold it
UNTOLD, INLINE = {"untold": True}, {"inline": True}

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Keywords:
    """What a JSON schema says of a value besides its type."""

    added: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class As:
    """The type that a value has as JSON, where it is another one."""

    kind: Any


Probability = Annotated[float, Keywords({"minimum": 0, "maximum": 1})]
Count = Annotated[int, Keywords({"minimum": 0})]
Extended = Annotated[float, As(float | None)]  # a number that may be infinite: null in JSON


class Part(NamedTuple):
    """Something that a record tells: the attribute, its key in JSON, and how it is told."""

    name: str
    key: str
    how: Mapping[str, Any]


def told(**how: Any) -> Callable[[Method], Method]:
    """Mark a property or method as a part of the JSON; it stands below ``@property``."""

    def marked(method: Method) -> Method:
        method.told = how  # type: ignore[attr-defined]
        return method

    return marked


@cache
def parts_of(kind: type) -> tuple[Part, ...]:
    """Return what records of a class tell, in order: fields, then marked methods."""
    found = {own.name: own.metadata for own in fields(kind)} if is_dataclass(kind) else {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            method = getattr(value, "fget", getattr(value, "func", value))
            if hasattr(method, "told"):
                found[name] = method.told
    parts: list[Part] = []
    for name, how in found.items():
        if not how.get("untold"):
            keys = ["", *(part.key for part in parts)]
            place = keys.index(how.get("after", keys[-1]))
            parts.insert(place, Part(name, how.get("key", name), how))
    return tuple(parts)


def record_of(owner: object) -> dict[str, Any]:
    """Return what a record tells as JSON-ready data."""
    found: dict[str, Any] = {}
    kind: type = type(owner)
    for name, key, how in parts_of(kind):
        value = getattr(owner, name)
        value = value() if hasattr(value, "told") else value
        if "unless" in how and value == how["unless"]:
            continue
        ready = json_ready(how["through"](value) if "through" in how else value)
        found |= ready if how.get("inline") else {key: ready}
    return found


def json_ready(value: Any) -> Any:
    """Return a value as JSON has it: lists, objects, numbers, texts; infinite numbers are None.

    A count of relabellings that no double could hold becomes `LARGEST_COUNT`.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return record_of(value)
    if isinstance(value, Mapping):
        return {str(key): json_ready(own) for key, own in value.items()}
    if hasattr(value, "tolist"):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple):
        return [json_ready(own) for own in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return min(value, LARGEST_COUNT) if isinstance(value, int) else value


class Record:
    """Something that can be told as JSON-ready data."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is told as JSON-ready data; what is infinite is None."""
        return record_of(self)
