"""Options that must be one of several."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import curvewise as cw
from curvewise import OptionError
from curvewise.data.checks import check_choice, refuse_option
from curvewise.text import naming_flags


def test_choices_are_listed() -> None:
    check_choice("short", "drop", ("refuse", "drop"))
    with pytest.raises(OptionError, match=r"short must be 'refuse' or 'drop', not 'x'\.") as e:
        check_choice("short", "x", ("refuse", "drop"))
    assert e.value.option == "short"
    with pytest.raises(OptionError, match="must be 'only', not 3"):
        check_choice("short", 3, ("only",))
    with pytest.raises(OptionError, match=r"must be 'only', not array\(\[\]"):
        check_choice("short", np.array([]), ("only",))
    with pytest.raises(OptionError, match=r"must be 'only', not a object\."):
        check_choice("short", object(), ("only",))


def test_options_are_named_as_the_reader_types_them() -> None:
    with naming_flags(), pytest.raises(OptionError, match="--n-steps must be more"):
        refuse_option("n_steps", "must be more.")


DRAWINGS = [name for name in dir(cw) if name.startswith("plot_")]


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_refuse_what_they_do_not_draw(name: str) -> None:
    draw = getattr(cw, name)
    needed = [
        parameter
        for parameter in inspect.signature(draw).parameters.values()
        if parameter.default is parameter.empty and parameter.kind.name != "VAR_KEYWORD"
    ]
    with pytest.raises(OptionError, match=rf"{name}\(\) draws .*; it was given float"):
        draw(*[1.5 for _ in needed])
