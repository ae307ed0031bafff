from __future__ import annotations

import struct
from typing import Any

import pytest

from curvewise.readers.parsing.events import (
    event_messages,
    hyperparameters,
    is_scalar,
    number_in,
    text_config,
)
from curvewise.readers.walk import DOUBLE, SINGLE
from tests.readers.logs.writing import hparams, scalar, tensor, text

CLEANRL = "|param|value|\n|-|-|\n|exp_name|ppo|\n|seed|1|\n|target_kl|None|"


def value_of(event: Any) -> Any:
    return event.summary.value[0]


@pytest.mark.parametrize(
    ("fields", "number", "precision"),
    [
        ({"dtype": 1, "tensor_content": struct.pack("<f", 0.5)}, 0.5, SINGLE),
        ({"dtype": 1, "float_val": [0.25]}, 0.25, SINGLE),
        ({"dtype": 1, "float_val": [0.25], "shape": (1, 1)}, 0.25, SINGLE),
        ({"dtype": 1}, 0.0, SINGLE),
        ({"dtype": 2, "tensor_content": struct.pack("<d", 0.1)}, 0.1, DOUBLE),
        ({"dtype": 2, "double_val": [0.1]}, 0.1, DOUBLE),
        ({"dtype": 3, "int_val": [-7]}, -7.0, DOUBLE),
        ({"dtype": 9, "tensor_content": struct.pack("<q", -7)}, -7.0, DOUBLE),
        ({"dtype": 9, "int64_val": [2**40]}, 2.0**40, DOUBLE),
        ({"dtype": 10, "bool_val": [True]}, 1.0, DOUBLE),
        ({"dtype": 14, "half_val": [0x3FC0]}, 1.5, 2.0**-7),
        ({"dtype": 14, "tensor_content": b"\xc0\x3f"}, 1.5, 2.0**-7),
        ({"dtype": 19, "half_val": [0x3E00]}, 1.5, 2.0**-10),
        ({"dtype": 19, "tensor_content": b"\x00\x3e"}, 1.5, 2.0**-10),
        ({"dtype": 23, "uint64_val": [2**50]}, 2.0**50, DOUBLE),
    ],
)
def test_number_of_each_type(fields: dict[str, Any], number: float, precision: float) -> None:
    value = value_of(tensor("loss", 0, **fields))
    assert is_scalar(value)
    assert number_in(value.tensor) == (number, precision)


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": 1, "tensor_content": bytes(8)},
        {"dtype": 1, "float_val": [1.0, 2.0], "shape": (2,)},
        {"dtype": 1, "float_val": [1.0], "shape": (2,)},
        {"dtype": 1, "shape": (0,)},
        {"dtype": 7, "string_val": [b"1.0"]},
        {},
    ],
)
def test_what_is_not_one_number_has_none(fields: dict[str, Any]) -> None:
    assert number_in(value_of(tensor("loss", 0, **fields)).tensor) is None


def test_plugins_tell_what_is_no_scalar() -> None:
    content = struct.pack("<f", 0.5)
    assert is_scalar(value_of(scalar("loss", 0, 0.0)))
    assert is_scalar(value_of(tensor("loss", 0, "", dtype=1, tensor_content=content)))
    for plugin in ("histograms", "images", "text", "pr_curves", "hparams"):
        event = tensor("loss", 0, plugin, dtype=1, tensor_content=content)
        assert not is_scalar(value_of(event)), plugin
    own = tensor("loss", 0, "own_plugin", dtype=1, tensor_content=content)
    value_of(own).metadata.data_class = 1
    assert is_scalar(value_of(own))
    assert not is_scalar(value_of(hparams(lr=1)))


def test_hyperparameters_have_their_types() -> None:
    event = hparams(lr=0.1, seed=3, optimizer="adam", decay=False)
    content = value_of(event).metadata.plugin_data.content
    config, has_failed = hyperparameters(content)
    assert config == {"lr": 0.1, "seed": 3, "optimizer": "adam", "decay": False}
    assert isinstance(config["seed"], int)
    assert not has_failed


def test_failure_of_a_session_is_told() -> None:
    data = event_messages()["HParamsPluginData"]()
    data.session_end_info.status = 2
    assert hyperparameters(data.SerializeToString()) == ({}, True)


def test_table_and_object_under_a_tag_that_says_so() -> None:
    expected = {"exp_name": "ppo", "seed": "1", "target_kl": "None"}
    assert text_config("hyperparameters/text_summary", CLEANRL) == expected
    assert text_config("notes/text_summary", CLEANRL) == {}
    assert text_config("args", '{"lr": 0.1, "net": {"depth": 2}}') == {
        "lr": 0.1,
        "net": {"depth": 2},
    }


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("|a|b|\n|:-|-:|\n| lr | 0.1 |", {"lr": "0.1"}),
        ("|a|b|\n|-|-|\n|tag||", {"tag": ""}),
        ("|a|b|\n|-|-|\n|mask|x|y|", {"mask": "x|y"}),
        ("|a|b|\n|c|d|", {}),
        ("no table", {}),
        ("[1, 2]", {}),
        ("{broken", {}),
        ("{" * 100_000, {}),
        ("", {}),
    ],
)
def test_texts_that_are_hardly_tables(table: str, expected: dict[str, str]) -> None:
    assert text_config("config", table) == expected


def test_text_summaries_are_where_the_reader_looks() -> None:
    value = value_of(text("hyperparameters/text_summary", CLEANRL))
    assert value.metadata.plugin_data.plugin_name == b"text"
    assert value.tensor.string_val[0].decode() == CLEANRL
