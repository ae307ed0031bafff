"""What a caller asks for is checked before anything is read, and meant for tables and logs."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import curvewise as cw
from curvewise.errors import CurvesError, OptionError
from curvewise.readers import Naming, Options, Request, as_paths


def test_one_path_or_several() -> None:
    assert as_paths("runs") == ["runs"]
    assert as_paths(Path("runs")) == [Path("runs")]
    assert as_paths(("a", Path("b"))) == ["a", Path("b")]
    with pytest.raises(CurvesError, match="nothing to read: name a file or a folder"):
        as_paths([])
    with pytest.raises(CurvesError, match="to read is empty"):
        as_paths(["runs", ""])
    for nothing in (1.5, None, ["a", 2], [b"a"]):
        with pytest.raises(CurvesError, match="is not the name of one"):
            as_paths(nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value"),
    [("step", np.array([])), ("task", 1.5), ("score", ["a"]), ("where", "game=pong")],
)
def test_names_of_another_kind_are_refused(option: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"{option} must ") as refused:
        Request(**{option: value})
    assert refused.value.option == option


def test_the_request_has_the_arguments_of_read() -> None:
    arguments = inspect.signature(cw.read).parameters
    asked = {name: own.default for name, own in arguments.items() if name != "path"}
    assert vars(Request()) == asked
    assert {"task", *Options.__annotations__} == {*asked}
    with pytest.raises(TypeError, match="unexpected keyword argument 'metrics'"):
        Request(metrics="loss")


def test_columns_of_a_table_and_keys_of_logs_stand_in_for_each_other() -> None:
    by_key = Request(group_by="opt", run_by="seed", x="epoch", metric="acc", block="fold")
    assert by_key.columns == ("opt", "seed", "epoch", "acc", "fold")
    by_column = Request(algorithm="opt", run="seed", step="epoch", task="digits")
    assert by_column.naming == Naming("opt", "seed", "digits", None, "epoch")
    both = Request(algorithm="agent", group_by="opt", step="epoch", x="time", score="a")
    assert both.columns == ("agent", None, "epoch", "a", None)
    assert both.naming == Naming("opt", None, None, None, "time")


def test_the_selection_has_what_was_asked() -> None:
    request = Request(only=["A"], start=2, stop=9, align="bins", n_steps=4, duplicates="last")
    selection = request.selection("loss")
    assert (selection.only, selection.start, selection.stop) == (["A"], 2, 9)
    assert (selection.alignment.how, selection.alignment.n_steps) == ("bins", 4)
    assert (selection.duplicates, selection.higher_is_better) == ("last", False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"align": "cubic"}, "align must be 'linear', 'previous' or 'bins', not 'cubic'"),
        ({"short": "stretch"}, "short must be"),
        ({"short": "drop"}, "reason is needed"),
        ({"reason": "disk"}, "reason goes with"),
        ({"duplicates": "first"}, "duplicates must be 'mean' or 'last'"),
        ({"n_steps": 1}, "n_steps must be an integer of 2 or more"),
    ],
)
def test_values_that_cannot_be_used_are_refused_before_reading(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        cw.read("no/such/path", **options)
