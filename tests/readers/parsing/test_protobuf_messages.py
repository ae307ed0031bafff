from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError

from curvewise.readers.parsing.events import message_classes, text_of

MESSAGES = """
message Line { repeated Point points = 1; bytes name = 2; }
message Point { int64 x = 1; double y = 2; }
"""


def test_messages_hold_messages_and_lists() -> None:
    line = message_classes("lines", MESSAGES)["Line"](name=b"a")
    line.points.add(x=3)
    again = type(line).FromString(line.SerializeToString())
    assert [point.x for point in again.points] == [3]
    assert not again.points[0].HasField("y")
    assert again.points[0].y == 0


def test_bytes_are_those_of_the_wire_format() -> None:
    line_class = message_classes("lines", MESSAGES)["Line"]
    line = line_class.FromString(b"\x0a\x02\x08\x05\x12\x01a")
    assert (line.points[0].x, line.name) == (5, b"a")


def test_fields_that_are_not_declared_are_passed_over() -> None:
    point_class = message_classes("lines", MESSAGES)["Point"]
    assert point_class.FromString(b"\x4a\x03abc\x08\x07").x == 7


def test_damaged_bytes_are_refused() -> None:
    with pytest.raises(DecodeError):
        message_classes("lines", MESSAGES)["Line"].FromString(b"\x0a\x7f")


def test_the_same_package_can_be_declared_twice() -> None:
    assert (
        message_classes("lines", MESSAGES)["Point"]
        is not message_classes("lines", "message Point { bytes z = 1; }")["Point"]
    )


def test_text_that_is_not_utf8_has_replacements() -> None:
    assert text_of(b"loss\xff") == "loss\N{REPLACEMENT CHARACTER}"
