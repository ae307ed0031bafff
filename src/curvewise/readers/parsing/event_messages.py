"""The messages in event files: what of a summary is a number, what is a configuration."""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.readers.logged import DOUBLE, SINGLE
from curvewise.readers.parsing.json_documents import parsed
from curvewise.readers.parsing.protobuf_messages import message_classes, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CONFIG_MARKS",
    "event_messages",
    "hyperparameters",
    "is_scalar",
    "number_in",
    "text_config",
]

# Of tensorboard/compat/proto (event, summary, tensor) and tensorboard/plugins/hparams.
MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Event": {
        "wall_time": (1, "double"),
        "step": (2, "int64"),
        "file_version": (3, "bytes"),
        "summary": (5, "Summary"),
        "session_log": (7, "SessionLog"),
    },
    "Summary": {"value": (1, "repeated Value")},
    "SessionLog": {"status": (1, "int32")},
    "Value": {
        "tag": (1, "bytes"),
        "simple_value": (2, "float"),
        "tensor": (8, "Tensor"),
        "metadata": (9, "Metadata"),
    },
    "Metadata": {"plugin_data": (1, "PluginData"), "data_class": (4, "int32")},
    "PluginData": {"plugin_name": (1, "bytes"), "content": (2, "bytes")},
    "Tensor": {
        "dtype": (1, "int32"),
        "shape": (2, "Shape"),
        "tensor_content": (4, "bytes"),
        "float_val": (5, "repeated float"),
        "double_val": (6, "repeated double"),
        "int_val": (7, "repeated int32"),
        "string_val": (8, "repeated bytes"),
        "int64_val": (10, "repeated int64"),
        "bool_val": (11, "repeated bool"),
        "half_val": (13, "repeated int32"),
        "uint32_val": (16, "repeated uint32"),
        "uint64_val": (17, "repeated uint64"),
    },
    "Shape": {"dim": (2, "repeated Dim")},
    "Dim": {"size": (1, "int64")},
    "HParamsPluginData": {
        "session_start_info": (3, "SessionStartInfo"),
        "session_end_info": (4, "SessionEndInfo"),
    },
    "SessionStartInfo": {"hparams": (1, "repeated HParam")},
    "SessionEndInfo": {"status": (1, "int32")},
    "HParam": {"key": (1, "bytes"), "value": (2, "HParamValue")},
    "HParamValue": {
        "number_value": (2, "double"),
        "string_value": (3, "bytes"),
        "bool_value": (4, "bool"),
    },
}
# Bytes of which every record with a configuration holds one.
CONFIG_MARKS = (b"hparams", b"text")
CONFIG_TAGS = ("hyperparam", "hparam", "param", "config", "arg", "setting", "flag")
MAX_CONFIG_SIZE = 2**20
HALF = float(np.finfo(np.float16).eps)
# DataType: how a number is stored in tensor_content, its field otherwise, its precision.
# bfloat16 (14) is the upper half of a float.
NUMBER_TYPES: dict[int, tuple[str, str, float]] = {
    1: ("<f", "float_val", SINGLE),
    2: ("<d", "double_val", DOUBLE),
    3: ("<i", "int_val", DOUBLE),
    4: ("<B", "int_val", DOUBLE),
    5: ("<h", "int_val", DOUBLE),
    6: ("<b", "int_val", DOUBLE),
    9: ("<q", "int64_val", DOUBLE),
    10: ("<B", "bool_val", DOUBLE),
    14: ("<H", "half_val", 2.0**-7),
    17: ("<H", "int_val", DOUBLE),
    19: ("<e", "half_val", HALF),
    22: ("<I", "uint32_val", DOUBLE),
    23: ("<Q", "uint64_val", DOUBLE),
}
BFLOAT16, FLOAT16 = 14, 19
SCALAR_CLASS = 1


@cache
def event_messages() -> Mapping[str, type[Any]]:
    """Return the classes of the messages in event files."""
    return message_classes("curvewise.events", MESSAGES)


def is_scalar(value: Any) -> bool:
    """Whether a summary value, the first of its tag, can be a number.

    It names the plugin that shows it, if any does: histograms, images and texts are no scalars.
    """
    if value.HasField("simple_value"):
        return True
    if not value.HasField("tensor"):
        return False
    metadata = value.metadata
    plugin = metadata.plugin_data.plugin_name
    return plugin in {b"", b"scalars"} or metadata.data_class == SCALAR_CLASS


def number_in(tensor: Any) -> tuple[float, float] | None:
    """Return the one number in a tensor and its precision, or None if it holds no such thing."""
    kind = NUMBER_TYPES.get(tensor.dtype)
    if kind is None:
        return None
    layout, field, precision = kind
    content = tensor.tensor_content
    if content:
        if len(content) != struct.calcsize(layout):
            return None
        (number,) = struct.unpack(layout, content)
    else:
        stored = getattr(tensor, field)
        if len(stored) > 1 or any(dim.size != 1 for dim in tensor.shape.dim):
            return None
        # Without any value the tensor is filled with zeros.
        number = stored[0] if stored else 0
        if tensor.dtype == FLOAT16:
            (number,) = struct.unpack("<e", struct.pack("<H", number & 0xFFFF))
    if tensor.dtype == BFLOAT16:
        (number,) = struct.unpack("<f", struct.pack("<I", (number & 0xFFFF) << 16))
    return float(number), precision


def hyperparameters(content: bytes) -> tuple[dict[str, Any], bool]:
    """Return what the hparams plugin stores, and whether it says that the run failed.

    Raises google.protobuf.message.DecodeError if it is damaged.
    """
    data = event_messages()["HParamsPluginData"].FromString(content)
    failure = 2
    config: dict[str, Any] = {}
    for entry in data.session_start_info.hparams:
        value, key = entry.value, text_of(entry.key)
        if value.HasField("number_value"):
            number = value.number_value
            config[key] = _whole(number)
        elif value.HasField("bool_value"):
            config[key] = value.bool_value
        elif value.HasField("string_value"):
            config[key] = text_of(value.string_value)
    return config, data.session_end_info.status == failure


def text_config(tag: str, text: str) -> dict[str, Any]:
    r"""Return the configuration that a text summary holds; nothing if it holds none.

    It is a table in Markdown of names and values, as CleanRL writes it, or a JSON object, under
    a tag that says so.

    >>> text_config("hyperparameters/text_summary", "|param|value|\n|-|-|\n|seed|1|\n|lr|3e-4|")
    {'seed': '1', 'lr': '3e-4'}
    """
    if (
        not any(word in tag.lower() for word in CONFIG_TAGS)
        or len(text) > MAX_CONFIG_SIZE
    ):
        return {}
    text = text.strip()
    if text.startswith("{"):
        found = parsed(text)
        return found if isinstance(found, dict) else {}
    rows = [
        [cell.strip() for cell in _inside(line).split("|", 1)]
        for line in text.splitlines()
        if line.strip().startswith("|")
    ]
    if len(rows) < 2 or not set("".join(rows[1])) <= set("-: |"):
        return {}
    return {row[0]: row[1] for row in rows[2:] if len(row) == 2 and row[0]}


def _inside(line: str) -> str:
    """Return a row of a table without the bars at its ends."""
    return line.strip().removeprefix("|").removesuffix("|")


def _whole(number: float) -> float:
    """Return a number that is whole as int: the plugin stores all of them as double."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
