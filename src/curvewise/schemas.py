"""What ``--json`` prints, as JSON schemas (draft 2020-12), made of the records themselves.

Annotations say what values may be, and docstrings describe them. In annotations stand numbers,
texts, arrays, records, tuples, mappings, literals and unions of these; `Keywords` adds to a
schema, and `As` names another type.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import get_annotations, getdoc, getsource, isfunction
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from curvewise.records import As, Keywords, parts_of


class Printed(NamedTuple):
    """What a command prints: one of several records, what stands beside its keys, and a version.

    The version grows when a key goes, or means something else, and stays when keys are added.
    """

    about: str
    records: tuple[str, ...]
    beside: Mapping[str, str] = {}
    version: int = 1


SCHEMAS = {
    "inspect": Printed("which runs, algorithms, tasks and metrics are there?", ("Scan",)),
    "compare": Printed("do the curves differ, where, who is best?", ("Overview",)),
    "locate": Printed(
        "at which steps do the curves differ?", ("Location",), {"window": "WindowTest"}
    ),
    "pairs": Printed(
        "which algorithms differ, and which may be the best?", ("Pairs",), {"best": "Best"}
    ),
    "contrast": Printed("is a weighted sum of algorithms different from zero?", ("Contrast",)),
    "transfer": Printed("how much does one condition gain on another?", ("Transfer", "Transfers")),
    "criteria": Printed("which metric of a gain can be trusted for what?", ("Criteria",)),
    "power": Printed("how often would an experiment find a difference?", ("Power",)),
    "plan": Printed("how many runs are needed?", ("Plan",)),
    "calibrate": Printed("how often would common tests cry wolf on these runs?", ("Calibration",)),
    "gate": Printed("may a candidate replace a baseline?", ("Gate", "Gates")),
    "monitor": Printed("may I stop, or do I need more runs?", ("Monitoring",)),
    "tasks": Printed(
        "which is better on many tasks, as a whole and on each?",
        ("TaskComparison", "TaskComparisons"),
        {"aggregate": "Aggregate | None", "best": "Bests"},
    ),
    "error": Printed("if there is no result, as the last line on standard error.", ("NoResult",)),
}
# Commands that print what another prints.
SAME_AS = {"demo": "compare"}
OPTIONAL = {"window"}  # keys that stand beside a record only where they were asked for
VERDICT = "The paragraph to quote: what was found, by how much, how sure."
PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
PYTHON_WORDS = {"None": "null", "True": "true", "False": "false"}


@dataclass(frozen=True)
class NoResult:
    """Why there is no result.

    Attributes
    ----------
    error : str
        What is wrong, where, and what to do.
    option : str or None
        The option to change, where it is one.
    """

    exit_code: Literal[3, 130, 143]
    error: str
    option: str | None


def schema_name(command: str) -> str:
    """Return what a command's JSON says it is, such as "curvewise-compare/1"."""
    command = SAME_AS.get(command, command)
    return f"curvewise-{command}/{SCHEMAS[command].version}"


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON schema of what a command prints with ``--json``."""
    command = SAME_AS.get(command, command)
    names = _public_names() | globals()
    about, records, beside, _ = SCHEMAS[command]
    name, found = schema_name(command), Definitions()
    choices = [found.object_of(names[record]) for record in records]
    for own in choices:
        first = {"schema": {"const": name}}
        if "question" in own["properties"]:
            first["verdict"] = {"type": "string", "description": VERDICT}
        also = {key: found.of(eval(kind, names)) for key, kind in beside.items()}  # noqa: S307
        own["properties"] = {**first, **own["properties"], **also}
        own["required"] = [*first, *own["required"], *(key for key in also if key not in OPTIONAL)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{name.replace('/', ':')}",
        "title": name,
        **(choices[0] if len(choices) == 1 else {"anyOf": choices}),
        "description": f"What curvewise {command} prints: {about}",
        "$defs": dict(sorted(found.defined.items())),
    }


@dataclass(frozen=True)
class Definitions:
    """The schemas of records, by the names of their classes."""

    defined: dict[str, Any] = field(default_factory=dict)

    def of(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            instead = next((note.kind for note in arguments if isinstance(note, As)), arguments[0])
            added = [note.added for note in arguments if isinstance(note, Keywords)]
            return {key: own for part in (self.of(instead), *added) for key, own in part.items()}
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return _any_of([self.of(each) for each in arguments])
        if origin is tuple and Ellipsis not in arguments:
            return _tuple([self.of(each) for each in arguments])
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin in (dict, Mapping):
            keys, values = arguments
            if get_origin(keys) is not Literal:
                return {"type": "object", "additionalProperties": self.of(values)}
            named = {key: self.of(values) for key in get_args(keys)}
            return {"type": "object", "properties": named, "additionalProperties": False}
        if kind.__name__ == "ndarray" or getattr(origin, "__name__", "") == "ndarray":
            return {"type": "array", "items": {"type": ["number", "null"]}}
        if kind.__name__ == "Caveat":
            kinds = {"kind": {"enum": caveat_kinds()}}
            return {"type": "object", "properties": kinds, "required": ["kind"]}
        if hasattr(kind, "_fields"):
            return _tuple([self.of(_hint(kind, name)) for name in kind._fields])
        if not parts_of(kind):
            return {"type": PLAIN[kind]}
        if kind.__name__ not in self.defined:
            self.defined[kind.__name__] = {}  # a record may hold others of its kind
            self.defined[kind.__name__] |= self.object_of(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def object_of(self, kind: type) -> dict[str, Any]:
        """Return the schema of a record: its keys, which are all there are."""
        properties, required = self._keys(kind)
        return {
            "type": "object",
            "description": _words((getdoc(kind) or "").split("\n\n")[0]),
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def _keys(self, kind: type) -> tuple[dict[str, Any], list[str]]:
        properties: dict[str, Any] = {}
        required: dict[str, None] = {}
        if asked := getattr(kind, "asked", ""):
            properties["question"], required["question"] = {"const": asked}, None
        texts = _attributes(kind)
        for name, key, how in parts_of(kind):
            hint = _hint(kind, name)
            if how.get("inline"):
                inner, needed = self._keys(hint)
                properties |= inner
                required |= dict.fromkeys(needed)
                continue
            if "unless" not in how:
                required[key] = None
            elif how["unless"] is None:
                hint = Union[tuple(own for own in get_args(hint) if own is not NoneType)]  # noqa: UP007
            said = {"description": texts[name]} if name in texts else {}
            properties[key] = self.of(hint) | said
        for name in ("preparation", "warnings", "caveats") if asked else ():
            properties[name] = self.of(_hint(kind, name)) | {"description": texts[name]}
            required[name] = None
        return properties, [*required]


def caveat_kinds() -> list[str]:
    """Return every kind of caveat there is, by importing all questions, which define them."""
    from curvewise.inference.caveats import Caveat, OfMembers

    _public_names()
    start: type[Any] = Caveat
    found = new = {start}
    while new := {own for kind in new for own in kind.__subclasses__()}:
        found = found | new
    kinds = {own for own in found if not own.__subclasses__()} - {OfMembers}
    return sorted({object.__new__(kind).kind for kind in kinds})


def _public_names() -> dict[str, Any]:
    import curvewise

    return {name: getattr(curvewise, name) for name in dir(curvewise)}


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Join schemas of which one must hold; of types without further conditions in one word."""
    if any(set(choice) != {"type"} for choice in choices):
        return {"anyOf": choices}
    types = [choice["type"] for choice in choices]
    every = [own for kind in types for own in ([kind] if isinstance(kind, str) else kind)]
    return {"type": [*dict.fromkeys(every)]}


