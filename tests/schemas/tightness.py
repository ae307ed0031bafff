"""How tight a schema is: what of a real record could be anything."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tests.cli.running import validator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import ValidationError

__all__ = ["assert_tight", "paths_of_errors"]

Path = tuple[str | int, ...]
WRONG = {"?": "?"}  # neither a number nor a text, a list or nothing


def paths_of_errors(command: str, record: Any) -> set[Path]:
    """Return where a record is not what the schema says, the alternatives of a union included."""

    def within(error: ValidationError) -> Iterator[Path]:
        yield tuple(error.absolute_path)
        for part in error.context or ():
            yield from within(part)

    errors = validator(command).iter_errors(record)
    return {path for error in errors for path in within(error)}


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of numbers, texts and nothings; of a list only in its first element."""
    if isinstance(value, dict):
        for key, own in value.items():
            yield from leaves(own, (*path, key))
    elif isinstance(value, list):
        for own in value[:1]:
            yield from leaves(own, (*path, 0))
    else:
        yield path


def at(record: Any, path: Path) -> Any:
    for key in path:
        record = record[key]
    return record


def assert_tight(command: str, record: dict[str, Any]) -> None:
    """Fail if a number or text may be anything, a key may be missing, or another come in.

    What caveats tell besides their kind depends on the kind, and is free.
    """
    assert paths_of_errors(command, record) == set()
    free = {"caveats"}
    checked = [path for path in leaves(record) if not free & set(path) or path[-1] == "kind"]
    broken = copy.deepcopy(record)
    for path in checked:
        at(broken, path[:-1])[path[-1]] = WRONG
    assert set(checked) - paths_of_errors(command, broken) == set()
    inner = {path[:-1] for path in checked if not free & set(path)}
    objects = {path for path in inner if isinstance(at(record, path), dict)}
    closed = [path for path in objects if not _has_names_of_data(path)]
    wider = copy.deepcopy(record)
    for path in closed:
        at(wider, path)["another"] = 0
    assert set(closed) - paths_of_errors(command, wider) == set()
    for key in record:
        rest = {name: value for name, value in record.items() if name != key}
        if key not in OPTIONAL.get(command, ()):
            assert paths_of_errors(command, rest), f"{key} may be missing"


# Objects whose keys are names that the data give, not the schema.
BY_NAME = {
    *("metrics", "intervals", "coefficients", "letters", "components", "algorithms"),
    *("batches", "n_runs", "next_batch", "tasks", "scores", "across", "gates", "answers"),
    "pvalues_adjusted",
}
TABLES_OF_TABLES = {"pvalues_adjusted", "batches"}
# Keys that depend on the data, such as the shape of curves of several steps.
OPTIONAL = {
    "compare": {"interaction"},
    "locate": {"interaction", "window"},
    "power": {"interaction"},
}


def _has_names_of_data(path: Path) -> bool:
    """Whether the keys of an object are names that the data give, or numbers of runs."""
    own, outer = str(path[-1]) if path else "", path[-2] if len(path) > 1 else ""
    by_runs = own.startswith(("power_at", "test_power_at"))
    return by_runs or own in BY_NAME or outer in TABLES_OF_TABLES
