"""JSON documents: told by how they begin, read whole."""

from __future__ import annotations

import json
import math
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvewise import CurvesError
from curvewise.readers.parsing.json_files import (
    _closed,
    as_number,
    beginning,
    curve,
    document,
    flattened,
    is_curve,
)
from curvewise.readers.walk import File


def written(path: Path, content: str | bytes) -> File:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return File(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"loss": [1, 2, 3.', {"loss": [1, 2]}),
        ('{"a": {"b": [1]}, "c', {"a": {"b": [1]}}),
        ('{"a": "x, {", "b": tru', {"a": "x, {"}),
        ('{"a\\"": 1}', {'a"': 1}),
        ("[[1, 2], [", [[1, 2], []]),
        ('\ufeff  {"a": 1}\n\n', {"a": 1}),
        ('{"a": 1}\n{"a": 2}\n', None),
        ("[1, 2}", None),
        ("text", None),
        ("", None),
    ],
)
def test_beginnings(tmp_path: Path, text: str, expected: Any) -> None:
    assert beginning(written(tmp_path / "a.json", text)) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON.filter(lambda value: isinstance(value, list | dict)), st.data())
def test_every_beginning_can_be_closed(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    kept, rest = _closed(text)
    assert (json.loads(kept), rest) == (value, "")
    place = data.draw(st.integers(1, len(text)))
    assert type(json.loads(_closed(text[:place])[0])) is type(value)


def test_a_document_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    values: dict[str, list[float]] = {"loss": [k / 7 for k in range(5_000)], "acc": [1]}
    file = written(tmp_path / "a.json", json.dumps(values))
    found = beginning(file)
    assert list(found) == ["loss"]
    assert found["loss"] == values["loss"][: len(found["loss"])]
    assert document(file) == values


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"a": [1, 2', "it ends in the middle"),
        ('{"a": "tex', "it ends in the middle"),
        ('{"a": 1,\n"b": oops}', "line 2 is not JSON"),
        (b'{"a": "\xff"}', "it is not text in UTF-8"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_damaged_documents(tmp_path: Path, content: str | bytes, reason: str) -> None:
    with pytest.raises(CurvesError, match=f"^a.json is .*{reason}"):
        document(written(tmp_path / "a.json", content))


def test_a_document_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match=r"a.json cannot be read: No such file"):
        document(File(tmp_path / "a.json"))


def test_numbers() -> None:
    assert as_number(10**400) == math.inf
    assert as_number(-(10**400)) == -math.inf
    assert as_number("-Infinity") == -math.inf
    others: tuple[Any, ...] = ("1", [], {}, False, None)
    assert [as_number(value) for value in others] == [None] * 5
    assert not is_curve([])
    assert not is_curve([1, "a"])
    assert not is_curve("12")
    assert is_curve([1, None, "NaN"])


def test_curves() -> None:
    series = curve([1, None, "NaN"], np.array([10.0, 20.0, 30.0]))
    assert series.steps.tolist() == [10, 30]
    assert math.isnan(series.scores[1])


def test_deep_objects_are_not_walked_without_end() -> None:
    deep: dict[str, Any] = {}
    for _ in range(500):
        deep = {"a": deep}
    ((name, _),) = flattened(deep)
    assert name.count("/") == 16