def _tuple(items: list[dict[str, Any]]) -> dict[str, Any]:
    same = all(item == items[0] for item in items)
    held = {"items": items[0]} if same else {"prefixItems": items, "items": False}
    return {"type": "array", **held, "minItems": len(items), "maxItems": len(items)}


class CheckedNames(dict[str, Any]):
    """What a module imports or defines for type checkers only; looked up when asked for."""

    def __init__(self, module: str) -> None:
        self.globals = vars(sys.modules[module])
        blocks = ast.parse(getsource(sys.modules[module])).body
        self.statements = {
            name: own
            for block in blocks
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for own in block.body
            for name in _bound_names(own)
        }

    def __missing__(self, name: str) -> Any:
        if name not in self.statements:
            raise KeyError(name)
        code = compile(ast.Module([self.statements.pop(name)], []), name, "exec")
        exec(code, self.globals, self)  # noqa: S102
        return self[name]


_checked_names = cache(CheckedNames)


def _bound_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [own.asname or own.name for own in statement.names]
    return [ast.unparse(own) for own in getattr(statement, "targets", [])]


def _hint(kind: type, name: str) -> Any:
    """Return the type of a field, or of what a method returns."""
    for base in kind.__mro__:
        method = vars(base).get(name)
        method = getattr(method, "fget", getattr(method, "func", method))
        hint = get_annotations(base).get(name, getattr(method, "__annotations__", {}).get("return"))
        if hint is not None:
            text = getattr(hint, "__forward_arg__", hint)
            names = _checked_names(base.__module__)
            return eval(text, names.globals, names) if isinstance(text, str) else hint  # noqa: S307
    raise TypeError(name)


def _attributes(kind: type) -> dict[str, str]:
    """Return what docstrings say of attributes and methods, by name."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        for name, value in vars(base).items():
            if hasattr(value, "fget") or hasattr(value, "func") or isfunction(value):
                found[name] = _words(getdoc(value) or "")
        _, _, text = (getdoc(base) or "").partition("Attributes\n----------\n")
        entries = re.split(r"^(\S.*)$", text.partition("\n\n")[0], flags=re.MULTILINE)
        for head, body in zip(entries[1::2], entries[2::2], strict=True):
            names = re.findall(r"\w+", head.partition(" : ")[0])
            if body.strip():  # several names share words that are not of each
                words = dict.fromkeys(names, _words(body))
                found |= words if len(names) == 1 else words | found
    return found


def _words(text: str) -> str:
    """Return a text of a docstring as readers of JSON would have it."""
    words = re.sub(r"\b(None|True|False)\b", lambda match: PYTHON_WORDS[match[1]], text)
    return re.sub(
        r"^Return (\w)", lambda m: m[1].upper(), " ".join(words.replace("``", "`").split())
    )
