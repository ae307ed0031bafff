"""Options that must be one of several."""

from __future__ import annotations

import pytest

from curvewise import OptionError
from curvewise.data.choices import check_choice, refuse_option
from curvewise.text import naming_flags


def test_choices_are_listed() -> None:
    check_choice("short", "drop", ("refuse", "drop"))
    with pytest.raises(
        OptionError, match=r"short must be 'refuse' or 'drop', not 'x'\."
    ) as e:
        check_choice("short", "x", ("refuse", "drop"))
    assert e.value.option == "short"
    with pytest.raises(OptionError, match="must be 'only', not 3"):
        check_choice("short", 3, ("only",))


def test_options_are_named_as_the_reader_types_them() -> None:
    with naming_flags(), pytest.raises(OptionError, match="--n-steps must be more"):
        refuse_option("n_steps", "must be more.")
